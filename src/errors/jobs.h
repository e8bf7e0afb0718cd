/* Jobs of pools of threads without hooks (docs/prediction.md, X11): those that one thread ran are ordered in the recorded run, as
 * all that a thread does, though two threads might have run them side by side. Conflicts of such jobs are not judged. */
#ifndef NORN_ERRORS_JOBS_H
#define NORN_ERRORS_JOBS_H

#include "causality/dependence_graph.h"

/* The site of an access of a job that conflicts with one of an earlier job of the same thread, with no lock in common; 0: none. */
uint32_t norn_jobs_conflict(const struct norn_graph *graph);

#endif
