#include "base/table.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define LEAST 16u

struct norn_table_slot {
	uint32_t hash; /* of the key: its low bits say where the search begins */
	uint32_t number; /* from 1; 0: free */
};

struct norn_table_key {
	const void *bytes;
	size_t count;
};

uint64_t norn_hash(const void *bytes, size_t count)
{
	return norn_hash_more(0, bytes, count);
}

uint64_t norn_hash_more(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint64_t word;
	hash ^= count;
	for (; count >= sizeof word; count -= sizeof word, at += sizeof word) {
		memcpy(&word, at, sizeof word);
		hash = norn_hash_fold(hash, word);
	}
	word = 0;
	if (count)
		memcpy(&word, at, count);
	return norn_hash_fold(hash, word);
}

void norn_table_done(struct norn_table *table)
{
	free(table->slots);
	free(table->keys);
	norn_arena_done(&table->arena);
	*table = (struct norn_table){0};
}

/* At most two thirds of the slots are taken, so that searches end soon. */
static uint32_t keys_of(uint32_t capacity)
{
	return capacity - capacity / 3;
}

static bool is_key(const struct norn_table *table, const struct norn_table_slot *slot, uint32_t hash, const void *key, size_t bytes)
{
	const struct norn_table_key *k = table->keys + (slot->number - 1);
	return slot->hash == hash && k->count == bytes && (bytes == 0 || memcmp(k->bytes, key, bytes) == 0);
}

/* The slot of a key, or the free one where it belongs. */
static struct norn_table_slot *search(const struct norn_table *table, uint32_t hash, const void *key, size_t bytes)
{
	assert(table->count < table->capacity);
	for (uint32_t i = hash;; i++) {
		struct norn_table_slot *slot = table->slots + (i & (table->capacity - 1));
		if (!slot->number || is_key(table, slot, hash, key, bytes))
			return slot;
	}
}

uint32_t norn_table_find(const struct norn_table *table, const void *key, size_t bytes)
{
	return table->count ? search(table, (uint32_t)norn_hash(key, bytes), key, bytes)->number - 1 : NORN_TABLE_NONE;
}

static void take_over(struct norn_table_slot *slots, uint32_t capacity, const struct norn_table *from)
{
	for (uint32_t i = 0; i < from->capacity; i++) {
		uint32_t at = from->slots[i].hash;
		if (!from->slots[i].number)
			continue;
		while (slots[at & (capacity - 1)].number)
			at++;
		slots[at & (capacity - 1)] = from->slots[i];
	}
}

static int grow(struct norn_table *table)
{
	uint32_t capacity = table->capacity ? table->capacity * 2 : LEAST; /* 0 from 2^32 on */
	struct norn_table_key *keys = capacity ? realloc(table->keys, keys_of(capacity) * sizeof *keys) : NULL;
	if (!keys)
		return -ENOMEM;
	table->keys = keys;
	struct norn_table_slot *slots = calloc(capacity, sizeof *slots);
	if (!slots)
		return -ENOMEM;
	take_over(slots, capacity, table);
	free(table->slots);
	table->slots = slots;
	table->capacity = capacity;
	return 0;
}

int norn_table_put(struct norn_table *table, const void *key, size_t bytes, uint32_t *ret_number)
{
	uint32_t hash = (uint32_t)norn_hash(key, bytes);
	struct norn_table_slot *slot = table->capacity ? search(table, hash, key, bytes) : NULL;
	if (slot && slot->number) {
		*ret_number = slot->number - 1;
		return 0;
	}
	const void *copy = norn_arena_text(&table->arena, key, bytes);
	if (!copy)
		return -ENOMEM;
	if (table->count == keys_of(table->capacity)) {
		if (grow(table) < 0)
			return -ENOMEM;
		slot = search(table, hash, key, bytes);
	}
	table->keys[table->count] = (struct norn_table_key){copy, bytes};
	*ret_number = table->count++;
	*slot = (struct norn_table_slot){hash, table->count};
	return 1;
}

const void *norn_table_key(const struct norn_table *table, uint32_t number)
{
	assert(number < table->count);
	return table->keys[number].bytes;
}

size_t norn_table_key_bytes(const struct norn_table *table, uint32_t number)
{
	assert(number < table->count);
	return table->keys[number].count;
}
