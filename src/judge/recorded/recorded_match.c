#include "judge/recorded/recorded_match.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

#define ARGS_MAX 8u

/* A call that is under way, if a selector asks for its arguments when it returns. */
struct call_frame {
	uint32_t depth, site, caller, count;
	uint64_t recorded; /* a bit per argument */
	uint64_t args[ARGS_MAX];
};

struct calls {
	NORN_VECTOR(struct call_frame) frames;
	uint32_t depth;
	bool started, ended;
};

struct norn_recorded_match {
	const struct norn_binding *binding;
	const struct norn_hidden_writes *hidden_writes;
	struct norn_watched_memory memory;
	size_t next_fade;
	uint64_t number;
	struct calls *calls; /* per thread */
	uint32_t call_count;
	struct norn_online_thread self; /* whose event it is */
	struct norn_look look;
	struct norn_position position;
	struct norn_spot_write *writes;
	uint32_t write_room;
	NORN_VECTOR(struct norn_spot_fade) fades;
};

/* Room for so many hits. */
static void reserve(struct norn_recorded_match *r, uint32_t hits)
{
	struct norn_look *look = &r->look;
	free(look->hits);
	free(look->slots);
	look->room = hits;
	look->hits = norn_must_calloc(hits, sizeof *look->hits);
	look->slots = norn_must_calloc((size_t)hits * look->slots_each, sizeof *look->slots);
}

struct norn_recorded_match *norn_recorded_match_new(
        const struct norn_binding *binding, const struct norn_hidden_writes *hidden_writes)
{
	static const struct norn_hidden_writes nothing;
	struct norn_recorded_match *r = norn_must_calloc(1, sizeof *r);
	r->binding = binding;
	r->hidden_writes = hidden_writes ? hidden_writes : &nothing;
	r->calls = norn_must_calloc(binding->threads + 1ul, sizeof *r->calls);
	r->call_count = binding->threads;
	r->look.slots_each = 1;
	for (uint32_t e = 0; e < binding->spec->event_count; e++)
		for (uint32_t i = 0; i < binding->spec->events[e].selector_count; i++)
			if (binding->spec->events[e].selectors[i].slots_total > r->look.slots_each)
				r->look.slots_each = binding->spec->events[e].selectors[i].slots_total;
	reserve(r, NORN_HITS_MAX);
	norn_watched_memory_init(&r->memory, binding);
	return r;
}

void norn_recorded_match_free(struct norn_recorded_match *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; i < r->call_count; i++)
		norn_vector_done(&r->calls[i].frames);
	norn_watched_memory_done(&r->memory);
	free(r->calls);
	free(r->look.hits);
	free(r->look.slots);
	free(r->writes);
	norn_vector_done(&r->fades);
	free(r);
}

/* ---- calls ---- */

static void push_frame(struct calls *c, const struct norn_event *e, uint32_t caller)
{
	struct call_frame *f = norn_must_add(&c->frames);
	*f = (struct call_frame){.depth = c->depth, .site = e->site, .count = e->count < ARGS_MAX ? e->count : ARGS_MAX};
	f->recorded = e->argument & ((UINT64_C(1) << f->count) - 1);
	f->caller = caller;
	for (uint32_t i = 0; i < f->count; i++)
		f->args[i] = e->args[i];
}

/* The call that led here. The event's names may be older ones, if code without hooks has called: then they differ. */
static uint32_t caller_of(const struct norn_binding *b, const struct norn_event *e)
{
	struct norn_site_info call, own;
	norn_trace_site(b->trace, e->call_site, &call);
	norn_trace_site(b->trace, e->site, &own);
	bool fits = call.site && call.site->kind == NORN_SITE_CALL && (!*call.name || strcmp(call.name, own.name) == 0);
	return fits ? e->call_site : 0;
}

/* A thread that starts, or ends, is told by what it entered first. */
static void start_hits(struct norn_recorded_match *r, const struct norn_event *e, bool exits)
{
	const struct norn_event_match *event_match = r->binding->event_match;
	if (event_match->starts.count)
		norn_event_match_start(event_match, &r->self, e, exits, r->binding->started[e->thread], &r->look);
}

