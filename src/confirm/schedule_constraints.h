/* From predictions to schedules: what a program must be made to wait for, so that it takes a predicted run
 * (confirm/schedule_file.h).
 *
 * A predicted run is a sequence of recorded events. Of it, whatever happens to one word of memory, or to one object of
 * synchronization, by different threads, must come in its order; the rest is each thread's own doing. Of these orders only those
 * are listed that do not follow from others, from the order within threads, and from forks and joins: their two ends are the steps.
 * This is the construction in the proof of Theorem 1 (sliced causality, section 2.4), but for what need not be asked for. Of every
 * thread the run has the first so many events; the next one is held.
 *
 * Reads that do not decide (causality/dependence_graph.h) may see anything, unless what they read decides elsewhere: their order is
 * kept all the same, as it costs little and the values that are shown are then those predicted. */
#ifndef NORN_CONFIRM_SCHEDULE_CONSTRAINTS_H
#define NORN_CONFIRM_SCHEDULE_CONSTRAINTS_H

#include "causality/dependence_graph.h"
#include "sliced/schedule.h"
#include "trace/reader.h"
#include "confirm/schedule_file.h"

/* The schedule of a built-in error, with id, title and property still to be set. 0, or -ENOTSUP and why there is none (events
 * without a place of their own, threads of unknown origin). schedule is initialised by this. prefixes: by thread, the last event
 * that the run has of it, 0: none; room for all threads of the graph. */
int norn_schedule_constraints(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_predicted *predicted,
        uint32_t *prefixes, struct norn_schedule_file *schedule, struct norn_error *err);

/* The same for a run that violates a property: events that must come in this order, by number; 0s are left out. run: all events of
 * the predicted run; NULL: before each comes all that preceded it causally when it was recorded. */
int norn_schedule_constraints_order(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_schedule *run,
        const uint64_t *numbers, uint32_t count, uint32_t *prefixes, struct norn_schedule_file *schedule, struct norn_error *err);

/* The control of a schedule: the recorded run, up to the last event that the predicted one has (prefixes, as they were made for
 * that), with all its switches from thread to thread: what code without hooks does comes in its order, too. A program that takes it
 * has nothing but the order in its way. */
int norn_schedule_constraints_control(struct norn_trace *trace, const struct norn_graph *graph, const uint32_t *prefixes,
        struct norn_schedule_file *schedule, struct norn_error *err);
/* A schedule that asks for no more than the first step of main: the program is free. */
int norn_schedule_constraints_free(
        struct norn_trace *trace, const struct norn_graph *graph, struct norn_schedule_file *schedule, struct norn_error *err);

#endif
