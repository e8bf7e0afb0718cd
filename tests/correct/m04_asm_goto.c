/* norn-test
 * silent:
 * unjudged:
 */
/* Norn said, falsely (1ef9590 to 5becc41; only suspected since): -O0 to -O2: race d (predicted or observed), deadlock of one and two predicted.
 * Correct: a spinlock by lock bts in asm goto */
#include "lock.h"
static unsigned long s;
static void init(void)
{
}
static int try(void)
{
	__asm__ goto("lock btsq $3, %0\n\tjc %l1" : : "m"(s) : "memory", "cc" : busy);
	return 1;
busy:
	return 0;
}
static void lk(int i)
{
	while (!try())
		sched_yield();
	(void)i;
}
static void ul(int i)
{
	__asm__ volatile("lock btrq $3, %0" : "+m"(s)::"memory", "cc");
	(void)i;
}
