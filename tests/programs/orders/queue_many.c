/* norn-test
 * silent:
 * unjudged:
 */
/* The bounded queue of queue.c between four threads at once, with blocks that are allocated by the one and freed by the other. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define CELLS 4
#define EACH 6

struct cell {
	atomic_uint sequence;
	int *block;
};
static struct cell cells[CELLS] = {{0}, {1}, {2}, {3}};
static atomic_uint in, out;
static atomic_int sum;

static int push(int *block)
{
	for (unsigned at = atomic_load_explicit(&in, memory_order_relaxed);;) {
		struct cell *c = &cells[at % CELLS];
		int ahead = (int)(atomic_load_explicit(&c->sequence, memory_order_acquire) - at);
		if (ahead < 0)
			return 0;
		if (ahead == 0 &&
		        atomic_compare_exchange_weak_explicit(&in, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
			c->block = block;
			atomic_store_explicit(&c->sequence, at + 1, memory_order_release);
			return 1;
		}
		if (ahead > 0)
			at = atomic_load_explicit(&in, memory_order_relaxed);
	}
}

static int *pop(void)
{
	for (unsigned at = atomic_load_explicit(&out, memory_order_relaxed);;) {
		struct cell *c = &cells[at % CELLS];
		int ahead = (int)(atomic_load_explicit(&c->sequence, memory_order_acquire) - (at + 1));
		if (ahead < 0)
			return NULL;
		if (ahead == 0 &&
		        atomic_compare_exchange_weak_explicit(&out, &at, at + 1, memory_order_relaxed, memory_order_relaxed)) {
			int *block = c->block;
			atomic_store_explicit(&c->sequence, at + CELLS, memory_order_release);
			return block;
		}
		if (ahead > 0)
			at = atomic_load_explicit(&out, memory_order_relaxed);
	}
}

static void *produce(void *unused)
{
	for (int i = 0; i < EACH; i++) {
		int *block = malloc(sizeof *block);
		*block = 1;
		while (!push(block))
			sched_yield();
	}
	return unused;
}

static void *consume(void *unused)
{
	for (int i = 0; i < EACH; i++) {
		int *block;
		while (!(block = pop()))
			sched_yield();
		atomic_fetch_add_explicit(&sum, *block, memory_order_relaxed);
		free(block);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[4];
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, i % 2 ? consume : produce, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return sum != 2 * EACH;
}
