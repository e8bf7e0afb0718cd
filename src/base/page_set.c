#include "base/page_set.h"

#include "base/must.h"

void norn_page_set_init(struct norn_page_set *presence)
{
	norn_map_init(&presence->pages, sizeof(uint64_t));
	norn_map_init(&presence->groups, sizeof(uint64_t));
}

void norn_page_set_done(struct norn_page_set *presence)
{
	norn_map_done(&presence->pages);
	norn_map_done(&presence->groups);
}

static void add(struct norn_map *map, uint64_t bit)
{
	*(uint64_t *)norn_must_map_put(map, bit / 64 + 1) |= UINT64_C(1) << bit % 64;
}

void norn_page_set_add(struct norn_page_set *presence, uint64_t page)
{
	add(&presence->groups, page / 64);
	add(&presence->pages, page);
}

/* The first bit that is set from this one on, in its word; or the first one of the next word, and false. */
static bool next(const struct norn_map *map, uint64_t *bit)
{
	const uint64_t *word = norn_map_get(map, *bit / 64 + 1);
	uint64_t bits = word ? *word >> *bit % 64 : 0;
	*bit = bits ? *bit + (unsigned)__builtin_ctzll(bits) : (*bit | 63) + 1;
	return bits;
}

uint64_t norn_page_set_next(const struct norn_page_set *presence, uint64_t page, uint64_t end)
{
	while (page < end) {
		uint64_t group = page / 64;
		if (!next(&presence->groups, &group)) {
			page = group * 64;
			continue;
		}
		if (group * 64 > page)
			page = group * 64;
		if (next(&presence->pages, &page))
			return page < end ? page : end;
	}
	return end;
}

uint64_t norn_page_set_bytes(const struct norn_page_set *presence)
{
	return presence->pages.capacity * presence->pages.slot_bytes + presence->groups.capacity * presence->groups.slot_bytes;
}
