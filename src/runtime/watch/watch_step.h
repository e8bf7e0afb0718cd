/* Watch mode: an access within one word, made together with what it does to its word, where that is short
 * (mttl/knowledge_fast_path.h). The caller is busy and has a local monitor. False: nothing has happened. */
#ifndef NORN_RUNTIME_WATCH_WATCH_STEP_H
#define NORN_RUNTIME_WATCH_WATCH_STEP_H

#include "mttl/knowledge_fast_path.h"
#include "runtime/record/access.h"
#include "runtime/watch/watch_words.h"

#define NORN_STEP static inline __attribute__((always_inline))

/* bytes: a bit each. */
NORN_STEP bool norn_step_judge(const struct norn_knowledge_cell *word, const void *addr, uint32_t bytes, bool writes,
        uint64_t *ret_bits, uint64_t *ret_after)
{
	const struct norn_knowledge_cache *g = &__norn_knowledge_cache;
	*ret_bits = atomic_load_explicit(&word->bits, memory_order_acquire);
	/* The first access to a word that holds a variable of a formula must be told of. */
	if (!*ret_bits && ((uintptr_t)addr | 7) - g->low < g->span + 7)
		return false;
	return norn_cell_step_quickly(g, *ret_bits, bytes, writes, ret_after);
}

/* True if the word had these bits. */
NORN_STEP bool norn_step_exchange(struct norn_knowledge_cell *word, uint64_t bits, uint64_t by)
{
	if (bits == by)
		return atomic_load_explicit(&word->bits, memory_order_acquire) == bits;
	return atomic_compare_exchange_strong_explicit(&word->bits, &bits, by, memory_order_acq_rel, memory_order_relaxed);
}

/* True if new bits are of what the thread knows now: if the access has faulted, the program's handler may have changed that. */
NORN_STEP bool norn_step_is_new(uint64_t bits, uint64_t after)
{
	const uint64_t now = *(const volatile uint64_t *)&__norn_knowledge_cache.now;
	return bits == after || norn_cell_step_access_id(after) == norn_cell_step_access_id(now);
}

NORN_STEP bool norn_step_read(const void *addr, unsigned bytes, uint64_t *ret_value)
{
	struct norn_knowledge_cell *word = norn_word_at(addr);
	uint64_t bits, after;
	__asm__("" : "+r"(word)); /* in one register */
	if (!norn_step_judge(word, addr, norn_word_bytes(addr, bytes), false, &bits, &after))
		return false;
	*ret_value = norn_load(addr, bytes);
	if (!norn_step_is_new(bits, after) || !norn_step_exchange(word, bits, after))
		return false;
	norn_cell_step_count(__norn_knowledge_cache.local_monitor, bits, after, false);
	return true;
}

NORN_STEP bool norn_step_write(struct norn_slot *self, void *addr, uint64_t value, unsigned bytes, uint32_t site)
{
	struct norn_knowledge_cell *word = norn_word_at(addr);
	uint64_t bits, after;
	__asm__("" : "+r"(word)); /* in one register */
	if (!norn_step_judge(word, addr, norn_word_bytes(addr, bytes), true, &bits, &after))
		return false;
	if (bits == after) { /* as by the cache */
		norn_store(addr, value, bytes);
		return true;
	}
	if (!norn_step_exchange(word, bits, bits | NORN_WORD_LOCK))
		return false;
	norn_hold(self, norn_word_cell(word), 1);
	norn_store(addr, value, bytes);
	norn_release(self);
	/* If the store has faulted, others had the word meanwhile. */
	if (__builtin_expect(!norn_step_is_new(bits, after) ||
	                             atomic_load_explicit(&word->bits, memory_order_relaxed) != (bits | NORN_WORD_LOCK),
	            0)) {
		norn_watch_word_written(addr, value, bytes, site);
		return true;
	}
	atomic_store_explicit(&word->bits, after, memory_order_release);
	norn_cell_step_count(__norn_knowledge_cache.local_monitor, bits, after, true);
	return true;
}

#endif
