/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a spinlock by xchg, which is a full barrier */
#include "lock.h"
static volatile int s;
static void init(void)
{
}
static void lk(int i)
{
	int v;
	do {
		v = 1;
		__asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(s)::"memory");
		if (v)
			sched_yield();
	} while (v);
	(void)i;
}
static void ul(int i)
{
	int v = 0;
	__asm__ volatile("xchgl %0, %1" : "+r"(v), "+m"(s)::"memory");
	(void)i;
}
