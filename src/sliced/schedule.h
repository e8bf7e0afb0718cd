/* Schedules: runs that are predicted, as events of the recorded one; and what they show.
 *
 * A schedule is the observed order up to an event, then a list: first all events numbered 1 … base, in this order, then events[0 …
 * count-1]. Of each thread it holds the first so many events. At its end every stop is its thread's next event. What happens then
 * is the error (struct norn_predicted): all stops can happen at once, or happen in their order.
 *
 * Every event of a schedule happens where, and to the locks and objects to which, it happened in the recorded run. Values are
 * another matter: reads that do not decide may see other values, and what is written may come from them. */
#ifndef NORN_SLICED_SCHEDULE_H
#define NORN_SLICED_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "causality/dependence_graph.h"
#include "finding/finding.h"

struct norn_schedule {
	uint32_t base;
	uint32_t count;
	const uint32_t *events;
};

enum norn_predicted_kind {
	NORN_PREDICTED_RACE, /* stops: two accesses, both enabled */
	/* stops: blocking acquires, joins; each waits for the thread of the next: for its lock or its end; the last for the
	 * first's */
	NORN_PREDICTED_DEADLOCK,
	/* stops: the free, then the use; or the free is in the schedule, as first, and stops is the use alone */
	NORN_PREDICTED_USE_AFTER_FREE,
	NORN_PREDICTED_DOUBLE_FREE, /* first: a free in the schedule; stops: another free of the same block */
	/* first is in the schedule; stops: the foreign access, then the block's next access; or the foreign access is in the
	 * schedule after first, as second, and stops is the block's next access alone */
	NORN_PREDICTED_ATOMICITY,
};

struct norn_predicted {
	enum norn_predicted_kind kind;
	bool observed; /* the recorded run itself got there: the schedule is a prefix of the observed order */
	uint32_t first; /* ATOMICITY: the block's first access; USE_AFTER_FREE, DOUBLE_FREE: the free, or 0 */
	uint32_t second; /* ATOMICITY: the foreign access, or 0 */
	uint32_t begin; /* ATOMICITY: the MARK or ENTER that begins the block; 0: inferred */
	uint32_t stop_count;
	const uint32_t *stops;
	uint64_t addr, size; /* the bytes in question: what both touch; USE_AFTER_FREE: of the use */
	/* how often the run had two such events at these places, whether or not each of them is an error, and was not counted
	 * before */
	uint64_t pairs;
	/* Calls of code without hooks that it rests on: they are assumed to synchronise with nothing, and to touch none of the
	 * memory in question. It is only suspected then (X9). 0: none. */
	const uint32_t *assumed;
	uint32_t assumed_count;
	struct norn_schedule schedule;
};

#endif
