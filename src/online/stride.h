/* What most accesses that a glance did not settle do to their word (word.h), in short: one part, and the thread learns nothing. Used by the
 * runtime's hooks.
 *
 * It is told by the tables of the mind (glance.h) alone, and nothing is looked into: so a read needs no lock. It looks at the bits, reads the
 * value, and puts the new bits in their place by one compare-and-exchange: as no bits have changed meanwhile, nobody has written under the
 * lock. A write takes the lock by exchanging the bits that it has judged for the same with the lock bit, stores the value, and then the new bits.
 *
 * A vector's references move with the words' bits: those that a word no longer has are taken back, those that it gets are lent, afterwards. */
#ifndef NORN_ONLINE_STRIDE_H
#define NORN_ONLINE_STRIDE_H

#include "online/word.h"

#define NORN_STRIDE static inline __attribute__((always_inline))

static inline uint32_t norn_stride_write_id(uint64_t bits)
{
	return (uint32_t)bits >> NORN_WORD_WRITE_SHIFT;
}

static inline uint32_t norn_stride_access_id(uint64_t bits)
{
	return (uint32_t)(bits >> NORN_WORD_ACCESS_SHIFT);
}

/* Whether the thread knows all that the vector of this number does, as far as its tables tell. */
NORN_STRIDE bool norn_stride_knows(const struct norn_glance *g, uint32_t id)
{
	return norn_glance_entry(g->familiar, NORN_GLANCE_KNOWN + id);
}

static inline uint64_t norn_stride_others(uint32_t bytes)
{
	return (uint64_t)(~bytes & 0xff) << NORN_WORD_OTHERS_SHIFT;
}

NORN_STRIDE bool norn_stride_write(const struct norn_glance *g, uint64_t bits, uint32_t bytes, uint64_t *ret_bits)
{
	uint64_t these = (uint64_t)bytes << NORN_WORD_OTHERS_SHIFT, flags = bits & NORN_WORD_FLAGS;
	/* More bytes with the same vectors. */
	if ((bits & ~NORN_WORD_OTHERS) == g->now) {
		*ret_bits = bits & ~these;
		return true;
	}
	/* Bytes of its part that stay as they are would be another part, as would the rest. */
	if (bits && (~flags & NORN_WORD_OTHERS & ~these || flags & ~NORN_WORD_OTHERS ||
	                    !norn_stride_knows(g, norn_stride_access_id(bits))))
		return false;
	*ret_bits = g->now | norn_stride_others(bytes);
	return true;
}

NORN_STRIDE bool norn_stride_read(const struct norn_glance *g, uint64_t bits, uint32_t bytes, uint64_t *ret_bits)
{
	uint64_t these = (uint64_t)bytes << NORN_WORD_OTHERS_SHIFT, rest = bits & NORN_WORD_REST;
	uint64_t now = g->now >> NORN_WORD_ACCESS_SHIFT << NORN_WORD_ACCESS_SHIFT, others = norn_stride_others(bytes);
	uint32_t write = norn_stride_write_id(bits), access = norn_stride_access_id(bits);
	if (!bits) {
		*ret_bits = now | (uint64_t)NORN_ID_NONE << NORN_WORD_WRITE_SHIFT | others;
		return true;
	}
	if (bits & (NORN_WORD_LOCK | NORN_WORD_SPLIT | NORN_WORD_NAMED) || !norn_stride_knows(g, write))
		return false;
	if (!(bits & these) && norn_glance_entry(g->familiar, access)) {
		*ret_bits = bits;
		return true;
	}
	/* Piece by piece: other bytes that have no vectors but the write vector as well, or none at all. */
	if (access == now >> NORN_WORD_ACCESS_SHIFT && (rest || write == NORN_ID_NONE)) {
		*ret_bits = bits & ~these;
		if (!(*ret_bits & NORN_WORD_OTHERS))
			*ret_bits &= ~NORN_WORD_REST;
		return true;
	}
	bool same = (bits & NORN_WORD_OTHERS) == others, whole = !(bits & NORN_WORD_OTHERS) && access == write;
	if (!(same || whole) || !norn_stride_knows(g, access))
		return false;
	*ret_bits = now | (uint64_t)write << NORN_WORD_WRITE_SHIFT | others | (same ? rest : NORN_WORD_REST);
	return true;
}

/* The same for one half of a word whose halves are not accessed together, as two ints are. In any case that can be told; and where the thread has
 * been there before, or nobody has. */
__attribute__((preserve_most)) bool norn_stride_halves(
        const struct norn_glance *g, uint64_t bits, uint32_t bytes, bool writes, uint64_t *ret_bits);

