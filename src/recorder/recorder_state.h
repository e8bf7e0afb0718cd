/* The recorder's state, for recorder.c and process_traces.c. */
#ifndef NORN_RECORDER_RECORDER_STATE_H
#define NORN_RECORDER_RECORDER_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "base/vector.h"
#include "confirm/replay_area.h"
#include "recorder/recorder.h"
#include "recorder/session_directory.h"
#include "recorder/trace_file.h"
#include "trace/session.h"

struct mapped {
	char name[64]; /* file name within the session directory */
	struct norn_session *session;
	uint64_t progress, since; /* events of its threads when these last changed, and the time of that */
	bool tried, whole; /* its trace was to be made whole before the others; it is, in a file without a final name */
	struct norn_completion done; /* of its trace */
	bool strangers; /* it had threads that are not recorded when all others waited */
	char *trace; /* final name, once it has it */
	struct mapped *next;
};

struct reaped {
	pid_t pid;
	int status;
};

struct recorder {
	struct norn_session_directory directory;
	struct mapped *sessions; /* the first one last */
	uint64_t bytes; /* of each session file */
	struct timespec start;
	uint64_t start_tsc;
	uint64_t ticked; /* nanoseconds: when the last tick began */
	const struct norn_replay_setup *replay_setup; /* or NULL */
	struct norn_replay_area_parts live;
	uint64_t clock, processor; /* milliseconds that the program took, and its descendants that were waited for */
	pid_t main; /* the program */
	struct norn_trace_file file;
	NORN_VECTOR(struct reaped) reaped; /* its descendants that came to be ours, and how they ended */
	bool said; /* that writing has failed */
	enum norn_ended_by ended_by;
	uint64_t longest; /* from the beginning of a tick to the end of the next: so much may lie between an event and its time */
};

/* Milliseconds since the program was begun. */
uint64_t norn_recorder_milliseconds(const struct recorder *r);
/* Was the recorder asked to end? */
bool norn_recorder_told(void);

#endif
