/* norn check: look for errors in a trace, built-in ones and by properties. norn report: the same, for the files that it is asked
 * for. norn coverage: the same, for what was judged and what was not. */
#include "jobs/checker.h"
#include "cli/commands.h"
#include "jobs/say.h"

static const struct norn_option options[] = {
        {NORN_CHECK_PARTIAL, "partial", NULL, "Read what there is of a trace that was cut short or never completed (FILE.part).",
                NULL},
        NORN_CHECK_OPTIONS,
        {0},
};

static int check(const struct norn_command *command, int argc, char **argv)
{
	struct norn_checking checking;
	norn_checker_init(&checking, argc);
	checking.quiet = command == &norn_command_report;
	checking.judged = checking.judged_only = command == &norn_command_coverage;
	return norn_checker_command(&checking, command, argc, argv);
}

static int run_check(int argc, char **argv)
{
	return check(&norn_command_check, argc, argv);
}

static int run_report(int argc, char **argv)
{
	return check(&norn_command_report, argc, argv);
}

static int run_coverage(int argc, char **argv)
{
	return check(&norn_command_coverage, argc, argv);
}

const struct norn_command norn_command_check = {
        .name = "check",
        .run = run_check,
        .operands = "[TRACE…]",
        .summary = "Look for errors in a recorded run, and in others that it stands for",
        .description =
                "Reads the trace, norn.trace unless told otherwise, or a text in RAPID's format, and with it the traces of all "
                "other processes of that run. Several traces, or a directory of them, are judged together: each process by "
                "itself, with one report in which the same finding is shown once. Looks for data races, deadlocks, "
                "uses "
                "after free and broken atomic blocks that the run shows, or that another schedule of the same run can reach, and "
                "judges it by the properties of the files given with --prop. Each finding is shown with the events that lead to "
                "it. Where values are not known, because code that is not instrumented may have written them, the judgement is "
                "left open, and that is said.\n\n"
                "The exit status is 0 if nothing was found, 1 if there are findings, 2 if something is wrong with the input, and 3 "
                "if nothing was found but not all could be judged.",
        .options = options,
};

const struct norn_command norn_command_report = {
        .name = "report",
        .run = run_report,
        .operands = "[TRACE…]",
        .summary = "Write what norn check finds in a trace for other tools, or as a page",
        .description =
                "Judges the trace, norn.trace unless told otherwise, as norn check does, and writes the findings as JSON for "
                "scripts, "
                "as SARIF for code hosts and editors, as a page for a browser, as runs for the viewer of Perfetto, or as pictures "
                "of "
                "lattices for Graphviz; several of them if several are asked for, and as text if none is. norn run and norn check "
                "take the same options.\n\n"
                "The exit status is that of norn check.",
        .options = options,
};

const struct norn_command norn_command_coverage = {
        .name = "coverage",
        .run = run_coverage,
        .operands = "[TRACE…]",
        .summary = "Tell what was judged in a recorded run, and what was not",
        .description =
                "Judges the trace, norn.trace unless told otherwise, as norn check does, and tells what that was about: each pair "
                "of places at which two threads accessed the same variable, at least one of them to write, is proved (in no order "
                "of this run that Norn knows to be possible do both come at once), or has a finding, or is not judged, with the "
                "reason. Last come the functions that one thread alone ran: a run cannot show what two threads in them do.\n\n"
                "This is about data races, and about this run: code that was not reached has no pairs. Findings themselves are "
                "shown by norn check, which takes --coverage. The exit status is that of norn check.",
        .options = options,
};
