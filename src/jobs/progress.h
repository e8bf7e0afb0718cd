/* The progress of long work, on a terminal, and its end by ^C (base/interrupt.h).
 *
 * The line is on standard error, appears when work takes longer than half a second, and is gone when it ends. If standard error is
 * no terminal there is no line. One piece of work at a time. */
#ifndef NORN_JOBS_PROGRESS_H
#define NORN_JOBS_PROGRESS_H

#include <stdbool.h>

void norn_progress_begin(void);
/* So much is done, of 1. -ECANCELED after ^C, else 0. context is not used. */
int norn_progress(void *context, double done);
/* The line goes. */
void norn_progress_end(void);

#endif
