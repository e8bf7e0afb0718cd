/* The bounded search: other orders of a part of the run, in which lock regions change places. It is for what closures (closure.h)
 * do not reach: they leave all regions in the observed order, but for those that are still open at a stop.
 *
 * A *node* is a set of constraints: this step comes before that one. It is tried by going on from the base, as observed but for the
 * constraints, threads being advanced by need only (steps, needs and contents are those of a plan, step_model.h). Where that leads
 * to a dead end, what blocks the threads tells which constraints would have avoided it: a region before the one that keeps it
 * waiting; a fixed read before the write that spoilt it, or that write before the one that the read needs. Each of them makes
 * another node. The node with the fewest constraints that got farthest is gone on with. So what cannot be reached mostly has no
 * nodes left after a few, whatever the bound.
 *
 * Memory: a plan of the part, and 8 bytes per constraint. */
#ifndef NORN_SLICED_SCHEDULE_SEARCH_H
#define NORN_SLICED_SCHEDULE_SEARCH_H

#include "causality/rules.h"

struct norn_schedule_search;

int norn_schedule_search_new(const struct norn_graph *graph, struct norn_schedule_search **ret_search);
void norn_schedule_search_free(struct norn_schedule_search *schedule_search);

struct norn_schedule_search_goal {
	const uint32_t *stops; /* each is to be the next event of its thread */
	uint32_t stop_count;
	uint32_t includes[2]; /* happened by then, in this order; 0: none */
	/* reads later than this event need not see what they saw, and so, if they decide, cannot come; UINT32_MAX: all may */
	uint32_t last;
};

enum norn_schedule_search_result {
	NORN_SCHEDULE_SEARCH_NO,
	NORN_SCHEDULE_SEARCH_YES,
	NORN_SCHEDULE_SEARCH_BOUND, /* given up after so many nodes */
};

/* Searches among the events after base up to end. YES: *ret_events (ret_count of them, to be freed) follow events 1 … base. *steps
 * is increased by the events gone through. A result or -ENOMEM. */
int norn_schedule_search_try(struct norn_schedule_search *schedule_search, const struct norn_schedule_search_goal *goal,
        uint32_t base, uint32_t end, unsigned nodes, uint64_t *steps, uint32_t **ret_events, uint32_t *ret_count);

/* A rule that the last search met and that orders more than the law asks; NULL: none. */
const struct norn_rule *norn_schedule_search_inexact(const struct norn_schedule_search *search);

#endif
