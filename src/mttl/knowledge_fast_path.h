/* The effect of most accesses that the cache did not settle on their word (knowledge_cell.h): one part, and the thread learns
 * nothing. Used by the runtime's hooks.
 *
 * It is told by the tables of the local monitor (knowledge_cache.h) alone, and nothing is looked into: so a read needs no lock. It
 * looks at the bits, reads the value, and puts the new bits in their place by one compare-and-exchange: as no bits have changed
 * meanwhile, no thread has written under the lock. A write takes the lock by exchanging the bits that it has judged for the same
 * with the lock bit, stores the value, and then the new bits.
 *
 * A vector's references move with the words' bits: those that a word no longer has are taken back, those that it gets are shared,
 * afterwards. */
#ifndef NORN_MTTL_KNOWLEDGE_FAST_PATH_H
#define NORN_MTTL_KNOWLEDGE_FAST_PATH_H

#include "mttl/knowledge_cell.h"

#define NORN_CELL_STEP static inline __attribute__((always_inline))

static inline uint32_t norn_cell_step_write_id(uint64_t bits)
{
	return (uint32_t)bits >> NORN_WORD_WRITE_SHIFT;
}

static inline uint32_t norn_cell_step_access_id(uint64_t bits)
{
	return (uint32_t)(bits >> NORN_WORD_ACCESS_SHIFT);
}

/* True if the thread knows all that the vector of this number does, as far as its tables tell. */
NORN_CELL_STEP bool norn_cell_step_knows(const struct norn_knowledge_cache *g, uint32_t id)
{
	return norn_knowledge_cache_entry(g->familiar, NORN_KNOWLEDGE_CACHE_KNOWN + id);
}

static inline uint64_t norn_cell_step_others(uint32_t bytes)
{
	return (uint64_t)(~bytes & 0xff) << NORN_WORD_OTHERS_SHIFT;
}

/* The thread's present knowledge, as an access vector. */
NORN_CELL_STEP uint64_t norn_cell_step_now(const struct norn_knowledge_cache *g)
{
	return g->now >> NORN_WORD_ACCESS_SHIFT << NORN_WORD_ACCESS_SHIFT;
}

/* The cache is closed: if only because there is something to tell, and the thread knows the word's vectors, it is told, and the
 * cache open. */
NORN_LOCAL_MONITOR_SELDOM bool norn_cell_step_open(struct norn_local_monitor *local_monitor, uint64_t bits);

/* True if the thread has accessed the word since it last learned something. */
NORN_CELL_STEP bool norn_cell_step_is_mine(const struct norn_knowledge_cache *g, uint64_t bits)
{
	return norn_cell_step_access_id(bits) == norn_cell_step_access_id(g->now);
}

/* True if no thread has accessed it since all of it was written. */
NORN_CELL_STEP bool norn_cell_step_is_fresh(uint64_t bits)
{
	return !(bits & NORN_WORD_FLAGS) && norn_cell_step_access_id(bits) == norn_cell_step_write_id(bits);
}

/* True if its halves have vectors of their own, as those of two ints; *ret_code then tells of them. */
NORN_CELL_STEP bool norn_cell_step_has_halves(uint64_t bits, uint64_t *ret_code)
{
	uint64_t flags = bits & NORN_WORD_FLAGS;
	*ret_code = flags >> NORN_WORD_OTHERS_SHIFT;
	return (flags & ~NORN_WORD_OTHERS) == NORN_WORD_HALVES;
}

/* It has just been written or read as a whole, or one half of it has been read. */
NORN_CELL_STEP bool norn_cell_step_gets_halves(const struct norn_knowledge_cache *g, uint64_t bits, uint64_t *ret_code)
{
	uint64_t flags = bits & NORN_WORD_FLAGS;
	if (!norn_cell_step_is_mine(g, bits)) {
		*ret_code = 0;
		return norn_cell_step_is_fresh(bits);
	}
	*ret_code = !flags ? 3u << NORN_HALF_READ : 1u << NORN_HALF_READ << (flags == (NORN_WORD_REST | 0xf0));
	return !flags || flags == (NORN_WORD_REST | 0xf0) || flags == (NORN_WORD_REST | 0xf00);
}

NORN_CELL_STEP uint64_t norn_cell_step_of_halves(const struct norn_knowledge_cache *g, uint64_t bits, uint64_t code)
{
	uint64_t ids = norn_cell_step_now(g) | ((uint32_t)bits & ~NORN_WORD_FLAGS);
	if ((code >> NORN_HALF_NEW & 3) == 3)
		return g->now;
	return code == 3u << NORN_HALF_READ ? ids : ids | code << NORN_WORD_OTHERS_SHIFT | NORN_WORD_HALVES;
}

