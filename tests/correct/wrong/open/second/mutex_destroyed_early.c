/* static mutex destroyed while the other thread has still to lock it
   Failing order: main before t1
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
MX(m);
static int x;
void *t1(void *q)
{
	B(3000);
	LK(m);
	x++;
	UL(m);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, t1, 0);
	G(3000);
	LK(m);
	x++;
	UL(m);
	pthread_mutex_destroy(&m);
	pthread_join(t, 0);
	return 0;
}
