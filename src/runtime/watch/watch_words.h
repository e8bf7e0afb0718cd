/* Watch mode: accesses and locks that carry knowledge (mttl/knowledge_cell.h). Each is made together with what it does to its
 * word's vectors, under the word's lock; but most change nothing, which a cache tells (mttl/knowledge_cache.h).
 *
 * Words lie in one mapping, eight bytes for eight, at NORN_WORDS_BASE + (address & NORN_WORDS_MASK), where the bit that is left out
 * makes no two addresses meet: one that the program can have is below the mapping or above its end, and of those only the latter
 * have that bit. They lie askew, lest an address and its word differ in high bits only: a processor's first cache tells lines apart
 * by the low ones (AMD's by those below 28), and would keep one of the two. Untouched parts take no memory. Words of locks lie
 * behind them, eight bytes for NORN_WORD_LOCKS, apart from those of the memory that they are in: that may be copied and cleared. */
#ifndef NORN_RUNTIME_WATCH_WATCH_WORDS_H
#define NORN_RUNTIME_WATCH_WATCH_WORDS_H

#include "mttl/knowledge_cache.h"
#include "mttl/knowledge_cell.h"
#include "runtime/record/shadow.h"
#include "runtime/watch/watch_state.h"

#define NORN_WORDS_MAP (UINT64_C(1) << 40)
#define NORN_WORDS_BASE (NORN_WORDS_MAP + NORN_WORDS_SKEW)
#define NORN_WORDS_SKEW UINT64_C(0x5840)
#define NORN_WORDS_BYTES (UINT64_C(1) << 46)
#define NORN_WORDS_MASK (NORN_WORDS_BYTES - 8)
#define NORN_LOCKS_BASE (NORN_WORDS_BASE + NORN_WORDS_BYTES)
#define NORN_LOCKS_BYTES (NORN_WORDS_BYTES * 8 / NORN_WORD_LOCKS)

/* The state by which the caller's hooks, and the code that the pass puts into the program, see that nothing happens. It is blind,
 * and has no local monitor, where every access must be told of. Known to the pass. */
extern __thread struct norn_knowledge_cache __norn_knowledge_cache
        __attribute__((tls_model("initial-exec"), visibility("default")));
extern struct norn_knowledge_cache_words __norn_words __attribute__((visibility("default")));

/* The word of an address, whether or not anything is mapped there. */
static inline struct norn_knowledge_cell *norn_word_at(const void *addr)
{
	return (struct norn_knowledge_cell *)(NORN_WORDS_BASE + ((uintptr_t)addr & NORN_WORDS_MASK));
}

static inline struct norn_knowledge_cell *norn_lock_at(const void *lock)
{
	return (struct norn_knowledge_cell *)(NORN_LOCKS_BASE + ((uintptr_t)lock & NORN_WORDS_MASK) / NORN_WORD_LOCKS * 8);
}

/* The bytes of it that an access within one word has, a bit each. */
static inline uint32_t norn_word_bytes(const void *addr, unsigned bytes)
{
	return ((1u << bytes) - 1) << ((uintptr_t)addr & 7);
}

/* Words are locked as cells are (shadow.h), so that a fault of the access lets go of them, too. */
static inline struct norn_cell *norn_word_cell(struct norn_knowledge_cell *word)
{
	return (struct norn_cell *)(void *)word;
}

int norn_watch_words_open(void); /* once the engines are there; -ENOMEM: there is no room for words */
void norn_watch_words_begin(struct norn_watcher *w); /* before they know the thread */
void norn_watch_words_retype(const struct norn_watcher *w); /* the caller's types may be others now */
void norn_watch_words_end(void);

/* An access within one word. value: to be written; returns what was read. */
uint64_t norn_watch_word(unsigned kind, void *addr, uint64_t value, unsigned bytes, uint32_t site);
/* The same, which has been made, and the word's lock is held. */
NORN_COLD void norn_watch_word_written(void *addr, uint64_t value, unsigned bytes, uint32_t site);
/* Word by word: a range is not indivisible. */
void norn_watch_words_read(void *to, const void *from, size_t bytes, uint32_t site);
void norn_watch_words_write(void *to, const void *from, size_t bytes, uint32_t site);

/* An atomic of one word, in the program's own code between the two; NULL: it is not told. */
struct norn_knowledge_cell *norn_watch_word_begin(void *addr, unsigned bytes);
void norn_watch_word_end(struct norn_watcher *w, struct norn_knowledge_cell *word, const struct norn_event *event);

/* True if these are told of by words of locks. */
static inline bool norn_is_lock_op(unsigned op)
{
	return op >= NORN_SYNC_ACQUIRE && op <= NORN_SYNC_RELEASE_SHARED;
}

/* A lock was taken, or is about to be given up, and that takes the long way (watch_lock.h); or it is destroyed. The caller is
 * busy. */
void norn_watch_lock(struct norn_watcher *w, enum norn_sync_op op, const void *lock, uint32_t site);

/* The block is freed: its words carry nothing any more. */
void norn_watch_words_drop(const void *block, size_t bytes);

/* True if it has no effect; a read has been done already. The caller has a local monitor. */
static inline __attribute__((always_inline)) bool norn_watch_is_nothing(
        const void *addr, unsigned bytes, bool writes, uint32_t site)
{
	unsigned first = (uintptr_t)addr & 7;
	uint64_t word = atomic_load_explicit(&norn_word_at(addr)->bits, memory_order_acquire);
	if (first + bytes > 8 || !norn_knowledge_cache_accepts(&__norn_knowledge_cache, word, norn_word_bytes(addr, bytes), writes))
		return false;
	if (first % bytes == 0)
		norn_knowledge_cache_remember(&__norn_knowledge_cache, word, first, bytes, writes, site);
	return true;
}

#endif
