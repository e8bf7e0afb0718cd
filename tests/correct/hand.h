/* One thread hands work to another: `set` is called when all is written, and the other one goes on when `seen` says so. What a program defines: init, set, seen.
 * With GUARDED both are called under one mutex. */
#include "correct.h"
#ifdef DONE_FIRST /* the giver is done before the other one begins */
#include "settle.h"
#endif
static int d, *p;
static void init(void);
static void set(void);
static int seen(void);
#ifdef GUARDED
static pthread_mutex_t hand_lock = PTHREAD_MUTEX_INITIALIZER;
#endif
T(giver)
{
#ifndef DONE_FIRST
	J();
#endif
#ifndef LATE
	d = 41;
#endif
	*p = 1;
#ifdef GUARDED
	L(hand_lock);
#endif
	set();
#ifdef GUARDED
	U(hand_lock);
#endif
#ifdef LATE /* wrong */
	d = 41;
#endif
	return a;
}
T(taker)
{
	for (;;) {
#ifdef GUARDED
		L(hand_lock);
#endif
		int ok = seen();
#ifdef GUARDED
		U(hand_lock);
#endif
		if (ok)
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
	pthread_t x, y;
	p = malloc(64);
	init();
	GO(x, giver, 0);
#ifdef DONE_FIRST
	settle();
#endif
	GO(y, taker, 0);
	WAIT(x);
	WAIT(y);
	printf("%d\n", d);
#ifdef LATE
	return 0;
#else
	return d != 42;
#endif
}
