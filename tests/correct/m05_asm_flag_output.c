/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a spinlock by lock bts, whose carry flag is an output */
#include "lock.h"
static unsigned s;
static void init(void)
{
}
static void lk(int i)
{
	for (;;) {
		int was;
		__asm__ volatile("lock btsl $0, %1" : "=@ccc"(was), "+m"(s)::"memory");
		if (!was)
			break;
		sched_yield();
	}
	(void)i;
}
static void ul(int i)
{
	__asm__ volatile("lock andl $-2, %0" : "+m"(s)::"memory", "cc");
	(void)i;
}
