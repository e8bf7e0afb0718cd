/* Opening what is to be checked: a trace of Norn's, or RAPID's text. */
#ifndef NORN_CLI_OPEN_H
#define NORN_CLI_OPEN_H

#include <stdbool.h>

#include "trace/run.h"

/* Says what is wrong; returns the exit status. A trace is to be closed after the run is freed: it is norn_run_recorded then. */
int norn_open(const char *path, bool partial, struct norn_run **ret_run);
void norn_open_done(struct norn_run *run); /* frees it, and closes its trace */

#endif
