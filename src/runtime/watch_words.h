/* Watch mode: accesses that carry knowledge (online/word.h). Each is made together with what it does to its word's vectors: under the word's
 * lock, or alone where the page has an owner (shadow.h); but most change nothing, which a glance tells (online/glance.h). */
#ifndef NORN_RUNTIME_WATCH_WORDS_H
#define NORN_RUNTIME_WATCH_WORDS_H

#include "online/glance.h"
#include "runtime/shadow.h"
#include "runtime/watch_in.h"

/* What the caller's hooks need to see that nothing happens. glance NULL: every access must be told of. */
struct norn_sight {
	const struct norn_glance *glance;
	const struct norn_page *pages; /* the slot's */
};
extern __thread struct norn_sight norn_sight __attribute__((tls_model("initial-exec")));

void norn_watch_words_open(void); /* once the engines are there */
void norn_watch_words_begin(struct norn_watcher *w); /* they know the thread */
void norn_watch_words_end(void);

/* An access within one word. value: to be written; returns what was read. */
uint64_t norn_watch_word(unsigned kind, void *addr, uint64_t value, unsigned bytes, uint32_t site);
/* Word by word: a range is not indivisible. */
void norn_watch_words_read(void *to, const void *from, size_t bytes, uint32_t site);
void norn_watch_words_write(void *to, const void *from, size_t bytes, uint32_t site);

/* An atomic of one word, in the program's own code between the two; NULL: it is not told. */
struct norn_cell *norn_watch_word_begin(struct norn_slot *self, void *addr, unsigned bytes);
void norn_watch_word_end(struct norn_slot *self, struct norn_watcher *w, struct norn_cell *cell, const struct norn_event *event);

/* The block is freed: its words carry nothing any more. */
void norn_watch_words_drop(const void *block, size_t bytes);

/* Whether nothing happens by it; a read has been done already. glance is not NULL. */
static inline __attribute__((always_inline)) bool norn_watch_is_nothing(const void *addr, unsigned bytes, bool writes)
{
	uint32_t number = (uint32_t)((uintptr_t)addr >> NORN_PAGE_SHIFT);
	const struct norn_page *page = &norn_sight.pages[number % NORN_PAGES];
	unsigned first = (uintptr_t)addr & 7;
	if (first + bytes > 8 || NORN_PLAIN(uint32_t, page->number) != number)
		return false;
	struct norn_cell *cell = norn_cell_in(page, addr);
	uint64_t mask = (uint64_t)((1u << bytes) - 1) << 8 << (bytes == 8 ? 0 : first);
	return norn_glance_says_nothing(norn_sight.glance, &cell->version, (const _Atomic uint64_t *)&cell->value, mask, writes);
}

#endif
