/* Worlds: all valuations that the cuts of a computation have, each kept once and named by a number, as the lattice wants them.
 *
 * World 0 is the start of the run. Not thread-safe. */
#ifndef NORN_PREDICT_VALUATION_TABLE_H
#define NORN_PREDICT_VALUATION_TABLE_H

#include "base/map.h"
#include "judge/recorded/valuation.h"

struct norn_valuation_table {
	const struct norn_binding *binding;
	struct norn_valuation *list;
	uint32_t *chains; /* 1 + the next one of the same hash */
	uint32_t count, room;
	struct norn_map index; /* hash -> 1 + the first world with it */
	struct norn_valuation scratch;
	struct norn_moment moment;
	uint32_t *names; /* while sweeping: new numbers, UINT32_MAX: none so far */
	uint32_t named, sweep_at;
};

/* start: position 0. */
int norn_valuation_table_init(
        struct norn_valuation_table *valuation_table, const struct norn_binding *binding, const struct norn_position *start);
void norn_valuation_table_done(struct norn_valuation_table *valuation_table);
size_t norn_valuation_table_bytes(const struct norn_valuation_table *valuation_table);

/* The binding has room for more threads than it had. */
int norn_valuation_table_widen(struct norn_valuation_table *valuation_table, uint32_t threads);
/* Whether it is time to drop worlds that are not needed any more. If so: rename each that is, which gives it a new number, and then
 * swept: 0 or -ENOMEM. */
bool norn_valuation_table_sweep(struct norn_valuation_table *valuation_table);
uint32_t norn_valuation_table_rename(struct norn_valuation_table *valuation_table, uint32_t world);
int norn_valuation_table_swept(struct norn_valuation_table *valuation_table);

/* What the position is in this world: the moment holds until the next call. */
int norn_valuation_table_look(struct norn_valuation_table *valuation_table, uint32_t world, const struct norn_position *position);
/* The world after it. */
int norn_valuation_table_next(
        struct norn_valuation_table *valuation_table, uint32_t world, const struct norn_position *position, uint32_t *ret_world);

#endif
