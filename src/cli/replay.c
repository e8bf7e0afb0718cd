/* norn replay: bring an error about by its schedule, as often as wanted. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/commands.h"
#include "confirm/replay_run.h"
#include "jobs/results/regression.h"
#include "jobs/say.h"
#include "recorder/session_directory.h"

enum { OPT_GDB = 256, OPT_LOOSE };

static const struct norn_option options[] = {
        {'o', "output", "FILE", "Keep the trace of this run in FILE.", NULL},
        {OPT_GDB, "gdb", NULL, "Stop in gdb at the last step before the error, with the other threads where the schedule has them.",
                NULL},
        {OPT_LOOSE, "loose", NULL, "Do not keep the order of input and output, which other programs may have a part in.", NULL},
        {0},
};

/* gdb, with the program as its argument, stopped where the error is next. */
static char **gdb_arguments(char *const *program, unsigned count)
{
	static const char *const before[] = {"gdb", "-q", "-ex", "set breakpoint pending on", "-ex", "set startup-with-shell off",
	        "-ex", "break norn_replay_stop", "-ex", "run", "-ex", "info threads", "--args"};
	unsigned n = sizeof before / sizeof *before;
	char **argv = norn_must_calloc(n + count + 1ul, sizeof *argv);
	for (unsigned i = 0; i < n; i++)
		argv[i] = (char *)(uintptr_t)before[i];
	for (unsigned i = 0; i < count; i++)
		argv[n + i] = program[i];
	return argv;
}

static int play(const struct norn_schedule_file *schedule, const char *kept, bool gdb, bool loose, char *const *argv)
{
	struct norn_session_directory directory;
	char trace[sizeof directory.path + 8];
	struct norn_replaying replaying = {.trace = kept, .gdb = gdb, .loose = loose};
	struct norn_replayed done;
	struct norn_error err = {0};
	if (!kept && norn_session_directory_make(&directory, "norn-replay", &err) != 0)
		return norn_fail_error(&err);
	if (!kept) {
		snprintf(trace, sizeof trace, "%s/trace", directory.path);
		replaying.trace = trace;
	}
	int r = norn_replay_run(schedule, &replaying, argv, &done, &err);
	if (!kept)
		norn_session_directory_remove(&directory); /* with the traces of processes that the program forked */
	int status = NORN_EXIT_USAGE;
	if (r != 0) {
		norn_fail("%s", err.message);
	} else if (done.kind == NORN_REPLAYED_WRONG && *schedule->fingerprint && !gdb) {
		status = norn_regression_judge(schedule, argv); /* the program is another build, which its file did not tell */
	} else if (done.kind == NORN_REPLAYED_WRONG) {
		norn_fail("%s", done.text);
	} else if (done.absent && !gdb) {
		norn_fail("the program never created thread %s: the schedule is not one of this program and these arguments",
		        done.absent);
	} else if (done.kind != NORN_REPLAYED_TRUE && *schedule->fingerprint && !gdb) {
		status = norn_regression_judge(schedule, argv); /* it may come true in another way */
	} else if (!gdb) {
		bool came = done.kind == NORN_REPLAYED_TRUE;
		printf("%s %s: %s\n", schedule->id, schedule->title, came ? "reproduced" : "not reproduced");
		for (char *line = done.text, *end; *line; line = end + (*end != 0)) {
			end = line + strcspn(line, "\n");
			printf("  %.*s\n", (int)(end - line), line);
		}
		status = came ? NORN_EXIT_FINDINGS : NORN_EXIT_CUT;
	} else {
		status = NORN_EXIT_OK;
	}
	norn_replayed_done(&done);
	return status;
}

static int run(int argc, char **argv)
{
	const char *path = NULL, *kept = NULL;
	struct norn_schedule_file schedule;
	struct norn_error err = {0};
	struct norn_args args;
	bool gdb = false, loose = false;
	norn_args_init(&args, &norn_command_replay, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		if (id == OPT_GDB)
			gdb = true;
		else if (id == OPT_LOOSE)
			loose = true;
		else if (id == 'o')
			kept = args.value;
	path = args.index < argc ? argv[args.index++] : NULL;
	if (args.index < argc && strcmp(argv[args.index], "--") == 0)
		args.index++;
	if (!path || args.index >= argc)
		return norn_fail("which schedule and program? For example: norn replay norn.schedules/R1234.schedule -- ./prog");
	int status = norn_schedule_file_read(path, &schedule, &err) == 0 ? NORN_EXIT_OK : norn_fail_error(&err);
	char **program = argv + args.index, **gdb_argv = gdb ? gdb_arguments(program, (unsigned)(argc - args.index)) : NULL;
	bool other = status == NORN_EXIT_OK && norn_replay_run_match(&schedule, program[0], NULL, &err) != 0;
	if (other && *schedule.fingerprint && !gdb)
		status = norn_regression_judge(&schedule, program);
	else if (other)
		status = norn_fail("%s", err.message);
	else if (status == NORN_EXIT_OK)
		status = play(&schedule, kept, gdb, loose, gdb ? gdb_argv : program);
	free(gdb_argv);
	norn_schedule_file_done(&schedule);
	return status;
}

const struct norn_command norn_command_replay = {
        .name = "replay",
        .run = run,
        .operands = "SCHEDULE [--] PROG [ARG…]",
        .summary = "Bring an error about by the schedule that norn confirm made",
        .description =
                "Runs the program with its own input and output, and makes its threads wait for each other as the schedule says, "
                "so that "
                "the error is reproduced. The program is ended where it is in a deadlock, and before memory is used that was "
                "freed; "
                "otherwise it goes on.\n\n"
                "A schedule that norn confirm --save kept is a test: the exit status is 1 if the error comes true, or is predicted "
                "of "
                "a new run. It is 0 only if the program reached the places of the error, all of the run could be judged, and the "
                "error is "
                "not predicted any more; 3 if something was left unjudged; 2 if the schedule no longer applies: functions or "
                "variables "
                "are gone, or the run did not get there. "
                "The program may have been built again since, and its lines have moved: then it is recorded and judged, and the "
                "same "
                "finding (by kind, variable and functions) is looked for and confirmed.\n\n"
                "Otherwise the exit status is 1 if the error was reproduced, 3 if not, and 2 if something is wrong with the "
                "schedule, or it "
                "is "
                "not one of this "
                "program.",
        .options = options,
        .leading = true,
};
