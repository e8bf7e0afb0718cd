#include "base/map.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static uint64_t *slot_at(const struct norn_map *map, size_t i)
{
	return (uint64_t *)(void *)(map->slots + i * map->slot_bytes);
}

/* The slot at which the search for key begins. Addresses differ in their middle bits, the product's high half mixes them all. */
static size_t home(const struct norn_map *map, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15);
	return (hash ^ hash >> 32) & (map->capacity - 1);
}

/* The slot of key, or the free one where it belongs. capacity is not 0, and there always is a free slot. */
static uint64_t *find(const struct norn_map *map, uint64_t key)
{
	size_t i = home(map, key);
	assert(key && map->count < map->capacity); /* a free slot ends the search */
	for (;;) {
		uint64_t *slot = slot_at(map, i);
		if (*slot == key || *slot == 0)
			return slot;
		i = (i + 1) & (map->capacity - 1);
	}
}

void norn_map_init(struct norn_map *map, size_t value_bytes)
{
	*map = (struct norn_map){.value_bytes = value_bytes};
}

void norn_map_done(struct norn_map *map)
{
	free(map->slots);
	free(map->zero);
	norn_map_init(map, map->value_bytes);
}

void *norn_map_get(const struct norn_map *map, uint64_t key)
{
	if (key == 0)
		return map->zero;
	if (map->capacity == 0)
		return NULL;
	uint64_t *slot = find(map, key);
	return *slot ? slot + 1 : NULL;
}

static int grow(struct norn_map *map)
{
	struct norn_map bigger = *map;
	bigger.slot_bytes = sizeof(uint64_t) + ((map->value_bytes + 7) & ~(size_t)7);
	bigger.capacity = map->capacity ? map->capacity * 2 : 16;
	bigger.slots = calloc(bigger.capacity, bigger.slot_bytes);
	if (!bigger.slots)
		return -ENOMEM;
	for (size_t i = 0; i < map->capacity; i++) {
		const uint64_t *slot = slot_at(map, i);
		if (*slot)
			memcpy(find(&bigger, *slot), slot, bigger.slot_bytes);
	}
	free(map->slots);
	*map = bigger;
	assert((map->capacity & (map->capacity - 1)) == 0);
	return 0;
}

static int put_zero(struct norn_map *map, void **ret_value)
{
	if (!map->zero) {
		map->zero = calloc(1, map->value_bytes ? map->value_bytes : 1);
		if (!map->zero)
			return -ENOMEM;
		map->count++;
	}
	*ret_value = map->zero;
	return 0;
}

int norn_map_put(struct norn_map *map, uint64_t key, void **ret_value)
{
	if (key == 0)
		return put_zero(map, ret_value);
	uint64_t *slot = map->capacity ? find(map, key) : NULL;
	if (!slot || *slot == 0) {
		/* At most two thirds full. */
		if (map->count + 1 > map->capacity - map->capacity / 3) {
			int r = grow(map);
			if (r < 0)
				return r;
			slot = find(map, key);
		}
		*slot = key;
		map->count++;
	}
	*ret_value = slot + 1;
	return 0;
}

/* Closes the hole at i: moves back every later entry of the cluster that would no longer be found. */
static void close_hole(struct norn_map *map, size_t i)
{
	size_t mask = map->capacity - 1;
	for (size_t k = (i + 1) & mask; *slot_at(map, k); k = (k + 1) & mask) {
		size_t wanted = home(map, *slot_at(map, k));
		if (((k - wanted) & mask) >= ((k - i) & mask)) {
			memcpy(slot_at(map, i), slot_at(map, k), map->slot_bytes);
			i = k;
		}
	}
	memset(slot_at(map, i), 0, map->slot_bytes);
}

bool norn_map_remove(struct norn_map *map, uint64_t key)
{
	if (!norn_map_get(map, key))
		return false;
	if (key == 0) {
		free(map->zero);
		map->zero = NULL;
	} else {
		close_hole(map, (size_t)((unsigned char *)find(map, key) - map->slots) / map->slot_bytes);
	}
	map->count--;
	return true;
}

void *norn_map_next(const struct norn_map *map, size_t *cursor, uint64_t *ret_key)
{
	while (*cursor < map->capacity) {
		uint64_t *slot = slot_at(map, (*cursor)++);
		if (*slot) {
			*ret_key = *slot;
			return slot + 1;
		}
	}
	if (*cursor == map->capacity && map->zero) {
		++*cursor;
		*ret_key = 0;
		return map->zero;
	}
	return NULL;
}
