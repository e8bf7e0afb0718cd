#include "base/slab.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/huge_pages.h"
#include "base/must.h"

#define FIRST ((size_t)64 << 10)
#define LARGE ((size_t)4 << 20)
#define HUGE_PAGE ((size_t)2 << 20)

void norn_slab_done(struct norn_slab *slab)
{
	for (uint32_t i = 0; i < slab->stretches.count; i++)
		free(slab->stretches.items[i]);
	norn_vector_done(&slab->stretches);
	*slab = (struct norn_slab){.bytes = slab->bytes, .large = slab->large};
}

static void stretch(struct norn_slab *slab)
{
	/* Twice as large each time, until they are large. */
	size_t bytes = slab->stretches.count < 6 && !slab->large ? FIRST << slab->stretches.count : LARGE;
	bytes = bytes < slab->bytes ? slab->bytes : bytes;
	char *memory = norn_must(aligned_alloc(bytes >= LARGE ? HUGE_PAGE : 64, bytes));
	norn_huge(memory, bytes);
	norn_must_push(&slab->stretches, memory);
	slab->allocated += bytes;
	slab->at = memory;
	slab->end = memory + bytes;
}

void *norn_slab_alloc(struct norn_slab *slab)
{
	if ((size_t)(slab->end - slab->at) < slab->bytes)
		stretch(slab);
	char *piece = slab->at;
	assert(slab->bytes && (size_t)(slab->end - piece) >= slab->bytes);
	slab->at += slab->bytes;
	return memset(piece, 0, slab->bytes);
}
