/* norn baseline: keep the findings of today, so that only others count. */
#include <errno.h>
#include <string.h>

#include "base/files.h"
#include "cli/commands.h"
#include "jobs/checker.h"
#include "jobs/results/known_findings.h"
#include "jobs/say.h"

#define BASELINE "norn.baseline"

static const struct norn_option options[] = {
        {'o', "output", "FILE", "Write to FILE instead of norn.baseline.", NULL},
        {'u', "update", NULL, "Keep what the file has, too: for errors that not every run shows.", NULL},
        NORN_CHECK_OPTIONS,
        {0},
};

static void keep(void *known, const struct norn_findings *findings)
{
	norn_known_findings_add(known, findings);
}

static bool is_result(const char *path)
{
	size_t length = strlen(path);
	return length > 5 && strcmp(path + length - 5, ".json") == 0;
}

/* Findings of files of JSON are taken as they are; traces are judged. */
static int gather(struct norn_checking *c, struct norn_known_findings *known)
{
	struct norn_error err = {0};
	if (c->trace && !is_result(c->trace)) {
		c->keep = keep;
		c->keep_context = known;
		int status = norn_checker_ready(c);
		return status == NORN_EXIT_OK ? norn_checker_run(c) : status;
	}
	struct norn_known_findings read;
	if (norn_known_findings_read(c->trace, &read, &err) != 0)
		return norn_fail_error(&err);
	norn_known_findings_join(known, &read);
	return NORN_EXIT_OK;
}

static int write_baseline(const struct norn_known_findings *known, const char *path)
{
	char *part = NULL;
	FILE *to = strcmp(path, "-") == 0 ? stdout : norn_output_begin(path, &part);
	if (!to)
		return norn_fail("cannot write %s: %s", path, strerror(errno));
	norn_known_findings_write(known, to);
	int why = to != stdout ? norn_output_end(to, path, part, true) : 0;
	if (why)
		return norn_fail("cannot write %s: %s", path, strerror(why));
	if (to != stdout)
		norn_note("%u finding%s in %s: norn run --baseline %s fails only on others", known->count,
		        known->count == 1 ? "" : "s", path, path);
	return NORN_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct norn_checking c;
	struct norn_args args;
	struct norn_known_findings known = {0};
	struct norn_error err = {0};
	const char *path = BASELINE;
	bool update = false;
	norn_checker_init(&c, argc);
	norn_args_init(&args, &norn_command_baseline, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		if (id == 'o')
			path = args.value;
		else if (id == 'u')
			update = true;
		else if (id == NORN_OPERAND && c.trace)
			c.more_traces[c.more_count++] = args.value;
		else if (id == NORN_OPERAND)
			c.trace = args.value;
		else
			norn_checker_option(&c, id, &args);
	c.trace = c.trace ? c.trace : "norn.trace";
	int status = NORN_EXIT_OK;
	for (unsigned i = 0; i <= c.more_count; i++)
		if (norn_same_file(path, i ? c.more_traces[i - 1] : c.trace))
			status = norn_fail("%s is read, and would be lost: name another file for the baseline", path);
	if (status == NORN_EXIT_OK && update && norn_known_findings_read(path, &known, &err) != 0)
		status = norn_fail_error(&err);
	if (status == NORN_EXIT_OK)
		status = gather(&c, &known);
	if (status == NORN_EXIT_OK)
		status = write_baseline(&known, path);
	norn_known_findings_done(&known);
	norn_checker_done(&c);
	return status;
}

const struct norn_command norn_command_baseline = {
        .name = "baseline",
        .run = run,
        .operands = "[TRACE… | RESULT.json]",
        .summary = "Keep the findings that are known, so that only new ones count",
        .description =
                "Judges the trace, norn.trace unless told otherwise, as norn check does, or reads a result that --json wrote, and "
                "writes a "
                "line for each finding to norn.baseline: a text file to be kept beside the source. norn run and norn check with "
                "--baseline norn.baseline list these findings, and fail only on others. They are recognised when lines "
                "have moved.\n\n"
                "The exit status is 0, or 2 if something is wrong with the input.",
        .options = options,
};
