/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: the whole spinlock is one piece of assembly, with its loop */
#include "lock.h"
static unsigned char byte;
static void init(void)
{
}
static void lk(int i)
{
	(void)i;
	__asm__ volatile("1:\n\tmovb $1, %%al\n\txchgb %%al, %0\n\ttestb %%al, %%al\n\tjz 2f\n\tpause\n\tjmp 1b\n2:"
	        : "+m"(byte)::"rax", "memory", "cc");
}
static void ul(int i)
{
	(void)i;
	__asm__ volatile("movb $0, %0" : "=m"(byte)::"memory");
}
