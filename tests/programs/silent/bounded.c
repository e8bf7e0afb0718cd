/* norn-test
 * silent: -DCONDITIONS
 * silent: -DSEMAPHORES
 * silent: -DATOMICS
 */
/* A ring of slots between one producer and one consumer. The slots are plain memory. */
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>

#include "crew.h"

#define SLOTS 4u
static int ring[SLOTS], sum;
#if defined(ATOMICS)
static atomic_uint head, tail;
#else
static unsigned head, tail;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static sem_t free_slots, full_slots;
#endif

static void put(int value)
{
#if defined(ATOMICS)
	unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
	while (at - atomic_load_explicit(&tail, memory_order_acquire) == SLOTS)
		sched_yield();
	ring[at % SLOTS] = value;
	atomic_store_explicit(&head, at + 1, memory_order_release);
#elif defined(SEMAPHORES)
	sem_wait(&free_slots);
	ring[head++ % SLOTS] = value;
	sem_post(&full_slots);
#else
	pthread_mutex_lock(&lock);
	while (head - tail == SLOTS)
		pthread_cond_wait(&not_full, &lock);
	ring[head++ % SLOTS] = value;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&lock);
#endif
}

static int take(void)
{
	int value;
#if defined(ATOMICS)
	unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
	while (atomic_load_explicit(&head, memory_order_acquire) == at)
		sched_yield();
	value = ring[at % SLOTS];
	atomic_store_explicit(&tail, at + 1, memory_order_release);
#elif defined(SEMAPHORES)
	sem_wait(&full_slots);
	value = ring[tail++ % SLOTS];
	sem_post(&free_slots);
#else
	pthread_mutex_lock(&lock);
	while (head == tail)
		pthread_cond_wait(&not_empty, &lock);
	value = ring[tail++ % SLOTS];
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&lock);
#endif
	return value;
}

static void *work(void *argument)
{
	for (int i = 0; i < 12; i++)
		if (number_of(argument) == 0)
			put(i);
		else
			sum += take();
	return NULL;
}

int main(void)
{
#ifdef SEMAPHORES
	sem_init(&free_slots, 0, SLOTS);
	sem_init(&full_slots, 0, 0);
#endif
	crew(2, work);
	return sum == 66 ? 0 : 1;
}
