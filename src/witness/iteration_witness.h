/* The check of an iteration: could what happens between two cuts of a recorded run happen again and again? Written from L1 to L4 of
 * docs/prediction.md; the search has its own code for this (liveness/repeatable.h), and its table.
 *
 * All events of the run are shown in the observed order, each with the part of the claim that it is in. */
#ifndef NORN_WITNESS_ITERATION_WITNESS_H
#define NORN_WITNESS_ITERATION_WITNESS_H

#include "base/map.h"
#include "base/table.h"
#include "base/vector.h"
#include "trace/event.h"
#include "trace/reader.h"

enum norn_iteration_part { NORN_ITERATION_BEFORE, NORN_ITERATION_INSIDE, NORN_ITERATION_AFTER };

struct norn_iteration_witness {
	NORN_VECTOR(struct norn_iteration_thread) threads; /* by number in the run */
	struct norn_map bytes; /* address → struct iteration_byte: what the iteration does to it */
	struct norn_table objects; /* struct iteration_key → its number in changes */
	NORN_VECTOR(int64_t) changes; /* by which the iteration changes it */
	struct norn_map wakes; /* condition → bits: a thread is woken in the iteration, there is a notify in it */
	const struct norn_trace *trace;
	uint64_t shown; /* events */
	struct norn_map holds; /* thread and lock → struct iteration_hold */
	struct norn_map semaphores; /* address → struct iteration_semaphore */
	struct norn_map meetings; /* address of a barrier or a once → struct iteration_meeting */
	struct norn_map notifies; /* condition → uint64_t: which of the events before the end of the iteration notified it last */
	const char *refused; /* why; NULL: not so far */
};

/* trace: that knows of sites what is called there; NULL: that is not known, and no thread waits but for the end of another. */
void norn_iteration_witness_init(struct norn_iteration_witness *iteration, const struct norn_trace *trace);
void norn_iteration_witness_done(struct norn_iteration_witness *iteration);

/* found: of a read-modify-write, the value that it read; NULL: unknown. */
void norn_iteration_witness_event(struct norn_iteration_witness *iteration, const struct norn_event *event,
        enum norn_iteration_part part, const uint64_t *found);

/* After the last event: NULL if the iteration repeats, else why not. */
const char *norn_iteration_witness_refusal(struct norn_iteration_witness *iteration);

#endif