NORN_STRIDE bool norn_stride_half(const struct norn_glance *g, uint64_t bits, uint32_t bytes, bool writes, uint64_t *ret_bits)
{
	const uint64_t news = 3u << NORN_HALF_NEW, reads = 3u << NORN_HALF_READ;
	uint32_t write = norn_stride_write_id(bits), now = norn_stride_access_id(g->now), this = bytes == 0xf0;
	uint64_t flags = bits & NORN_WORD_FLAGS, code;
	bool mine = norn_stride_access_id(bits) == now;
	if (mine && (flags & ~NORN_WORD_OTHERS) == NORN_WORD_HALVES)
		code = flags >> NORN_WORD_OTHERS_SHIFT;
	else if (mine && (flags == (NORN_WORD_REST | 0xf0) || flags == (NORN_WORD_REST | 0xf00)))
		code = 1u << NORN_HALF_READ << (flags == (NORN_WORD_REST | 0xf0));
	else if (bits && !flags && norn_stride_access_id(bits) == write)
		code = 0;
	else
		return norn_stride_halves(g, bits, bytes, writes, ret_bits);
	if (!norn_stride_knows(g, write))
		return false;
	code |= 1u << NORN_HALF_READ << this | (uint32_t)writes << NORN_HALF_NEW << this;
	uint64_t ids = (uint64_t)now << NORN_WORD_ACCESS_SHIFT | (uint64_t)write << NORN_WORD_WRITE_SHIFT;
	if ((code & news) == news)
		*ret_bits = g->now;
	else
		*ret_bits = code == reads ? ids : ids | code << NORN_WORD_OTHERS_SHIFT | NORN_WORD_HALVES;
	return true;
}

/* The glance is closed: if only because there is something to tell, and the thread knows the word's vectors, it is told, and the glance open. */
NORN_MIND_SELDOM bool norn_stride_open(struct norn_mind *mind, uint64_t bits);

/* bits: the word's; *ret_bits: what they are after the access. False: it takes more to tell. */
NORN_STRIDE bool norn_stride(const struct norn_glance *g, uint64_t bits, uint32_t bytes, bool writes, uint64_t *ret_bits)
{
	if (g->now == NORN_GLANCE_CLOSED && !norn_stride_open(g->mind, bits))
		return false;
	return (writes ? norn_stride_write(g, bits, bytes, ret_bits) : norn_stride_read(g, bits, bytes, ret_bits)) ||
	       ((bytes == 0x0f || bytes == 0xf0) && norn_stride_half(g, bits, bytes, writes, ret_bits));
}

/* The word has got other bits, by norn_stride. */
NORN_STRIDE void norn_stride_count(struct norn_mind *mind, uint64_t before, uint64_t after)
{
	uint32_t write = norn_stride_write_id(before), access = norn_stride_access_id(before);
	if (norn_stride_write_id(after) == access && access != write) { /* of halves: what was new is old */
		access = write;
		write = norn_stride_access_id(before);
	}
	if (norn_stride_access_id(after) != access) {
		norn_mind_lend(mind);
		norn_mind_take_back_id(mind, access);
	}
	if (norn_stride_write_id(after) != write && norn_stride_write_id(after) != NORN_ID_NONE) {
		norn_mind_lend(mind);
		norn_mind_take_back_id(mind, write);
	}
}

/* The mind looks whether it knows the word's vectors, for norn_stride. The word's lock is held. */
NORN_STRIDE void norn_stride_recognize(struct norn_mind *mind, uint64_t bits)
{
	uint32_t write = norn_stride_write_id(bits), access = norn_stride_access_id(bits);
	if (bits & NORN_WORD_SPLIT && !norn_word_is_halves(bits))
		return;
	if (write && !norn_mind_is_known(mind, write))
		norn_word_knows(mind, write);
	if (access && !norn_mind_is_known(mind, access))
		norn_word_knows(mind, access);
}

/* Whether it is all that there is to do when a word, which has got the bits 0, carries nothing any more. */
NORN_STRIDE bool norn_stride_forgets(uint64_t bits)
{
	return !(bits & (NORN_WORD_LOCK | NORN_WORD_NAMED)) && (!(bits & NORN_WORD_SPLIT) || norn_word_is_halves(bits));
}

NORN_STRIDE void norn_stride_forget(struct norn_mind *mind, uint64_t bits)
{
	norn_mind_take_back_id(mind, norn_stride_write_id(bits));
	norn_mind_take_back_id(mind, norn_stride_access_id(bits));
}

#endif
