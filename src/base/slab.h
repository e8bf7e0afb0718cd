/* Many pieces of one size that are freed together, zeroed, from large stretches of memory: the first is small, later ones are made
 * of huge pages (huge_pages.h). Offline (must.h). Pieces never move. An all-zero slab with bytes (and large) set is an empty one;
 * it owns what it hands out. */
#ifndef NORN_BASE_SLAB_H
#define NORN_BASE_SLAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct norn_slab {
	size_t bytes; /* of a piece: a multiple of 64 is aligned to that */
	bool large; /* there will be many: all stretches are large */
	NORN_VECTOR(void *) stretches;
	char *at, *end; /* of the newest one */
	uint64_t allocated;
};

void norn_slab_done(struct norn_slab *slab); /* leaves an empty one */
void *norn_slab_alloc(struct norn_slab *slab);

#endif
