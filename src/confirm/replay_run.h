/* One replay: runs a program under a predicted schedule (confirm/schedule_file.h), once, and says how it ended. Behind norn confirm
 * and norn replay.
 *
 * The program is an ordinary process, recorded as usual into a trace of its own. Its progress is watched: its threads are released
 * when nothing has happened for a while, and no thread is left that could make something happen. */
#ifndef NORN_CONFIRM_REPLAY_RUN_H
#define NORN_CONFIRM_REPLAY_RUN_H

#include <stdbool.h>

#include "base/error.h"
#include "confirm/schedule_file.h"
#include "trace/reader.h"

enum norn_replayed_kind {
	NORN_REPLAYED_TRUE, /* it came to what the schedule ends with; of a property's: all steps were done */
	NORN_REPLAYED_DIVERGED, /* it did not */
	NORN_REPLAYED_WRONG, /* the schedule is not one of this program */
};

struct norn_replayed {
	enum norn_replayed_kind kind;
	char *text; /* the outcome: sentences, one a line, without a full stop; never NULL after a run. The caller frees it */
	bool ended; /* TRUE, and it went on, but did not get on: it was ended */
	bool stuck; /* DIVERGED: all threads slept, and none could wake them */
	bool crashed; /* DIVERGED: a signal ended it before it came there, and not by us */
	uint64_t
	        let_go; /* nanoseconds since the beginning: its threads were let go then, and did as they liked; 0: they were not */
	char *absent; /* the path of a thread of the schedule that never came, or NULL. The caller frees it */
	struct norn_replay_area_parts parts; /* as the program left it: free(parts.head) */
	int status; /* of the program, as waitpid gives it */
	int told; /* a signal that was to end us; 0: none */
	double seconds;
	uint64_t events; /* of its trace */
};

struct norn_replaying {
	const char *trace; /* path of the new trace; the caller removes it */
	const char *output; /* see recorder.h */
	const char *directory; /* see recorder.h */
	const char *model; /* see recorder.h */
	bool loose; /* without the order of input and output, which others may have a part in */
	bool gdb; /* argv is gdb: nothing is let go, and norn_replay_stop is called */
};

/* Is this the program of the schedule, as far as its file tells? -EINVAL and a sentence: it is not, or was built again. A mismatch
 * that cannot be told from the file (a shell script, a file that is not there, units of libraries) shows when it runs. But if only
 * this trace names the program, which may be anybody's (by: NULL if the user names it), it must be one that was built by norn cc,
 * and have a site table of the trace; else -EPERM. */
int norn_replay_run_match(
        const struct norn_schedule_file *schedule, const char *program, const struct norn_trace *by, struct norn_error *err);

/* Runs argv. 0 if it ran, whatever came of it; else negative errno and a sentence. */
int norn_replay_run(const struct norn_schedule_file *schedule, const struct norn_replaying *replaying, char *const argv[],
        struct norn_replayed *ret_replayed, struct norn_error *err);
void norn_replayed_done(struct norn_replayed *replayed);

#endif
