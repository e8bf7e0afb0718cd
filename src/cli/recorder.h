/* The recorder: starts a program with a session (trace/session.h), keeps its clock ticking, and completes its traces.
 *
 * Used by every command that runs a program. The program is an ordinary child: its standard streams, signals and exit status are
 * its own. Descendants are waited for too, as their traces are only complete when they have ended. */
#ifndef NORN_CLI_RECORDER_H
#define NORN_CLI_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/complete.h"

struct norn_recording {
	const char *trace; /* final path */
	bool discard; /* record into memory only, for measuring: no trace is written */

	/* results */
	int status; /* of the program, as waitpid gives it */
	bool instrumented; /* it, or a process that it started, was built by norn cc */
	unsigned traces; /* files completed; those of other processes are named trace.PID */
	struct norn_completion total; /* sums over all of them; state: CUT if any is */
};

/* Runs argv. 0 if it ran and all traces are whole (or it was not instrumented), else negative errno and a sentence; a trace that
 * could not be completed stays beside the final path as FILE.part. An older FILE is kept as FILE.old. */
int norn_recorder_run(struct norn_recording *recording, char *const argv[], struct norn_error *err);

#endif
