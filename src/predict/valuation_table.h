/* The valuations that the cuts of a lattice have, each kept once and named by a number.
 *
 * Number 0 is the start of the run. Not thread-safe. */
#ifndef NORN_PREDICT_VALUATION_TABLE_H
#define NORN_PREDICT_VALUATION_TABLE_H

#include "base/map.h"
#include "judge/recorded/valuation.h"

struct norn_valuation_table {
	const struct norn_binding *binding;
	struct norn_valuation *list;
	uint32_t *chains; /* 1 + the next one of the same hash */
	uint32_t count, room, chain_room;
	struct norn_map index; /* hash -> 1 + the first valuation with it */
	struct norn_valuation scratch;
	struct norn_moment moment;
	uint32_t *names; /* while renumbering: new numbers, UINT32_MAX: none so far */
	uint32_t named, renumber_at;
};

/* start: position 0. */
void norn_valuation_table_init(
        struct norn_valuation_table *table, const struct norn_binding *binding, const struct norn_position *start);
void norn_valuation_table_done(struct norn_valuation_table *table);
size_t norn_valuation_table_bytes(const struct norn_valuation_table *table);

/* The binding had room for so many threads, and has more now. */
void norn_valuation_table_widen(struct norn_valuation_table *table, uint32_t threads);
/* Is it time to drop valuations that no cut has any more? If so: rename each that one has, which gives it a new number, and then
 * renumbered. */
bool norn_valuation_table_renumber(struct norn_valuation_table *table);
uint32_t norn_valuation_table_rename(struct norn_valuation_table *table, uint32_t valuation);
void norn_valuation_table_renumbered(struct norn_valuation_table *table);

/* The position at this valuation: the moment holds until the next call. */
void norn_valuation_table_moment(struct norn_valuation_table *table, uint32_t valuation, const struct norn_position *position);
/* The valuation after it. */
uint32_t norn_valuation_table_next(struct norn_valuation_table *table, uint32_t valuation, const struct norn_position *position);

#endif