static void enter(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	const struct norn_event_match_site *site = norn_event_match_site(b->event_match, e->site);
	struct calls *c = &r->calls[e->thread];
	if (site)
		r->position.caller = caller_of(b, e);
	if (!c->started)
		start_hits(r, e, false); /* its begin was not recorded */
	c->started = true;
	if (site && site->calls.count) {
		struct norn_event call = *e; /* of the arguments, those that are there */
		call.argument &= e->count < 32 ? (UINT32_C(1) << e->count) - 1 : UINT32_MAX;
		norn_event_match_enter(b->event_match, &r->self, &call, site, &r->look);
	}
}

static void leave(struct norn_recorded_match *r, const struct norn_event *e, const struct call_frame *f)
{
	bool unwound = e->argument & NORN_LEAVE_UNWOUND; /* it never returned */
	uint32_t number = unwound ? f->site : e->site;
	const struct norn_event_match_site *site = number ? norn_event_match_site(r->binding->event_match, number) : NULL;
	bool noted = f->site == number;
	r->position.caller = noted ? f->caller : 0;
	if (site && site->returns.count)
		norn_event_match_leave(
		        r->binding->event_match, &r->self, e, site, f->args, noted ? (uint32_t)f->recorded : 0, &r->look);
}

/* Calls that are under way, moved on by the event. The frame of the call that returns. */
static struct call_frame follow_calls(struct norn_recorded_match *r, const struct norn_event *e)
{
	struct calls *c = &r->calls[e->thread];
	struct call_frame returns = {0};
	if (e->kind == NORN_EVENT_ENTER) {
		const struct norn_event_match_site *site = norn_event_match_site(r->binding->event_match, e->site);
		c->depth++;
		if (site && site->returns.count)
			push_frame(c, e, caller_of(r->binding, e));
	}
	if (e->kind == NORN_EVENT_LEAVE) {
		if (c->frames.count && c->frames.items[c->frames.count - 1].depth == c->depth)
			returns = c->frames.items[--c->frames.count];
		c->depth -= c->depth > 0;
	}
	if (e->kind == NORN_EVENT_LOST)
		c->frames.count = c->depth = 0;
	return returns;
}

/* ---- memory, locks, marks, threads ---- */

static void access_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_event_match *event_match = r->binding->event_match;
	struct norn_watched_memory *m = &r->memory;
	m->range_count = norn_event_match_changed(event_match, e, m->changes, m->change_count, m->ranges, m->range_count);
	if (m->range_count || event_match->has_fields)
		norn_event_match_access(event_match, &r->self, e, m->ranges, m->range_count, &r->look);
}

/* The values last written, and those of norn_set, are changes too. */
static void written(struct norn_recorded_match *r, const struct norn_event *e)
{
	struct norn_watched_memory *m = &r->memory;
	if (e->kind <= NORN_EVENT_EXTERNAL) {
		if (!m->range_count && !r->binding->event_match->has_fields)
			return;
		norn_must_grow(&m->changes, m->change_count + m->range_count + UINT64_C(1), &m->change_room, sizeof *m->changes);
		m->change_count = norn_event_match_written(r->binding->event_match, &m->values, e, m->ranges, m->range_count,
		        m->changes, m->change_count, m->change_room);
		return;
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; i < r->look.count; i++) {
		if (r->look.hits[i].event == NORN_SLOT_NONE)
			norn_watched_memory_set(m, r->look.hits[i].place, true, e->value);
		else
			r->look.hits[kept++] = r->look.hits[i];
	}
	r->look.count = kept;
}

static void mark_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_event_match *event_match = r->binding->event_match;
	if (e->op == NORN_MARK_SET ? !event_match->has_sets : !event_match->notes.count)
		return;
	const char *name = norn_trace_name(r->binding->trace, (uint32_t)e->argument);
	norn_event_match_mark(event_match, &r->self, e, name, strlen(name), &r->look);
}

static void thread_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	struct calls *c = &r->calls[e->thread];
	bool ends = e->op == NORN_THREAD_END || e->op == NORN_THREAD_EXIT;
	if (e->op == NORN_THREAD_BEGIN && !c->started) {
		c->started = true;
		start_hits(r, e, false);
	}
	if (e->op == NORN_THREAD_JOIN && b->event_match->joins.count && e->value < b->threads)
		norn_event_match_join(b->event_match, &r->self, e, b->types[e->value], b->started[e->value], &r->look);
	if (ends && !c->ended)
		start_hits(r, e, true);
	c->ended |= ends;
}

