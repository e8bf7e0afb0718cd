#include "judge/recorded/recorded_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "trace/record.h"

#define ARGS_MAX 8u

/* A call that is under way, if a selector asks for its arguments when it returns. */
struct frame {
	uint32_t depth, site, caller, count;
	uint64_t recorded; /* a bit per argument */
	uint64_t args[ARGS_MAX];
};

struct calls {
	struct frame *frames;
	uint32_t count, room, depth;
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
	struct norn_spot_fade *fades;
	uint32_t fade_room;
};

/* Room for so many hits. */
static int reserve(struct norn_recorded_match *r, uint32_t hits)
{
	struct norn_look *look = &r->look;
	free(look->hits);
	free(look->slots);
	look->room = hits;
	look->hits = calloc(hits, sizeof *look->hits);
	look->slots = calloc((size_t)hits * look->slots_each, sizeof *look->slots);
	return look->hits && look->slots ? 0 : -ENOMEM;
}

int norn_recorded_match_new(const struct norn_binding *binding, const struct norn_hidden_writes *hidden_writes,
        struct norn_recorded_match **ret_relevant)
{
	static const struct norn_hidden_writes nothing;
	struct norn_recorded_match *r = calloc(1, sizeof *r);
	if (!r)
		return -ENOMEM;
	r->binding = binding;
	r->hidden_writes = hidden_writes ? hidden_writes : &nothing;
	r->calls = calloc(binding->threads + 1ul, sizeof *r->calls);
	r->call_count = binding->threads;
	r->look.slots_each = 1;
	for (uint32_t e = 0; e < binding->spec->event_count; e++)
		for (uint32_t i = 0; i < binding->spec->events[e].selector_count; i++)
			if (binding->spec->events[e].selectors[i].slots_total > r->look.slots_each)
				r->look.slots_each = binding->spec->events[e].selectors[i].slots_total;
	if (!r->calls || reserve(r, NORN_HITS_MAX) != 0 || norn_watched_memory_init(&r->memory, binding) != 0) {
		norn_recorded_match_free(r);
		return -ENOMEM;
	}
	*ret_relevant = r;
	return 0;
}

void norn_recorded_match_free(struct norn_recorded_match *r)
{
	if (!r)
		return;
	for (uint32_t i = 0; r->calls && i < r->call_count; i++)
		free(r->calls[i].frames);
	norn_watched_memory_done(&r->memory);
	free(r->calls);
	free(r->look.hits);
	free(r->look.slots);
	free(r->writes);
	free(r->fades);
	free(r);
}

/* ---- calls ---- */

static int push_frame(struct calls *c, const struct norn_event *e, uint32_t caller)
{
	if (c->count == c->room) {
		uint32_t room = c->room ? c->room * 2 : 8;
		struct frame *frames = realloc(c->frames, room * sizeof *frames);
		if (!frames)
			return -ENOMEM;
		c->frames = frames;
		c->room = room;
	}
	struct frame *f = &c->frames[c->count++];
	*f = (struct frame){.depth = c->depth, .site = e->site, .count = e->count < ARGS_MAX ? e->count : ARGS_MAX};
	f->recorded = e->argument & ((UINT64_C(1) << f->count) - 1);
	f->caller = caller;
	for (uint32_t i = 0; i < f->count; i++)
		f->args[i] = e->args[i];
	return 0;
}

/* The call that led here. What the event tells may be an older one, if code without hooks has called: then the names differ. */
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

static int enter(struct norn_recorded_match *r, const struct norn_event *e)
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
	return 0;
}

static void leave(struct norn_recorded_match *r, const struct norn_event *e, const struct frame *f)
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

/* Calls that are under way, moved on by the event. *ret_frame: of the call that returns. */
static int follow_calls(struct norn_recorded_match *r, const struct norn_event *e, struct frame *ret_frame)
{
	struct calls *c = &r->calls[e->thread];
	*ret_frame = (struct frame){0};
	if (e->kind == NORN_EVENT_ENTER) {
		const struct norn_event_match_site *site = norn_event_match_site(r->binding->event_match, e->site);
		c->depth++;
		return site && site->returns.count ? push_frame(c, e, caller_of(r->binding, e)) : 0;
	}
	if (e->kind == NORN_EVENT_LEAVE) {
		if (c->count && c->frames[c->count - 1].depth == c->depth)
			*ret_frame = c->frames[--c->count];
		c->depth -= c->depth > 0;
	}
	if (e->kind == NORN_EVENT_LOST)
		c->count = c->depth = 0;
	return 0;
}

/* ---- memory, locks, marks, threads ---- */

static int access_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_event_match *event_match = r->binding->event_match;
	struct norn_watched_memory *m = &r->memory;
	m->zone_count = norn_event_match_changed(event_match, e, m->changes, m->change_count, m->zones, m->zone_count);
	if (m->zone_count || event_match->has_fields)
		norn_event_match_access(event_match, &r->self, e, m->zones, m->zone_count, &r->look);
	return 0;
}

