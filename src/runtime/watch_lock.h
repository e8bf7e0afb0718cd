/* Watch mode: what hooks of locks do to a lock's word (watch_words.h), where that is short. */
#ifndef NORN_RUNTIME_WATCH_LOCK_H
#define NORN_RUNTIME_WATCH_LOCK_H

#include "runtime/watch_words.h"

/* Locks matter to their words only: nobody else wants to know of them. Set before the first thread; never where the process is recorded. */
extern bool norn_lock_words;

/* Something happens by it, but not much. False: nothing has happened yet. */
bool norn_lock_strides(const void *lock);
bool norn_lock_strides_shared(const void *lock);

static inline bool norn_lock_writes(enum norn_sync_op op)
{
	return op == NORN_SYNC_ACQUIRE || op == NORN_SYNC_RELEASE;
}

/* A lock was taken, or is about to be given up, and nothing happens by it. */
static inline __attribute__((always_inline)) bool norn_lock_is_nothing(enum norn_sync_op op, const void *lock)
{
	return norn_lock_words && norn_glance_says_nothing(&__norn_glance, &norn_lock_at(lock)->bits,
	                                  norn_word_lock((uintptr_t)lock), norn_lock_writes(op));
}

/* Something does. */
static inline void norn_log_lock_event(enum norn_sync_op op, const void *lock, enum norn_lock_kind kind, uint32_t site)
{
	if (!norn_lock_words || !(norn_lock_writes(op) ? norn_lock_strides(lock) : norn_lock_strides_shared(lock)))
		norn_log_sync(op, lock, kind, site);
}

static inline __attribute__((always_inline)) void norn_log_lock(
        enum norn_sync_op op, const void *lock, enum norn_lock_kind kind, uint32_t site)
{
	if (!norn_lock_is_nothing(op, lock))
		norn_log_lock_event(op, lock, kind, site);
}

#endif
