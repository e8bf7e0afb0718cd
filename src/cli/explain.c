/* norn explain: what a kind of error is, why it matters, and how it is usually fixed; and a finding with that. */
#include <stdio.h>
#include <string.h>

#include "base/text/nearest_word.h"
#include "cli/commands.h"
#include "jobs/checker.h"
#include "jobs/say.h"
#include "report/finding_text.h"
#include "report/kind_texts.h"
#include "report/layout.h"

static const struct norn_option options[] = {
        NORN_CHECK_OPTIONS,
        {0},
};

static void paragraph(const char *title, const char *text)
{
	const struct norn_text_printer p = {stdout, norn_colour(stdout), norn_width(stdout) ? norn_width(stdout) : 100};
	printf("%s%s%s\n", norn_bold(&p), title, norn_plain(&p));
	norn_put_wrapped(&p, 2, text);
	putchar('\n');
}

static void explain_kind(enum norn_finding_kind kind)
{
	const struct norn_kind_text *text = norn_kind_text(kind);
	char title[64];
	snprintf(title, sizeof title, "What it is (%s)", norn_finding_kind_name(kind));
	paragraph(title, text->summary);
	paragraph("Why it matters", text->harm);
	paragraph("How it is usually fixed", text->help);
}

static int list_kinds(void)
{
	puts("Kinds of findings; `norn explain KIND` tells more, `norn explain ID` of a finding in norn.trace:");
	for (unsigned i = 0; i < NORN_FINDING_KINDS; i++)
		printf("  %-18s %s\n", norn_finding_kind_name(i), norn_kind_text(i)->summary);
	return NORN_EXIT_OK;
}

/* ---- a finding ---- */

struct explained {
	const char *id;
	bool found;
};

static void show(void *context, const struct norn_findings *findings)
{
	struct explained *e = context;
	for (uint32_t i = 0; i < findings->count; i++) {
		const struct norn_finding *f = &findings->list[i];
		if (strcmp(f->id, e->id) != 0)
			continue;
		norn_report_finding_of(findings, f, stdout);
		explain_kind(f->kind);
		e->found = true;
	}
}

static bool is_id(const char *word)
{
	return *word >= 'A' && *word <= 'Z' && strlen(word) == 9 && strspn(word + 1, "0123456789abcdef") == 8;
}

static const char *kind_name(const void *context, unsigned i)
{
	(void)context;
	return norn_finding_kind_name(i);
}

static int explain(struct norn_checking *c, const char *word)
{
	for (unsigned i = 0; i < NORN_FINDING_KINDS; i++)
		if (strcmp(norn_finding_kind_name(i), word) == 0) {
			explain_kind(i);
			return NORN_EXIT_OK;
		}
	if (!is_id(word)) {
		const char *nearest = norn_nearest(word, NORN_FINDING_KINDS, kind_name, NULL);
		return nearest ? norn_fail("there is no kind of finding %s: did you mean %s?", word, nearest)
		               : norn_fail("%s is no kind of finding, nor an id; `norn explain` lists the kinds", word);
	}
	struct explained e = {.id = word};
	c->keep = show;
	c->keep_context = &e;
	c->trace = c->trace ? c->trace : "norn.trace";
	int status = norn_checker_ready(c);
	if (status == NORN_EXIT_OK)
		status = norn_checker_run(c);
	if (status == NORN_EXIT_OK && !e.found)
		status = norn_fail("there is no finding %s in %s; `norn check` shows those that there are", word, c->trace);
	return status;
}

static int run(int argc, char **argv)
{
	struct norn_checking c;
	struct norn_args args;
	const char *word = NULL;
	norn_checker_init(&c, argc);
	norn_args_init(&args, &norn_command_explain, argc, argv);
	for (int id; (id = norn_args_next(&args));)
		if (id == NORN_OPERAND && !word)
			word = args.value;
		else if (id == NORN_OPERAND)
			c.trace = args.value;
		else
			norn_checker_option(&c, id, &args);
	int status = word ? explain(&c, word) : list_kinds();
	norn_checker_done(&c);
	return status;
}

const struct norn_command norn_command_explain = {
        .name = "explain",
        .run = run,
        .operands = "[KIND | ID [TRACE]]",
        .summary = "Tell what an error is, why it matters, and how it is usually fixed",
        .description = "A kind of finding is explained, or, by its id, a finding of the trace, norn.trace unless told otherwise: "
                       "it is judged as "
                       "norn check does. Without either, all kinds are listed.",
        .options = options,
};
