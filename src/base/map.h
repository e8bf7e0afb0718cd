/* A map from 64-bit keys to small values of one fixed size, for millions of entries.
 *
 * Open addressing with linear probing; keys and values lie side by side, so that a lookup touches one cache line. Slots move:
 * a pointer to a value holds until the next norn_map_put or norn_map_remove. The map owns its memory; an all-zero map with
 * value_bytes set is an empty one. */
#ifndef NORN_BASE_MAP_H
#define NORN_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct norn_map {
	unsigned char *slots; /* capacity × { uint64_t key; value }; key 0: free */
	void *zero; /* the value of key 0, or NULL */
	size_t value_bytes, slot_bytes;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

void norn_map_init(struct norn_map *map, size_t value_bytes);
void norn_map_done(struct norn_map *map); /* leaves an empty map */

/* The value of key, NULL if there is none. */
void *norn_map_get(const struct norn_map *map, uint64_t key);
/* The value of key, made of zero bytes if it was not there; 0, or -ENOMEM and the map is as before. */
int norn_map_put(struct norn_map *map, uint64_t key, void **ret_value);
bool norn_map_remove(struct norn_map *map, uint64_t key); /* false if it was not there */

/* All entries in no particular order: *cursor starts at 0; NULL past the last. The map must not change meanwhile. */
void *norn_map_next(const struct norn_map *map, size_t *cursor, uint64_t *ret_key);

#endif
