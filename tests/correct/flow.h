/* A flag is read under a lock, and what is done then depends on it by way of `flow`, which gives 0 for 0 and another number for 1. What a program defines: flow. */
#include "correct.h"
static int d, *p, x;
static pthread_mutex_t flow_lock = PTHREAD_MUTEX_INITIALIZER;
static int flow(int v);
T(giver)
{
	J();
#ifndef LATE
	d = 41;
#endif
	*p = 1;
	L(flow_lock);
	x = 1;
	U(flow_lock);
#ifdef LATE /* wrong */
	d = 41;
#endif
	return a;
}
T(taker)
{
	for (;;) {
		L(flow_lock);
		int v = x;
		U(flow_lock);
		if (flow(v))
			break;
		usleep(100);
	}
	d++;
	if (*p != 1)
		abort();
	free(p);
	return a;
}
int main(void)
{
	pthread_t s, t;
	p = malloc(64);
	GO(s, giver, 0);
	GO(t, taker, 0);
	WAIT(s);
	WAIT(t);
	printf("%d\n", d);
#ifdef LATE
	return 0;
#else
	return d != 42;
#endif
}
