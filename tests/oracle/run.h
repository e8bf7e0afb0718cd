/* One program through everything: recorded, sliced, explored, predicted from, and judged. */
#ifndef NORN_ORACLE_RUN_H
#define NORN_ORACLE_RUN_H

#include "judge.h"

struct run_options {
	unsigned without_flow, without_closure; /* rules left out (flow.h, closure.h) */
	bool no_facts; /* as of a trace without them */
	uint64_t weaken; /* facts that say less, at random (flow.h); 0: as good as can be */
	bool externals;
	unsigned effort; /* of the search */
	unsigned max_states;
	FILE *out; /* where a false claim is explained; NULL: not */
	const uint8_t (*monitor)[MONITOR_LETTERS]; /* a property; NULL: none */
	bool verbose; /* every claim */
	uint64_t walk; /* seed of random sequences and changes that the checker must not take if they cannot happen; 0: none */
};

/* What was found, of each kind, over many programs. Errors are counted by their statements. */
struct tally {
	unsigned long programs, incomplete, claims, refused, states, events;
	unsigned long changed, changed_accepted; /* claims with a change, and those of them that the checker takes */
	/* of those not violated when recorded: reachable; along the recorded branches; all: found; found of the latter */
	unsigned long properties, violable, violable_along, violated, violations_found, violations_found_along;
	unsigned long proved,
	        refused_parts; /* races found in parts or by happens-before; parts on which the checker refused a claim */
	unsigned long unjudged; /* of claims, changed ones and sequences: the machine has too little memory for them */
	unsigned long walked; /* events of random sequences that the checker takes */
	unsigned long reachable[NORN_SLICED_KINDS], covered[NORN_SLICED_KINDS]; /* covered: all statements ran in the recording */
	unsigned long along[NORN_SLICED_KINDS],
	        found_along[NORN_SLICED_KINDS]; /* reachable along the recorded branches (explore.h) */
	/* of programs with memory orders: races along the recorded branches, those that a missing order makes, too (orders.h) */
	unsigned long orders_along, orders_found;
	unsigned long unmaps_along, unmaps_found; /* uses of what was unmapped before: part of the uses after free */
	unsigned long stuck_along, stuck_found; /* waits that are never over (explore.h), of runs of which S17 can be said */
	unsigned long circles_along, circles_found; /* deadlocks of locks and joins, of such runs */
	unsigned long stated_along, stated_found; /* assertions whose conditions are expressions (flow.h) */
	unsigned long found[NORN_SLICED_KINDS], closed[NORN_SLICED_KINDS], /* by norn; by the bare closure */
	        observed[NORN_SLICED_KINDS], unordered[NORN_SLICED_KINDS];
};

void tally_add(struct tally *tally, const struct tally *more);

struct outcome {
	enum judgement worst; /* TRUE: all is well */
	char reason[200]; /* of the worst, without numbers: failures of one cause mostly have the same */
	bool violation; /* of the property: found */
	/* errors along the recorded branches that norn did not find; then: the property; threads that are stuck; races by memory
	 * orders */
	unsigned missed[NORN_SLICED_KINDS + 3];
	struct reachable found, closed; /* by norn; by the bare closure of all candidates */
};

/* tally may be NULL. Ends the process when memory is lacking. */
void run_program(
        const struct program *program, const struct run_options *options, struct tally *tally, struct outcome *ret_outcome);
/* The smallest program that can be had from this one by leaving parts out and that fails in the same way; missed: in which an error
 * of this kind is missed (NORN_SLICED_KINDS: of the property; RUN_STUCK: a thread that is stuck; RUN_ORDERS: a race by
 * memory orders); RUN_NOT_MISSED: none in particular. */
#define RUN_STUCK (NORN_SLICED_KINDS + 1)
#define RUN_ORDERS (NORN_SLICED_KINDS + 2)
#define RUN_NOT_MISSED (NORN_SLICED_KINDS + 3)
void run_shrink(struct program *program, const struct run_options *options, unsigned missed);

#endif