NORN_CELL_STEP bool norn_cell_step_read(const struct norn_knowledge_cache *g, uint64_t bits, uint32_t bytes, uint64_t *ret_bits)
{
	uint64_t code;
	if (!norn_cell_step_knows(g, norn_cell_step_write_id(bits)))
		return false;
	if (!norn_cell_step_is_mine(g, bits)) {
		*ret_bits = norn_cell_step_now(g) | (uint32_t)bits | norn_cell_step_others(bytes) | NORN_WORD_REST;
		return norn_cell_step_is_fresh(bits);
	}
	if ((bits & (NORN_WORD_FLAGS & ~NORN_WORD_OTHERS)) == NORN_WORD_REST) { /* piece by piece */
		*ret_bits = bits & ~((uint64_t)bytes << NORN_WORD_OTHERS_SHIFT);
		if (!(*ret_bits & NORN_WORD_OTHERS))
			*ret_bits &= ~NORN_WORD_REST;
		return true;
	}
	if (!norn_cell_step_has_halves(bits, &code) || (bytes != 0x0f && bytes != 0xf0))
		return false;
	*ret_bits = norn_cell_step_of_halves(g, bits, code | 1u << NORN_HALF_READ << (bytes == 0xf0));
	return true;
}

NORN_CELL_STEP bool norn_cell_step_write(const struct norn_knowledge_cache *g, uint64_t bits, uint32_t bytes, uint64_t *ret_bits)
{
	uint64_t code;
	if ((bits & ~NORN_WORD_OTHERS) == g->now) { /* more bytes with the same vectors */
		*ret_bits = bits & ~((uint64_t)bytes << NORN_WORD_OTHERS_SHIFT);
		return true;
	}
	if ((bytes != 0x0f && bytes != 0xf0) || !norn_cell_step_knows(g, norn_cell_step_write_id(bits)))
		return false;
	if (!(norn_cell_step_is_mine(g, bits) && norn_cell_step_has_halves(bits, &code)) &&
	        !norn_cell_step_gets_halves(g, bits, &code))
		return false;
	*ret_bits = norn_cell_step_of_halves(g, bits, code | ((1u << NORN_HALF_READ | 1u << NORN_HALF_NEW) << (bytes == 0xf0)));
	return true;
}

/* bits: the word's; *ret_bits: what they are after the access. False: it takes more to tell. The most frequent cases: a word that
 * no thread has accessed, or always the same bytes of it; or the thread itself, piece by piece, with its present knowledge; or
 * halves. */
NORN_CELL_STEP bool norn_cell_step_quickly(
        const struct norn_knowledge_cache *g, uint64_t bits, uint32_t bytes, bool writes, uint64_t *ret_bits)
{
	uint64_t others = norn_cell_step_others(bytes);
	if (g->now == NORN_KNOWLEDGE_CACHE_CLOSED && !norn_cell_step_open(g->local_monitor, bits))
		return false;
	if (!bits) {
		*ret_bits = (writes ? g->now : norn_cell_step_now(g) | NORN_ID_NONE << NORN_WORD_WRITE_SHIFT) | others;
		return true;
	}
	if ((bits & NORN_WORD_FLAGS) != others)
		return writes ? norn_cell_step_write(g, bits, bytes, ret_bits) : norn_cell_step_read(g, bits, bytes, ret_bits);
	*ret_bits = writes ? g->now | others : norn_cell_step_now(g) | (uint32_t)bits;
	return norn_cell_step_knows(g, norn_cell_step_access_id(bits)) &&
	       (writes || norn_cell_step_knows(g, norn_cell_step_write_id(bits)));
}

/* The same, all ways. */
bool norn_cell_step(const struct norn_knowledge_cache *g, uint64_t bits, uint32_t bytes, bool writes, uint64_t *ret_bits);

/* The word has got other bits. */
NORN_CELL_STEP void norn_cell_step_count(struct norn_local_monitor *local_monitor, uint64_t before, uint64_t after, bool writes)
{
	uint32_t write = norn_cell_step_write_id(before), access = norn_cell_step_access_id(before);
	bool twice = writes && norn_cell_step_write_id(after) != write && access == write;
	if (norn_cell_step_access_id(after) != access) {
		norn_local_monitor_share_many(local_monitor, 1 + twice);
		norn_local_monitor_defer_release(local_monitor, access, 1 + twice);
		if (twice)
			return;
	}
	if (writes && norn_cell_step_write_id(after) != write) {
		norn_local_monitor_share_many(local_monitor, 1);
		norn_local_monitor_defer_release(local_monitor, write, 1);
	}
}

/* True if nothing else is to be done when a word, which has got the bits 0, carries nothing any more. */
NORN_CELL_STEP bool norn_cell_step_forgets(uint64_t bits)
{
	return !(bits & (NORN_WORD_LOCK | NORN_WORD_NAMED)) && (!(bits & NORN_WORD_SPLIT) || norn_word_is_halves(bits));
}

NORN_CELL_STEP void norn_cell_step_forget(struct norn_local_monitor *local_monitor, uint64_t bits)
{
	norn_local_monitor_take_back_id(local_monitor, norn_cell_step_write_id(bits));
	norn_local_monitor_take_back_id(local_monitor, norn_cell_step_access_id(bits));
}

#endif
