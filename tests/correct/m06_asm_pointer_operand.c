/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a spinlock whose address is in a register, no memory operand but the clobber */
#include "lock.h"
static int s;
static void init(void)
{
}
static void lk(int i)
{
	int v;
	do {
		v = 1;
		__asm__ volatile("xchgl %0, (%1)" : "+r"(v) : "r"(&s) : "memory");
		if (v)
			sched_yield();
	} while (v);
	(void)i;
}
static void ul(int i)
{
	int v = 0;
	__asm__ volatile("xchgl %0, (%1)" : "+r"(v) : "r"(&s) : "memory");
	(void)i;
}
