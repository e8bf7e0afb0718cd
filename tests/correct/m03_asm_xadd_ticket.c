/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a ticket lock: lock xadd takes a number, the owner's number is read and counted by lock instructions */
#include "lock.h"
static int next, now;
static void init(void)
{
}
static int xadd(int *q, int v)
{
	__asm__ volatile("lock xaddl %0, %1" : "+r"(v), "+m"(*q)::"memory", "cc");
	return v;
}
static void lk(int i)
{
	int t = xadd(&next, 1);
	while (xadd(&now, 0) != t)
		sched_yield();
	(void)i;
}
static void ul(int i)
{
	__asm__ volatile("lock incl %0" : "+m"(now)::"memory", "cc");
	(void)i;
}
