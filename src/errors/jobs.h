/* Jobs of pools of threads without hooks (docs/prediction.md, X11): those that one thread ran are ordered in the recorded run, as
 * all that a thread does, though two threads might have run them side by side. What such jobs would do then is looked for in
 * another run: the recorded one with some of these jobs given to a second thread beside the one that ran them. It is the program's
 * own if the pool has such a thread, so what is found there is suspected. */
#ifndef NORN_ERRORS_JOBS_H
#define NORN_ERRORS_JOBS_H

#include "causality/dependence_graph.h"
#include "errors/site_facts.h"

/* The site of an access of a job that conflicts with one of an earlier job of the same thread, with no lock in common; 0: none. */
uint32_t norn_jobs_conflict(const struct norn_graph *graph);

/* The graph of the other run. Thread t of the trace is the one that ran the jobs, and norn_trace_threads + t the other. NULL: there
 * are too many threads, or the run cannot be read again. graph: of the recorded run, the whole of it. */
struct norn_graph *norn_jobs_divide(struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph);

/* In the other run: the event by which the job began that this event is of, if the other thread was given it; 0: it was not.
 * threads: of the trace. */
uint32_t norn_jobs_given(const struct norn_graph *divided, uint32_t threads, uint32_t event);

#endif
