/* The ghosts of one thread inside the program: variables that only properties have, changed by declared events. Only the thread itself touches them. */
#ifndef NORN_JUDGE_GHOSTS_H
#define NORN_JUDGE_GHOSTS_H

#include "engine/engine.h"

struct norn_ghosts {
	const struct norn_spec *spec;
	uint32_t thread;
	bool *set; /* per ghost: by the last event */
	struct norn_value *values, *tops, *news; /* per ghost; tops: the largest so far */
	/* The event, while it is looked at. */
	const struct norn_online_hit *hits, *hit;
	uint32_t count;
	void *memory;
};

/* Initial values; NULL: no memory. */
struct norn_ghosts *norn_ghosts_new(const struct norn_spec *spec, uint32_t thread);
void norn_ghosts_free(struct norn_ghosts *ghosts);

/* An event of the thread. */
void norn_ghosts_update(struct norn_ghosts *ghosts, const struct norn_online_hit *hits, uint32_t count);
/* What predicates over ghosts and declared events see, at the last event, whose hits are still there. */
struct norn_eval_env norn_ghosts_env(struct norn_ghosts *ghosts);

#endif
