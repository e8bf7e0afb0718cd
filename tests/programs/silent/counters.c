/* norn-test
 * silent: -DADD
 * silent: -DLOOP
 * silent: -DLATCH
 * silent: -DSTOP
 * silent: -DREAD_ONLY
 */
/* Atomic counters, a latch that counts down, a flag that stops a worker, and data that is only read. */
#include <sched.h>
#include <stdatomic.h>

#include "crew.h"

static atomic_int count = 3, stop;
static int cells[3], sum, setting;

static void *work(void *argument)
{
	int me = number_of(argument);
#if defined(ADD)
	for (int i = 0; i < 10; i++)
		atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
	(void)me;
#elif defined(LOOP)
	int old = atomic_load(&count);
	while (!atomic_compare_exchange_weak(&count, &old, old + 10))
		;
	(void)me;
#elif defined(LATCH)
	cells[me] = me;
	if (atomic_fetch_sub(&count, 1) == 1)
		for (int i = 0; i < 3; i++)
			sum += cells[i]; /* the last one may look at what all have written */
#elif defined(STOP)
	if (me == 0)
		atomic_store(&stop, 1);
	else
		while (!atomic_load(&stop)) {
			cells[me]++;
			sched_yield();
		}
#else
	cells[me] = setting * me;
#endif
	return NULL;
}

int main(void)
{
	setting = 5;
	crew(3, work);
#if defined(ADD) || defined(LOOP)
	return count == 33 ? 0 : 1;
#elif defined(LATCH)
	return sum == 3 ? 0 : 1;
#elif defined(STOP)
	return stop && sum == 0 ? 0 : 1;
#else
	return cells[2] == 10 ? 0 : 1;
#endif
}
