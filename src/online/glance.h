/* The quickest way to find that an access changes nothing: no call, no lock, nothing but pointers compared. Used by the runtime's hooks.
 *
 * A word of memory (word.h) is a: bit 0 its lock, bit 1 several parts, bit 2 a variable that a formula names, bits 8 to 15 the bytes of
 * its one part, from bit 16 on the write vector; b: the access vector. Bit 3: the other bytes have the same write vector, also as their access vector. An access brings nothing if both vectors are what the thread knows now; a read
 * neither if it has read a word with the same two vectors before, since it came to know what it knows now.
 *
 * For a write to be asked before it is done, for a read after that: a store under a word's lock is seen together with the lock bit or with the
 * new vectors, as x86 keeps loads in order; and a store without the lock (a write that this found to change nothing) carries vectors that
 * whoever accepts them knows already. */
#ifndef NORN_ONLINE_GLANCE_H
#define NORN_ONLINE_GLANCE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Vectors of a variable that a read, as long as the thread knows what it knows now, changes nothing of. */
struct norn_familiar {
	uint64_t write; /* struct norn_knowledge * << 16: as a has it, but for the bytes */
	uint64_t access; /* struct norn_knowledge *; 0: none */
};

#define NORN_FAMILIARS 32u
#define NORN_WORD_LOCK UINT64_C(1)
#define NORN_WORD_SPLIT UINT64_C(2)
#define NORN_WORD_NAMED UINT64_C(4)
#define NORN_WORD_REST UINT64_C(8)
#define NORN_WORD_BYTES UINT64_C(0xff08) /* which bytes: no part of what is compared */

/* Of one thread. It belongs to the engine, which closes it while every event counts. */
struct norn_glance {
	uint64_t now; /* struct norn_knowledge *; 1: closed */
	struct norn_familiar familiar[NORN_FAMILIARS]; /* all of them zero when closed */
};

static inline unsigned norn_familiar_index(uint64_t access)
{
	return (unsigned)((access >> 6 ^ access >> 11) % NORN_FAMILIARS);
}

/* mask: the bytes of the word that are accessed, a bit each, from bit 8 on. */
static inline bool norn_glance_says_nothing(const struct norn_glance *glance, const _Atomic uint64_t *word_a,
        const _Atomic uint64_t *word_b, uint64_t mask, bool writes)
{
	uint64_t a = atomic_load_explicit(word_a, memory_order_acquire);
	uint64_t b = atomic_load_explicit(word_b, memory_order_acquire);
	if (mask & ~a)
		return false;
	if (writes)
		return b == glance->now && (a & ~NORN_WORD_BYTES) == b << 16;
	const struct norn_familiar *f = &glance->familiar[norn_familiar_index(b)];
	return f->access == b && f->write == (a & ~NORN_WORD_BYTES) && b;
}

#endif
