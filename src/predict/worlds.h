/* Worlds: all valuations that the cuts of a computation have, each kept once and named by a number, as the lattice wants them.
 *
 * World 0 is the start of the run. Not thread-safe. */
#ifndef NORN_PREDICT_WORLDS_H
#define NORN_PREDICT_WORLDS_H

#include "base/map.h"
#include "predict/valuation.h"

struct norn_worlds {
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
int norn_worlds_init(struct norn_worlds *worlds, const struct norn_binding *binding, const struct norn_position *start);
void norn_worlds_done(struct norn_worlds *worlds);
size_t norn_worlds_bytes(const struct norn_worlds *worlds);

/* The binding has room for more threads than it had. */
int norn_worlds_widen(struct norn_worlds *worlds, uint32_t threads);
/* Whether it is time to drop worlds that are not needed any more. If so: rename each that is, which gives it a new number, and then
 * swept: 0 or -ENOMEM. */
bool norn_worlds_sweep(struct norn_worlds *worlds);
uint32_t norn_worlds_rename(struct norn_worlds *worlds, uint32_t world);
int norn_worlds_swept(struct norn_worlds *worlds);

/* What the position is in this world: the moment holds until the next call. */
int norn_worlds_look(struct norn_worlds *worlds, uint32_t world, const struct norn_position *position);
/* The world after it. */
int norn_worlds_next(struct norn_worlds *worlds, uint32_t world, const struct norn_position *position, uint32_t *ret_world);

#endif
