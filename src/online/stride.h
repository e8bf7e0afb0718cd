/* What most accesses that a glance did not settle do to their word (word.h), in short: one part, and the thread learns nothing. Used by the
 * runtime's hooks under the word's lock.
 *
 * A vector's references move with the words' bits: those that a word no longer has are taken back, those that it gets are lent. */
#ifndef NORN_ONLINE_STRIDE_H
#define NORN_ONLINE_STRIDE_H

#include <stddef.h>

#include "online/word.h"

static inline struct norn_mind *norn_stride_mind(const struct norn_glance *glance)
{
	return (struct norn_mind *)((uintptr_t)glance - offsetof(struct norn_mind, glance));
}

static inline bool norn_stride_knows(struct norn_mind *mind, uint32_t id)
{
	return norn_mind_is_known(mind, id) || norn_word_knows(mind, id);
}

static inline uint64_t norn_stride_bits(uint64_t write, uint64_t access, uint32_t bytes, uint64_t flags)
{
	return access << NORN_WORD_ACCESS_SHIFT | write << NORN_WORD_WRITE_SHIFT |
	       (uint64_t)(~bytes & 0xff) << NORN_WORD_OTHERS_SHIFT | flags;
}

static inline bool norn_stride_write(struct norn_mind *mind, uint64_t bits, uint32_t mask, uint64_t *ret_bits)
{
	uint32_t write = (uint32_t)bits >> NORN_WORD_WRITE_SHIFT, access = (uint32_t)(bits >> NORN_WORD_ACCESS_SHIFT);
	uint32_t own = ~bits >> NORN_WORD_OTHERS_SHIFT & 0xff, now = mind->now->id;
	if (bits) {
		/* Other bytes that nobody may mistake for written ones. */
		if (own & ~mask || bits & NORN_WORD_REST || !norn_stride_knows(mind, access))
			return false;
		norn_mind_take_back_id(mind, write);
		norn_mind_take_back_id(mind, access);
	}
	norn_mind_lend(mind);
	norn_mind_lend(mind);
	*ret_bits = norn_stride_bits(now, now, mask, 0);
	return true;
}

static inline bool norn_stride_read(struct norn_mind *mind, uint64_t bits, uint32_t mask, uint64_t *ret_bits)
{
	uint32_t write = (uint32_t)bits >> NORN_WORD_WRITE_SHIFT, access = (uint32_t)(bits >> NORN_WORD_ACCESS_SHIFT);
	uint32_t own = ~bits >> NORN_WORD_OTHERS_SHIFT & 0xff, now = mind->now->id;
	uint64_t rest = bits & NORN_WORD_REST;
	if (!bits) {
		norn_mind_lend(mind);
		*ret_bits = norn_stride_bits(NORN_ID_NONE, now, mask, 0);
		return true;
	}
	if (!norn_stride_knows(mind, write))
		return false;
	if (own == mask && norn_mind_is_holding(mind, access)) {
		*ret_bits = bits;
		return true;
	}
	/* Piece by piece, of a word that was written as a whole: the rest keeps the write vector as its access vector. */
	if (rest && access == now && own != mask) {
		own |= mask;
		*ret_bits = norn_stride_bits(write, access, own, own == 0xff ? 0 : rest);
		return true;
	}
	bool fresh = own == 0xff && access == write;
	if (!(own == mask || fresh) || !norn_stride_knows(mind, access))
		return false;
	norn_mind_lend(mind);
	norn_mind_take_back_id(mind, access);
	*ret_bits = norn_stride_bits(write, now, mask, own == mask ? rest : NORN_WORD_REST);
	return true;
}

/* bits: the word's, without its lock; *ret_bits: what they are after the access. False: nothing has happened. */
static inline bool norn_stride(struct norn_mind *mind, uint64_t bits, uint32_t mask, bool writes, uint64_t *ret_bits)
{
	if (bits & (NORN_WORD_LOCK | NORN_WORD_SPLIT | NORN_WORD_NAMED) || mind->glance.now == NORN_GLANCE_CLOSED)
		return false;
	return writes ? norn_stride_write(mind, bits, mask, ret_bits) : norn_stride_read(mind, bits, mask, ret_bits);
}

/* The word carries nothing any more, and nobody sees these bits. False: nothing has happened, as it has several parts. */
static inline bool norn_stride_forget(struct norn_mind *mind, uint64_t bits)
{
	if (bits & (NORN_WORD_SPLIT | NORN_WORD_REST))
		return false;
	norn_mind_take_back_id(mind, (uint32_t)bits >> NORN_WORD_WRITE_SHIFT);
	norn_mind_take_back_id(mind, (uint32_t)(bits >> NORN_WORD_ACCESS_SHIFT));
	return true;
}

#endif
