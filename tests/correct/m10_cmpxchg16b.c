/* norn-test
 * silent: -mcx16
 * unjudged:
 */
/* Correct: both halves change at once by lock cmpxchg16b: pointer and generation */
#include "lock.h"
static struct pair {
	uint64_t who, gen;
} s __attribute__((aligned(16)));
static void init(void)
{
}
static int cas(struct pair *q, uint64_t a, uint64_t b, uint64_t na, uint64_t nb)
{
	unsigned char ok;
	__asm__ volatile("lock cmpxchg16b %1\n\tsete %0"
	        : "=q"(ok), "+m"(*q), "+a"(a), "+d"(b)
	        : "b"(na), "c"(nb)
	        : "memory", "cc");
	return ok;
}
static uint64_t gen[2];
static void lk(int i)
{
	while (!cas(&s, 0, gen[i], (uint64_t)i + 1, gen[i] + 1)) {
		gen[i] = (gen[i] + 2) % 16;
		sched_yield();
	}
	gen[i]++;
}
static void ul(int i)
{
	if (!cas(&s, (uint64_t)i + 1, gen[i], 0, (gen[i] + 1) % 16))
		abort();
	gen[i] = (gen[i] + 1) % 16;
}
