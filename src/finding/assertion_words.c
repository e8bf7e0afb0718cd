/* A predicted failure of an assertion, in words. */
#include "finding/error_context.h"

#include <string.h>

#include "base/must.h"
#include "finding/call_frames.h"

static const char *at(struct norn_findings *f, const struct norn_step_text *w)
{
	return *w->file && w->line ? norn_findings_text(f, "%s:%u", basename(w->file), w->line) : "a place that is not known";
}

/* Is the call that fails one of a function that the user names? */
static bool is_of_user(const struct norn_error_context *s, const struct norn_graph_assertion *a)
{
	static const char *const known[] = {"__assert_fail", "__assert_perror_fail", "__assert", "norn_assert_failed", "abort",
	        "__builtin_trap", "exit", "_exit", "_Exit", "quick_exit"};
	struct norn_site_info info;
	norn_trace_site(s->trace, a->site, &info);
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (strcmp(info.name, known[i]) == 0)
			return false;
	return true;
}

/* The assertion as the program has it: its call that fails, in the thread that comes to it. */
static struct norn_step_text assertion_step(const struct norn_error_context *s, const struct norn_predicted *p)
{
	struct norn_step_text step;
	struct norn_site_info info;
	norn_error_context_step(s, p->assertion->event, false, &step);
	norn_trace_site(s->trace, p->assertion->site, &info);
	step.event = "assert";
	step.what = norn_findings_text(s->findings, "%s%s", *info.field ? info.field : info.name, *info.field ? "" : "()");
	step.before = step.after = "";
	step.file = norn_findings_text(s->findings, "%s", info.file);
	step.function = norn_findings_text(s->findings, "%s", info.function);
	step.line = info.line;
	return step;
}

const char *norn_error_context_value(const struct norn_error_context *s, uint32_t read, uint64_t value)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, norn_graph_event(s->graph, read)->site, &info);
	return norn_access_value_text(s->findings, &info, norn_graph_event(s->graph, read)->size, value);
}

static void find_operands(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x)
{
	const struct norn_graph_assertion *a = p->assertion;
	struct norn_operand *list = norn_must_arena_alloc(&s->findings->arena, (a->count + 1ul) * sizeof *list);
	for (uint32_t i = 0; i < a->count; i++) {
		uint64_t then = 0;
		struct norn_step_text read, writer;
		norn_graph_value_read(s->graph, a->reads[i], &then);
		norn_error_context_step(s, a->reads[i], false, &read);
		list[i] = (struct norn_operand){.name = read.what,
		        .recorded = norn_error_context_value(s, a->reads[i], then),
		        .predicted = norn_error_context_value(s, a->reads[i], p->values[i]),
		        .writer = "",
		        .changed = p->values[i] != then};
		if (p->writers[i]) {
			norn_error_context_step(s, p->writers[i], false, &writer);
			list[i].writer = norn_findings_text(s->findings, "%s at %s", writer.thread, at(s->findings, &writer));
		}
	}
	x->operands = list;
	x->operand_count = a->count;
}

uint32_t norn_error_context_asserted(const struct norn_predicted *p, uint32_t *numbers)
{
	uint32_t count = 0;
	numbers[count++] = p->stops[0];
	if (p->first)
		numbers[count++] = p->first;
	if (p->second)
		numbers[count++] = p->second;
	return count;
}

void norn_error_context_assertion(
        const struct norn_error_context *s, const struct norn_predicted *p, const uint32_t *numbers, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	struct norn_step_text *where = norn_error_context_places(s, numbers, x);
	where[0] = assertion_step(s, p);
	x->variable = where[0].what;
	find_operands(s, p, x);
	x->outcome = norn_findings_text(f, "assertion fails: %s", where[0].what);
	x->by_function = is_of_user(s, p->assertion);
	const char *because = "";
	for (uint32_t i = 0; i < x->operand_count; i++)
		if (x->operands[i].changed)
			because = norn_findings_text(f, "%s%s%s is %s instead of %s", because, *because ? ", " : "",
			        x->operands[i].name, x->operands[i].predicted, x->operands[i].recorded);
	x->message = norn_findings_text(f, "in %s at %s, where %s", where[0].thread, at(f, &where[0]), because);
	x->ending = norn_findings_text(f, "then the assertion at %s fails: %s", at(f, &where[0]), because);
	x->advice = "let what belongs together happen under one lock, and let the assertion wait for what it relies on";
}
