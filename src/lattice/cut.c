#include "lattice/cut.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/must.h"

static unsigned bits_for(uint32_t events)
{
	return events ? 32 - (unsigned)__builtin_clz(events) : 0;
}

/* Gives each thread its field, and counts words and events. */
static void place_fields(struct norn_packing *packing, const struct norn_cut_thread *threads)
{
	unsigned left = 64;
	packing->words = 1;
	for (uint32_t t = packing->threads; t-- > 0;) {
		unsigned bits = bits_for(threads[t].events);
		if (bits + 1 > left) {
			packing->words++;
			left = 64;
		}
		left -= bits + 1;
		packing->fields[t] = (struct norn_cut_field){
		        .word = (uint16_t)(packing->words - 1),
		        .shift = (uint8_t)left,
		        .bits = (uint8_t)bits,
		        .events = threads[t].events,
		        .thread = threads[t].thread,
		        .base = threads[t].base,
		};
	}
	for (uint32_t t = 0; t < packing->threads; t++) {
		packing->fields[t].first = packing->total;
		packing->total += threads[t].events;
	}
}

static void pack_needs(struct norn_packing *packing, const struct norn_cut_thread *threads)
{
	const struct norn_cut_field *fields = packing->fields;
	for (uint32_t t = 0; t < packing->threads; t++)
		for (uint32_t k = 0; k < threads[t].events; k++) {
			const uint32_t *clock = threads[t].clocks + (size_t)k * threads[t].stride;
			uint64_t *need = packing->needs + (fields[t].first + k) * packing->words;
			for (uint32_t j = 0; j < packing->threads; j++) {
				uint32_t entry = fields[j].thread < threads[t].stride ? clock[fields[j].thread] : 0;
				assert(j == t || entry <= fields[j].base + (uint64_t)fields[j].events);
				if (j != t && entry > fields[j].base)
					need[fields[j].word] |= (uint64_t)(entry - fields[j].base) << fields[j].shift;
			}
		}
}

int norn_packing_init(struct norn_packing *packing, const struct norn_cut_thread *threads, uint32_t count)
{
	*packing = (struct norn_packing){.threads = count};
	if (count > UINT16_MAX)
		return -EOVERFLOW;
	for (uint32_t t = 0; t < count; t++)
		if (threads[t].events >> 31)
			return -EOVERFLOW;
	packing->fields = norn_must_calloc(count, sizeof *packing->fields);
	place_fields(packing, threads);
	packing->guards = norn_must_calloc(packing->words, sizeof *packing->guards);
	packing->needs = norn_must_calloc(packing->total * packing->words, sizeof *packing->needs);
	for (uint32_t t = 0; t < count; t++)
		packing->guards[packing->fields[t].word] |= UINT64_C(1) << (packing->fields[t].shift + packing->fields[t].bits);
	pack_needs(packing, threads);
	return 0;
}

void norn_packing_done(struct norn_packing *packing)
{
	free(packing->fields);
	free(packing->guards);
	free(packing->needs);
	*packing = (struct norn_packing){0};
}

size_t norn_packing_bytes(const struct norn_packing *packing)
{
	return packing->threads * sizeof *packing->fields + packing->words * sizeof(uint64_t) * (1 + packing->total);
}
