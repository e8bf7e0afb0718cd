/* A predicted null dereference, in words. */
#include "finding/error_context.h"

#include <string.h>

#include "base/must.h"
#include "trace/record.h"

#define OBJECT_BYTES 64u /* the largest object of synchronization; libc accesses some of it first */

static const char *at(struct norn_findings *f, const struct norn_step_text *w)
{
	return *w->file && w->line ? norn_findings_text(f, "%s:%u", basename(w->file), w->line) : "a place that is not known";
}

uint32_t norn_error_context_nulls(const struct norn_predicted *p, uint32_t *numbers)
{
	uint32_t count = 0;
	numbers[count++] = p->stops[0];
	numbers[count++] = p->first;
	if (p->second)
		numbers[count++] = p->second;
	return count;
}

/* The write that the pointer was read from in the run; 0: not known. */
static uint32_t setter_of(const struct norn_error_context *s, uint32_t read)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(s->graph, &norn_graph_event(s->graph, read)->link, &writers);
	uint32_t writer = count == 1 ? writers[0] : 0;
	const struct norn_graph_event *w = norn_graph_event(s->graph, writer);
	return writer && (w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW) ? writer : 0;
}

/* Why it is null, and what kept it from being so in the run. */
static const char *reason(const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	struct norn_step_text set;
	uint32_t setter = setter_of(s, p->first);
	if (p->second) {
		const struct norn_step_text *write = &x->where[2];
		bool own = norn_graph_event(s->graph, p->second)->thread == norn_graph_event(s->graph, p->first)->thread;
		return norn_findings_text(
		        f, own ? "%s itself has cleared it at %s" : "%s has cleared it at %s", write->thread, at(f, write));
	}
	if (!setter)
		return "it has not been set yet";
	norn_error_context_step(s, setter, false, &set);
	return norn_findings_text(
	        f, "it is used before it is set; the recorded run always saw what %s sets at %s", set.thread, at(f, &set));
}

/* The function that was entered is not, when the pointer is null: it is the call that fails. */
static void name_call(const struct norn_error_context *s, uint32_t enter, const char *what, struct norn_step_text *where)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, norn_graph_event(s->graph, enter)->link, &info);
	where->event = "call";
	where->what = what;
	where->file = norn_findings_text(s->findings, "%s", info.file);
	where->function = norn_findings_text(s->findings, "%s", info.function);
	where->line = info.line;
}

void norn_error_context_null(
        const struct norn_error_context *s, const struct norn_predicted *p, const uint32_t *numbers, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	struct norn_step_text *where = norn_error_context_places(s, numbers, x);
	if (norn_graph_event(s->graph, numbers[0])->kind == NORN_EVENT_ENTER)
		name_call(s, numbers[0], where[1].what, &where[0]);
	x->variable = where[1].what;
	bool object = norn_graph_event(s->graph, numbers[0])->kind == NORN_EVENT_SYNC;
	x->fault = p->addr;
	x->fault_bytes = object ? OBJECT_BYTES : 1;
	const char *why = reason(s, p, x);
	const char *access = strcmp(where[0].event, "read") == 0    ? "reads through it"
	                     : strcmp(where[0].event, "write") == 0 ? "writes through it"
	                     : object                               ? "uses an object behind it"
	                                                            : "calls it";
	x->outcome = norn_findings_text(f, "null dereference of %s", x->variable);
	x->message = norn_findings_text(f, "%s %s at %s, when %s", where[0].thread, access, at(f, &where[0]), why);
	x->ending = norn_findings_text(f, "then %s is null at %s", x->variable, at(f, &where[0]));
	x->advice = p->second ? "read the pointer once, test whether it is null, and keep others from clearing it until it is no "
	                        "longer used"
	                      : "set the pointer before the thread is created, or let the thread wait until it is set";
}
