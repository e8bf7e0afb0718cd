/* The quickest way to find that an access changes nothing: no call, no lock, nothing but numbers compared. Used by the runtime's hooks, and by
 * the code that the pass puts into programs that are built to be watched (instrument/inline.c).
 *
 * A word of memory (word.h) is eight bytes. The low half: bit 0 its lock, bit 1 several parts, bit 2 a variable that a formula names, bit 3: the
 * other bytes have the same write vector, also as their access vector; bits 4 to 11 the bytes that are not of its one part, from bit 12 on the number of the write
 * vector. The high half: the number of the access vector. A write brings nothing if both vectors are what the thread knows now; a read
 * if the thread knows all that the write vector does, and the access vector what the thread knows now. Both are kept as tables by number, filled
 * where that was found out the long way.
 *
 * For a write to be asked before it is done, for a read after that: a store under a word's lock is seen together with the lock bit or with the
 * new vectors, as x86 keeps loads in order; and a store without the lock (a write that this found to change nothing) carries vectors that
 * whoever accepts them knows already. A word is looked at by one load, lest its halves be of different times. */
#ifndef NORN_ONLINE_GLANCE_H
#define NORN_ONLINE_GLANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_WORD_LOCK UINT64_C(1)
#define NORN_WORD_SPLIT UINT64_C(2)
#define NORN_WORD_NAMED UINT64_C(4)
#define NORN_WORD_REST UINT64_C(8)
#define NORN_WORD_OTHERS UINT64_C(0xff0) /* bytes that are not of the part */
#define NORN_WORD_FLAGS UINT64_C(0xfff) /* all of these */
#define NORN_WORD_OTHERS_SHIFT 4
#define NORN_WORD_WRITE_SHIFT 12
#define NORN_WORD_ACCESS_SHIFT 32

struct norn_mind;

/* Of one thread; the first two are known to the pass. The engine closes them while every event counts. */
struct norn_glance {
	const uint8_t *
	        familiar; /* per number 1: it knows all that the thread does; from NORN_GLANCE_KNOWN on 1: the thread knows all that it does */
	uint64_t now; /* a word with both vectors as the thread knows now; all ones: closed, and nothing is in the first table */
	uint64_t low, span; /* where the variables lie that formulas name */
	struct norn_mind *mind; /* whose it is */
};

/* Where words are: that of an address is at base + (address & mask), and mask has no bits below 8. Of the process, known to the pass: code in
 * the program loads the mask first, and may go on to use what it loaded. So the base is set first, and neither is ever taken back. */
struct norn_glance_words {
	uint64_t mask, base;
};

#define NORN_GLANCE_KNOWN (UINT32_C(1) << 20)
#define NORN_GLANCE_CLOSED UINT64_MAX

/* What does not matter to an access of these bytes, a bit each: other bytes' belonging elsewhere. */
static inline uint64_t norn_glance_indifferent(uint32_t bytes)
{
	return (uint64_t)(~bytes & 0xff) << NORN_WORD_OTHERS_SHIFT | NORN_WORD_REST;
}

/* Others clear tables (ids.h). */
static inline uint8_t norn_glance_entry(const uint8_t *table, uint64_t index)
{
	return __atomic_load_n(&table[index], __ATOMIC_RELAXED);
}

static inline bool norn_glance_accepts(const struct norn_glance *glance, uint64_t word, uint32_t bytes, bool writes)
{
	uint64_t w = word & ~norn_glance_indifferent(bytes);
	if (writes)
		return w == glance->now;
	return !(w & NORN_WORD_FLAGS) &&
	       norn_glance_entry(glance->familiar, w >> NORN_WORD_ACCESS_SHIFT) &
	               norn_glance_entry(glance->familiar, NORN_GLANCE_KNOWN + ((uint32_t)w >> NORN_WORD_WRITE_SHIFT));
}

static inline bool norn_glance_says_nothing(
        const struct norn_glance *glance, const _Atomic uint64_t *word, uint32_t bytes, bool writes)
{
	return norn_glance_accepts(glance, atomic_load_explicit(word, memory_order_acquire), bytes, writes);
}

#endif
