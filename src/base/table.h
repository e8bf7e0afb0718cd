/* A hash table of keys made of bytes: names, cuts, values, lists.
 *
 * Each key gets a number: 0, 1, 2, … in the order in which keys were added. The caller keeps what belongs to a key in a vector,
 * by number; so keys are also passed in a fixed order. The table owns copies of its keys, which never move, are aligned for
 * anything, and have a NUL byte behind them. An all-zero table is an empty one.
 *
 * Keys of 64 bits have a table of their own (map.h): it holds values beside its keys, and a lookup touches one cache line. */
#ifndef NORN_BASE_TABLE_H
#define NORN_BASE_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

#define NORN_TABLE_NONE UINT32_MAX /* no key's number */

struct norn_table {
	struct norn_table_slot *slots;
	struct norn_table_key *keys; /* by number */
	struct norn_arena arena; /* of the keys' bytes */
	uint32_t count, capacity; /* capacity is a power of two, or 0 */
};

void norn_table_done(struct norn_table *table); /* leaves an empty table */

/* The number of a key; NORN_TABLE_NONE if it is not there. */
uint32_t norn_table_find(const struct norn_table *table, const void *key, size_t bytes);
/* The number of a key, which is added if it is not there. 1: it is new, 0: it was there, or -ENOMEM and the table is as before.
 * Offline: norn_must_table_put. */
int norn_table_put(struct norn_table *table, const void *key, size_t bytes, uint32_t *ret_number);
/* The key of a number below count, and how long it is. */
const void *norn_table_key(const struct norn_table *table, uint32_t number);
size_t norn_table_key_bytes(const struct norn_table *table, uint32_t number);

/* A hash of bytes, all of whose bits are good; the same on every machine, but not for ever: for memory, not for files. */
uint64_t norn_hash(const void *bytes, size_t count);
uint64_t norn_hash_more(uint64_t hash, const void *bytes, size_t count); /* of these bytes after those that have this hash */

#endif
