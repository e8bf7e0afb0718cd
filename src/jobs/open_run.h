/* Opening what is to be checked: a trace of Norn's, or RAPID's text. */
#ifndef NORN_JOBS_OPEN_RUN_H
#define NORN_JOBS_OPEN_RUN_H

#include <stdbool.h>

#include "run/run.h"

/* Both say what is wrong, and return the exit status. A trace only: */
int norn_open(const char *path, bool partial, struct norn_trace **ret_trace);
/* Either: its trace, if it has one, is norn_run_recorded. */
int norn_open_run(const char *path, bool partial, struct norn_run **ret_run);
void norn_close_run(struct norn_run *run); /* frees it, and closes its trace */

#endif
