/* The built-in errors: what can go wrong in another schedule of a recorded run, without any property: data races, deadlocks, uses
 * after free, broken atomicity, assertions that fail and null pointers that are dereferenced.
 *
 * Every prediction has a schedule (schedule.h). There is one for each pair of code positions (deadlocks: for each set of them), the
 * first one found; the order is that of the run. Predictions are made by closures (closure.h) and have not been checked yet: see
 * sliced_witness.h. */
#ifndef NORN_ERRORS_BUILTIN_SEARCH_H
#define NORN_ERRORS_BUILTIN_SEARCH_H

#include "base/arena.h"
#include "causality/rules.h"
#include "sliced/schedule.h"

enum norn_builtin {
	NORN_BUILTIN_RACE = 1,
	NORN_BUILTIN_DEADLOCK = 2,
	NORN_BUILTIN_FREE = 4,
	NORN_BUILTIN_ATOMICITY = 8, /* of annotated blocks and of the functions below */
	NORN_BUILTIN_INFER = 16, /* guess atomic blocks */
	NORN_BUILTIN_ASSERTION = 32,
	NORN_BUILTIN_NULL = 64,
	NORN_BUILTIN_POINTER = 128, /* only whether freed memory could not be judged, without FREE */
	NORN_BUILTIN_DEFAULT = 15 | NORN_BUILTIN_ASSERTION | NORN_BUILTIN_NULL,
};

/* The memory of a variable that a property names: size bytes at addr, and at each step after it, count times. */
struct norn_named_memory {
	uint64_t addr, size, step, count;
	const struct norn_named_memory *except; /* parts of it, or of others, that are not meant */
	uint32_t except_count;
};

/* Do both access bytes of it that are meant? */
bool norn_named_memory_shared(
        const struct norn_named_memory *memory, const struct norn_graph_event *a, const struct norn_graph_event *b);

struct norn_builtin_options {
	unsigned what; /* enum norn_builtin; 0: default */
	unsigned effort; /* nodes of the search that follows a closure that failed; 0: no search. All limits grow with it */
	unsigned tries; /* per pair of code positions; 0: a default */
	uint64_t max_steps; /* of all closures together, in events; 0: a default that grows with the run */
	uint32_t seen; /* conflicts up to this event were counted before */
	bool keeps_order; /* schedules are in the observed order: no region of a lock comes in another one */
	bool guarded; /* errors of two regions of one lock, too: the forms with fewer stops (schedule.h) */
	bool (*atomic)(void *context, uint32_t site); /* is this ENTER site's function meant to be atomic? NULL: none is */
	void *context;
	unsigned without; /* tests only: enum norn_rule_switch that are switched off */
	const struct norn_named_memory *only; /* races on this memory alone; NULL: on any */
	struct norn_judged_places *judged; /* gets what was judged of each pair of places (judged_places.h); NULL: not asked */
};

/* The reasons for which a search ends. Each grows with the effort, but how many other values of one read are tried. */
enum norn_builtin_limit {
	NORN_LIMIT_STEPS, /* attempts that were left out when all had taken so many steps */
	NORN_LIMIT_WINDOW, /* attempts that would have needed too many events */
	NORN_LIMIT_NODES, /* searches for other orders of regions that had no nodes left, or never began */
	NORN_LIMIT_SPAN, /* such searches that would have been of too many events */
	NORN_LIMIT_MEETINGS, /* pairs of places that met more often than was tried, and none of these succeeded */
	NORN_LIMIT_ACCESSES, /* accesses of memory that many use, forgotten before all others were compared with them */
	NORN_LIMIT_CIRCLES, /* starts of circles of waiting threads that were not followed */
	NORN_LIMIT_OPERANDS, /* assertions of which not all values were tried */
	NORN_LIMIT_VALUES, /* attempts with more reads that might see equal values than are looked at */
	NORN_BUILTIN_LIMITS
};

/* Sites of a free, and of a read that may as well have seen the pointer to what that had freed; 0: none. */
struct norn_freed_pointer {
	uint32_t freed, read;
};

/* The site of a read that an assertion which cannot be evaluated goes by, and that may be otherwise; 0: none. */
struct norn_doubted_assertion {
	uint32_t read;
	uint32_t places; /* of such reads */
};

struct norn_builtin_stats {
	uint64_t candidates, closures, steps; /* pairs that passed the filters, closures tried, events that they included */
	uint64_t searches; /* candidates that were searched for when closures had failed */
	uint64_t search_steps; /* of all of these */
	uint64_t limits[NORN_BUILTIN_LIMITS]; /* how often each ended a search */
	bool cut; /* part of the run is missing */
	uint32_t barred; /* site of what keeps an error from being judged, as it comes after all before it (X3, X10); 0: none */
	struct norn_freed_pointer freed_pointer; /* keeps an error from being judged: the pointer's use was not recorded */
	struct norn_doubted_assertion doubted; /* keeps assertions from being judged */
	const struct norn_rule *inexact; /* that an attempt without success met; NULL: none */
};

struct norn_predictions {
	struct norn_arena arena;
	struct norn_predicted *list;
	uint32_t count, room;
	struct norn_builtin_stats stats;
};

bool norn_builtin_limited(const struct norn_builtin_stats *stats); /* was there any? */
/* A bound that is so large for the default effort, or less, and grows with more. */
uint64_t norn_builtin_bound(const struct norn_builtin_options *options, uint64_t usual);
#define NORN_BUILTIN_EFFORT 300u

void norn_predictions_done(struct norn_predictions *predictions); /* an all-zero one is empty */

/* Adds what it finds. */
void norn_builtin_errors(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions);

#endif
