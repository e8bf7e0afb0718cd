/* A 32-bit number for each 8-byte word of memory, 0 until it is set. Memory: 4 bytes per word in blocks of 64 words, 40 to 80 per
 * page. */
#ifndef NORN_SLICED_WORD_TABLE_H
#define NORN_SLICED_WORD_TABLE_H

#include <stdint.h>

#include "base/map.h"
#include "base/page_set.h"
#include "base/slab.h"

#define NORN_WORD_TABLE_RECENT 256u

struct norn_word_table {
	struct norn_map pages; /* page number + 1 → the page's blocks */
	struct norn_page_set present; /* the same pages */
	struct norn_slab blocks;
	struct {
		uint64_t key;
		uint32_t *block;
	} recent[NORN_WORD_TABLE_RECENT];
};

void norn_word_table_init(struct norn_word_table *cells);
void norn_word_table_done(struct norn_word_table *cells);

/* The number of the word at addr. It stays where it is. */
uint32_t *norn_word_table_get(struct norn_word_table *cells, uint64_t addr);

/* Calls visit for each number that is not 0, of the words that [addr, addr + size) touches. */
void norn_word_table_visit(struct norn_word_table *cells, uint64_t addr, uint64_t size,
        void (*visit)(void *, uint64_t addr, uint32_t *cell), void *context);

#endif