/* The values last written, and those of norn_set, are changes too. */
static int written(struct norn_recorded_match *r, const struct norn_event *e)
{
	struct norn_watched_memory *m = &r->memory;
	int result = 0;
	if (e->kind <= NORN_EVENT_EXTERNAL) {
		if (!m->zone_count && !r->binding->event_match->has_fields)
			return 0;
		if (norn_grow(&m->changes, m->change_count + m->zone_count + UINT64_C(1), &m->change_room, sizeof *m->changes) != 0)
			return -ENOMEM;
		m->change_count = norn_event_match_written(r->binding->event_match, &m->values, e, m->zones, m->zone_count,
		        m->changes, m->change_count, m->change_room);
		return 0;
	}
	uint32_t kept = 0;
	for (uint32_t i = 0; result == 0 && i < r->look.count; i++) {
		if (r->look.hits[i].event == NORN_SLOT_NONE)
			result = norn_watched_memory_set(m, r->look.hits[i].place, true, e->value);
		else
			r->look.hits[kept++] = r->look.hits[i];
	}
	r->look.count = kept;
	return result;
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

static int take_fades(struct norn_recorded_match *r)
{
	const struct norn_hidden_writes *f = r->hidden_writes;
	uint32_t count = 0;
	while (r->next_fade < f->count && f->fades[r->next_fade].after <= r->number) {
		if (count == r->fade_room) {
			uint32_t room = r->fade_room ? r->fade_room * 2 : 16;
			struct norn_spot_fade *fades = realloc(r->fades, room * sizeof *fades);
			if (!fades)
				return -ENOMEM;
			r->fades = fades;
			r->fade_room = room;
		}
		const struct norn_fade *fade = &f->fades[r->next_fade++];
		r->fades[count++] = (struct norn_spot_fade){fade->spot, fade->bytes};
	}
	r->position.fades = r->fades;
	r->position.fade_count = count;
	return 0;
}

const struct norn_position *norn_recorded_match_start(struct norn_recorded_match *r)
{
	r->position = (struct norn_position){.thread = 0};
	return take_fades(r) == 0 ? &r->position : NULL;
}

/* The hits of the event. Memory and calls have moved on already, so that this can be done again if there were too many. */
static int match(struct norn_recorded_match *r, const struct norn_event *e, const struct frame *frame)
{
	r->look.count = 0;
	r->look.missed = 0;
	r->look.bitfield = NULL;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		return access_event(r, e);
	case NORN_EVENT_SYNC:
		if (r->binding->event_match->locks.count)
			norn_event_match_lock(r->binding->event_match, &r->self, e, &r->look);
		return 0;
	case NORN_EVENT_ENTER:
		return enter(r, e);
	case NORN_EVENT_LEAVE:
		leave(r, e, frame);
		return 0;
	case NORN_EVENT_MARK:
		mark_event(r, e);
		return 0;
	case NORN_EVENT_THREAD:
		thread_event(r, e);
		return 0;
	default:
		return 0;
	}
}

static int match_all(struct norn_recorded_match *r, const struct norn_event *e)
{
	struct frame frame;
	struct calls before = r->calls[e->thread];
	int result = norn_watched_memory_step(&r->memory, e);
	if (result == 0)
		result = follow_calls(r, e, &frame);
	r->self.number = e->thread;
	r->self.types = e->thread < r->binding->threads ? r->binding->types[e->thread] : 0;
	if (result == 0)
		result = match(r, e, &frame);
	while (result == 0 && r->look.missed) {
		r->calls[e->thread].started = before.started;
		r->calls[e->thread].ended = before.ended;
		result = reserve(r, 2 * r->look.room);
		if (result == 0)
			result = match(r, e, &frame);
	}
	return result == 0 ? written(r, e) : result;
}

/* The binding has got to know more threads. */
static int follow_threads(struct norn_recorded_match *r)
{
	struct calls *calls = realloc(r->calls, (r->binding->threads + 1ul) * sizeof *calls);
	if (!calls)
		return -ENOMEM;
	memset(calls + r->call_count, 0, (r->binding->threads - r->call_count) * sizeof *calls);
	r->calls = calls;
	r->call_count = r->binding->threads;
	return 0;
}

int norn_recorded_match_event(struct norn_recorded_match *r, const struct norn_event *e, const struct norn_position **ret_position)
{
	struct norn_position *p = &r->position;
	r->number++;
	p->caller = 0;
	int result = e->thread < r->call_count ? 0 : follow_threads(r);
	if (result == 0)
		result = match_all(r, e);
	if (result != 0)
		return result;
	p->fade_count = 0;
	if (r->next_fade < r->hidden_writes->count && (result = take_fades(r)) != 0)
		return result;
	bool frees = r->binding->event_match->has_keys && e->kind == NORN_EVENT_FREE && e->pieces < 2;
	p->hit_count = r->look.count;
	p->write_count = r->memory.change_count;
	if (!p->hit_count && !p->write_count && !p->fade_count && e->kind != NORN_EVENT_LOST && !frees)
		return 0;
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
	if (norn_grow(&r->writes, p->write_count, &r->write_room, sizeof *r->writes) != 0)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->write_count; i++)
		r->writes[i] = r->memory.changes[i].write;
	p->writes = r->writes;
	p->lost = e->kind == NORN_EVENT_LOST;
	*ret_position = p;
	return 1;
}
