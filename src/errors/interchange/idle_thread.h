/* Threads that had nothing to do: of two that begin alike, a pool's workers, one may have done all the jobs, and what both of
 * them would do at once is another run. Where that run could not be made (interchange.h), it is said. */
#ifndef NORN_ERRORS_INTERCHANGE_IDLE_THREAD_H
#define NORN_ERRORS_INTERCHANGE_IDLE_THREAD_H

#include "causality/dependence_graph.h"
#include "finding/finding.h"
#include "trace/reader.h"

/* Notes it in the findings if one thread alone ran functions that another one, which began alike and did nothing else, may have
 * run, and that write memory while they hold no lock. */
void norn_idle_thread_note(const struct norn_trace *trace, const struct norn_graph *graph, struct norn_findings *findings);

#endif
