/* Lists of event numbers, each kept once, named by a 32-bit link: 0 is the empty list, a number is the list of it alone, and with
 * NORN_EVENT_LISTS_MANY set it says where a longer one begins. Numbers are below NORN_EVENT_LISTS_MANY. Only plain arrays go in and
 * out. Memory: 4 bytes per member, 4 to 12 per list beside. */
#ifndef NORN_CAUSALITY_EVENT_LISTS_H
#define NORN_CAUSALITY_EVENT_LISTS_H

#include <stdbool.h>
#include <stdint.h>

#define NORN_EVENT_LISTS_MANY 0x80000000u

struct norn_event_lists {
	uint32_t *pool; /* of each list: how many, then they */
	uint32_t used, room;
	uint32_t *table; /* open addressing: where lists begin, 0: free */
	uint32_t table_mask, lists;
};

void norn_event_lists_done(struct norn_event_lists *lists); /* an all-zero one is empty */
void norn_event_lists_seal(struct norn_event_lists *lists); /* no more will be added: gives back what only adding needs */

/* Sorts items, drops zeros and those that are there twice, and gives the link of what is left. */
uint32_t norn_event_lists_add(struct norn_event_lists *lists, uint32_t *items, uint32_t count);

static inline uint32_t norn_event_lists_get(const struct norn_event_lists *lists, const uint32_t *link, const uint32_t **ret_items)
{
	if (*link & NORN_EVENT_LISTS_MANY) {
		const uint32_t *list = lists->pool + (*link & ~NORN_EVENT_LISTS_MANY);
		*ret_items = list + 1;
		return *list;
	}
	*ret_items = link;
	return *link ? 1 : 0;
}

static inline uint64_t norn_event_lists_bytes(const struct norn_event_lists *lists)
{
	return ((uint64_t)lists->room + (lists->table ? (uint64_t)lists->table_mask + 1 : 0)) * sizeof(uint32_t);
}

#endif
