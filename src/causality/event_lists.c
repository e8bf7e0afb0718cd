#include "causality/event_lists.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "base/sort.h"

void norn_event_lists_done(struct norn_event_lists *lists)
{
	free(lists->pool);
	free(lists->table);
	*lists = (struct norn_event_lists){0};
}

void norn_event_lists_seal(struct norn_event_lists *lists)
{
	free(lists->table);
	lists->table = NULL;
	lists->table_mask = 0;
	uint32_t *pool = lists->used ? realloc(lists->pool, lists->used * sizeof *pool) : NULL;
	if (pool) {
		lists->pool = pool;
		lists->room = lists->used;
	}
}

/* Sorted, each once, no zeros. Most lists have two or three members, or are sorted already. */
static uint32_t tidy(uint32_t *items, uint32_t count)
{
	bool sorted = true;
	for (uint32_t i = 1; i < count && sorted; i++)
		sorted = items[i - 1] <= items[i];
	if (!sorted)
		norn_sort_numbers(items, count);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++)
		if (items[i] && (kept == 0 || items[kept - 1] != items[i]))
			items[kept++] = items[i];
	return kept;
}

static uint32_t hash(const uint32_t *items, uint32_t count)
{
	uint64_t h = count;
	for (uint32_t i = 0; i < count; i++)
		h = norn_hash_mix(h, items[i]);
	return (uint32_t)(h ^ h >> 32);
}

/* The place of this list in the table, or the free one where it belongs. */
static uint32_t *find(const struct norn_event_lists *lists, const uint32_t *items, uint32_t count)
{
	for (uint32_t i = hash(items, count);; i++) {
		uint32_t *place = lists->table + (i & lists->table_mask);
		const uint32_t *list = lists->pool + *place;
		if (*place == 0 || (list[0] == count && memcmp(list + 1, items, count * sizeof *items) == 0))
			return place;
	}
}

static void grow_table(struct norn_event_lists *lists)
{
	struct norn_event_lists bigger = *lists;
	bigger.table_mask = lists->table ? lists->table_mask * 2 + 1 : 1023;
	bigger.table = norn_must_calloc((size_t)bigger.table_mask + 1, sizeof *bigger.table);
	for (uint32_t i = 0; lists->table && i <= lists->table_mask; i++)
		if (lists->table[i]) {
			const uint32_t *list = lists->pool + lists->table[i];
			*find(&bigger, list + 1, list[0]) = lists->table[i];
		}
	free(lists->table);
	*lists = bigger;
}

static void grow_pool(struct norn_event_lists *lists, uint32_t more)
{
	uint64_t room = lists->room ? lists->room : 1024;
	while (room < (uint64_t)lists->used + more)
		room += room / 2;
	if (room >= NORN_EVENT_LISTS_MANY)
		norn_out_of_memory();
	lists->pool = norn_must_realloc(lists->pool, room, sizeof *lists->pool);
	lists->room = (uint32_t)room;
}

uint32_t norn_event_lists_add(struct norn_event_lists *lists, uint32_t *items, uint32_t count)
{
	count = tidy(items, count);
	if (count < 2)
		return count ? items[0] : 0;
	if (lists->lists * UINT64_C(2) >= lists->table_mask)
		grow_table(lists);
	if (lists->used + UINT64_C(2) + count > lists->room)
		grow_pool(lists, count + 2);
	assert(items[0] && items[0] < items[count - 1]); /* ascending, each once */
	uint32_t *place = find(lists, items, count);
	if (*place == 0) {
		if (lists->used == 0)
			lists->used = 1; /* 0 is no list */
		*place = lists->used;
		lists->pool[lists->used] = count;
		memcpy(lists->pool + lists->used + 1, items, count * sizeof *items);
		lists->used += count + 1;
		lists->lists++;
	}
	return *place | NORN_EVENT_LISTS_MANY;
}
