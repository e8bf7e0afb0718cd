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
