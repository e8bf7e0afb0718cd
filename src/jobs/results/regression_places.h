/* The places of a kept error, in a run of another build: that the error is not predicted says nothing unless they are still there,
 * and the run came by them. */
#ifndef NORN_JOBS_RESULTS_REGRESSION_PLACES_H
#define NORN_JOBS_RESULTS_REGRESSION_PLACES_H

#include "confirm/schedule_file.h"
#include "finding/finding.h"

/* Fills kind, variable, threads and places of the schedule from the finding. */
void norn_regression_places_keep(struct norn_schedule_file *schedule, const struct norn_finding *finding);

/* Why a run cannot tell whether the error is still there, as a sentence to be freed. NULL: in one process, as many threads as the
 * error has reached its places, and all of them. trace: of the run; its other processes are found by it. */
char *norn_regression_places_missing(const struct norn_schedule_file *schedule, const char *trace);

#endif
