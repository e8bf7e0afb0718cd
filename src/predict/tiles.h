/* Cells: the bytes of memory by whose contents threads get into each other's way.
 *
 * Memory matters where a read that is kept may see another thread's write. Only such words (of 8 bytes) have cells; a cell is as many bytes of a
 * word as all accesses touch together. The contents of a cell is a number (plan.h).
 *
 * First every access is noted, then, after norn_cells_choose, once more, so that words can be cut up, then norn_cells_cut. */
#ifndef NORN_PREDICT_CELLS_H
#define NORN_PREDICT_CELLS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

#define NORN_CELLS_MASKS 8u

struct norn_cells_word {
	uint32_t reader, writer; /* thread + 1; UINT32_MAX: several */
	uint32_t first; /* cell */
	uint8_t masks[NORN_CELLS_MASKS]; /* different ways in which it is accessed */
	uint8_t mask_count; /* more than NORN_CELLS_MASKS: each byte is a cell */
	uint8_t count; /* cells */
	uint8_t cell[8]; /* of each byte, from first on */
};

struct norn_cells_value {
	uint64_t bytes;
	uint32_t cell;
	uint32_t next; /* 1 + the next one of the same hash */
};

struct norn_cells {
	struct norn_map words; /* address / 8 → struct norn_cells_word */
	uint32_t count;
	struct norn_cells_value *values;
	uint32_t value_count, value_room;
	struct norn_map index; /* hash → 1 + the first value with it */
};

void norn_cells_init(struct norn_cells *cells);
void norn_cells_done(struct norn_cells *cells);

int norn_cells_note(struct norn_cells *cells, uint64_t addr, uint64_t size, uint32_t thread, bool reads, bool writes);
void norn_cells_choose(struct norn_cells *cells); /* forgets words that do not matter */
void norn_cells_shape(struct norn_cells *cells, uint64_t addr, uint64_t size); /* every access once more */
void norn_cells_cut(struct norn_cells *cells);

/* The cells of the access from word *word on (start with addr / 8): those of the first word that has any. False: none are left. *ret_first … are
 * adjacent; ret_touched has a bit for each of them that the access touches. *word is left behind it. */
bool norn_cells_next(
        const struct norn_cells *cells, uint64_t addr, uint64_t size, uint64_t *word, uint32_t *ret_first, uint8_t *ret_touched);

/* The number of a content that is known by its value: value is what an access of up to 8 bytes at addr wrote or read. 0: out of memory. */
uint32_t norn_cells_content(struct norn_cells *cells, uint64_t word, uint32_t cell, uint64_t addr, uint64_t value);

#endif
