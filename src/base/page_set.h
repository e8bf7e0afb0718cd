/* A set of small numbers of pages, of which there are few in a large space: the next one after another is found without looking at
 * all that are not there. Offline (must.h). Memory: 24 to 48 bytes per 64 pages that have one of the set, less for neighbours. */
#ifndef NORN_BASE_PAGE_SET_H
#define NORN_BASE_PAGE_SET_H

#include "base/map.h"

struct norn_page_set {
	struct norn_map pages; /* page / 64 → a bit for each page */
	struct norn_map groups; /* page / 4096 → a bit for each group of 64 that has one */
};

void norn_page_set_init(struct norn_page_set *presence);
void norn_page_set_done(struct norn_page_set *presence);
void norn_page_set_add(struct norn_page_set *presence, uint64_t page);
/* The first page of the set from this one on, below end; end: there is none. */
uint64_t norn_page_set_next(const struct norn_page_set *presence, uint64_t page, uint64_t end);
uint64_t norn_page_set_bytes(const struct norn_page_set *presence); /* allocated */

#endif
