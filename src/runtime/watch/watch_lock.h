/* Watch mode: what hooks of locks do to a lock's word (watch_words.h), where that is short. */
#ifndef NORN_RUNTIME_WATCH_WATCH_LOCK_H
#define NORN_RUNTIME_WATCH_WATCH_LOCK_H

#include "runtime/watch/watch_words.h"

/* Locks matter to their words only: no property names them. Set before the first thread; never where the process is
 * recorded. */
extern bool norn_lock_words;

static inline bool norn_lock_writes(enum norn_sync_op op)
{
	return op == NORN_SYNC_ACQUIRE || op == NORN_SYNC_RELEASE;
}

/* Something happens by it, but not much: the word had these bits. False: nothing has happened yet. */
bool norn_lock_step_exclusive(struct norn_knowledge_cell *word, uint64_t bits, uint32_t byte);
bool norn_lock_step_shared(struct norn_knowledge_cell *word, uint64_t bits, uint32_t byte);

/* A lock was taken, or is about to be given up, and little or nothing happens by it. */
static inline __attribute__((always_inline)) bool norn_lock_is_short(enum norn_sync_op op, const void *lock)
{
	if (!norn_lock_words)
		return false;
	struct norn_knowledge_cell *word = norn_lock_at(lock);
	uint64_t bits = atomic_load_explicit(&word->bits, memory_order_acquire);
	uint32_t byte = norn_word_lock((uintptr_t)lock);
	if (norn_knowledge_cache_accepts(&__norn_knowledge_cache, bits, byte, norn_lock_writes(op)))
		return true;
	return norn_lock_writes(op) ? norn_lock_step_exclusive(word, bits, byte) : norn_lock_step_shared(word, bits, byte);
}

static inline __attribute__((always_inline)) void norn_log_lock(
        enum norn_sync_op op, const void *lock, enum norn_lock_kind kind, uint32_t site)
{
	if (!norn_lock_is_short(op, lock))
		norn_log_sync(op, lock, kind, site);
}

#endif
