#include "base/page_set.h"

#include <assert.h>

#include "base/must.h"

void norn_page_set_init(struct norn_page_set *set)
{
	for (unsigned i = 0; i < NORN_PAGE_SET_LEVELS; i++)
		norn_map_init(&set->levels[i], sizeof(uint64_t));
}

void norn_page_set_done(struct norn_page_set *set)
{
	for (unsigned i = 0; i < NORN_PAGE_SET_LEVELS; i++)
		norn_map_done(&set->levels[i]);
}

void norn_page_set_add(struct norn_page_set *set, uint64_t page)
{
	for (unsigned i = 0; i < NORN_PAGE_SET_LEVELS; i++, page /= 64) {
		uint64_t *word = norn_must_map_put(&set->levels[i], page / 64 + 1), before = *word;
		*word |= UINT64_C(1) << page % 64;
		if (before)
			return; /* it has a bit in the level above already */
	}
}

/* The first number of this level from this one on whose bit is set in its own word; false: there is none in it. */
static bool next(const struct norn_map *level, uint64_t *number)
{
	const uint64_t *word = norn_map_get(level, *number / 64 + 1);
	uint64_t bits = word ? *word >> *number % 64 : 0;
	*number += bits ? (unsigned)__builtin_ctzll(bits) : 0;
	return bits;
}

uint64_t norn_page_set_next(const struct norn_page_set *set, uint64_t page, uint64_t end)
{
	unsigned level = 0;
	uint64_t at = page;
	while (!next(&set->levels[level], &at)) { /* up, to the word after this one */
		if (++level == NORN_PAGE_SET_LEVELS)
			return end;
		at = at / 64 + 1;
	}
	while (level > 0) { /* and down to the first page under it */
		level--;
		at *= 64;
		bool found = next(&set->levels[level], &at);
		assert(found);
		(void)found;
	}
	return at < end ? at : end;
}

uint64_t norn_page_set_bytes(const struct norn_page_set *set)
{
	uint64_t bytes = 0;
	for (unsigned i = 0; i < NORN_PAGE_SET_LEVELS; i++)
		bytes += set->levels[i].capacity * set->levels[i].slot_bytes;
	return bytes;
}
