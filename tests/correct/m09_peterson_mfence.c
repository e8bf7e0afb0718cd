/* norn-test
 * silent:
 * unjudged:
 */
/* Correct: Peterson's lock; volatile accesses in program order, mfence between store and load */
#include "lock.h"
static atomic_int want[2], turn;
static void init(void)
{
}
static void lk(int i)
{
	atomic_store_explicit(&want[i], 1, memory_order_relaxed);
	atomic_store_explicit(&turn, !i, memory_order_relaxed);
	__asm__ volatile("mfence" ::: "memory");
	while (atomic_load_explicit(&want[!i], memory_order_acquire) && atomic_load_explicit(&turn, memory_order_acquire) != i)
		sched_yield();
}
static void ul(int i)
{
	atomic_store_explicit(&want[i], 0, memory_order_release);
}
