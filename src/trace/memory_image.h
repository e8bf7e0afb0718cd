/* The image: the memory of the recorded program as the merge carries it along, one cell per 8-byte word that was ever touched.
 *
 * A cell is the replay's counterpart of the runtime's shadow cell: the version that the word has now, and its contents. Besides, it
 * counts the reads that are known to come: those of the present version in the cell, those of later versions in a table on the
 * side, where they stay until their version is made. Cells never move; the image owns them. */
#ifndef NORN_TRACE_MEMORY_IMAGE_H
#define NORN_TRACE_MEMORY_IMAGE_H

#include <stdbool.h>
#include <stdint.h>

struct norn_memory_image_cell {
	uint64_t value;
	uint32_t version;
	uint32_t readers; /* reads of version that are yet to come */
	uint32_t later; /* versions beyond this one that have an entry in the side table */
	uint32_t waiters : 31; /* threads that wait for this word; used by the merge */
	uint32_t unknown : 1; /* a record of this word is missing: value means nothing */
};

struct norn_memory_image;

struct norn_memory_image *norn_memory_image_new(void);
void norn_memory_image_free(struct norn_memory_image *image);

/* The cell of the word that addr lies in; version 0, value 0 if it is new. */
struct norn_memory_image_cell *norn_memory_image_cell(struct norn_memory_image *image, uint64_t addr);

/* A read of this version of the word at addr is to come. */
void norn_memory_image_expect(
        struct norn_memory_image *image, struct norn_memory_image_cell *cell, uint64_t addr, uint32_t version);
/* One that was expected has come. */
void norn_memory_image_seen(struct norn_memory_image *image, struct norn_memory_image_cell *cell, uint64_t addr, uint32_t version);
/* The word gets this version. */
void norn_memory_image_move(struct norn_memory_image *image, struct norn_memory_image_cell *cell, uint64_t addr, uint32_t version);

#endif
