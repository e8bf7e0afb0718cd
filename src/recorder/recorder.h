/* The recorder: starts a program with a session (trace/session.h), keeps its clock ticking, and completes its traces.
 *
 * Used by every command that runs a program. The program is an ordinary child: its standard streams, signals and exit status are
 * its own. Descendants are waited for too, as their traces are only complete when they have ended. */
#ifndef NORN_RECORDER_RECORDER_H
#define NORN_RECORDER_RECORDER_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "recorder/complete.h"
#include "run/run_end.h"

struct norn_session;
struct norn_replay_area_parts;

/* A predicted run to be taken (confirm/replay_area.h). */
struct norn_replay_setup {
	const struct norn_replay_area_parts *area; /* the program gets a copy */
	/* Called every tick with the copy that the program uses and the session of its first process, and for the last time when it
	 * has ended (pid -1; 0: it has not begun). True: end the program, and all that it started, now. */
	bool (*watch)(void *context, pid_t pid, const struct norn_replay_area_parts *live, const struct norn_session *session);
	void *context;
	const char *output; /* file of the program's output, and its input is empty; NULL: its streams are its own */
};

struct norn_recording {
	const char *trace; /* final path */
	const char *directory; /* that the program is begun in; NULL or "": this one. Not where the trace is */
	bool discard; /* record into memory only, for measuring: no trace is written */
	bool output_to_stderr; /* the program's standard output goes to its standard error */
	/* Ends the program, and all that it started, after so many seconds; and when all threads of one of its processes have
	 * waited for so long for each other, or for an event that can no longer happen. 0: never. */
	uint32_t timeout, hang_after;
	/* Told at once when no more can be written (errno), while the program goes on. NULL: none. */
	void (*failed)(const struct norn_recording *recording, int error);
	/* Told a file with the whole trace of a process that has ended while others go on; it gets its name, trace.PID, when all
	 * have. Not the first one: its trace names the others. NULL: they are completed when all have ended. */
	void (*whole)(void *context, const char *trace);
	void *whole_context;
	pid_t helper; /* a child of ours that is not the program's, and is not to be ended with it; 0: none */
	/* The effects of functions without hooks, by models (effects/user_model.h: norn_effects_models_as_text); INFO model of its
	 * trace. NULL: nothing is known of them */
	const char *model;
	const struct norn_replay_setup *replay_setup; /* NULL: the program does as it likes */

	/* results */
	int status; /* of the program, as waitpid gives it */
	int told; /* a signal that was to end the recorder, too; 0: none */
	enum norn_ended_by ended_by;
	uint32_t unrecorded; /* processes with hooks that no session could be made for, or no whole trace */
	char part[PATH_MAX]; /* the file that the first process's trace is written to */
	char name[PATH_MAX]; /* its name when it is whole: trace, or trace.N if another recording has taken that meanwhile */
	bool cut; /* it could not be written whole: what there is of it is in part */
	bool instrumented; /* it, or a process that it started, was built by norn cc */
	bool outdated; /* by another version of it: it ran, but was not recorded */
	unsigned traces; /* files completed; those of other processes are named trace.PID */
	struct norn_completion total; /* sums over all of them; state: CUT if any is */
};

/* Runs argv. 0 if it ran and all traces are whole (or it was not instrumented), else negative errno and a sentence; a trace that
 * could not be completed stays beside the final path (part). An older FILE is kept as FILE.old. */
int norn_recorder_run(struct norn_recording *recording, char *const argv[], struct norn_error *err);

#endif
