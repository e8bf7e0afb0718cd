/* norn diff: what is new, gone and still there, from one result to the next. */
#include <stdio.h>

#include "cli/commands.h"
#include "jobs/results/known_findings.h"
#include "jobs/say.h"

static unsigned show(const char *mark, const char *title, const struct norn_known_findings *list, bool met)
{
	unsigned count = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		if (list->items[i].met != met)
			continue;
		if (count++ == 0)
			printf("%s:\n", title);
		printf("%s %s %s\n", mark, list->items[i].id, list->items[i].text);
	}
	return count;
}

static int compare(struct norn_known_findings *before, struct norn_known_findings *after)
{
	for (uint32_t i = 0; i < after->count; i++) {
		struct norn_known_finding *same = norn_known_findings_get(before, after->items[i].fingerprint);
		after->items[i].met = same;
		if (same)
			same->met = true;
	}
	unsigned added = show("+", "new", after, false), gone = show("-", "gone", before, false),
	         same = show(" ", "still there", after, true);
	printf("SUMMARY: %u new, %u gone, %u still there\n", added, gone, same);
	return added ? NORN_EXIT_FINDINGS : NORN_EXIT_OK;
}

static int run(int argc, char **argv)
{
	struct norn_args args;
	const char *paths[2] = {NULL, NULL};
	unsigned count = 0;
	norn_args_init(&args, &norn_command_diff, argc, argv);
	while (norn_args_next(&args))
		if (count++ < 2)
			paths[count - 1] = args.value;
	if (count != 2)
		return norn_fail("which two results? For example: norn diff before.json after.json");
	struct norn_known_findings before = {0}, after = {0};
	struct norn_error err = {0};
	int status = NORN_EXIT_OK;
	if (norn_known_findings_read(paths[0], &before, &err) != 0 || norn_known_findings_read(paths[1], &after, &err) != 0)
		status = norn_fail_error(&err);
	else
		status = compare(&before, &after);
	norn_known_findings_done(&before);
	norn_known_findings_done(&after);
	return status;
}

const struct norn_command norn_command_diff = {
        .name = "diff",
        .run = run,
        .operands = "BEFORE AFTER",
        .summary = "Compare two results: new findings, those that are gone, those that are still there",
        .description = "A result is what --json wrote, or a baseline. A finding that is gone was not found in the second run; that "
                       "it is fixed is "
                       "certain only if the verdict there is complete, and the run reached its place.\n\n"
                       "The exit status is 1 if there are new findings, 0 if not, and 2 if something is wrong with the input.",
};
