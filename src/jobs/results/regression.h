/* Regression schedules: a confirmed finding, kept beside the tests, so that its error does not come back unseen.
 *
 * It is the schedule file of the finding with its fingerprint (finding/fingerprint.h), its places, and the text of its property.
 * With the program that it was made of, the schedule is replayed. If the error does not come true, or the program was built
 * again, the program is recorded once and judged. A finding of the same fingerprint (kind, variable, functions), or else of the
 * same kind and variable, is the error still. That there is none counts only if the run reached the error's places
 * (regression_places.h) and all of it was judged. */
#ifndef NORN_JOBS_RESULTS_REGRESSION_H
#define NORN_JOBS_RESULTS_REGRESSION_H

#include "confirm/schedule_file.h"
#include "finding/finding.h"

struct norn_checking;

/* Writes the schedule of the finding that was confirmed, if it is one, to checking->confirm.save. Returns the exit status. */
int norn_regression_save(const struct norn_checking *checking, const struct norn_findings *findings);

/* Judges a new run. 0: the error is not there any more; 1: it is; 2: the schedule does not apply to this program or run, or
 * something went wrong, which was said; 3: it was not found, but not all could be judged. */
int norn_regression_judge(const struct norn_schedule_file *schedule, char *const *program);

#endif
