#include "confirm/divergence.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/merge.h"
#include "trace/record.h"

/* One thread of the recorded run, while the other run is gone through. */
struct divergence_way {
	uint32_t event; /* of the recorded run that comes next, 0: it is gone through, or has diverged */
	uint32_t read; /* the last one that saw something else */
	uint64_t saw;
	bool external; /* it saw what code without hooks wrote */
	bool noticed; /* such a write, just now */
	uint32_t site; /* of the last step that was the same, and its kind */
	uint8_t kind;
	struct divergence_span {
		uint64_t from, to;
	} here, there; /* its memory, with the pieces that came since: in the recorded run, in the other */
};

struct comparison {
	struct norn_trace *recorded, *other;
	const struct norn_graph *graph;
	struct divergence_way *ways; /* by thread of the recorded run */
	uint32_t *same; /* by thread of the other: 1 + that of the recorded run */
	uint32_t threads;
	struct norn_divergence *out;
	uint64_t until; /* nanoseconds */
	bool input; /* something came from outside, or from code without hooks: what threads read may differ for that reason */
};

#define MARGIN 20000000u /* nanoseconds: how much earlier than it happened an event may seem to be */

/* Fields that differ without a divergence: addresses of memory, and other threads' effects on it. */
static bool tells(unsigned kind, unsigned op)
{
	return kind != NORN_EVENT_EXTERNAL && kind != NORN_EVENT_LOST && kind != NORN_EVENT_ALLOC &&
	       !(kind == NORN_EVENT_THREAD && (op == NORN_THREAD_STACK || op == NORN_THREAD_NAME));
}

static uint32_t skip_silent(const struct norn_graph *graph, uint32_t event, uint32_t last)
{
	while (event) {
		const struct norn_graph_event *e = norn_graph_event(graph, event);
		if (tells(e->kind, e->op) && !(e->flags & NORN_GRAPH_PIECE))
			return event;
		event = event == last ? 0 : e->next;
	}
	return 0;
}

static void place(const struct norn_trace *trace, uint32_t site, char *text, size_t room)
{
	struct norn_site_info info;
	norn_trace_site(trace, site, &info);
	if (info.line)
		snprintf(text, room, "%s:%u (%s)", basename(info.file), info.line, info.function);
	else
		snprintf(text, room, "a place that is not known");
}

/* A failed try instead of an acquire is another way, an external write or a wait that timed out too. */
static bool same_step(const struct norn_graph_event *e, const struct norn_event *other)
{
	if (e->kind != other->kind || e->site != other->site)
		return false;
	return (e->kind != NORN_EVENT_SYNC && e->kind != NORN_EVENT_THREAD && e->kind != NORN_EVENT_MARK) || e->op == other->op;
}

/* A timed call gave up where it had not, or the other way round. */
static bool differs_by_time(const struct comparison *c, const struct norn_graph_event *e, const struct norn_event *other)
{
	struct norn_graph_site site = {0};
	if (e->kind == NORN_EVENT_SYNC && e->site == other->site && other->kind == NORN_EVENT_SYNC)
		norn_graph_site(c->graph, e->site, &site);
	return site.timed;
}

static void diverge(struct comparison *c, uint32_t thread, const struct norn_event *other)
{
	const struct divergence_way *w = &c->ways[thread];
	const struct norn_graph_event *e = norn_graph_event(c->graph, w->event);
	char here[400], there[400], why[700] = "";
	place(c->recorded, e->site, here, sizeof here);
	place(c->other, other->site, there, sizeof there);
	if (w->read) {
		const struct norn_graph_event *r = norn_graph_event(c->graph, w->read);
		struct norn_site_info info;
		char where[400];
		norn_trace_site(c->recorded, r->site, &info);
		place(c->recorded, r->site, where, sizeof where);
		snprintf(why, sizeof why, " after it read %" PRId64 " from %s at %s, which had been %" PRId64, (int64_t)w->saw,
		        info.name, where, (int64_t)r->value);
		c->out->own = !w->external && !c->input;
	}
	c->out->timed = differs_by_time(c, e, other);
	c->out->text = norn_must_format("%s took another way%s: it came to %s at %s instead of %s at %s",
	        norn_trace_thread(c->recorded, thread)->path, why, norn_event_kind_name(other->kind), there,
	        norn_event_kind_name(e->kind), here);
}

/* Is this access a further piece of what lies in span? */
static bool continues(struct divergence_span *span, uint64_t addr, uint64_t size)
{
	if (span->to == span->from || (addr != span->to && addr + size != span->from))
		return false;
	span->from = addr < span->from ? addr : span->from;
	span->to = addr + size > span->to ? addr + size : span->to;
	return true;
}

/* Into how many pieces a range is cut depends on where it lies. False: the step of the other run is one more piece, and tells
 * nothing; or nothing is left to be compared with. */
static bool catch_up(struct comparison *c, struct divergence_way *w, uint32_t last, const struct norn_event *other)
{
	while (w->event) {
		const struct norn_graph_event *e = norn_graph_event(c->graph, w->event);
		if (same_step(e, other))
			return true;
		if (other->site == w->site && other->kind == w->kind && continues(&w->there, other->addr, other->size))
			return false;
		if (e->site != w->site || e->kind != w->kind || !continues(&w->here, e->addr, e->size))
			return true;
		w->event = w->event == last ? 0 : skip_silent(c->graph, e->next, last);
	}
	return false;
}

