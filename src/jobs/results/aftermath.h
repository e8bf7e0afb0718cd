/* The aftermath of a predicted error: what became of the program after it had been made to do it. */
#ifndef NORN_JOBS_RESULTS_AFTERMATH_H
#define NORN_JOBS_RESULTS_AFTERMATH_H

#include "confirm/replay_run.h"
#include "finding/finding.h"

struct norn_checking;
struct norn_trace;

/* path: the trace of the program's new run, which has come to the error and gone on; recorded: that of the run that was judged.
 * Texts are in the arena of findings. */
void norn_aftermath_find(const struct norn_checking *checking, const char *path, const struct norn_trace *recorded,
        const struct norn_replayed *done, struct norn_findings *findings, struct norn_finding *finding);

#endif
