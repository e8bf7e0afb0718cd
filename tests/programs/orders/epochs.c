/* norn-test
 * silent:
 * unjudged:
 */
/* A pointer that readers use without a lock, and whose old blocks are freed when no reader is inside any more: fences keep readers who
 * come later from the old block. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define READERS 2
#define TURNS 4

struct block {
	int value;
};
static struct block *_Atomic shared;
static atomic_int inside[READERS];
static int seen[READERS];

static void *reader(void *argument)
{
	int me = *(int *)argument;
	for (int i = 0; i < TURNS; i++) {
		atomic_store_explicit(&inside[me], 1, memory_order_relaxed);
		atomic_thread_fence(memory_order_seq_cst);
		struct block *b = atomic_load_explicit(&shared, memory_order_acquire);
		seen[me] += b->value;
		atomic_store_explicit(&inside[me], 0, memory_order_release);
		sched_yield();
	}
	return NULL;
}

static void replace(int value)
{
	struct block *b = malloc(sizeof *b);
	b->value = value;
	struct block *old = atomic_exchange_explicit(&shared, b, memory_order_acq_rel);
	atomic_thread_fence(memory_order_seq_cst);
	for (int i = 0; i < READERS; i++)
		while (atomic_load_explicit(&inside[i], memory_order_acquire))
			sched_yield();
	free(old);
}

int main(void)
{
	pthread_t threads[READERS];
	int numbers[READERS];
	replace(1);
	for (int i = 0; i < READERS; i++) {
		numbers[i] = i;
		pthread_create(&threads[i], NULL, reader, &numbers[i]);
	}
	for (int i = 0; i < TURNS; i++) {
		replace(1);
		sched_yield();
	}
	for (int i = 0; i < READERS; i++)
		pthread_join(threads[i], NULL);
	replace(0);
	free(atomic_load(&shared));
	return seen[0] != TURNS || seen[1] != TURNS;
}
