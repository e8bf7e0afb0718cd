/* A set of small numbers of pages, of which there are few in a large space: the next one after another is found without looking at
 * all that are not there. Offline (must.h). Memory: 24 to 48 bytes per 64 pages that have one of the set, less for neighbours. */
#ifndef NORN_BASE_PAGE_SET_H
#define NORN_BASE_PAGE_SET_H

#include "base/map.h"

#define NORN_PAGE_SET_LEVELS 11 /* 64^11 pages: all numbers of 64 bits */

struct norn_page_set {
	/* Of level n: number / 64 → a bit for each of 64 numbers of the level. Numbers are pages at level 0, else words of the
	 * level below that are not 0. */
	struct norn_map levels[NORN_PAGE_SET_LEVELS];
};

void norn_page_set_init(struct norn_page_set *presence);
void norn_page_set_done(struct norn_page_set *presence);
void norn_page_set_add(struct norn_page_set *presence, uint64_t page);
/* The first page of the set from this one on, below end; end: there is none. */
uint64_t norn_page_set_next(const struct norn_page_set *presence, uint64_t page, uint64_t end);
uint64_t norn_page_set_bytes(const struct norn_page_set *presence); /* allocated */

#endif
