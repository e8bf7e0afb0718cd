/* Consequences of races, in words. */
#include "finding/error_context.h"

#include <string.h>

#include "finding/call_frames.h"

#define TEST_ITEMS 256u

/* Goes past one test. Does it come out for the one value as for the other? */
static bool differs(const uint32_t **at, const uint32_t *end, const struct norn_consequence *c)
{
	const uint32_t *first = *at;
	for (uint32_t steps = *(*at)++; steps && *at < end; steps--)
		(void)norn_test_step(at, end);
	const struct norn_graph_chain chain = {.items = first, .count = (uint32_t)(*at - first)};
	return norn_graph_follow(&chain, c->then) != norn_graph_follow(&chain, c->now);
}

static const char *at(struct norn_findings *f, const struct norn_step_text *w)
{
	return *w->file && w->line ? norn_findings_text(f, "%s:%u", basename(w->file), w->line) : "a place that is not known";
}

static const char *value_text(const struct norn_error_context *s, uint32_t access, uint64_t value)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, norn_graph_event(s->graph, access)->site, &info);
	return norn_access_value_text(s->findings, &info, norn_graph_event(s->graph, access)->size, value);
}

static const char *lost_text(const struct norn_error_context *s, const struct norn_consequence *c, const char *name)
{
	struct norn_findings *f = s->findings;
	struct norn_step_text lost, read, write;
	norn_error_context_step(s, c->event, false, &lost);
	norn_error_context_step(s, c->read, false, &read);
	norn_error_context_step(s, c->write, false, &write);
	const char *places =
	        read.line == write.line && strcmp(read.file, write.file) == 0
	                ? norn_findings_text(f, "reads %s before it and writes it after it, both at %s", name, at(f, &read))
	                : norn_findings_text(
	                          f, "reads %s at %s before it and writes it at %s after it", name, at(f, &read), at(f, &write));
	const char *values = c->known ? norn_findings_text(f, ", so that it is %s instead of %s", value_text(s, c->write, c->now),
	                                        value_text(s, c->write, c->then))
	                              : "";
	return norn_findings_text(
	        f, "then the update by %s at %s can be lost: %s %s%s", lost.thread, at(f, &lost), write.thread, places, values);
}

static const char *assertion_text(const struct norn_error_context *s, const struct norn_graph_assertion *a)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, a->site, &info);
	return norn_findings_text(s->findings, ", and the assertion at %s:%u fails%s%s", basename(info.file), info.line,
	        *info.field ? ": " : "", info.field);
}

/* The line of the first test of what is read that comes out otherwise: that of the read, and the difference from it. */
static unsigned tested_line(const struct norn_error_context *s, const struct norn_consequence *c, const struct norn_site_info *info)
{
	uint32_t site = norn_graph_event(s->graph, c->event)->site, kind, count, items[TEST_ITEMS], tests = 0, line;
	struct norn_facts facts;
	for (bool more = norn_trace_facts(s->trace, site, &facts); more && norn_facts_next(&facts, &kind, &count);) {
		if (kind == NORN_FACT_TESTS)
			tests = count <= TEST_ITEMS ? count : 0;
		const uint32_t *at = items, *end = items + tests;
		for (uint32_t i = 0; i < count; i++) {
			if (!norn_facts_number(&facts, &line))
				return 0;
			if (kind == NORN_FACT_TESTS && tests)
				items[i] = line;
			else if (kind == NORN_FACT_LINES && at < end && differs(&at, end, c) && line)
				return info->line + ((line - 1) >> 1 ^ (0 - ((line - 1) & 1)));
		}
	}
	return 0;
}

static const char *decision_text(const struct norn_error_context *s, const struct norn_consequence *c)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, norn_graph_event(s->graph, c->event)->site, &info);
	unsigned line = tested_line(s, c, &info);
	return line ? norn_findings_text(s->findings, ", and the test at %s:%u has another result", basename(info.file), line)
	            : ", and a test of the value has another result";
}

static const char *value_sentence(const struct norn_error_context *s, const struct norn_consequence *c, const char *name)
{
	struct norn_findings *f = s->findings;
	struct norn_step_text w;
	norn_error_context_step(s, c->event, false, &w);
	const char *now = value_text(s, c->event, c->now), *then = value_text(s, c->event, c->then);
	if (norn_graph_event(s->graph, c->event)->kind != NORN_EVENT_READ)
		return norn_findings_text(f, "if the write of %s at %s comes last, %s is %s instead of %s then", w.thread,
		        at(f, &w), name, now, then);
	const char *more = c->kind == NORN_CONSEQUENCE_ASSERTION  ? assertion_text(s, c->assertion)
	                   : c->kind == NORN_CONSEQUENCE_DECISION ? decision_text(s, c)
	                                                          : "";
	return norn_findings_text(f, "if the %s comes first, %s reads %s instead of %s at %s%s", c->late ? "write" : "read",
	        w.thread, now, then, at(f, &w), more);
}

static void tell_before_set(const struct norn_error_context *s, const struct norn_consequence *c, struct norn_finding *finding)
{
	struct norn_step_text sets, uses;
	norn_error_context_step(s, c->sets, false, &sets);
	norn_error_context_step(s, c->uses, false, &uses);
	finding->before_set = norn_findings_text(s->findings,
	        "use before it is set: the recorded run always saw what %s sets at %s; nothing makes %s wait for that at %s",
	        sets.thread, at(s->findings, &sets), uses.thread, at(s->findings, &uses));
}

void norn_error_context_consequence(
        const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *finding)
{
	const struct norn_consequence *c = &p->consequence;
	const char *name = *finding->variable ? finding->variable : "it";
	if (p->kind == NORN_PREDICTED_RACE && c->sets && !finding->before_set)
		tell_before_set(s, c, finding);
	if (p->kind != NORN_PREDICTED_RACE || c->kind <= finding->consequence_kind)
		return;
	finding->consequence_kind = c->kind;
	if (c->kind == NORN_CONSEQUENCE_LOST_UPDATE)
		finding->consequence = lost_text(s, c, name);
	else if (c->kind == NORN_CONSEQUENCE_NOTHING)
		finding->consequence = norn_findings_text(s->findings,
		        "whichever comes first, nothing that this run shows changes: the value is %s either way",
		        value_text(s, c->event, c->then));
	else
		finding->consequence = value_sentence(s, c, name);
}