/* ---- positions ---- */

static void take_fades(struct norn_recorded_match *r)
{
	const struct norn_hidden_writes *f = r->hidden_writes;
	r->fades.count = 0;
	while (r->next_fade < f->fades.count && f->fades.items[r->next_fade].after <= r->number) {
		const struct norn_fade *fade = &f->fades.items[r->next_fade++];
		norn_must_push(&r->fades, (struct norn_spot_fade){fade->spot, fade->bytes});
	}
	r->position.fades = r->fades.items;
	r->position.fade_count = r->fades.count;
}

const struct norn_position *norn_recorded_match_start(struct norn_recorded_match *r)
{
	r->position = (struct norn_position){.thread = 0};
	take_fades(r);
	return &r->position;
}

/* The hits of the event. Memory and calls have moved on already, so that this can be done again if there were too many. */
static void match(struct norn_recorded_match *r, const struct norn_event *e, const struct call_frame *frame)
{
	r->look.count = 0;
	r->look.missed = 0;
	r->look.bitfield = NULL;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		access_event(r, e);
		break;
	case NORN_EVENT_SYNC:
		if (r->binding->event_match->locks.count)
			norn_event_match_lock(r->binding->event_match, &r->self, e, &r->look);
		break;
	case NORN_EVENT_ENTER:
		enter(r, e);
		break;
	case NORN_EVENT_LEAVE:
		leave(r, e, frame);
		break;
	case NORN_EVENT_MARK:
		mark_event(r, e);
		break;
	case NORN_EVENT_THREAD:
		thread_event(r, e);
		break;
	default:
		break;
	}
}

static void match_all(struct norn_recorded_match *r, const struct norn_event *e)
{
	struct calls before = r->calls[e->thread];
	norn_watched_memory_step(&r->memory, e);
	struct call_frame frame = follow_calls(r, e);
	r->self.number = e->thread;
	r->self.types = e->thread < r->binding->threads ? r->binding->types[e->thread] : 0;
	match(r, e, &frame);
	while (r->look.missed) {
		r->calls[e->thread].started = before.started;
		r->calls[e->thread].ended = before.ended;
		reserve(r, 2 * r->look.room);
		match(r, e, &frame);
	}
	written(r, e);
}

/* The binding has got to know more threads. */
static void follow_threads(struct norn_recorded_match *r)
{
	r->calls = norn_must_realloc(r->calls, r->binding->threads + 1ul, sizeof *r->calls);
	memset(r->calls + r->call_count, 0, (r->binding->threads - r->call_count) * sizeof *r->calls);
	r->call_count = r->binding->threads;
}

const struct norn_position *norn_recorded_match_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	struct norn_position *p = &r->position;
	r->number++;
	p->caller = 0;
	if (e->thread >= r->call_count)
		follow_threads(r);
	match_all(r, e);
	p->fade_count = 0;
	if (r->next_fade < r->hidden_writes->fades.count)
		take_fades(r);
	bool frees = r->binding->event_match->has_keys && e->kind == NORN_EVENT_FREE && e->pieces < 2;
	p->hit_count = r->look.count;
	p->write_count = r->memory.change_count;
	if (!p->hit_count && !p->write_count && !p->fade_count && e->kind != NORN_EVENT_LOST && !frees)
		return NULL;
	p->thread = e->thread;
	p->site = e->site;
	p->kind = e->kind;
	p->op = e->op;
	p->index = e->index;
	p->number = r->number;
	p->time = e->time;
	p->address = e->addr;
	p->size = e->size;
	p->hits = r->look.hits;
	p->bitfield = r->look.bitfield;
	norn_must_grow(&r->writes, p->write_count, &r->write_room, sizeof *r->writes);
	for (uint32_t i = 0; i < p->write_count; i++)
		r->writes[i] = r->memory.changes[i].write;
	p->writes = r->writes;
	p->lost = e->kind == NORN_EVENT_LOST;
	return p;
}
