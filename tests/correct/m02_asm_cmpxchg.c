/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a spinlock by lock cmpxchg */
#include "lock.h"
static long s;
static void init(void)
{
}
static int cas(long *q, long o, long n)
{
	unsigned char ok;
	__asm__ volatile("lock cmpxchgq %3, %1\n\tsete %0" : "=q"(ok), "+m"(*q), "+a"(o) : "r"(n) : "memory", "cc");
	return ok;
}
static void lk(int i)
{
	while (!cas(&s, 0, i + 1))
		sched_yield();
}
static void ul(int i)
{
	if (!cas(&s, i + 1, 0))
		abort();
}
