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

/* What the thread knows now, as an access vector. */
NORN_STRIDE uint64_t norn_stride_now(const struct norn_glance *g)
{
	return g->now >> NORN_WORD_ACCESS_SHIFT << NORN_WORD_ACCESS_SHIFT;
}

/* The glance is closed: if only because there is something to tell, and the thread knows the word's vectors, it is told, and the glance open. */
NORN_MIND_SELDOM bool norn_stride_open(struct norn_mind *mind, uint64_t bits);

/* Whether the thread has accessed the word since it knows no more. */
NORN_STRIDE bool norn_stride_is_mine(const struct norn_glance *g, uint64_t bits)
{
	return norn_stride_access_id(bits) == norn_stride_access_id(g->now);
}

/* Whether nobody has accessed it since all of it was written. */
NORN_STRIDE bool norn_stride_is_fresh(uint64_t bits)
{
	return !(bits & NORN_WORD_FLAGS) && norn_stride_access_id(bits) == norn_stride_write_id(bits);
}

/* Whether its halves have vectors of their own, as those of two ints; *ret_code then tells of them. */
NORN_STRIDE bool norn_stride_has_halves(uint64_t bits, uint64_t *ret_code)
{
	uint64_t flags = bits & NORN_WORD_FLAGS;
	*ret_code = flags >> NORN_WORD_OTHERS_SHIFT;
	return (flags & ~NORN_WORD_OTHERS) == NORN_WORD_HALVES;
}

/* It has just been written or read as a whole, or one half of it has been read. */
NORN_STRIDE bool norn_stride_gets_halves(const struct norn_glance *g, uint64_t bits, uint64_t *ret_code)
{
	uint64_t flags = bits & NORN_WORD_FLAGS;
	if (!norn_stride_is_mine(g, bits)) {
		*ret_code = 0;
		return norn_stride_is_fresh(bits);
	}
	*ret_code = !flags ? 3u << NORN_HALF_READ : 1u << NORN_HALF_READ << (flags == (NORN_WORD_REST | 0xf0));
	return !flags || flags == (NORN_WORD_REST | 0xf0) || flags == (NORN_WORD_REST | 0xf00);
}

NORN_STRIDE uint64_t norn_stride_of_halves(const struct norn_glance *g, uint64_t bits, uint64_t code)
{
	uint64_t ids = norn_stride_now(g) | ((uint32_t)bits & ~NORN_WORD_FLAGS);
	if ((code >> NORN_HALF_NEW & 3) == 3)
		return g->now;
	return code == 3u << NORN_HALF_READ ? ids : ids | code << NORN_WORD_OTHERS_SHIFT | NORN_WORD_HALVES;
}

NORN_STRIDE bool norn_stride_read(const struct norn_glance *g, uint64_t bits, uint32_t bytes, uint64_t *ret_bits)
{
	uint64_t code;
	if (!norn_stride_knows(g, norn_stride_write_id(bits)))
		return false;
	if (!norn_stride_is_mine(g, bits)) {
		*ret_bits = norn_stride_now(g) | (uint32_t)bits | norn_stride_others(bytes) | NORN_WORD_REST;
		return norn_stride_is_fresh(bits);
	}
	if ((bits & (NORN_WORD_FLAGS & ~NORN_WORD_OTHERS)) == NORN_WORD_REST) { /* piece by piece */
		*ret_bits = bits & ~((uint64_t)bytes << NORN_WORD_OTHERS_SHIFT);
		if (!(*ret_bits & NORN_WORD_OTHERS))
			*ret_bits &= ~NORN_WORD_REST;
		return true;
	}
	if (!norn_stride_has_halves(bits, &code) || (bytes != 0x0f && bytes != 0xf0))
		return false;
	*ret_bits = norn_stride_of_halves(g, bits, code | 1u << NORN_HALF_READ << (bytes == 0xf0));
	return true;
}

NORN_STRIDE bool norn_stride_write(const struct norn_glance *g, uint64_t bits, uint32_t bytes, uint64_t *ret_bits)
{
	uint64_t code;
	if ((bits & ~NORN_WORD_OTHERS) == g->now) { /* more bytes with the same vectors */
		*ret_bits = bits & ~((uint64_t)bytes << NORN_WORD_OTHERS_SHIFT);
		return true;
	}
	if ((bytes != 0x0f && bytes != 0xf0) || !norn_stride_knows(g, norn_stride_write_id(bits)))
		return false;
	if (!(norn_stride_is_mine(g, bits) && norn_stride_has_halves(bits, &code)) && !norn_stride_gets_halves(g, bits, &code))
		return false;
	*ret_bits = norn_stride_of_halves(g, bits, code | ((1u << NORN_HALF_READ | 1u << NORN_HALF_NEW) << (bytes == 0xf0)));
	return true;
}

/* bits: the word's; *ret_bits: what they are after the access. False: it takes more to tell. The most frequent ways: a word that nobody has accessed, or
 * always the same bytes of it; or the thread itself, piece by piece, with what it knows now; or halves. */
NORN_STRIDE bool norn_stride_quickly(const struct norn_glance *g, uint64_t bits, uint32_t bytes, bool writes, uint64_t *ret_bits)
{
	uint64_t others = norn_stride_others(bytes);
	if (g->now == NORN_GLANCE_CLOSED && !norn_stride_open(g->mind, bits))
		return false;
	if (!bits) {
		*ret_bits = (writes ? g->now : norn_stride_now(g) | NORN_ID_NONE << NORN_WORD_WRITE_SHIFT) | others;
		return true;
	}
	if ((bits & NORN_WORD_FLAGS) != others)
		return writes ? norn_stride_write(g, bits, bytes, ret_bits) : norn_stride_read(g, bits, bytes, ret_bits);
	*ret_bits = writes ? g->now | others : norn_stride_now(g) | (uint32_t)bits;
	return norn_stride_knows(g, norn_stride_access_id(bits)) && (writes || norn_stride_knows(g, norn_stride_write_id(bits)));
}

/* The same, all ways. */
bool norn_stride(const struct norn_glance *g, uint64_t bits, uint32_t bytes, bool writes, uint64_t *ret_bits);

/* The word has got other bits, by norn_stride_quickly. */
NORN_STRIDE void norn_stride_count_quickly(struct norn_mind *mind, uint64_t before, uint64_t after, bool writes)
{
	uint32_t write = norn_stride_write_id(before), access = norn_stride_access_id(before);
	bool twice = writes && norn_stride_write_id(after) != write && access == write;
	if (norn_stride_access_id(after) != access) {
		norn_mind_lend_many(mind, 1 + twice);
		norn_mind_owe(mind, access, 1 + twice);
		if (twice)
			return;
	}
	if (writes && norn_stride_write_id(after) != write) {
		norn_mind_lend_many(mind, 1);
		norn_mind_owe(mind, write, 1);
	}
}

/* The same, by norn_stride. */
void norn_stride_count(struct norn_mind *mind, uint64_t before, uint64_t after);

/* The mind looks whether it knows the word's vectors, for norn_stride. The word's lock is held. */
NORN_STRIDE void norn_stride_recognize(struct norn_mind *mind, uint64_t bits)
{
	uint32_t write = norn_stride_write_id(bits), access = norn_stride_access_id(bits);
	if (bits & NORN_WORD_SPLIT && !norn_word_is_halves(bits))
		return;
	if (write && !norn_mind_is_known(mind, write))
		norn_word_knows(mind, write);
	if (access && access != write && !norn_mind_is_known(mind, access))
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
