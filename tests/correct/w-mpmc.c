/* norn-test
 * silent:
 */
/* Vyukov's bounded queue for many producers and consumers, with the orders that he gives. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stddef.h>
enum { SIZE = 4, PER = 8, PRODUCERS = 2, CONSUMERS = 2 };
static struct cell {
	atomic_size_t sequence;
	int value;
	char text[4];
} ring[SIZE];
static atomic_size_t enqueue_at, dequeue_at;
static int put(int v)
{
	size_t pos = atomic_load_explicit(&enqueue_at, memory_order_relaxed);
	struct cell *c;
	for (;;) {
		c = &ring[pos % SIZE];
		ptrdiff_t d = (ptrdiff_t)(atomic_load_explicit(&c->sequence, memory_order_acquire) - pos);
		if (d == 0) {
			if (atomic_compare_exchange_weak_explicit(
			            &enqueue_at, &pos, pos + 1, memory_order_relaxed, memory_order_relaxed))
				break;
		} else if (d < 0)
			return 0;
		else
			pos = atomic_load_explicit(&enqueue_at, memory_order_relaxed);
	}
	c->value = v;
	c->text[0] = (char)('a' + v % 26);
	atomic_store_explicit(&c->sequence, pos + 1, memory_order_release);
	return 1;
}
static int get(int *v)
{
	size_t pos = atomic_load_explicit(&dequeue_at, memory_order_relaxed);
	struct cell *c;
	for (;;) {
		c = &ring[pos % SIZE];
		ptrdiff_t d = (ptrdiff_t)(atomic_load_explicit(&c->sequence, memory_order_acquire) - (pos + 1));
		if (d == 0) {
			if (atomic_compare_exchange_weak_explicit(
			            &dequeue_at, &pos, pos + 1, memory_order_relaxed, memory_order_relaxed))
				break;
		} else if (d < 0)
			return 0;
		else
			pos = atomic_load_explicit(&dequeue_at, memory_order_relaxed);
	}
	*v = c->value;
	assert(c->text[0] == (char)('a' + *v % 26));
	atomic_store_explicit(&c->sequence, pos + SIZE, memory_order_release);
	return 1;
}
static int seen[PRODUCERS * PER];
static atomic_int left = PRODUCERS * PER;
static void *producer(void *arg)
{
	for (int i = 0; i < PER; i++)
		while (!put((int)(size_t)arg * PER + i))
			sched_yield();
	return NULL;
}
static void *consumer(void *arg)
{
	int v;
	while (atomic_load(&left) > 0)
		if (get(&v)) {
			assert(seen[v] == 0);
			seen[v] = 1;
			atomic_fetch_sub(&left, 1);
		} else
			sched_yield();
	return arg;
}
int main(void)
{
	pthread_t t[PRODUCERS + CONSUMERS];
	for (size_t i = 0; i < SIZE; i++)
		atomic_init(&ring[i].sequence, i);
	for (size_t i = 0; i < PRODUCERS; i++)
		pthread_create(&t[i], NULL, producer, (void *)i);
	for (int i = 0; i < CONSUMERS; i++)
		pthread_create(&t[PRODUCERS + i], NULL, consumer, NULL);
	for (int i = 0; i < PRODUCERS + CONSUMERS; i++)
		pthread_join(t[i], NULL);
	for (int i = 0; i < PRODUCERS * PER; i++)
		assert(seen[i] == 1);
	puts("all");
	return 0;
}
