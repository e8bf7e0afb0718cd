#include "online/knowledge.h"

#include <stdlib.h>
#include <string.h>

/* ---- memory: blocks of a few sizes come and go all the time, so each thread keeps some of each ---- */

#define CLASS_BYTES 64u
#define CLASSES 16u
#define POOLED 24u

struct pool {
	uint32_t count;
	void *blocks[POOLED];
};

static _Thread_local struct pool *pools; /* NULL: none yet. Not here, since thread-local memory is taken from small stacks */

/* Not zeroed. */
static void *take(size_t bytes)
{
	size_t class = (bytes - 1) / CLASS_BYTES;
	if (class >= CLASSES)
		return malloc(bytes);
	struct pool *pool = pools ? &pools[class] : NULL;
	return pool && pool->count ? pool->blocks[--pool->count] : malloc((class + 1) * CLASS_BYTES);
}

static void give(void *block, size_t bytes)
{
	size_t class = (bytes - 1) / CLASS_BYTES;
	if (!pools)
		pools = calloc(CLASSES, sizeof *pools);
	if (pools && class < CLASSES && pools[class].count < POOLED)
		pools[class].blocks[pools[class].count++] = block;
	else
		free(block);
}

void norn_knowledge_relax(void)
{
	norn_id_relax();
	for (uint32_t i = 0; pools && i < CLASSES; i++)
		while (pools[i].count)
			free(pools[i].blocks[--pools[i].count]);
	free(pools);
	pools = NULL;
}

struct norn_knowledge *norn_knowledge_new(const struct norn_mttl *program, uint32_t count)
{
	struct norn_knowledge *k;
	size_t places = program->valued * sizeof *k->places, bytes = sizeof *k + places + count * sizeof *k->threads;
	k = take(bytes);
	if (!k)
		return NULL;
	memset(k, 0, bytes);
	atomic_init(&k->refs, 1);
	k->bytes = (uint32_t)bytes;
	k->owner = NORN_SEAT_NONE;
	k->id = norn_id_take(k);
	k->count = count;
	k->threads = (struct norn_known *)(void *)((char *)k->places + places);
	return k;
}

struct norn_knowledge *norn_knowledge_keep(struct norn_knowledge *knowledge)
{
	if (knowledge)
		atomic_fetch_add_explicit(&knowledge->refs, 1, memory_order_relaxed);
	return knowledge;
}

/* Whoever lets go of the last ones must see what all others did with it before: release each, acquire the last. */
static bool are_last(_Atomic uint32_t *refs, uint32_t count)
{
	if (atomic_fetch_sub_explicit(refs, count, memory_order_release) != count)
		return false;
	(void)atomic_load_explicit(refs, memory_order_acquire);
	return true;
}

void norn_known_thread_drop(struct norn_known_thread *thread)
{
	if (thread && are_last(&thread->refs, 1))
		give(thread, thread->bytes);
}

void norn_knowledge_drop(struct norn_knowledge *knowledge)
{
	if (knowledge)
		norn_knowledge_drop_many(knowledge, 1);
}

void norn_knowledge_drop_many(struct norn_knowledge *knowledge, uint32_t count)
{
	if (!are_last(&knowledge->refs, count))
		return;
	for (uint32_t i = 0; i < knowledge->count; i++)
		norn_known_thread_drop(knowledge->threads[i].thread);
	norn_id_give(knowledge->id);
	give(knowledge, knowledge->bytes);
}

struct norn_known_thread *norn_known_thread_new(const struct norn_mttl *program, uint32_t width, bool longs)
{
	struct norn_known_thread *t;
	size_t bytes = norn_known_before_longs(program, width);
	bytes += longs ? norn_known_count(program, width) * sizeof(struct norn_value) : 0;
	t = take(bytes);
	if (!t)
		return NULL;
	memset(t, 0, sizeof *t);
	atomic_init(&t->refs, 1);
	t->bytes = (uint32_t)bytes;
	t->width = width;
	return t;
}

bool norn_knowledge_covers_slowly(const struct norn_mttl *program, const struct norn_knowledge *a, const struct norn_knowledge *b)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (norn_knowledge_sequence(a, i) < norn_knowledge_sequence(b, i))
			return false;
	for (uint32_t i = 0; i < program->valued; i++)
		if (a->places[i].sequence < b->places[i].sequence)
			return false;
	return true;
}

struct norn_knowledge *norn_knowledge_join(const struct norn_mttl *program, struct norn_knowledge *a, struct norn_knowledge *b)
{
	if (norn_knowledge_covers(program, a, b))
		return norn_knowledge_keep(a);
	if (norn_knowledge_covers(program, b, a))
		return norn_knowledge_keep(b);
	struct norn_knowledge *k = norn_knowledge_new(program, a->count > b->count ? a->count : b->count);
	if (!k)
		return NULL;
	for (uint32_t i = 0; i < k->count; i++) {
		uint64_t of_a = norn_knowledge_sequence(a, i), of_b = norn_knowledge_sequence(b, i);
		if (of_a || of_b)
			k->threads[i] = (of_a >= of_b ? a : b)->threads[i];
		norn_known_thread_keep(k->threads[i].thread);
	}
	for (uint32_t i = 0; i < program->valued; i++)
		k->places[i] = a->places[i].sequence >= b->places[i].sequence ? a->places[i] : b->places[i];
	return k;
}
