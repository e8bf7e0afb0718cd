/* norn-test
 * silent:
 * unjudged:
 */
/* A lock-free stack whose head is an index and a tag in one 64-bit word; nodes are used again, the tag keeps ABA away. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
enum { NODES = 6, NONE = 0xffff };
static _Atomic uint64_t head[2] = {NONE, NONE};
static _Atomic uint32_t next[NODES];
static struct {
	int owner, uses;
	long data;
} node[NODES];
static void push(int s, uint32_t n)
{
	uint64_t h = atomic_load_explicit(&head[s], memory_order_relaxed);
	do
		atomic_store_explicit(&next[n], (uint32_t)h & 0xffff, memory_order_relaxed);
	while (!atomic_compare_exchange_weak_explicit(
	        &head[s], &h, ((h >> 16) + 1) << 16 | n, memory_order_release, memory_order_relaxed));
}
static uint32_t pop(int s)
{
	uint64_t h = atomic_load_explicit(&head[s], memory_order_acquire);
	for (;;) {
		uint32_t n = (uint32_t)h & 0xffff;
		if (n == NONE)
			return NONE;
		uint32_t after = atomic_load_explicit(&next[n], memory_order_relaxed);
		if (atomic_compare_exchange_weak_explicit(
		            &head[s], &h, ((h >> 16) + 1) << 16 | after, memory_order_acq_rel, memory_order_acquire))
			return n;
	}
}
static void *run(void *arg)
{
	int me = (int)(size_t)arg + 1;
	for (int i = 0; i < 8; i++) {
		uint32_t n = pop(0);
		if (n != NONE) {
			assert(node[n].owner == 0);
			node[n].owner = me;
			node[n].uses++;
			node[n].data = me * 100L + i;
			assert(node[n].owner == me && node[n].data / 100 == me);
			node[n].owner = 0;
			push(1, n);
		}
		if ((n = pop(1)) != NONE) {
			assert(node[n].owner == 0 && node[n].uses > 0);
			push(0, n);
		}
	}
	return NULL;
}
int main(void)
{
	pthread_t t[3];
	for (uint32_t i = 0; i < NODES; i++)
		push(0, i);
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	int n = 0;
	for (int s = 0; s < 2; s++)
		while (pop(s) != NONE)
			n++;
	assert(n == NODES);
	printf("%d\n", n);
	return 0;
}
