/* Byte groups: the bytes of memory by whose contents threads get into each other's way.
 *
 * Memory matters where a read that is fixed may see another thread's write. Only such words (of 8 bytes) have byte groups; a
 * group is as many bytes of a word as all accesses touch together. The contents of a group is a number (step_model.h).
 *
 * Every access is gone through three times: by blocks of memory, most of which do not matter at all (a range may have thousands of
 * words), then by words, those of blocks that matter, then, after norn_byte_groups_choose, once more, so that words can be cut up.
 * Then norn_byte_groups_cut. */
#ifndef NORN_SLICED_BYTE_GROUPS_H
#define NORN_SLICED_BYTE_GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map.h"
#include "base/vector.h"

#define NORN_BYTE_GROUPS_MASKS 8u
#define NORN_BYTE_GROUPS_BLOCK UINT64_C(512) /* bytes */

struct norn_byte_groups_users {
	uint32_t reader, writer; /* thread + 1; UINT32_MAX: several */
};

struct norn_byte_groups_word {
	struct norn_byte_groups_users users;
	uint32_t first; /* group */
	uint8_t masks[NORN_BYTE_GROUPS_MASKS]; /* different ways in which it is accessed */
	uint8_t mask_count; /* more than NORN_BYTE_GROUPS_MASKS: each byte is a group */
	uint8_t count; /* byte groups */
	uint8_t group[8]; /* of each byte, from first on */
};

struct norn_byte_groups_value {
	uint64_t bytes;
	uint32_t group, life;
	uint32_t next; /* 1 + the next one of the same hash */
};

struct norn_byte_groups {
	struct norn_map blocks; /* address / NORN_BYTE_GROUPS_BLOCK → struct norn_byte_groups_users */
	uint64_t steps; /* blocks and words that were gone through: what it costs */
	struct norn_map words; /* address / 8 → struct norn_byte_groups_word */
	uint32_t count;
	NORN_VECTOR(struct norn_byte_groups_value) values;
	struct norn_map index; /* hash → 1 + the first value with it */
};

void norn_byte_groups_init(struct norn_byte_groups *byte_groups);
void norn_byte_groups_done(struct norn_byte_groups *byte_groups);

void norn_byte_groups_expect(
        struct norn_byte_groups *byte_groups, uint64_t addr, uint64_t size, uint32_t thread, bool reads, bool writes);
void norn_byte_groups_note(
        struct norn_byte_groups *byte_groups, uint64_t addr, uint64_t size, uint32_t thread, bool reads, bool writes);
/* Does a word of these bytes matter, as far as is noted? */
bool norn_byte_groups_matter(const struct norn_byte_groups *byte_groups, uint64_t addr, uint64_t size);
void norn_byte_groups_choose(struct norn_byte_groups *byte_groups); /* forgets words that do not matter */
void norn_byte_groups_shape(struct norn_byte_groups *byte_groups, uint64_t addr, uint64_t size); /* every access once more */
void norn_byte_groups_cut(struct norn_byte_groups *byte_groups);

/* The byte groups of the access from word *word on (start with addr / 8): those of the first word that has any. False: none are
 * left. *ret_first … are adjacent; ret_touched has a bit for each of them that the access touches. *word is left behind it. */
bool norn_byte_groups_next(const struct norn_byte_groups *byte_groups, uint64_t addr, uint64_t size, uint64_t *word,
        uint32_t *ret_first, uint8_t *ret_touched);

/* Does an access of these bytes touch all of the group, which is one of the word's? */
bool norn_byte_groups_covered(
        const struct norn_byte_groups *byte_groups, uint64_t word, uint32_t group, uint64_t addr, uint64_t size);
/* The number of a content that is known by its value: value is what an access of up to 8 bytes at addr, which covers the group,
 * wrote. It is another one in another life of the memory: what alloc and free leave behind is not known. */
uint32_t norn_byte_groups_content(
        struct norn_byte_groups *byte_groups, uint64_t word, uint32_t group, uint64_t addr, uint64_t value, uint32_t life);
/* An access of up to 8 bytes at addr, within the word, reads the group that has this content: its bytes of *value are set.
 * False: it is none of that life of the memory. */
bool norn_byte_groups_see(const struct norn_byte_groups *byte_groups, uint64_t word, uint32_t group, uint32_t content,
        uint64_t addr, uint64_t size, uint32_t life, uint64_t *value);

#endif
