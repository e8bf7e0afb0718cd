/* norn confirm: let the program itself take the runs in which something was found. */
#include <string.h>

#include "jobs/checker.h"
#include "cli/commands.h"
#include "jobs/say.h"

static const struct norn_option options[] = {
        {NORN_CONFIRM_ID, "id", "ID", "Confirm this finding only.", NULL},
        {NORN_CONFIRM_SAVE, "save", "FILE",
                "Keep the schedule of the finding that was confirmed in FILE, for norn replay as a test: it fails while the error "
                "can "
                "come true.",
                NULL},
        NORN_CHECK_OPTIONS,
        NORN_CONFIRM_OPTIONS,
        {0},
};

/* The arguments after -- are the program; its place, or argc. */
static int find_program(int argc, char **argv)
{
	int i = 1;
	while (i < argc && strcmp(argv[i], "--") != 0)
		i++;
	return i;
}

static int run(int argc, char **argv)
{
	struct norn_checking checking;
	int end = find_program(argc, argv);
	norn_checker_init(&checking, argc);
	checking.confirm.wanted = true;
	if (end < argc - 1)
		checking.confirm.program = argv + end + 1;
	return norn_checker_command(&checking, &norn_command_confirm, end, argv);
}

const struct norn_command norn_command_confirm = {
        .name = "confirm",
        .run = run,
        .operands = "[TRACE] [-- PROG [ARG…]]",
        .summary = "Run a program again so that it does what was predicted of it",
        .description =
                "Looks for errors in the trace, norn.trace unless told otherwise, as norn check does, and runs the program again "
                "for "
                "each of them, as the trace says it was begun, in the same directory, or as it is given here. Its threads are made "
                "to wait for each "
                "other "
                "so that the program follows the predicted schedule. A reproduced error has the status confirmed, and the command "
                "that "
                "reproduces it; else the thread is named that did not come where it was expected. A schedule cannot choose input, "
                "time, "
                "random numbers and signals.\n\n"
                "The program is an ordinary process: what it does to files and to other programs, it does again, up to three times "
                "for each finding. Its output is thrown away unless --confirm-output names a file, and its input is empty.\n\n"
                "The exit status is that of norn check.",
        .options = options,
};
