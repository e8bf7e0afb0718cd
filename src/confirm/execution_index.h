/* The execution index of events: positions of a recorded run that hold in another run (confirm/replay_area.h): thread, calls, site,
 * operation, how often.
 *
 * The inside of schedule_constraints.h. The runtime counts operations: one call of a hook, or of an interposed function.
 * Several events can be one operation; its first event stands for it. */
#ifndef NORN_CONFIRM_EXECUTION_INDEX_H
#define NORN_CONFIRM_EXECUTION_INDEX_H

#include "base/vector.h"
#include "causality/dependence_graph.h"
#include "trace/reader.h"
#include "confirm/schedule_file.h"

/* Per thread, while its events are gone through in their order. All-zero at first. */
struct norn_operation_state {
	uint32_t event; /* that began the last operation */
	uint64_t from, to; /* of a range: the bytes so far */
	uint32_t site;
	uint8_t operation;
	uint32_t once; /* site of a once routine that has just ended; */
	uint32_t once_event; /* and the event that began it */
};

/* The operation that the event is part of, as enum norn_operation. *ret_begun: the event that began the operation: number itself,
 * or an earlier one. */
unsigned norn_operation_of(const struct norn_trace *trace, const struct norn_graph *graph, uint32_t number,
        struct norn_operation_state *state, uint32_t *ret_begun);

/* An event to be listed: filled in by norn_execution_index_place, but for number and hold. */
struct norn_execution_place {
	uint32_t number; /* begins an operation */
	bool hold;
	uint32_t frame, operation, time;
};

/* A call, or a thread: time 0. */
struct norn_execution_index_frame {
	uint32_t parent; /* its frame; 0: the thread itself */
	uint32_t thread, call, entry, time; /* sites as in the trace */
};

struct norn_places {
	NORN_VECTOR(struct norn_execution_place) list; /* by number, ascending */
	NORN_VECTOR(struct norn_execution_index_frame) frames; /* [0] is none */
};

/* Goes through the run up to the last of them. frames is the caller's to free. */
void norn_execution_index_place(const struct norn_trace *trace, const struct norn_graph *graph, struct norn_places *places);

/* Adds the threads, units, sites and calls that places need to schedule, and their steps in the order of order[]: indexes of
 * places. The predecessors of each are added by before(context, i), by norn_schedule_file_add_after; steps have the numbers of
 * their places in order. */
int norn_execution_index_write(const struct norn_trace *trace, const struct norn_graph *graph, const struct norn_places *places,
        const uint32_t *order, void (*before)(void *context, uint32_t place, struct norn_schedule_file *schedule), void *context,
        struct norn_schedule_file *schedule, struct norn_error *err);

#endif
