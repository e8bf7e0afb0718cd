/* norn cc -g -O1 -pthread false_complete_robust_mutex.c -o w && norn run ./w      (every recording)
 * reported: 0 findings; complete.
 * should be: race on x (x = 1 before the lock in one thread, x = 2 after the unlock in the other: the README's hidden
 * race). Without pthread_mutexattr_setrobust it is predicted.
 * So regions of a robust mutex keep their recorded order, which section 15 does not list, and the verdict is complete.
 * (Lost update under it: assertion not predicted either. Deadlock with a second lock: found.)
 * Of 21 kinds of locks tried with this race (mutex plain, recursive, error-checking, adaptive, heap, priority-
 * inheriting; spin, rwlock, semaphore, trylock loop, exchange, compare-exchange, flag, C11,
 * condition): all found but: robust; a token in a pipe (0 findings, complete; X4: "all that was put there before"); a
 * ticket lock (fetch_add's result against serving: 0 findings, complete);
 * timedlock with a limit from clock_gettime (partial: "what a call saw of the system"; with a constant limit it is
 * found); flockfile (suspected only: flockfile/funlockfile have no row). */

#include "lucky.h"

static pthread_mutex_t m;
static int x, y;
T(w1)
{
	x = 1;
	{
		pthread_mutex_lock(&m);
		y++;
		pthread_mutex_unlock(&m);
	}
	return 0;
}
T(w2)
{
	{
		pthread_mutex_lock(&m);
		y++;
		pthread_mutex_unlock(&m);
	}
	x = 2;
	return 0;
}
int main(void)
{
	pthread_t a, b;
	pthread_mutexattr_t at;
	pthread_mutexattr_init(&at);
	pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &at);
	GO(a, w1, 0);
	nap(12);
	GO(b, w2, 0);
	WAIT(a);
	WAIT(b);
	return 0;
}
