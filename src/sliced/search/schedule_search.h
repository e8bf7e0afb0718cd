/* The search for other orders of a part of the run, for what closures (closure.h) do not reach: they leave all regions in the
 * observed order, but for those that are still open at a stop. It makes the steps of the part (step_model.h) and asks whether any
 * order of them leads to the stops: must_order.h, and where its branches are too many, all orders at once (step_lattice.h).
 *
 * Memory: that of the steps, and of must-order. */
#ifndef NORN_SLICED_SCHEDULE_SEARCH_H
#define NORN_SLICED_SCHEDULE_SEARCH_H

#include "causality/rules.h"

struct norn_schedule_search;

struct norn_schedule_search *norn_schedule_search_new(const struct norn_graph *graph);
void norn_schedule_search_free(struct norn_schedule_search *schedule_search);

struct norn_schedule_search_goal {
	const uint32_t *stops; /* each is to be the next event of its thread */
	uint32_t stop_count;
	/* events that happened by then, 0: none; of the first two, and the next two, and so on, the one before the other */
	const uint32_t *includes;
	uint32_t include_count;
	/* Of a deadlock (S17), a bit per stop: the end of a wait whose thread sleeps; others were woken. */
	uint32_t asleep;
	bool all_end; /* all threads that are there, and have no stop, have ended; then S18's order is tried first (late_order.h) */
	bool late_only; /* that order alone: the part is too long for must-order */
	/* reads later than this event need not see what they saw, and so, if they decide, cannot come; UINT32_MAX: all may */
	uint32_t last;
	unsigned without; /* enum norn_rule_switch */
	const uint32_t *freed; /* reads that may see anything, though they decide */
	uint32_t freed_count;
	uint32_t nowhere; /* a stop whose memory need not be there; 0: none */
};

enum norn_schedule_search_result {
	NORN_SCHEDULE_SEARCH_NO,
	NORN_SCHEDULE_SEARCH_YES,
	NORN_SCHEDULE_SEARCH_BOUND, /* given up after so many branches and nodes */
};

/* Searches among the events after base up to end. YES: *ret_events (ret_count of them, to be freed) follow events 1 … base. *steps
 * is increased by the events and steps gone through. */
enum norn_schedule_search_result norn_schedule_search_try(struct norn_schedule_search *schedule_search,
        const struct norn_schedule_search_goal *goal, uint32_t base, uint32_t end, unsigned branches, uint64_t *steps,
        uint32_t **ret_events, uint32_t *ret_count);

/* A rule that the last search met and that orders more than the law asks; NULL: none. */
const struct norn_rule *norn_schedule_search_inexact(const struct norn_schedule_search *search);
/* The same of a rule that the goal can switch off (NORN_RULE_LOOK, NORN_RULE_RESULT). */
const struct norn_rule *norn_schedule_search_stricter(const struct norn_schedule_search *search);

#endif
