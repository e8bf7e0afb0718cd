/* norn-test
 * schedule: abc
 * env: GLIBC_TUNABLES=glibc.malloc.tcache_count=0:glibc.malloc.arena_max=1
 * unjudged:
 * silent: -DCOMPARED
 * silent: -DLESS
 * silent: -DHASHED
 * silent: -DMASKED
 * silent: -DTAGGED
 * silent: -DDISTANCE
 * silent: -DWRAPPED
 * silent: -DPASSED
 * silent: -DSTORED
 * silent: -DPRINTED
 * silent: -DTHREAD_LOCAL
 * silent: -DKEYED
 * silent: -DCOPIED
 * silent: -DSEARCHED
 * silent: -DEXCHANGED
 * silent: -DSWITCHED
 * silent: -DCOMPARED_BYTES
 * silent: -DHALVES
 * silent: -DZEROED
 * silent: -DALIGNED
 * silent: -DGROWN
 * silent: -DINDIRECT
 * silent: -DLOOPED
 * silent: -DFOUND
 */
/* The second thread writes the total only if its block lies where that of the first one lay, which has been freed then: malloc orders both. In a run in which the block lies elsewhere it does
 * not write. What the first thread says of its block is said by relaxed atomics, which order nothing. */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sliced/cast.h"

struct node {
	struct node *self;
	long value, more[6];
};
long total;
static _Atomic uintptr_t seen;
static _Atomic int table[4096];
static struct node *_Atomic kept;
static __thread void *own __attribute__((unused));
static pthread_key_t key;

#define APART __attribute__((noinline))

APART static struct node *make(void)
{
#ifdef ZEROED
	return calloc(1, sizeof(struct node));
#elif defined ALIGNED
	return aligned_alloc(16, sizeof(struct node));
#elif defined GROWN
	return realloc(NULL, sizeof(struct node));
#else
	return malloc(sizeof(struct node));
#endif
}

APART static int same_as(const void *block, uintptr_t place)
{
	return (uintptr_t)block == place;
}

static int (*volatile compare)(const void *block, uintptr_t place) __attribute__((unused)) = same_as;

static uintptr_t then(void)
{
	return atomic_load_explicit(&seen, memory_order_relaxed);
}

/* Does it lie where the first one lay? */
static int is_there(struct node *node)
{
	uintptr_t at = (uintptr_t)node;
	(void)at;
#ifdef LESS
	return !(at < then()) && at <= then();
#elif defined HASHED
	return atomic_load_explicit(&table[(at >> 4) * 2654435761u % 4096], memory_order_relaxed);
#elif defined MASKED
	return (at & 0xfffffffffff0) == then();
#elif defined TAGGED
	uintptr_t tagged = at | UINT64_C(1) << 56;
	return (tagged & ~(UINT64_C(255) << 56)) == then();
#elif defined DISTANCE
	return (char *)node - (char *)&total == (intptr_t)(then() - (uintptr_t)&total);
#elif defined PASSED
	return same_as(node, then());
#elif defined STORED
	atomic_store_explicit(&kept, node, memory_order_relaxed);
	return (uintptr_t)atomic_load_explicit(&kept, memory_order_relaxed) == then();
#elif defined PRINTED
	char now[32], before[32];
	snprintf(now, sizeof now, "%p", (void *)node);
	snprintf(before, sizeof before, "%p", (void *)then());
	return strcmp(now, before) == 0;
#elif defined THREAD_LOCAL
	own = node;
	return (uintptr_t)own == then();
#elif defined KEYED
	pthread_setspecific(key, node);
	return (uintptr_t)pthread_getspecific(key) == then();
#elif defined COPIED
	struct node copy = {.self = node}, other;
	memcpy(&other, &copy, sizeof other);
	return (uintptr_t)other.self == then();
#elif defined SEARCHED
	struct node *all[3] = {NULL, node, NULL};
	for (int i = 0; i < 3; i++)
		if ((uintptr_t)all[i] == then())
			return 1;
	return 0;
#elif defined EXCHANGED
	return atomic_compare_exchange_strong_explicit(&seen, &at, at, memory_order_relaxed, memory_order_relaxed);
#elif defined SWITCHED
	switch (at - then()) {
	case 0:
		return 1;
	default:
		return 0;
	}
#elif defined COMPARED_BYTES
	uintptr_t before = then();
	node->self = node;
	return memcmp(&node->self, &before, sizeof before) == 0;
#elif defined HALVES
	uint32_t halves[2];
	memcpy(halves, &at, sizeof halves);
	return halves[0] == (uint32_t)then() && halves[1] == then() >> 32;
#elif defined INDIRECT
	return compare(node, then());
#elif defined LOOPED
	uintptr_t left = at;
	int same = 0;
	for (unsigned i = 0; i < 2; i++, left ^= 1)
		same |= left == then();
	return same;
#elif defined FOUND
	node->self = node;
	struct node *again = node->self->self;
	return (uintptr_t)again == then();
#else /* COMPARED, WRAPPED, ZEROED, ALIGNED, GROWN */
	return at == then();
#endif
}

static void *first(void *unused)
{
	gate('a');
	struct node *node = make();
	atomic_store_explicit(&seen, (uintptr_t)node, memory_order_relaxed);
	atomic_store_explicit(&table[((uintptr_t)node >> 4) * 2654435761u % 4096], 1, memory_order_relaxed);
	total = 1;
	free(node);
	gate('c'); /* what a thread frees when it ends would change what lies where */
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef WRAPPED
	struct node *node = make();
#else
	struct node *node = malloc(sizeof *node);
#endif
	node->value = 1;
	if (is_there(node))
		total = 2;
	free(node);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	(void)argc;
	pthread_key_create(&key, NULL);
	return play(argv, first, second, NULL) || total != 2;
}
