/* norn-test
 * errors: yes
 * build: clang-19 -O2 -c $SRC/../settle-part.c -o settle.o
 * cc: -O1 settle.o
 * check: --model $SRC/../settle.model
 * finding: ^race d
 */
/* Wrong: the second thread works without the lock in its last round */
#define LAX
#include "../lock.h"
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
