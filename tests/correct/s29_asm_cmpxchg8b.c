/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: eight bytes are exchanged at once: a lock and the number of its owner */
#include "lock.h"
static unsigned long long word;
static int swap8(unsigned long long old, unsigned long long new)
{
	unsigned low = (unsigned)old, high = (unsigned)(old >> 32);
	unsigned char ok;
	__asm__ volatile("lock cmpxchg8b %0\n\tsetz %1"
	        : "+m"(word), "=q"(ok), "+a"(low), "+d"(high)
	        : "b"((unsigned)new), "c"((unsigned)(new >> 32))
	        : "memory", "cc");
	return ok;
}
static void init(void)
{
}
static void lk(int i)
{
	while (!swap8(0, (1ull << 40) | (unsigned)i))
		sched_yield();
}
static void ul(int i)
{
	if (!swap8((1ull << 40) | (unsigned)i, 0))
		abort();
}
