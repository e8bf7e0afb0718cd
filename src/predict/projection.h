/* Projections: the events of one property, or of one instance of it, among all that were kept.
 *
 * Causality does not depend on what is relevant; clocks only count other events. So a projection's clocks are those of the whole,
 * with each entry replaced by how many of the projection's own events are among so many events of that thread.
 *
 * A thread that has events in the projection has a column. Lattices and computations of a projection know threads by their
 * columns. */
#ifndef NORN_PREDICT_PROJECTION_H
#define NORN_PREDICT_PROJECTION_H

#include "base/must.h"
#include "causality/computation.h"
#include "judge/recorded/position.h"

/* A position that concerns some property, with its clock. Positions are kept in an order that causality allows; a recorded run's in
 * the observed one. */
struct norn_clock_entry {
	uint32_t thread, count;
};

struct norn_projected {
	const struct norn_position *position;
	uint32_t index; /* among all that are kept */
	uint32_t thread;
	uint32_t nth; /* among the events of its thread that clocks count, from 1 */
	uint32_t entries;
	uint64_t number; /* in the observed order; 0: that is not known */
	struct norn_clock_entry clock[]; /* entries that are not 0; its own is nth */
};

struct norn_projected_list NORN_VECTOR_OF(const struct norn_projected *);

struct norn_projection_column {
	uint32_t thread;
	struct norn_projected_list events;
};

/* All-zero: an empty one. Owns its lists; what is kept must live longer. */
struct norn_projection {
	NORN_VECTOR(struct norn_projection_column) columns;
	uint32_t *column_of; /* by thread: 1 + its column, 0: it has none */
	uint32_t threads; /* entries of column_of */
	uint64_t events;
};

void norn_projection_done(struct norn_projection *projection);
uint32_t norn_projection_column(struct norn_projection *projection, uint32_t thread); /* its number; made if there is none */
/* Adds an event, after those that precede it. */
void norn_projection_add(struct norn_projection *projection, const struct norn_projected *kept);

static inline const struct norn_projection_column *norn_projection_find(const struct norn_projection *projection, uint32_t thread)
{
	uint32_t column = thread < projection->threads ? projection->column_of[thread] : 0;
	return column ? &projection->columns.items[column - 1] : NULL;
}

static inline const struct norn_projected *norn_projection_event(
        const struct norn_projection *projection, uint32_t column, uint32_t k)
{
	return projection->columns.items[column].events.items[k];
}

/* The number of its events that are among the thread's first so many. */
uint32_t norn_projection_rank(const struct norn_projection *projection, uint32_t thread, uint32_t among);
/* The clock of one of its events, by column. */
void norn_projection_clock(const struct norn_projection *projection, const struct norn_projected *kept, uint32_t *ret_clock);
/* The projection as a computation of its own: threads are columns, payloads indices of what is kept. -EBADMSG: its clocks
 * contradict each other. */
int norn_projection_computation(
        const struct norn_projection *projection, struct norn_computation **ret_computation, struct norn_error *err);

#endif
