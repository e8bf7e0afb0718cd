/* The quickest way to find that an access changes nothing: no call, no lock, only numbers compared. Used by the runtime's hooks,
 * and by the code that the pass puts into programs that are built to be watched (instrument/access/inline_check.c).
 *
 * A word of memory (knowledge_cell.h) is eight bytes. The low half: bit 0 its lock, bit 1 several parts, bit 2 a variable that a
 * formula names, bit 3: the other bytes have the same write vector, also as their access vector; bits 4 to 11 the bytes that are
 * not of its one part, from bit 12 on the number of the write vector. The high half: the number of the access vector. A write
 * brings nothing if both vectors are what the thread knows now; a read if the thread knows all that the write vector does, and the
 * access vector what the thread knows now. Both are kept as tables by number, filled where that was found out the long way.
 *
 * To be asked for a write before it is done, for a read after that: a store under a word's lock is seen together with the lock bit
 * or with the new vectors, as x86 keeps loads in order; and a store without the lock (a write that this found to change nothing)
 * carries vectors that a thread which accepts them knows already. A word is looked at by one load, lest its halves be of different
 * times. */
#ifndef NORN_MTTL_KNOWLEDGE_CACHE_H
#define NORN_MTTL_KNOWLEDGE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define NORN_WORD_LOCK UINT64_C(1)
#define NORN_WORD_SPLIT UINT64_C(2)
#define NORN_WORD_NAMED UINT64_C(4)
#define NORN_WORD_REST UINT64_C(8)
#define NORN_WORD_OTHERS UINT64_C(0xff0) /* bytes that are not of the part */
#define NORN_WORD_HALVES                                                                                                           \
	(NORN_WORD_SPLIT | NORN_WORD_REST) /* both: its two halves are its parts, and what would be other bytes tells of them */
#define NORN_WORD_FLAGS UINT64_C(0xfff) /* all of these */
#define NORN_WORD_OTHERS_SHIFT 4
#define NORN_WORD_WRITE_SHIFT 12
#define NORN_WORD_ACCESS_SHIFT 32

/* Of halves, a bit for each: both its vectors are the one that is the access vector of others; its access vector is. Else they are
 * the write vector. */
#define NORN_HALF_NEW 0
#define NORN_HALF_READ 2

static inline bool norn_word_is_halves(uint64_t bits)
{
	return (bits & NORN_WORD_HALVES) == NORN_WORD_HALVES;
}

/* The words that code in the program compares with: if the word equals the entry for the access, nothing changes. Entries are by
 * size and place in the word, lest bytes be taken for others; those of reads by site, too, so that each holds what its place in the
 * program meets. That of writes to whole words is what the thread knows now; the others are closed whenever that changes, and hooks
 * put there what they find by the tables to change nothing. Entries for reads name numbers, so they are cleared together with the
 * tables (vector_ids.h): code that sets one looks at the tables once more. The memory is for good, since code in the program may go
 * on to look at it when its thread is not watched any more. */
#define NORN_SEEN_READS 32u
#define NORN_SEEN (NORN_SEEN_READS + 16u)
struct norn_seen {
	uint64_t entries[NORN_SEEN];
	uint8_t used; /* a bit per eight entries: one was set */
	uint8_t *familiar; /* the tables that go with it (vector_ids.h) */
	struct norn_seen *next; /* not in use */
};

/* The entry for an access of 1, 2, 4 or 8 bytes from byte `first` of the word on. */
static inline uint32_t norn_seen_read(uint32_t first, uint32_t bytes, uint32_t site)
{
	return 8 * (uint32_t)__builtin_ctz(bytes) + site % bytes * (8 / bytes) + first / bytes;
}

static inline uint32_t norn_seen_write(uint32_t first, uint32_t bytes)
{
	return NORN_SEEN_READS + 8 / bytes - 1 + first / bytes;
}

struct norn_local_monitor;

/* Of one thread; the first is known to the pass. The engine closes it while every event counts. */
struct norn_knowledge_cache {
	struct norn_seen *seen;
	/* per number 1: it knows all that the thread does; from NORN_KNOWLEDGE_CACHE_KNOWN on 1: the thread knows all that it
	 * does */
	const uint8_t *familiar;
	uint64_t now; /* a word with both vectors as the thread knows now; all ones: closed, and nothing is in the first table */
	uint64_t low, span; /* the addresses of the variables that formulas name */
	struct norn_local_monitor *local_monitor; /* whose it is */
};

