/* Words of memory as bearers of knowledge: for the bytes of a word an access vector and a write vector (DAME, section 2.3).
 *
 * Bytes of a word that were always accessed together share their vectors: as a rule one part, two if a word holds two ints. A word
 * with one part is two machine words; parts beyond the first are allocated.
 *   a: bit 0 the word's lock, bit 1 it has several parts, bits 8 to 15 the bytes of its one part, from bit 16 on the write vector, or the parts
 *   b: the access vector of its one part
 * The caller holds the word's lock, but for norn_word_is_familiar. */
#ifndef NORN_ONLINE_WORD_H
#define NORN_ONLINE_WORD_H

#include "online/engine.h"
#include "online/mind.h"

#define NORN_WORD_ALL 0xffu

/* The part of [address, address + size) that lies in the word at `word`, a bit per byte. */
static inline uint32_t norn_word_mask(uint64_t word, uint64_t address, uint64_t size)
{
	uint64_t from = address > word ? address - word : 0, to = address + size - word;
	to = to > 8 ? 8 : to;
	return from >= 8 ? 0 : (uint32_t)((0xffu >> (8 - (to - from))) << from);
}

/* The mind learns what the bytes carry: the access vectors if it is about to write, else the write vectors. */
void norn_word_learn(
        struct norn_mind *mind, const struct norn_online_word *word, uint32_t mask, bool writes, struct norn_lesson lesson);
/* The bytes carry what the mind knows now. */
void norn_word_teach(struct norn_mind *mind, struct norn_online_word *word, uint32_t mask, bool writes);
void norn_word_clear(struct norn_online_word *word);

/* Whether an access would teach neither the mind nor the word anything. No lock: for a write to be asked before it is done, for a read after
 * that; pointers are compared only, with vectors that the mind keeps alive. */
static inline bool norn_word_is_familiar(
        const struct norn_mind *mind, const struct norn_online_word *word, uint32_t mask, bool writes)
{
	uint64_t a = atomic_load_explicit(&word->a, memory_order_acquire);
	uint64_t b = atomic_load_explicit(&word->b, memory_order_acquire);
	if (a & 3 || mask & ~(uint32_t)(a >> 8))
		return false;
	uint64_t now = (uintptr_t)mind->now;
	if (a >> 16 == now && b == now)
		return true;
	const struct norn_familiar *f = &mind->familiar[norn_familiar_index(a >> 16, b)];
	return !writes && b && f->access == b && f->write == a >> 16;
}

#endif
