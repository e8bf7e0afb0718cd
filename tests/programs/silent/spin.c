/* norn-test
 * silent: -DFLAG
 * silent: -DSWAP
 * silent: -DTICKET
 * silent: -DPETERSON
 * silent: -DBUILTIN
 * unjudged: -DFLAG
 * unjudged: -DSWAP
 * unjudged: -DBUILTIN
 */
/* Locks that users make themselves, by spinning on atomics. */
#include <sched.h>
#include <stdatomic.h>

#include "crew.h"

static int counter;

#if defined(FLAG)
static atomic_flag flag = ATOMIC_FLAG_INIT;
static void lock(int me)
{
	(void)me;
	while (atomic_flag_test_and_set_explicit(&flag, memory_order_acquire))
		sched_yield();
}
static void unlock(int me)
{
	(void)me;
	atomic_flag_clear_explicit(&flag, memory_order_release);
}
#elif defined(SWAP)
static atomic_int word;
static void lock(int me)
{
	(void)me;
	for (int free = 0; !atomic_compare_exchange_weak(&word, &free, 1); free = 0)
		sched_yield();
}
static void unlock(int me)
{
	(void)me;
	atomic_store(&word, 0);
}
#elif defined(TICKET)
static atomic_uint next, serving;
static void lock(int me)
{
	(void)me;
	unsigned mine = atomic_fetch_add(&next, 1);
	while (atomic_load(&serving) != mine)
		sched_yield();
}
static void unlock(int me)
{
	(void)me;
	atomic_fetch_add(&serving, 1);
}
#elif defined(PETERSON)
static atomic_int wants[2], victim;
static void lock(int me)
{
	atomic_store(&wants[me], 1);
	atomic_store(&victim, me);
	while (atomic_load(&wants[!me]) && atomic_load(&victim) == me)
		sched_yield();
}
static void unlock(int me)
{
	atomic_store(&wants[me], 0);
}
#else
static int word;
static void lock(int me)
{
	(void)me;
	while (__sync_lock_test_and_set(&word, 1))
		sched_yield();
}
static void unlock(int me)
{
	(void)me;
	__sync_lock_release(&word);
}
#endif

static void *work(void *argument)
{
	for (int i = 0; i < 10; i++) {
		lock(number_of(argument));
		counter++;
		unlock(number_of(argument));
	}
	return NULL;
}

int main(void)
{
	crew(2, work);
	return counter == 20 ? 0 : 1;
}