/* The words: that of an address is at base + (address & mask), and mask has no bits below 8. Of the process, known to the
 * pass: code in the program loads the mask first, and may go on to use what it loaded. So the base is set first, and neither is
 * ever taken back. */
struct norn_knowledge_cache_words {
	uint64_t mask, base;
};

#define NORN_KNOWLEDGE_CACHE_KNOWN (UINT32_C(1) << 20)
#define NORN_KNOWLEDGE_CACHE_CLOSED UINT64_MAX

/* The bits that do not matter to an access of these bytes: other bytes' belonging elsewhere. */
static inline uint64_t norn_knowledge_cache_indifferent(uint32_t bytes)
{
	return (uint64_t)(~bytes & 0xff) << NORN_WORD_OTHERS_SHIFT | NORN_WORD_REST;
}

/* Others clear tables (vector_ids.h). */
static inline uint8_t norn_knowledge_cache_entry(const uint8_t *table, uint64_t index)
{
	return __atomic_load_n(&table[index], __ATOMIC_RELAXED);
}

static inline bool norn_knowledge_cache_accepts(
        const struct norn_knowledge_cache *knowledge_cache, uint64_t word, uint32_t bytes, bool writes)
{
	uint64_t w = word & ~norn_knowledge_cache_indifferent(bytes);
	if (writes)
		return w == knowledge_cache->now;
	return !(w & NORN_WORD_FLAGS) && norn_knowledge_cache_entry(knowledge_cache->familiar, w >> NORN_WORD_ACCESS_SHIFT) &
	                                         norn_knowledge_cache_entry(knowledge_cache->familiar,
	                                                 NORN_KNOWLEDGE_CACHE_KNOWN + ((uint32_t)w >> NORN_WORD_WRITE_SHIFT));
}

/* The word was accepted. */
static inline void norn_knowledge_cache_remember(const struct norn_knowledge_cache *knowledge_cache, uint64_t word, uint32_t first,
        uint32_t bytes, bool writes, uint32_t site)
{
	struct norn_seen *seen = knowledge_cache->seen;
	uint32_t i = writes ? norn_seen_write(first, bytes) : norn_seen_read(first, bytes, site);
	/* Pairs with clear of vector_ids.c: it sees this, or this sees what it did. Then used, since a handler's events may change
	 * what is known. */
	__atomic_exchange_n(&seen->entries[i], word, __ATOMIC_SEQ_CST);
	__atomic_fetch_or(&seen->used, (uint8_t)(1u << i / 8), __ATOMIC_SEQ_CST);
	if (!norn_knowledge_cache_accepts(knowledge_cache, word, ((1u << bytes) - 1) << first, writes))
		__atomic_store_n(&seen->entries[i], NORN_KNOWLEDGE_CACHE_CLOSED, __ATOMIC_RELAXED);
}

/* Of what the thread knows now. */
static inline void norn_knowledge_cache_open(struct norn_knowledge_cache *knowledge_cache, uint64_t now)
{
	struct norn_seen *seen = knowledge_cache->seen;
	knowledge_cache->now = now;
	for (uint32_t used = seen->used ? __atomic_exchange_n(&seen->used, 0, __ATOMIC_SEQ_CST) : 0; used; used &= used - 1) {
		uint64_t *entry = &seen->entries[8ul * (unsigned)__builtin_ctz(used)];
		for (uint32_t i = 0; i < 8; i++)
			__atomic_store_n(&entry[i], NORN_KNOWLEDGE_CACHE_CLOSED, __ATOMIC_RELAXED);
	}
	seen->entries[norn_seen_write(0, 8)] = now;
}

static inline bool norn_knowledge_cache_says_nothing(
        const struct norn_knowledge_cache *knowledge_cache, const _Atomic uint64_t *word, uint32_t bytes, bool writes)
{
	return norn_knowledge_cache_accepts(knowledge_cache, atomic_load_explicit(word, memory_order_acquire), bytes, writes);
}

#endif
