#include "predict/cut.h"

#include <errno.h>
#include <stdlib.h>

static unsigned bits_for(uint32_t events)
{
	return events ? 32 - (unsigned)__builtin_clz(events) : 0;
}

/* Gives each thread its field; returns how many words that took. */
static uint32_t place_fields(struct norn_packing *packing, const struct norn_computation *computation)
{
	unsigned at = 0;
	uint32_t words = 1;
	for (uint32_t t = 0; t < packing->threads; t++) {
		unsigned bits = bits_for(computation->events[t]);
		if (at + bits + 1 > 64) {
			words++;
			at = 0;
		}
		packing->fields[t] = (struct norn_cut_field){
		        .word = (uint16_t)(words - 1),
		        .shift = (uint8_t)at,
		        .bits = (uint8_t)bits,
		        .events = computation->events[t],
		        .first = computation->first[t],
		};
		at += bits + 1;
	}
	return words;
}

static void pack_needs(struct norn_packing *packing, const struct norn_computation *computation)
{
	for (uint32_t t = 0; t < packing->threads; t++)
		for (uint32_t k = 0; k < computation->events[t]; k++) {
			const uint32_t *clock = norn_computation_clock(computation, t, k);
			uint64_t *need = packing->needs + (computation->first[t] + k) * packing->words;
			for (uint32_t j = 0; j < packing->threads; j++)
				if (j != t)
					need[packing->fields[j].word] |= (uint64_t)clock[j] << packing->fields[j].shift;
		}
}

int norn_packing_init(struct norn_packing *packing, const struct norn_computation *computation)
{
	*packing = (struct norn_packing){.threads = computation->threads};
	if (computation->threads > UINT16_MAX)
		return -EOVERFLOW;
	for (uint32_t t = 0; t < computation->threads; t++)
		if (computation->events[t] >> 31)
			return -EOVERFLOW;
	packing->fields = calloc(packing->threads + 1, sizeof *packing->fields);
	if (!packing->fields)
		return -ENOMEM;
	packing->words = place_fields(packing, computation);
	packing->guards = calloc(packing->words, sizeof *packing->guards);
	packing->needs = calloc(computation->total * packing->words + 1, sizeof *packing->needs);
	if (!packing->guards || !packing->needs) {
		norn_packing_done(packing);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < packing->threads; t++)
		packing->guards[packing->fields[t].word] |= UINT64_C(1) << (packing->fields[t].shift + packing->fields[t].bits);
	pack_needs(packing, computation);
	return 0;
}

void norn_packing_done(struct norn_packing *packing)
{
	free(packing->fields);
	free(packing->guards);
	free(packing->needs);
	*packing = (struct norn_packing){0};
}

size_t norn_packing_bytes(const struct norn_packing *packing, const struct norn_computation *computation)
{
	return packing->threads * sizeof *packing->fields + packing->words * sizeof(uint64_t) * (1 + computation->total);
}
