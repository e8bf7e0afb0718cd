#include "mttl/knowledge.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "mttl/cell_readers.h"

/* ---- memory: blocks of a few sizes come and go all the time, so each thread keeps some of each ---- */

#define CLASS_BYTES 64u
#define CLASSES 16u
#define POOLED 24u

struct knowledge_pool {
	uint32_t count;
	void *blocks[POOLED];
};

static _Thread_local struct knowledge_pool
        *pools; /* NULL: none yet. Not here, since thread-local memory is taken from small stacks */

/* Not zeroed. */
static void *take(size_t bytes)
{
	size_t class = (bytes - 1) / CLASS_BYTES;
	if (class >= CLASSES)
		return malloc(bytes);
	struct knowledge_pool *pool = pools ? &pools[class] : NULL;
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

/* ---- lists ---- */

static size_t list_bytes(uint32_t count)
{
	return sizeof(struct norn_others) + count * sizeof(struct norn_known);
}

struct norn_others *norn_others_new(uint32_t count)
{
	struct norn_others *others = take(list_bytes(count));
	if (!others)
		return NULL;
	memset(others, 0, list_bytes(count));
	atomic_init(&others->refs, 1);
	others->count = count;
	return others;
}

/* The thread that lets go of the last ones must see what all others did with it before: release each, acquire the last. */
static bool are_last(_Atomic uint32_t *refs, uint32_t count)
{
	uint32_t before = atomic_fetch_sub_explicit(refs, count, memory_order_release);
	assert(count > 0 && before >= count);
	if (before != count)
		return false;
	(void)atomic_load_explicit(refs, memory_order_acquire);
	return true;
}

static void drop_thread(struct norn_known_thread *thread)
{
	if (are_last(&thread->refs, 1))
		give((char *)thread - thread->before, thread->bytes);
}

static void drop_others(struct norn_others *others)
{
	if (!others || !are_last(&others->refs, 1))
		return;
	for (uint32_t i = 0; i < others->count; i++)
		if (others->threads[i].thread)
			drop_thread(others->threads[i].thread);
	give(others, list_bytes(others->count));
}

/* ---- vectors ---- */

/* With so much room behind it. */
static struct norn_knowledge *new_vector(const struct norn_mttl *program, struct norn_others *others, size_t room)
{
	struct norn_knowledge *k;
	size_t bytes = norn_knowledge_bytes(program) + room;
	k = take(bytes);
	if (!k) {
		drop_others(others);
		return NULL;
	}
	*k = (struct norn_knowledge){.owner = NORN_SEAT_NONE, .bytes = (uint32_t)bytes, .others = others};
	atomic_init(&k->refs, 1);
	k->id = norn_id_take(k);
	return k;
}

struct norn_knowledge *norn_knowledge_new(const struct norn_mttl *program, struct norn_others *others)
{
	return new_vector(program, others, 0);
}

struct norn_knowledge *norn_knowledge_new_of(
        const struct norn_mttl *program, struct norn_others *others, uint32_t owner, uint32_t width, bool longs)
{
	size_t before = norn_knowledge_bytes(program), bytes = norn_known_before_longs(program, width);
	bytes += longs ? norn_known_count(program, width) * sizeof(struct norn_value) : 0;
	struct norn_knowledge *k = new_vector(program, others, bytes);
	if (!k)
		return NULL;
	k->owner = owner;
	k->own = (struct norn_known_thread *)(void *)((char *)k + before);
	*k->own = (struct norn_known_thread){.seat = owner, .width = width, .before = (uint32_t)before, .bytes = k->bytes};
	atomic_init(&k->own->refs, 1);
	return k;
}

struct norn_knowledge *norn_knowledge_keep(struct norn_knowledge *knowledge)
{
	assert(!knowledge || atomic_load_explicit(&knowledge->refs, memory_order_relaxed) > 0);
	if (knowledge)
		atomic_fetch_add_explicit(&knowledge->refs, 1, memory_order_relaxed);
	return knowledge;
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
	if (norn_cell_readers_are(knowledge)) {
		norn_cell_readers_free(knowledge);
		return;
	}
	drop_others(knowledge->others);
	norn_id_give(knowledge->id);
	if (knowledge->own)
		drop_thread(knowledge->own);
	else
		give(knowledge, knowledge->bytes);
}

bool norn_knowledge_covers_slowly(const struct norn_mttl *program, const struct norn_knowledge *a, const struct norn_knowledge *b)
{
	for (uint32_t i = 0; i < norn_knowledge_seats(b); i++)
		if (norn_knowledge_sequence(a, i) < norn_knowledge_sequence(b, i))
			return false;
	for (uint32_t i = 0; i < program->valued; i++)
		if (a->places[i].sequence < b->places[i].sequence)
			return false;
	return true;
}

struct norn_knowledge *norn_knowledge_join(const struct norn_mttl *program, struct norn_knowledge *a, struct norn_knowledge *b)
{
	assert(!norn_cell_readers_are(a) && !norn_cell_readers_are(b));
	if (norn_knowledge_covers(program, a, b))
		return norn_knowledge_keep(a);
	if (norn_knowledge_covers(program, b, a))
		return norn_knowledge_keep(b);
	uint32_t of_a = norn_knowledge_seats(a), of_b = norn_knowledge_seats(b), count = of_a > of_b ? of_a : of_b;
	struct norn_others *others = norn_others_new(count);
	for (uint32_t i = 0; others && i < count; i++) {
		struct norn_known one = norn_knowledge_at(a, i), other = norn_knowledge_at(b, i);
		others->threads[i] = one.sequence >= other.sequence ? one : other;
		norn_known_thread_keep(others->threads[i].thread);
	}
	struct norn_knowledge *k = others ? norn_knowledge_new(program, others) : NULL;
	if (!k)
		return NULL;
	for (uint32_t i = 0; i < program->valued; i++)
		k->places[i] = a->places[i].sequence >= b->places[i].sequence ? a->places[i] : b->places[i];
	return k;
}
