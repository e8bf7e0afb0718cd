/* Past-time LTL inside the watched program, too: the steps of a formula that is synthesised already (ptltl.c). */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/ptltl.h"

#define TABLE_BITS 12u /* of an index: 8 KiB, which stays in the first cache */

void norn_ptltl_done(struct norn_ptltl *ptltl)
{
	free(ptltl->lines);
	memset(ptltl, 0, sizeof *ptltl);
}

/* The recursive equations of past-time LTL (docs/property-language.md); at the first position nothing was true before. */
uint64_t norn_ptltl_step(const struct norn_ptltl *ptltl, uint64_t state, uint64_t letter)
{
	uint8_t values[ptltl->count], v = 0; /* no more than that: it may be on a small stack of the program's */
	uint8_t first = !(state & NORN_PTLTL_STARTED);
	uint64_t bits = state >> NORN_PTLTL_BITS, kept = 0;
	for (uint32_t i = 0; i < ptltl->count; i++) {
		const struct norn_ptltl_line *line = &ptltl->lines[i];
		switch (line->op) {
		case NORN_OP_TRUE:
		case NORN_OP_FALSE:
			v = line->op == NORN_OP_TRUE;
			break;
		case NORN_OP_ATOM:
			v = letter >> line->a & 1;
			break;
		case NORN_OP_NOT:
			v = !values[line->a];
			break;
		case NORN_OP_AND:
			v = values[line->a] & values[line->b];
			break;
		case NORN_OP_OR:
			v = values[line->a] | values[line->b];
			break;
		case NORN_OP_PREV:
			v = first ? values[line->a] : bits >> line->b & 1;
			break;
		case NORN_OP_START:
			v = values[line->a] & !first & ~(bits >> line->b);
			break;
		case NORN_OP_END:
			v = (values[line->a] ^ 1) & bits >> line->b;
			break;
		case NORN_OP_ONCE:
			v = values[line->a] | (bits >> line->bit & 1);
			break;
		case NORN_OP_HIST:
			v = values[line->a] & (first | bits >> line->bit);
			break;
		case NORN_OP_SINCE:
			v = values[line->b] | (values[line->a] & bits >> line->bit);
			break;
		case NORN_OP_WEAK_SINCE:
			v = values[line->b] | (values[line->a] & (first | bits >> line->bit));
			break;
		case NORN_OP_INTERVAL:
			v = (values[line->b] ^ 1) & (values[line->a] | bits >> line->bit);
			break;
		case NORN_OP_WEAK_INTERVAL:
			v = (values[line->b] ^ 1) & (values[line->a] | first | bits >> line->bit);
			break;
		}
		values[i] = v;
	}
	for (uint32_t bit = 0; bit < ptltl->bits; bit++)
		kept |= (uint64_t)values[ptltl->kept[bit]] << bit;
	return kept << NORN_PTLTL_BITS | NORN_PTLTL_STARTED | v;
}

int norn_ptltl_table(const struct norn_ptltl *ptltl, uint32_t atoms, uint16_t **ret_table)
{
	*ret_table = NULL;
	if (ptltl->bits + 1 + atoms > TABLE_BITS)
		return 0;
	uint32_t states = UINT32_C(1) << (ptltl->bits + 1), letters = UINT32_C(1) << atoms;
	uint16_t *table = malloc((size_t)states * letters * sizeof *table);
	if (!table)
		return -ENOMEM;
	for (uint32_t state = 0; state < states; state++)
		for (uint32_t letter = 0; letter < letters; letter++)
			table[state << atoms | letter] = (uint16_t)norn_ptltl_step(ptltl, (uint64_t)state << 1, letter);
	*ret_table = table;
	return 0;
}
