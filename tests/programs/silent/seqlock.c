/* norn-test
 * silent:
 */
/* A seqlock: the data are relaxed atomics, read again until no writer came in between. */
#include <sched.h>
#include <stdatomic.h>

#include "crew.h"

static atomic_uint sequence;
static atomic_int left, right;
static int wrong;

static void *work(void *argument)
{
	for (int i = 1; i <= 10; i++) {
		if (number_of(argument) == 0) {
			atomic_fetch_add(&sequence, 1);
			atomic_store_explicit(&left, i, memory_order_relaxed);
			atomic_store_explicit(&right, -i, memory_order_relaxed);
			atomic_fetch_add(&sequence, 1);
			continue;
		}
		unsigned before;
		int a, b;
		do {
			before = atomic_load(&sequence);
			a = atomic_load_explicit(&left, memory_order_relaxed);
			b = atomic_load_explicit(&right, memory_order_relaxed);
			atomic_thread_fence(memory_order_seq_cst);
		} while (before & 1 || before != atomic_load(&sequence));
		wrong += a != -b;
	}
	return NULL;
}

int main(void)
{
	crew(2, work);
	return wrong;
}
