/* norn check: look for errors in a trace, built-in ones and by properties. */
#include "cli/checker.h"
#include "cli/commands.h"
#include "cli/say.h"

enum { OPT_PARTIAL = 256 };

static const struct norn_option options[] = {
        {OPT_PARTIAL, "partial", NULL, "Read what there is of a trace that was cut short or never completed (FILE.part).", NULL},
        NORN_CHECK_OPTIONS,
        {0},
};

static int run(int argc, char **argv)
{
	struct norn_checking checking;
	struct norn_args args;
	if (norn_checker_init(&checking, argc) != NORN_EXIT_OK)
		return NORN_EXIT_USAGE;
	norn_args_init(&args, &norn_command_check, argc, argv);
	for (int id; (id = norn_args_next(&args));) {
		if (norn_checker_option(&checking, id, &args))
			continue;
		if (id == OPT_PARTIAL) {
			checking.partial = true;
			continue;
		}
		if (checking.trace)
			return norn_fail("check takes one trace, not both %s and %s", checking.trace, args.value);
		checking.trace = args.value;
	}
	checking.trace = checking.trace ? checking.trace : "norn.trace";
	int status = norn_checker_ready(&checking);
	if (status == NORN_EXIT_OK)
		status = norn_checker_run(&checking);
	norn_checker_done(&checking);
	return status;
}

const struct norn_command norn_command_check = {
        .name = "check",
        .run = run,
        .operands = "[TRACE]",
        .summary = "Look for errors in a recorded run, and in others that it stands for",
        .description =
                "Reads the trace, norn.trace unless told otherwise, or a text in RAPID's format. Looks for data races, deadlocks, "
                "uses "
                "after free and broken atomic blocks that the run shows, or that another schedule of the same run can reach, and "
                "judges it by the properties of the files given with --prop. Each finding is shown with the events that lead to "
                "it. Where values are not known, because code that is not instrumented may have written them, the judgement is "
                "left open, and that is said.\n\n"
                "The exit status is 0 if nothing was found, 1 if there are findings, 2 if something is wrong with the input, and 3 "
                "if nothing was found but not all could be judged.",
        .options = options,
};
