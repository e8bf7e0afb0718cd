/* The enactor: lets a program take a predicted run (confirm/schedule_file.h), once, and tells what came of it. Behind norn confirm
 * and norn replay.
 *
 * The program is an ordinary process that is recorded as ever, into a trace of its own. Here is watched whether it gets on: it is
 * let go when nothing has happened for a while, and no thread is left that could make something happen. */
#ifndef NORN_CONFIRM_REPLAY_RUN_H
#define NORN_CONFIRM_REPLAY_RUN_H

#include <stdbool.h>

#include "base/error.h"
#include "confirm/schedule_file.h"

enum norn_replayed_kind {
	NORN_REPLAYED_TRUE, /* it came to what the script ends with; of a property's: all acts were done */
	NORN_REPLAYED_DIVERGED, /* it did not */
	NORN_REPLAYED_WRONG, /* the script is not one of this program */
};

struct norn_replayed {
	enum norn_replayed_kind kind;
	char *text; /* what happened: sentences, one a line, without a full stop; never NULL after a run. The caller frees it */
	bool stuck; /* DIVERGED: all threads slept, and none could wake them */
	uint64_t
	        let_go; /* nanoseconds since the beginning: its threads were let go then, and did as they liked; 0: they were not */
	char *absent; /* the path of a thread of the script that never came, or NULL. The caller frees it */
	struct norn_replay_area_parts parts; /* as the program left it: free(parts.stage) */
	int status; /* of the program, as waitpid gives it */
	int told; /* a signal that was to end us; 0: none */
	double seconds;
	uint64_t events; /* of its trace */
};

struct norn_replaying {
	const char *trace; /* where the new trace goes; the caller removes it */
	const char *output; /* see recorder.h */
	bool loose; /* without the order of input and output, which others may have a part in */
	bool gdb; /* argv is gdb: nothing is let go, and norn_replay_stop is called */
};

/* Is this the program of the script, as far as its file tells? -EINVAL and a sentence: it is not, or was built again. What cannot
 * be told (a script for the shell, a file that is not there, units of libraries) shows when it runs. */
int norn_enactor_match(const struct norn_schedule_file *script, const char *program, struct norn_error *err);

/* Runs argv. 0 if it ran, whatever came of it; else negative errno and a sentence. */
int norn_enactor_run(const struct norn_schedule_file *script, const struct norn_replaying *enacting, char *const argv[],
        struct norn_replayed *ret_enacted, struct norn_error *err);
void norn_replayed_done(struct norn_replayed *enacted);

#endif