/* A handle of a thread, say. */
static bool looks_like_address(uint64_t value)
{
	return value >> 40 && value >> 47 == 0;
}

/* Addresses differ from run to run, and mean the same. */
static bool is_other_value(const struct comparison *c, const struct norn_graph_event *e, const struct norn_event *other)
{
	struct norn_site_info info;
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE;
	if (!access || !(e->flags & NORN_GRAPH_VALUED) || !other->known || other->size > 8 || other->value == e->value)
		return false;
	if (other->size == 8 && looks_like_address(other->value) && looks_like_address(e->value))
		return false;
	norn_trace_site(c->recorded, e->site, &info);
	return !info.site || !(info.site->flags & NORN_SITE_POINTER);
}

static void compare(struct comparison *c, const uint32_t *prefixes, const struct norn_event *other)
{
	uint32_t thread = other->thread < c->threads && c->same[other->thread] ? c->same[other->thread] - 1 : UINT32_MAX;
	c->out->foreign |= other->kind == NORN_EVENT_THREAD && other->op == NORN_THREAD_CALL;
	if (thread == UINT32_MAX || c->out->text)
		return;
	struct divergence_way *w = &c->ways[thread];
	if (c->until && other->time + MARGIN > c->until)
		w->event = 0;
	if (other->kind == NORN_EVENT_EXTERNAL)
		w->noticed = true;
	c->input |= other->kind == NORN_EVENT_SYNC && other->op == NORN_SYNC_RECEIVE;
	if (!w->event || !tells(other->kind, other->op) || (other->pieces & 2))
		return;
	if (!catch_up(c, w, prefixes[thread], other))
		return;
	const struct norn_graph_event *e = norn_graph_event(c->graph, w->event);
	if (!same_step(e, other)) {
		diverge(c, thread, other);
		return;
	}
	w->site = e->site;
	w->kind = e->kind;
	w->here = (struct divergence_span){e->addr, e->addr + e->size};
	w->there = (struct divergence_span){other->addr, other->addr + other->size};
	if (is_other_value(c, e, other)) {
		if (e->kind == NORN_EVENT_READ) {
			w->read = w->event;
			w->saw = other->value;
			w->external = w->noticed;
			c->input |= w->noticed;
		} else if (!w->read) { /* it had read the same, and writes something else: that came from outside */
			c->input = true;
		}
	}
	w->noticed = false;
	w->event = w->event == prefixes[thread] ? 0 : skip_silent(c->graph, e->next, prefixes[thread]);
}

static void pair_threads(struct comparison *c)
{
	uint32_t others = norn_trace_threads(c->other), recorded = norn_trace_threads(c->recorded);
	c->threads = others;
	c->same = norn_must_calloc(others, sizeof *c->same);
	c->ways = norn_must_calloc(norn_graph_threads(c->graph) + recorded, sizeof *c->ways);
	for (uint32_t i = 0; i < others; i++)
		for (uint32_t k = 0; k < recorded; k++) {
			const struct norn_thread_info *a = norn_trace_thread(c->other, i), *b = norn_trace_thread(c->recorded, k);
			if (a && b && strcmp(a->path, b->path) == 0)
				c->same[i] = k + 1;
		}
}

/* Sites have the same numbers if the same units came in the same order. */
static bool same_sites(const struct norn_trace *a, const struct norn_trace *b)
{
	uint32_t base_a, base_b;
	const char *path_a, *path_b;
	const struct norn_site_table *table_a, *table_b;
	unsigned i = 0;
	for (; norn_trace_module(a, i, &base_a, &path_a, &table_a); i++)
		if (!norn_trace_module(b, i, &base_b, &path_b, &table_b) || base_a != base_b || table_a->sites != table_b->sites)
			return false;
	return true;
}

int norn_divergence_find(struct norn_trace *recorded, const struct norn_graph *graph, const uint32_t *prefixes,
        struct norn_trace *other, uint64_t until, struct norn_divergence *out, struct norn_error *err)
{
	struct comparison c = {.recorded = recorded, .other = other, .graph = graph, .until = until, .out = out};
	struct norn_merge *merge = NULL;
	struct norn_event event;
	*out = (struct norn_divergence){0};
	if (!same_sites(recorded, other))
		return 0;
	pair_threads(&c);
	for (uint32_t t = 0; t < norn_graph_threads(graph); t++)
		if (prefixes[t])
			c.ways[t].event = skip_silent(graph, norn_graph_first(graph, t), prefixes[t]);
	int r = 0;
	merge = norn_merge_new(other, 0);
	while (r == 0 && !out->text && (r = norn_merge_next(merge, &event, err)) == 1) {
		compare(&c, prefixes, &event);
		r = 0;
	}
	out->foreign |= c.input;
	out->whole = !out->text;
	for (uint32_t t = 0; t < norn_graph_threads(graph); t++)
		out->whole &= !c.ways[t].event;
	norn_merge_free(merge);
	free(c.ways);
	free(c.same);
	if (r != 0) {
		free(out->text);
		*out = (struct norn_divergence){0};
	}
	return r;
}
