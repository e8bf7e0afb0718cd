/* static condition destroyed, signal of the other thread comes later (ThreadSanitizer: race 3 of 3)
   Failing order: main destroys before t1 signals
   Shown with -DFAIL: tsan yes */
#include "hostile.h"
MX(m);
CV(c);
static int done;
void *t1(void *q)
{
	G(500);
	LK(m);
	done = 1;
	UL(m);
	B(3000);
	pthread_cond_signal(&c);
	return 0;
}
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, t1, 0);
	LK(m);
	while (!done) {
		UL(m);
		usleep(1000);
		LK(m);
	}
	UL(m);
	G(3000);
	pthread_cond_destroy(&c);
	pthread_join(t, 0);
	return 0;
}
