/* norn-test
 * silent: -DACQUIRE
 * silent: -DSEQUENTIAL
 * silent: -DFENCES
 * silent: -DPOINTER
 * silent: -DPOLL
 */
/* Plain data, published by an atomic. */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "crew.h"

static int data[4], sum;
static atomic_int ready;
static int *_Atomic published;

static void *produce(void)
{
#ifdef POINTER
	int *block = malloc(4 * sizeof *block);
	for (int i = 0; i < 4; i++)
		block[i] = i;
	atomic_store_explicit(&published, block, memory_order_release);
#else
	for (int i = 0; i < 4; i++)
		data[i] = i;
#if defined(FENCES)
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&ready, 1, memory_order_relaxed);
#elif defined(SEQUENTIAL)
	ready = 1;
#else
	atomic_store_explicit(&ready, 1, memory_order_release);
#endif
#endif
	return NULL;
}

static void *consume(void)
{
#if defined(POINTER)
	int *block;
	while (!(block = atomic_load_explicit(&published, memory_order_acquire)))
		sched_yield();
	for (int i = 0; i < 4; i++)
		sum += block[i];
	free(block);
#elif defined(POLL)
	/* Looks once; if it is not there yet, leaves it alone. */
	if (atomic_load_explicit(&ready, memory_order_acquire))
		for (int i = 0; i < 4; i++)
			sum += data[i];
	else
		sum = 6;
#else
#if defined(FENCES)
	while (!atomic_load_explicit(&ready, memory_order_relaxed))
		sched_yield();
	atomic_thread_fence(memory_order_acquire);
#elif defined(SEQUENTIAL)
	while (!ready)
		sched_yield();
#else
	while (!atomic_load_explicit(&ready, memory_order_acquire))
		sched_yield();
#endif
	for (int i = 0; i < 4; i++)
		sum += data[i];
#endif
	return NULL;
}

static void *work(void *argument)
{
	return number_of(argument) ? consume() : produce();
}

int main(void)
{
	crew(2, work);
	return sum == 6 ? 0 : 1;
}
