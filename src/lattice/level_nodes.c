#include "lattice/level_nodes.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

/* Bytes of a block, its head included. Small lattices should stay small. */
#define SMALL 4096u
#define LARGE 65536u

void norn_block_pool_init(struct norn_block_pool *pool)
{
	pthread_mutex_init(&pool->lock, NULL);
	pool->small = pool->large = NULL;
	atomic_init(&pool->bytes, 0);
}

static void free_chain(struct norn_block *block)
{
	while (block) {
		struct norn_block *next = block->next;
		free(block);
		block = next;
	}
}

void norn_block_pool_done(struct norn_block_pool *pool)
{
	free_chain(pool->small);
	free_chain(pool->large);
	pool->small = pool->large = NULL;
	pthread_mutex_destroy(&pool->lock);
}

static size_t room_of(size_t bytes)
{
	return (bytes - sizeof(struct norn_block)) / sizeof(uint64_t);
}

static struct norn_block *take(struct norn_block_pool *pool, size_t words, bool wide)
{
	size_t bytes = wide ? LARGE : SMALL;
	struct norn_block **list = wide ? &pool->large : &pool->small, *block = NULL;
	if (words > room_of(bytes)) { /* a block of its own */
		bytes = sizeof *block + words * sizeof(uint64_t);
		list = NULL;
	}
	if (list) {
		pthread_mutex_lock(&pool->lock);
		block = *list;
		if (block)
			*list = block->next;
		pthread_mutex_unlock(&pool->lock);
	}
	if (!block) {
		block = norn_must_alloc(1, bytes);
		atomic_fetch_add_explicit(&pool->bytes, bytes, memory_order_relaxed);
		block->room = room_of(bytes);
	}
	block->next = NULL;
	block->used = 0;
	block->records = 0;
	return block;
}

uint64_t *norn_level_append(struct norn_level *level, struct norn_block_pool *pool, size_t words, bool wide)
{
	struct norn_block *block = level->last;
	if (!block || block->room - block->used < words) {
		block = take(pool, words, wide);
		if (level->last)
			level->last->next = block;
		else
			level->first = block;
		level->last = block;
	}
	assert(block->room - block->used >= words);
	uint64_t *record = block->data + block->used;
	block->used += words;
	block->records++;
	level->records++;
	return record;
}

void norn_level_concat(struct norn_level *level, struct norn_level *more)
{
	if (level->last)
		level->last->next = more->first;
	else
		level->first = more->first;
	if (more->last)
		level->last = more->last;
	level->records += more->records;
	*more = (struct norn_level){0};
}

void norn_level_number(struct norn_level *level)
{
	uint64_t order = 0;
	for (struct norn_block *block = level->first; block; block = block->next)
		block->order = order++;
}

static void give_back(struct norn_block_pool *pool, struct norn_block *block)
{
	bool small = block->room == room_of(SMALL), large = block->room == room_of(LARGE);
	if (small || large) {
		block->next = small ? pool->small : pool->large;
		*(small ? &pool->small : &pool->large) = block;
	} else {
		atomic_fetch_sub_explicit(&pool->bytes, sizeof *block + block->room * sizeof(uint64_t), memory_order_relaxed);
		free(block);
	}
}

void norn_level_release_before(struct norn_level *level, struct norn_block_pool *pool, uint64_t order)
{
	if (!level->first || level->first->order >= order)
		return;
	pthread_mutex_lock(&pool->lock);
	while (level->first && level->first->order < order) {
		struct norn_block *block = level->first;
		level->first = block->next;
		give_back(pool, block);
	}
	if (!level->first)
		level->last = NULL;
	pthread_mutex_unlock(&pool->lock);
}

void norn_level_release(struct norn_level *level, struct norn_block_pool *pool)
{
	pthread_mutex_lock(&pool->lock);
	for (struct norn_block *block = level->first, *next; block; block = next) {
		next = block->next;
		give_back(pool, block);
	}
	pthread_mutex_unlock(&pool->lock);
	*level = (struct norn_level){0};
}

size_t norn_level_words(const struct norn_level *level)
{
	size_t words = 0;
	for (const struct norn_block *block = level->first; block; block = block->next)
		words += block->used;
	return words;
}
