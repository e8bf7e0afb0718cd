/* The enactor: lets a program take a predicted run (trace/script.h), once, and tells what came of it. Behind norn confirm and norn replay.
 *
 * The program is an ordinary process that is recorded as ever, into a trace of its own. Here is watched whether it gets on: it is let go when
 * nothing has happened for a while, and nobody is left who could make something happen. */
#ifndef NORN_CLI_ENACTOR_H
#define NORN_CLI_ENACTOR_H

#include <stdbool.h>

#include "base/error.h"
#include "trace/script.h"

enum norn_enacted_kind {
	NORN_ENACTED_TRUE, /* it came to what the script ends with; of a property's: all acts were done */
	NORN_ENACTED_DIVERGED, /* it did not */
	NORN_ENACTED_WRONG, /* the script is not one of this program */
};

struct norn_enacted {
	enum norn_enacted_kind kind;
	char *text; /* what happened: sentences, one a line, without a full stop; never NULL after a run. The caller frees it */
	bool stuck; /* DIVERGED: everybody slept, and nobody could wake them */
	uint64_t
	        let_go; /* nanoseconds since the beginning: its threads were let go then, and did as they liked; 0: they were not */
	char *absent; /* the path of a thread of the script that never came, or NULL. The caller frees it */
	struct norn_stage_parts parts; /* as the program left it: free(parts.stage) */
	int status; /* of the program, as waitpid gives it */
	int told; /* a signal that was to end us; 0: none */
	double seconds;
	uint64_t events; /* of its trace */
};

struct norn_enacting {
	const char *trace; /* where the new trace goes; the caller removes it */
	const char *output; /* see recorder.h */
	bool loose; /* without the order of input and output, which others may have a part in */
	bool gdb; /* argv is gdb: nothing is let go, and norn_replay_stop is called */
};

/* Is this the program of the script, as far as its file tells? -EINVAL and a sentence: it is not, or was built again. What cannot be told (a script for the shell, a file that is not
 * there, units of libraries) shows when it runs. */
int norn_enactor_match(const struct norn_script *script, const char *program, struct norn_error *err);

/* Runs argv. 0 if it ran, whatever came of it; else negative errno and a sentence. */
int norn_enactor_run(const struct norn_script *script, const struct norn_enacting *enacting, char *const argv[],
        struct norn_enacted *ret_enacted, struct norn_error *err);
void norn_enacted_done(struct norn_enacted *enacted);

#endif
