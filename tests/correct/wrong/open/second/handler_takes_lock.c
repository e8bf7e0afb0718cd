/* signal handler takes the lock that the interrupted thread may hold (documented: handlers are not moved, yet "complete")
   Failing order: signal inside t1's region
   Shown with -DFAIL: hang yes */
#include "hostile.h"
MX(m);
static volatile int x;
static void h(int s)
{
	LK(m);
	x++;
	UL(m);
}
void *t1(void *q)
{
	LK(m);
	x++;
	B(4000);
	UL(m);
	G(4000);
	return 0;
}
int main(void)
{
	signal(SIGUSR1, h);
	pthread_t t;
	pthread_create(&t, 0, t1, 0);
	G(2000);
	B(1000);
	pthread_kill(t, SIGUSR1);
	pthread_join(t, 0);
	return 0;
}
