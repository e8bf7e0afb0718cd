#include "base/slab.h"

#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"

#define FIRST ((size_t)64 << 10)
#define LARGE ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

void norn_slab_done(struct norn_slab *slab)
{
	for (uint32_t i = 0; i < slab->count; i++)
		free(slab->stretches[i]);
	free(slab->stretches);
	*slab = (struct norn_slab){.bytes = slab->bytes, .large = slab->large};
}

static char *stretch(struct norn_slab *slab)
{
	if (slab->count == slab->room) {
		uint32_t room = slab->room ? slab->room * 2 : 8;
		void **stretches = realloc(slab->stretches, room * sizeof(*stretches));
		if (!stretches)
			return NULL;
		slab->stretches = stretches;
		slab->room = room;
	}
	/* Twice as large each time, until they are large. */
	size_t bytes = slab->count < 6 && !slab->large ? FIRST << slab->count : LARGE;
	bytes = bytes < slab->bytes ? slab->bytes : bytes;
	char *memory = aligned_alloc(bytes >= LARGE ? HUGE_PAGE : 64, bytes);
	if (!memory)
		return NULL;
	norn_huge(memory, bytes);
	slab->stretches[slab->count++] = memory;
	slab->allocated += bytes;
	slab->at = memory;
	slab->end = memory + bytes;
	return memory;
}

void *norn_slab_alloc(struct norn_slab *slab)
{
	if ((size_t)(slab->end - slab->at) < slab->bytes && !stretch(slab))
		return NULL;
	char *piece = slab->at;
	slab->at += slab->bytes;
	return memset(piece, 0, slab->bytes);
}
