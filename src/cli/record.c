/* norn record: run a program and keep what it did. */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/must.h"
#include "cli/commands.h"
#include "effects/user_model.h"
#include "recorder/recorder.h"
#include "jobs/say.h"

enum { OPT_DISCARD = 256, OPT_MODEL };

static const struct norn_option options[] = {
        {'o', "output", "FILE", "Write the trace to FILE instead of norn.trace. A file of that name is kept as FILE.old.", NULL},
        {'q', "quiet", NULL, "Say nothing when all went well.", NULL},
        {OPT_MODEL, "model", "FILE",
                "Effects of functions without hooks: the memory that the entries name is recorded when the program calls them. May "
                "be "
                "given several times: later ones win.",
                NULL},
        {OPT_DISCARD, "discard", NULL, "Record into memory and throw it away: to measure what recording itself costs.", NULL},
        {0},
};

static void say_summary(const struct norn_recording *r)
{
	const struct norn_completion *t = &r->total;
	char more[64] = "";
	if (r->traces > 1)
		snprintf(more, sizeof more, " and %u more for the processes that it started", r->traces - 1);
	norn_note("%" PRIu64 " events of %u thread%s in %s%s (%.1f bytes an event)", t->events, t->threads,
	        t->threads == 1 ? "" : "s", r->name, more, t->events ? (double)t->bytes / (double)t->events : 0.0);
	if (t->lost_events || t->lost_threads)
		norn_note("not recorded: %" PRIu64 " events, %u threads", t->lost_events, t->lost_threads);
}

static int run(int argc, char **argv)
{
	struct norn_recording recording = {.trace = "norn.trace", .failed = norn_say_full};
	struct norn_error err = {0};
	struct norn_args args;
	bool quiet = false;
	NORN_VECTOR(const char *) models = {0};
	char *model = NULL;
	norn_args_init(&args, &norn_command_record, argc, argv);
	for (int id; (id = norn_args_next(&args));) {
		switch (id) {
		case 'o':
			recording.trace = args.value;
			break;
		case 'q':
			quiet = true;
			break;
		case OPT_MODEL:
			norn_must_push(&models, args.value);
			break;
		case OPT_DISCARD:
			recording.discard = true;
			break;
		}
	}
	int wrong = norn_effects_models_as_text(models.items, models.count, &model, &err);
	norn_vector_done(&models);
	if (wrong)
		return norn_fail_error(&err);
	if (args.index >= argc) {
		free(model);
		return norn_fail("which program? For example: norn record ./prog");
	}
	char **program = argv + args.index;
	recording.model = model;
	int result = norn_recorder_run(&recording, program, &err);
	free(model);
	if (!result && recording.outdated)
		return norn_fail_outdated(program[0]);
	if (!result && !recording.instrumented)
		return norn_fail_unrecorded(program[0]);
	if (recording.instrumented && !recording.discard && !result)
		norn_say_name(&recording);
	if (!quiet && recording.instrumented) {
		norn_say_status(program[0], recording.status, false);
		if (!recording.discard && !result)
			say_summary(&recording);
	}
	if (result)
		return norn_fail("%s", err.message);
	return WIFSIGNALED(recording.status) ? 128 + WTERMSIG(recording.status) : WEXITSTATUS(recording.status);
}

const struct norn_command norn_command_record = {
        .name = "record",
        .run = run,
        .operands = "[--] PROG [ARG…]",
        .summary = "Run a program that was built by norn cc and write a trace of what its threads did",
        .description =
                "The program runs as it would without norn: its input, output, signals and exit status are its own. What it did is "
                "written "
                "to norn.trace; an older trace is kept as norn.trace.old. Processes that it starts get a trace of their own, "
                "norn.trace.PID, which norn check finds by norn.trace.\n\n"
                "The exit status is the program's, 128 and the number of the signal if one ended it; 2 and a sentence if the trace "
                "could not be written whole. The program's is kept in the trace. "
                "Losses are counted and said.",
        .options = options,
        .leading = true,
};
