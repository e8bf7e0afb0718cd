/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: a ticket lock of two halves of a word: the head is read by a volatile load, and moved on by an instruction with lock */
#include "lock.h"
static union {
	unsigned all;
	struct {
		unsigned short head, tail;
	};
} ticket;
static void init(void)
{
}
static void lk(int i)
{
	unsigned short mine = 1;
	(void)i;
	__asm__ volatile("lock xaddw %0, %1" : "+r"(mine), "+m"(ticket.tail)::"memory", "cc");
	for (;;) {
		unsigned short now = 0;
		__asm__ volatile("lock xaddw %0, %1" : "+r"(now), "+m"(ticket.head)::"memory", "cc");
		if (now == mine)
			break;
		sched_yield();
	}
}
static void ul(int i)
{
	(void)i;
	__asm__ volatile("lock incw %0" : "+m"(ticket.head)::"memory", "cc");
}
