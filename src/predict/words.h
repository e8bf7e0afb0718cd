/* A 32-bit number for each 8-byte word of memory, 0 until it is set. Memory: 4 bytes per word in blocks of 64 words, 40 to 80 per page. */
#ifndef NORN_PREDICT_WORDS_H
#define NORN_PREDICT_WORDS_H

#include <stdint.h>

#include "base/map.h"
#include "base/presence.h"
#include "base/slab.h"

#define NORN_WORDS_RECENT 256u

struct norn_words {
	struct norn_map pages; /* page number + 1 → the page's blocks */
	struct norn_presence present; /* the same pages */
	struct norn_slab blocks;
	struct {
		uint64_t key;
		uint32_t *block;
	} recent[NORN_WORDS_RECENT];
};

void norn_words_init(struct norn_words *cells);
void norn_words_done(struct norn_words *cells);

/* The number of the word at addr; NULL: out of memory. It stays where it is. */
uint32_t *norn_words_get(struct norn_words *cells, uint64_t addr);

/* Calls visit for each number that is not 0, of the words that [addr, addr + size) touches. */
void norn_words_visit(struct norn_words *cells, uint64_t addr, uint64_t size, void (*visit)(void *, uint64_t addr, uint32_t *cell),
        void *context);

#endif
