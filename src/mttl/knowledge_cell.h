/* Words of memory as bearers of knowledge: for the bytes of a word an access vector and a write vector (DAME, section 2.3).
 *
 * Bytes of a word that were always accessed together share their vectors: as a rule one part, two if a word holds two ints. A word
 * with one part is the numbers of its vectors (knowledge_cache.h); of one with several, the high half is the number of the list of
 * parts. In place of the access vector of one part there may be a list of readers (cell_readers.h). The caller holds the word's
 * lock, but for norn_word_is_familiar. */
#ifndef NORN_MTTL_KNOWLEDGE_CELL_H
#define NORN_MTTL_KNOWLEDGE_CELL_H

#include "engine/engine.h"
#include "mttl/local_monitor.h"

#define NORN_WORD_ALL 0xffu

/* The part of [address, address + size) that lies in the word at `word`, a bit per byte. */
static inline uint32_t norn_word_mask(uint64_t word, uint64_t address, uint64_t size)
{
	uint64_t from = address > word ? address - word : 0, to = address + size - word;
	to = to > 8 ? 8 : to;
	return from >= 8 ? 0 : (uint32_t)((0xffu >> (8 - (to - from))) << from);
}

/* Locks have words of their own, one for 32 bytes of memory, in which a lock is one byte: the fifth for one that is at byte 16 of
 * these. */
#define NORN_WORD_LOCKS 32u
static inline uint32_t norn_word_lock(uint64_t address)
{
	return 1u << address % NORN_WORD_LOCKS / (NORN_WORD_LOCKS / 8);
}

/* The local monitor learns what the bytes carry: the access vectors if it is about to write, else the write vectors. */
void norn_word_learn(struct norn_local_monitor *local_monitor, const struct norn_knowledge_cell *word, uint32_t mask, bool writes,
        struct norn_knowledge_origin origin);
/* The bytes carry what the local monitor knows now. */
void norn_word_teach(struct norn_local_monitor *local_monitor, struct norn_knowledge_cell *word, uint32_t mask, bool writes);
void norn_word_clear(struct norn_knowledge_cell *word); /* the lock stays */
void norn_word_cut(struct norn_local_monitor *local_monitor, struct norn_knowledge_cell *word,
        uint32_t mask); /* these bytes carry nothing any more */
/* All of it at once, where that is simple: the local monitor learns nothing, but may tell what it has put off. False: that is
 * all that has happened. */
bool norn_word_pass(struct norn_local_monitor *local_monitor, struct norn_knowledge_cell *word, uint32_t mask, bool writes);
/* True if the local monitor knows all that the vector of this number does; it remembers if so. */
bool norn_word_knows(struct norn_local_monitor *local_monitor, uint32_t id);
/* The vectors of one byte, references for the caller; NULL: none. */
void norn_word_peek(struct norn_local_monitors *local_monitors, const struct norn_knowledge_cell *word, uint32_t byte,
        struct norn_knowledge **ret_write, struct norn_knowledge **ret_access);

/* It holds a variable that a formula names: the fast path must not take it. */
void norn_word_name(struct norn_knowledge_cell *word);

/* True if an access would change neither the local monitor nor the word (knowledge_cache.h). */
static inline bool norn_word_is_familiar(
        const struct norn_local_monitor *local_monitor, const struct norn_knowledge_cell *word, uint32_t mask, bool writes)
{
	return norn_knowledge_cache_says_nothing(local_monitor->knowledge_cache, &word->bits, mask, writes);
}

#endif
