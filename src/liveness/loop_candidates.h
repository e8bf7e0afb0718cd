/* Candidates for cycles: ways between two cuts of a computation that could be gone again and again, by the loop log of the run
 * (loop_log.h, repeatable.h). The rules of the search for loops (loops.h).
 *
 * A cut of relevant events stands for the smallest full cut that holds them. Threads that do not move between the two are let run
 * as far as they get without anything that happens later: to their end, or to where they wait for others to end.
 *
 * Beyond the rules of an iteration, it must be held up: the thread that led out of the loop in the run that was observed, by the
 * first relevant event that is none of the iteration's, waits in it. Its tries fail, or it reads a variable that had another value,
 * from another thread, when it went on at last. */
#ifndef NORN_LIVENESS_LOOP_CANDIDATES_H
#define NORN_LIVENESS_LOOP_CANDIDATES_H

#include "base/map.h"
#include "liveness/loop_log.h"
#include "liveness/loops.h"

struct norn_loop_candidates {
	const struct norn_loop_log *loop_log;
	const struct norn_computation *computation; /* its payloads are the cycle log's */
	uint32_t *from, *to; /* the full cuts that were asked about last, per column */
	bool *relevant; /* per payload */
	struct norn_map foreign; /* reads that were asked about: was it another thread that wrote what they found? */
	uint32_t payload_count;
	/* Does the call at this site wait, however long it takes? NULL: that is not known of any. */
	bool (*waits)(void *context, uint32_t site);
	void *context;
};

void norn_loop_candidates_init(struct norn_loop_candidates *candidates, const struct norn_loop_log *loop_log,
        const struct norn_computation *computation, uint32_t payloads);
void norn_loop_candidates_done(struct norn_loop_candidates *candidates);
struct norn_loop_rules norn_loop_candidates_rules(struct norn_loop_candidates *candidates);

#endif
