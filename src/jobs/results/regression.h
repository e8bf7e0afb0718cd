/* Regression schedules: a confirmed finding, kept beside the tests, so that its error does not come back unseen.
 *
 * It is the schedule file of the finding with its fingerprint (finding/fingerprint.h). With the program that it was made of, the
 * schedule is replayed. A program that was built again since has other places: then it is recorded once, judged, and the finding
 * of the same fingerprint (kind, variable, functions, count) is looked for and confirmed. */
#ifndef NORN_JOBS_RESULTS_REGRESSION_H
#define NORN_JOBS_RESULTS_REGRESSION_H

#include "confirm/schedule_file.h"
#include "finding/finding.h"
#include "jobs/confirmer.h"

/* Writes the schedule of the finding that was confirmed, if it is one, to confirming->save. Returns the exit status. */
int norn_regression_save(const struct norn_confirming *confirming, const struct norn_findings *findings);

/* Judges a program that is not the one of the schedule. 0: the error is not there any more; 1: it is; 2: the schedule does not
 * apply to this program, or something went wrong, which was said; 3: it was not found, but not all could be judged. */
int norn_regression_judge(const struct norn_schedule_file *schedule, char *const *program);

#endif
