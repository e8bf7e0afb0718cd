/* Tiles: the bytes of memory by whose contents threads get into each other's way.
 *
 * Memory matters where a read that is kept may see another thread's write. Only such words (of 8 bytes) have tiles; a tile is as many bytes of a
 * word as all accesses touch together. The contents of a tile is a number (plan.h).
 *
 * Every access is gone through three times: by blocks of memory, most of which do not matter at all (a range may have thousands of words), then by words, those
 * of blocks that matter, then, after norn_tiles_choose, once more, so that words can be cut up. Then norn_tiles_cut. */
#ifndef NORN_PREDICT_TILES_H
#define NORN_PREDICT_TILES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"

#define NORN_TILES_MASKS 8u
#define NORN_TILES_BLOCK UINT64_C(512) /* bytes */

struct norn_tiles_users {
	uint32_t reader, writer; /* thread + 1; UINT32_MAX: several */
};

struct norn_tiles_word {
	struct norn_tiles_users users;
	uint32_t first; /* tile */
	uint8_t masks[NORN_TILES_MASKS]; /* different ways in which it is accessed */
	uint8_t mask_count; /* more than NORN_TILES_MASKS: each byte is a tile */
	uint8_t count; /* tiles */
	uint8_t tile[8]; /* of each byte, from first on */
};

struct norn_tiles_value {
	uint64_t bytes;
	uint32_t tile;
	uint32_t next; /* 1 + the next one of the same hash */
};

struct norn_tiles {
	struct norn_map blocks; /* address / NORN_TILES_BLOCK → struct norn_tiles_users */
	uint64_t steps; /* blocks and words that were gone through: what it costs */
	struct norn_map words; /* address / 8 → struct norn_tiles_word */
	uint32_t count;
	struct norn_tiles_value *values;
	uint32_t value_count, value_room;
	struct norn_map index; /* hash → 1 + the first value with it */
};

void norn_tiles_init(struct norn_tiles *tiles);
void norn_tiles_done(struct norn_tiles *tiles);

int norn_tiles_expect(struct norn_tiles *tiles, uint64_t addr, uint64_t size, uint32_t thread, bool reads, bool writes);
int norn_tiles_note(struct norn_tiles *tiles, uint64_t addr, uint64_t size, uint32_t thread, bool reads, bool writes);
void norn_tiles_choose(struct norn_tiles *tiles); /* forgets words that do not matter */
void norn_tiles_shape(struct norn_tiles *tiles, uint64_t addr, uint64_t size); /* every access once more */
void norn_tiles_cut(struct norn_tiles *tiles);

/* The tiles of the access from word *word on (start with addr / 8): those of the first word that has any. False: none are left. *ret_first … are
 * adjacent; ret_touched has a bit for each of them that the access touches. *word is left behind it. */
bool norn_tiles_next(
        const struct norn_tiles *tiles, uint64_t addr, uint64_t size, uint64_t *word, uint32_t *ret_first, uint8_t *ret_touched);

/* Does an access of these bytes touch all of the tile, which is one of the word's? */
bool norn_tiles_covered(const struct norn_tiles *tiles, uint64_t word, uint32_t tile, uint64_t addr, uint64_t size);
/* The number of a content that is known by its value: value is what an access of up to 8 bytes at addr, which covers the tile, wrote or read. 0: out of memory. */
uint32_t norn_tiles_content(struct norn_tiles *tiles, uint64_t word, uint32_t tile, uint64_t addr, uint64_t value);

#endif
