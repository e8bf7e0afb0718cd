/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the flag is stored and loaded by mov, which is release and acquire on this machine */
#include "hand.h"
static int f;
static void init(void)
{
}
static void set(void)
{
	__asm__ volatile("movl $1, %0" : "=m"(f)::"memory");
}
static int seen(void)
{
	int v;
	__asm__ volatile("movl %1, %0" : "=r"(v) : "m"(f) : "memory");
	return v;
}
