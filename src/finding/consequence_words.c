/* What a race leads to, in words. */
#include "finding/error_context.h"

#include <string.h>

#include "finding/call_frames.h"

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

static const char *value_sentence(const struct norn_error_context *s, const struct norn_consequence *c, const char *name)
{
	struct norn_findings *f = s->findings;
	struct norn_step_text w;
	norn_error_context_step(s, c->event, false, &w);
	const char *now = value_text(s, c->event, c->now), *then = value_text(s, c->event, c->then);
	if (norn_graph_event(s->graph, c->event)->kind != NORN_EVENT_READ)
		return norn_findings_text(f, "if the write of %s at %s comes last, %s is %s instead of %s then", w.thread,
		        at(f, &w), name, now, then);
	const char *more = c->kind == NORN_CONSEQUENCE_ASSERTION ? assertion_text(s, c->assertion)
	                   : c->kind == NORN_CONSEQUENCE_DECISION
	                           ? norn_findings_text(f, ", and a test of what it reads comes out otherwise")
	                           : "";
	return norn_findings_text(f, "if the %s comes first, %s reads %s instead of %s at %s%s", c->late ? "write" : "read",
	        w.thread, now, then, at(f, &w), more);
}

void norn_error_context_consequence(
        const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *finding)
{
	const struct norn_consequence *c = &p->consequence;
	const char *name = *finding->variable ? finding->variable : "it";
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
