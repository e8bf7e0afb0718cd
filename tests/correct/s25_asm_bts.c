/* norn-test
 * silent:
 * silent: -O3
 * unjudged:
 */
/* Correct: a lock that is one bit, by lock bts and lock btr */
#include "lock.h"
static unsigned word;
static void init(void)
{
}
static void lk(int i)
{
	unsigned char was;
	(void)i;
	do {
		__asm__ volatile("lock btsl $7, %1\n\tsetc %0" : "=q"(was), "+m"(word)::"memory", "cc");
		if (was)
			sched_yield();
	} while (was);
}
static void ul(int i)
{
	(void)i;
	__asm__ volatile("lock btrl $7, %0" : "+m"(word)::"memory", "cc");
}
