#include "run/rapid_names.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/huge_pages.h"
#include "base/must.h"

/* Two of them to a line of the caches. The name itself, filled up with zeros; of a long one a hash in head. */
struct norn_rapid_slot {
	uint64_t head, tail;
	uint32_t length;
	uint32_t number; /* from 1; 0: free */
	uint64_t unused;
};

#define LONG 16u /* longer ones are long */

void norn_rapid_names_done(struct norn_rapid_names *names)
{
	free(names->slots);
	free(names->strings);
	norn_arena_done(&names->arena);
	*names = (struct norn_rapid_names){0};
}

static uint64_t load(const char *at)
{
	uint64_t bytes;
	memcpy(&bytes, at, sizeof bytes);
	return bytes;
}

static uint64_t first_bytes(const char *at, size_t count)
{
	return count >= 8 ? load(at) : load(at) & ((UINT64_C(1) << count * 8) - 1);
}

static struct norn_rapid_slot slot_of(const char *name, size_t length)
{
	struct norn_rapid_slot slot = {.length = (uint32_t)length};
	if (length <= LONG) {
		slot.head = first_bytes(name, length);
		slot.tail = length > 8 ? first_bytes(name + 8, length - 8) : 0;
		return slot;
	}
	for (size_t i = 0; i < length; i += 8)
		slot.head = norn_hash_fold(slot.head, first_bytes(name + i, length - i));
	return slot;
}

static uint64_t hash(const struct norn_rapid_slot *s)
{
	return norn_hash_fold(s->head, s->tail ^ s->length);
}

static void grow(struct norn_rapid_names *names)
{
	uint32_t capacity = names->capacity ? names->capacity * 2 : 64;
	if (capacity == 0) /* 2^32 */
		norn_out_of_memory();
	struct norn_rapid_slot *slots = norn_huge_grow(NULL, 0, capacity * sizeof *slots);
	names->strings = norn_must_realloc(names->strings, capacity, sizeof *names->strings);
	for (uint32_t i = 0; i < names->capacity; i++) {
		if (!names->slots[i].number)
			continue;
		uint64_t at = hash(&names->slots[i]) & (capacity - 1);
		while (slots[at].number)
			at = (at + 1) & (capacity - 1);
		slots[at] = names->slots[i];
	}
	free(names->slots);
	names->slots = slots;
	names->capacity = capacity;
}

static bool is_name(const struct norn_rapid_names *names, const struct norn_rapid_slot *slot, const char *name, size_t length)
{
	const char *string = names->strings[slot->number - 1];
	return strncmp(string, name, length) == 0 && string[length] == 0;
}

void norn_rapid_names_expect(const struct norn_rapid_names *names, const char *name, size_t length)
{
	struct norn_rapid_slot wanted = slot_of(name, length);
	if (names->capacity)
		__builtin_prefetch(names->slots + (hash(&wanted) & (names->capacity - 1)));
}

uint32_t norn_rapid_names_get(struct norn_rapid_names *names, const char *name, size_t length)
{
	struct norn_rapid_slot wanted = slot_of(name, length);
	uint64_t h = hash(&wanted);
	if (names->count >= names->capacity / 4 * 3)
		grow(names);
	assert(names->count < names->capacity);
	for (uint64_t at = h & (names->capacity - 1);; at = (at + 1) & (names->capacity - 1)) {
		struct norn_rapid_slot *slot = names->slots + at;
		if (slot->number && slot->head == wanted.head && slot->tail == wanted.tail && slot->length == wanted.length &&
		        (length <= LONG || is_name(names, slot, name, length)))
			return slot->number - 1;
		if (slot->number)
			continue;
		names->strings[names->count] = norn_must_arena_text(&names->arena, name, length);
		*slot = wanted;
		slot->number = ++names->count;
		return names->count - 1;
	}
}
