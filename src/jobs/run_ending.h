/* The end of a recorded run, as part of what is judged: crashes, failed assertions, threads that are stuck. */
#ifndef NORN_JOBS_RUN_ENDING_H
#define NORN_JOBS_RUN_ENDING_H

#include "jobs/checker.h"

struct norn_findings;

/* Adds findings and notes. Returns the exit status: NORN_EXIT_OK, or it has said what is wrong. */
int norn_judge_run_end(const struct norn_checking *checking, struct norn_trace *trace, struct norn_findings *findings);

#endif
