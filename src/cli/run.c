/* norn run: record a program and judge what it did, in one go. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "jobs/processes/background.h"
#include "jobs/checker.h"
#include "cli/commands.h"
#include "jobs/observer.h"
#include "jobs/prop_load.h"
#include "effects/user_model.h"
#include "recorder/recorder.h"
#include "jobs/say.h"

enum { OBSERVE = 700, CONFIRM, TIMEOUT, HANG_AFTER };

static const struct norn_option options[] = {
        {OBSERVE, "observe", NULL, "Judge the program while it runs (see norn observe), and write no trace.", NULL},
        {CONFIRM, "confirm", NULL,
                "Run the program again for each finding, so that it does itself what was predicted (see norn confirm).", NULL},
        {'o', "output", "FILE", "Write the trace to FILE instead of norn.trace. A file of that name is kept as FILE.old.", NULL},
        {TIMEOUT, "timeout", "S", "End the program, and all that it started, after S seconds, and judge what it did until then.",
                NULL},
        {HANG_AFTER, "hang-after", "S",
                "End it when all threads of a process have waited for each other for S seconds: for locks, ends of threads, "
                "notifies, posts or barriers. A program that sleeps or waits for input is not ended.",
                NULL},
        NORN_CHECK_OPTIONS,
        NORN_CONFIRM_OPTIONS,
        {0},
};

/* Mistakes that need no run to be found are told before the program runs, which may take long. Pipes can be read but once. */
static int check_properties(const struct norn_checking *checking)
{
	int status = NORN_EXIT_OK;
	for (unsigned i = 0; status == NORN_EXIT_OK && i < checking->prop_count; i++) {
		struct norn_prop_file file;
		struct stat st;
		if (stat(checking->props[i], &st) == 0 && S_ISFIFO(st.st_mode))
			continue;
		status = norn_prop_load(&file, checking->props[i], NULL);
		if (status == NORN_EXIT_OK)
			norn_prop_unload(&file);
	}
	return status;
}

static void say_ended(const struct norn_recording *recording, const char *program)
{
	if (recording->ended_by == NORN_ENDED_BY_TIMEOUT)
		norn_note("%s was ended after %u seconds (--timeout)", program, recording->timeout);
	else if (recording->ended_by == NORN_ENDED_BY_HANG)
		norn_note("%s was ended, since all threads of a process have waited for %u seconds (--hang-after)", program,
		        recording->hang_after);
	else
		norn_say_status(program, recording->status, true);
}

static bool has_failed(const struct norn_recording *recording)
{
	if (recording->ended_by == NORN_ENDED_BY_USER)
		return false;
	return recording->ended_by != NORN_ENDED_BY_ITSELF || recording->status != 0;
}

static int record_and_check(struct norn_checking *checking, struct norn_recording *asked, char **program)
{
	struct norn_recording recording = *asked;
	struct norn_error err = {0};
	recording.trace = checking->trace;
	recording.failed = norn_say_full;
	recording.output_to_stderr = norn_outputs_take_stdout(&checking->outputs);
	char *model = NULL;
	if (norn_effects_models_as_text(checking->models, checking->model_count, &model, &err) != 0)
		return norn_fail_error(&err);
	recording.model = model;
	checking->confirm.program = program;
	struct norn_background background = {0};
	if (!checking->confirm.wanted) { /* which runs the program again: not while it runs */
		norn_background_begin(&background, checking);
		recording.whole = norn_background_give;
		recording.whole_context = &background;
		recording.helper = background.pid;
	}
	int r = norn_recorder_run(&recording, program, &err);
	free(model);
	int status = r != 0 && !recording.instrumented ? norn_fail("%s", err.message)
	             : recording.outdated              ? norn_fail_outdated(program[0])
	             : !recording.instrumented         ? norn_fail_unrecorded(program[0])
	                                               : NORN_EXIT_OK;
	if (status != NORN_EXIT_OK) {
		norn_background_drop(&background);
		return status;
	}
	say_ended(&recording, program[0]);
	if (r != 0)
		norn_note("%s", err.message);
	norn_say_name(&recording);
	checking->trace = recording.cut ? recording.part : recording.name;
	checking->partial |= recording.cut;
	checking->program_failed = has_failed(&recording);
	return norn_background_end(&background, checking, &status) ? status : norn_checker_run(checking);
}

static int observe_only(const struct norn_checking *checking, char **program)
{
	struct norn_observing observing = {.checking = *checking};
	observing.checking.only_props = true;
	bool others = checking->dot || checking->baseline;
	for (unsigned i = 0; i < NORN_OUTPUTS; i++)
		others |= i != NORN_OUTPUT_JSON && checking->outputs.paths[i];
	if (others)
		return norn_fail("--observe judges while the program runs: of the files for others it writes --json only, "
		                 "and takes no --baseline");
	if (checking->causality == NORN_ASKED_OBSERVED)
		return norn_fail("--observe predicts while the program runs: without --causality observed");
	return norn_observer_watch(&observing, program);
}

static int run(int argc, char **argv)
{
	struct norn_checking checking;
	struct norn_args args;
	struct norn_recording recording = {0};
	bool observe = false;
	norn_checker_init(&checking, argc);
	checking.trace = "norn.trace";
	norn_args_init(&args, &norn_command_run, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		if (id == OBSERVE)
			observe = true;
		else if (id == CONFIRM)
			checking.confirm.wanted = true;
		else if (id == TIMEOUT)
			recording.timeout = (uint32_t)norn_args_number(&args, 1, UINT32_MAX);
		else if (id == HANG_AFTER)
			recording.hang_after = (uint32_t)norn_args_number(&args, 1, UINT32_MAX);
		else if (norn_confirmer_option(&checking.confirm, id, &args))
			continue;
		else if (!norn_checker_option(&checking, id, &args) && id == 'o')
			checking.trace = args.value;
	int status = args.index >= argc ? norn_fail("which program? For example: norn run ./prog") : norn_checker_ready(&checking);
	if (status == NORN_EXIT_OK)
		status = check_properties(&checking);
	if (status == NORN_EXIT_OK)
		status = observe ? observe_only(&checking, argv + args.index)
		                 : record_and_check(&checking, &recording, argv + args.index);
	norn_checker_done(&checking);
	return status;
}

const struct norn_command norn_command_run = {
        .name = "run",
        .run = run,
        .operands = "[--] PROG [ARG…]",
        .summary = "Record a program and look for errors, in one go",
        .description =
                "The same as `norn record PROG` followed by `norn check`. The program's own exit status is shown, and does not "
                "mix with that of norn run: 0 nothing found, 1 findings, 2 something is wrong with the input, 3 nothing found "
                "but not all could be judged, 4 nothing found, but the program itself failed: it ended with another status than 0, "
                "or had to be ended by --timeout or --hang-after.\n\n"
                "A program that a signal ends (a crash), an assertion that fails, and threads that wait for each other when the "
                "program is interrupted or ended are findings, too. Where findings go to standard output (--json -), the "
                "program's output goes to standard error.",
        .options = options,
        .leading = true,
};
