/* Levels of the lattice: nodes as records, in the order of their cuts.
 *
 * A record is a few words: the cut, a mask of the threads whose next event may come, a head word, and one entry for each belief:
 *
 *   cut (words) | mask (masks) | valuation, entries, limbs | { belief, path; runs (limbs) } × entries
 *
 * With cuts and masks of one word (up to 8 threads of 127 events), one belief and less than 2^64 runs that is 40 bytes. Records
 * lie in blocks, one after the other, and are only ever read from the first to the last. */
#ifndef NORN_LATTICE_LEVEL_NODES_H
#define NORN_LATTICE_LEVEL_NODES_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NORN_ENTRIES_MAX ((UINT32_C(1) << 20) - 1)
#define NORN_LIMBS_MAX ((UINT32_C(1) << 12) - 1) /* numbers of runs beyond 2^262080 are not counted */

/* Sizes that all records of a lattice share. */
struct norn_record_shape {
	uint32_t words, masks;
};

static inline uint64_t norn_record_head(uint32_t valuation, uint32_t entries, uint32_t limbs)
{
	return (uint64_t)valuation | (uint64_t)entries << 32 | (uint64_t)limbs << 52;
}

static inline uint64_t norn_record_head_of(struct norn_record_shape shape, const uint64_t *record)
{
	return record[shape.words + shape.masks];
}

static inline uint32_t norn_record_valuation(uint64_t head)
{
	return (uint32_t)head;
}

static inline uint32_t norn_record_entries(uint64_t head)
{
	return (uint32_t)(head >> 32) & NORN_ENTRIES_MAX;
}

static inline uint32_t norn_record_limbs(uint64_t head)
{
	return (uint32_t)(head >> 52);
}

static inline size_t norn_record_size(struct norn_record_shape shape, uint64_t head)
{
	return shape.words + shape.masks + 1 + (size_t)norn_record_entries(head) * (1 + norn_record_limbs(head));
}

static inline uint64_t norn_entry(uint32_t belief, uint32_t path)
{
	return (uint64_t)belief | (uint64_t)path << 32;
}

static inline uint32_t norn_entry_belief(uint64_t entry)
{
	return (uint32_t)entry;
}

static inline uint32_t norn_entry_path(uint64_t entry)
{
	return (uint32_t)(entry >> 32);
}

struct norn_block {
	struct norn_block *next;
	size_t used, room; /* words */
	uint64_t records; /* how many */
	uint64_t order; /* number within its level, once that is the present one */
	uint64_t data[];
};

/* Blocks of one size that are free, and what all blocks take. Has a lock: workers share it. */
struct norn_block_pool {
	pthread_mutex_t lock;
	struct norn_block *small, *large; /* free ones */
	_Atomic size_t bytes; /* of all blocks, free or not */
};

void norn_block_pool_init(struct norn_block_pool *pool);
void norn_block_pool_done(struct norn_block_pool *pool);

struct norn_level {
	struct norn_block *first, *last;
	uint64_t records;
};

/* Room for a record of so many words at the end of the level; wide: many will follow. */
uint64_t *norn_level_append(struct norn_level *level, struct norn_block_pool *pool, size_t words, bool wide);
void norn_level_concat(struct norn_level *level, struct norn_level *more); /* more is empty afterwards */
void norn_level_release(struct norn_level *level, struct norn_block_pool *pool); /* leaves an empty one */
void norn_level_number(struct norn_level *level); /* numbers its blocks from 0 */
void norn_level_release_before(struct norn_level *level, struct norn_block_pool *pool, uint64_t order); /* blocks below order */
size_t norn_level_words(const struct norn_level *level); /* that records take */

/* All records in order: for (at = norn_level_begin(level); at.record; norn_level_next(&at, shape)) */
struct norn_level_cursor {
	const struct norn_block *block;
	const uint64_t *record; /* NULL: past the last */
};

static inline struct norn_level_cursor norn_level_at(const struct norn_block *block)
{
	return (struct norn_level_cursor){block, block ? block->data : NULL};
}

static inline void norn_level_next(struct norn_level_cursor *at, struct norn_record_shape shape)
{
	at->record += norn_record_size(shape, norn_record_head_of(shape, at->record));
	if (at->record == at->block->data + at->block->used)
		*at = norn_level_at(at->block->next);
}

#endif
