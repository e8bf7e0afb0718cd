#include "judge/recorded/recorded_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	struct norn_map field_locks; /* address of a lock that is a field -> 1 + place */
	struct norn_position position;
	struct norn_hit *hits;
	struct norn_value *slots;
	uint32_t selectors, slots_total; /* of all events together */
	uint32_t hit_room, slot_room, slot_count;
	struct norn_spot_fade *fades;
	uint32_t fade_room;
};

/* Room for hits of every selector, times of each. Before the first hit of an event. */
static int reserve(struct norn_recorded_match *r, uint32_t times)
{
	if (r->hits && times * r->selectors <= r->hit_room)
		return 0;
	free(r->hits);
	free(r->slots);
	r->hit_room = times * r->selectors;
	r->slot_room = times * r->slots_total;
	r->hits = calloc(r->hit_room + 1ul, sizeof *r->hits);
	r->slots = aligned_alloc(_Alignof(struct norn_value), (r->slot_room + 1ul) * sizeof *r->slots);
	if (!r->hits || !r->slots)
		return -ENOMEM;
	memset(r->slots, 0, (r->slot_room + 1ul) * sizeof *r->slots);
	return 0;
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
	norn_map_init(&r->field_locks, sizeof(uint32_t));
	r->calls = calloc(binding->threads + 1ul, sizeof *r->calls);
	r->call_count = binding->threads;
	for (uint32_t e = 0; e < binding->spec->event_count; e++)
		for (uint32_t i = 0; i < binding->spec->events[e].selector_count; i++) {
			r->selectors++;
			r->slots_total += binding->spec->events[e].selectors[i].slots_total;
		}
	if (!r->calls || reserve(r, 1) != 0 || norn_watched_memory_init(&r->memory, binding) != 0) {
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
	norn_map_done(&r->field_locks);
	norn_watched_memory_done(&r->memory);
	free(r->calls);
	free(r->hits);
	free(r->slots);
	free(r->fades);
	free(r);
}

/* ---- hits ---- */

static const struct norn_checked_selector *selector_of(const struct norn_recorded_match *r, const struct norn_clue *c)
{
	return &r->binding->spec->events[c->event].selectors[c->selector];
}

/* The selector fits, unless its thread is of the wrong type (NULL). Its slots are all unknown so far. */
static struct norn_hit *add_hit(struct norn_recorded_match *r, const struct norn_clue *clue, const struct norn_event *e)
{
	const struct norn_checked_selector *s = selector_of(r, clue);
	if (r->position.hit_count >= r->hit_room || r->slot_count + s->slots_total > r->slot_room)
		return NULL;
	bool nobody = e->kind == NORN_EVENT_EXTERNAL;
	if (!nobody && s->thread_type != NORN_SLOT_NONE && !norn_binding_is_type(r->binding, e->thread, s->thread_type))
		return NULL;
	struct norn_value *slots = r->slots + r->slot_count;
	for (uint32_t i = 0; i < s->slots_total; i++)
		slots[i] = norn_value_unknown();
	struct norn_hit *hit = &r->hits[r->position.hit_count++];
	*hit = (struct norn_hit){.event = clue->event,
	        .selector = clue->selector,
	        .place = NORN_SLOT_NONE,
	        .spot = NORN_SPOT_NONE,
	        .by_unknown = nobody && s->thread_type != NORN_SLOT_NONE,
	        .slots = slots};
	r->slot_count += s->slots_total;
	return hit;
}

static void set_slot(const struct norn_checked_selector *s, const struct norn_hit *hit, uint32_t slot, uint64_t raw)
{
	struct norn_value *slots = (struct norn_value *)(uintptr_t)hit->slots;
	if (slot < s->slots_total)
		slots[slot] = norn_event_value_value(s->types ? s->types[slot] : NULL, 8, raw);
}

static void set_arguments(
        const struct norn_checked_selector *s, const struct norn_hit *hit, const uint64_t *args, uint32_t count, uint64_t recorded)
{
	for (uint32_t i = 0; i < s->slot_count && i < count; i++)
		if (s->slots[i] != NORN_SLOT_NONE && recorded >> i & 1)
			set_slot(s, hit, s->slots[i], args[i]);
}

/* ---- calls ---- */

static uint32_t first_clue(const struct norn_binding *b, uint32_t site)
{
	uint32_t at = site - NORN_SITE_FIRST;
	return at < b->site_count ? b->sites[at] : 0;
}

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
	f->recorded = e->argument;
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

/* The start or exit of a thread, which is told by what it entered first. */
static void start_hits(struct norn_recorded_match *r, const struct norn_event *e, enum norn_point_kind kind)
{
	const struct norn_binding *b = r->binding;
	for (uint32_t i = b->starts; i; i = b->clues[i - 1].next) {
		const struct norn_clue *clue = &b->clues[i - 1];
		const struct norn_checked_selector *s = selector_of(r, clue);
		if (s->kind != kind || (s->function && strcmp(s->function, b->started[e->thread]) != 0))
			continue;
		struct norn_hit *hit = add_hit(r, clue, e);
		if (hit)
			hit->value = norn_value_integer(e->thread);
	}
}

/* A thread was joined: which one is told by what it entered first, too. */
static void join_hits(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	for (uint32_t i = b->starts; i && e->value < b->threads; i = b->clues[i - 1].next) {
		const struct norn_clue *clue = &b->clues[i - 1];
		const struct norn_checked_selector *s = selector_of(r, clue);
		uint32_t joined = (uint32_t)e->value;
		if (s->kind != NORN_POINT_JOIN || (s->function && strcmp(s->function, b->started[joined]) != 0) ||
		        (s->joined_type != NORN_SLOT_NONE && !norn_binding_is_type(b, joined, s->joined_type)))
			continue;
		struct norn_hit *hit = add_hit(r, clue, e);
		if (hit)
			hit->value = norn_value_integer(joined);
	}
}

static int enter(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	struct calls *c = &r->calls[e->thread];
	bool returns = false;
	c->depth++;
	if (first_clue(b, e->site))
		r->position.caller = caller_of(b, e);
	if (!c->started && b->starts)
		start_hits(r, e, NORN_POINT_START); /* its begin was not recorded */
	c->started = true;
	for (uint32_t i = first_clue(b, e->site); i; i = b->clues[i - 1].next) {
		const struct norn_checked_selector *s = selector_of(r, &b->clues[i - 1]);
		returns |= s->kind == NORN_POINT_RETURN;
		struct norn_hit *hit = s->kind == NORN_POINT_CALL ? add_hit(r, &b->clues[i - 1], e) : NULL;
		if (hit)
			set_arguments(s, hit, e->args, e->count, e->argument);
	}
	return returns ? push_frame(c, e, r->position.caller) : 0;
}

static int leave(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	struct calls *c = &r->calls[e->thread];
	struct frame none = {0}, *f = &none;
	if (c->count && c->frames[c->count - 1].depth == c->depth)
		f = &c->frames[--c->count];
	if (c->depth)
		c->depth--;
	bool unwound = e->argument & NORN_LEAVE_UNWOUND; /* it never returned */
	uint32_t site = unwound ? f->site : e->site;
	r->position.caller = f->site == site ? f->caller : 0;
	for (uint32_t i = site ? first_clue(b, site) : 0; i; i = b->clues[i - 1].next) {
		const struct norn_checked_selector *s = selector_of(r, &b->clues[i - 1]);
		bool fits = s->kind == NORN_POINT_RETURN && (!unwound || s->anyhow);
		struct norn_hit *hit = fits ? add_hit(r, &b->clues[i - 1], e) : NULL;
		if (!hit)
			continue;
		if (f->site == site)
			set_arguments(s, hit, f->args, f->count, f->recorded);
		if (e->count) {
			set_slot(s, hit, s->result, e->args[0]);
			hit->value = s->result < s->slots_total ? hit->slots[s->result] : norn_value_integer((int64_t)e->args[0]);
		}
	}
	return 0;
}

/* ---- memory and locks ---- */

static void access_zone(struct norn_recorded_match *r, const struct norn_event *e, const struct norn_zone *z)
{
	const struct norn_binding *b = r->binding;
	const struct norn_place *p = &b->spec->places[z->place];
	if (z->hop + 1 != p->hops || norn_event_value_neighbour(p, r->position.bitfield))
		return;
	for (uint32_t i = b->accesses; i; i = b->clues[i - 1].next) {
		const struct norn_checked_selector *s = selector_of(r, &b->clues[i - 1]);
		if (s->place != z->place || !norn_event_value_fits(s, e))
			continue;
		struct norn_hit *hit = add_hit(r, &b->clues[i - 1], e);
		if (!hit)
			continue;
		/* Of several elements: the one accessed. */
		uint64_t address = z->address;
		if (z->cell_step && e->addr > z->address)
			address += (e->addr - z->address) / z->cell_step * z->cell_step;
		hit->place = z->place;
		hit->spot = z->spot;
		hit->address = z->address;
		hit->self = address;
		hit->value = norn_event_value_carried(p, e, address, (unsigned)z->size);
	}
}

/* An external write counts as a write event only of what it has changed. */
static bool is_changed(const struct norn_recorded_match *r, uint32_t spot)
{
	for (uint32_t i = 0; i < r->memory.write_count; i++)
		if (r->memory.writes[i].spot == spot)
			return !r->memory.writes[i].silent;
	return false;
}

static int last_write(struct norn_recorded_match *r, uint32_t place, struct norn_value value, uint64_t raw);

/* An external write is none here: which field of its word has changed is not known, nor whether the object is only a new one. */
static int field_access(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	if (e->kind == NORN_EVENT_EXTERNAL)
		return 0;
	uint32_t at = e->site - NORN_SITE_FIRST, place = at < b->site_count ? b->field_sites[at] : 0;
	if (!place--)
		return 0;
	const struct norn_place *p = &b->spec->places[place];
	uint64_t size = p->bit_size ? e->size : p->size;
	uint64_t raw = p->bit_size ? e->value >> p->bit_offset / 8 * 8 : e->value;
	bool whole = e->known && e->size <= 8 && e->size == size;
	struct norn_value value = whole ? norn_event_value_place(p, raw) : norn_value_unknown();
	for (uint32_t i = b->accesses; i; i = b->clues[i - 1].next) {
		const struct norn_checked_selector *s = selector_of(r, &b->clues[i - 1]);
		struct norn_hit *hit = s->place == place && norn_event_value_fits(s, e) ? add_hit(r, &b->clues[i - 1], e) : NULL;
		if (!hit)
			continue;
		hit->place = place;
		hit->spot = NORN_SPOT_NONE;
		hit->address = hit->self = e->addr;
		hit->value = value;
	}
	return norn_event_value_writes(e) ? last_write(r, place, value, raw) : 0;
}

/* The value last written, for places that are many. */
static int last_write(struct norn_recorded_match *r, uint32_t place, struct norn_value value, uint64_t raw)
{
	struct norn_watched_memory *m = &r->memory;
	uint32_t spot = r->binding->last_written[place];
	if (spot == NORN_SPOT_NONE)
		return 0;
	if (m->write_count == m->write_room) {
		uint32_t room = m->write_room ? m->write_room * 2 : 16;
		struct norn_spot_write *more = realloc(m->writes, room * sizeof *more);
		if (!more)
			return -ENOMEM;
		m->writes = more;
		m->write_room = room;
	}
	m->writes[m->write_count++] =
	        (struct norn_spot_write){.spot = spot, .written = 0xff, .known = value.known ? 0xff : 0, .bytes = raw};
	return 0;
}

static int access_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	int result = norn_watched_memory_step(&r->memory, e);
	if (result != 0)
		return result;
	if (r->memory.zone_count) {
		struct norn_site_info site;
		if ((result = reserve(r, r->memory.zone_count)) != 0)
			return result;
		norn_trace_site(b->trace, e->site, &site);
		if (site.site && site.site->flags & NORN_SITE_BITFIELD && e->kind != NORN_EVENT_EXTERNAL)
			r->position.bitfield = norn_event_value_part(*site.field ? site.field : site.name);
	}
	for (uint32_t i = 0; i < r->memory.zone_count; i++) {
		const struct norn_zone *z = &b->zones[r->memory.zones[i]];
		if (e->kind == NORN_EVENT_EXTERNAL && !is_changed(r, z->spot))
			continue;
		if (b->accesses)
			access_zone(r, e, z);
		const struct norn_place *p = &b->spec->places[z->place];
		if (z->cell_step && norn_event_value_writes(e)) {
			struct norn_value value = e->size == p->size ? norn_event_value_carried(p, e, e->addr, (unsigned)p->size)
			                                             : norn_value_unknown();
			if ((result = last_write(r, z->place, value, e->value)) != 0)
				return result;
		}
	}
	return b->field_sites ? field_access(r, e) : 0;
}

/* The FIELD place that this lock is. A wait for a condition names the condition, not its lock: hence the map. */
static int field_lock(struct norn_recorded_match *r, const struct norn_event *e, uint32_t *ret_place)
{
	const struct norn_binding *b = r->binding;
	uint32_t at = e->site - NORN_SITE_FIRST;
	*ret_place = at < b->site_count ? b->field_sites[at] : 0;
	void *value = norn_map_get(&r->field_locks, e->addr);
	if (value)
		*ret_place = *(uint32_t *)value;
	else if (*ret_place && norn_map_put(&r->field_locks, e->addr, &value) != 0)
		return -ENOMEM;
	else if (*ret_place)
		*(uint32_t *)value = *ret_place;
	return 0;
}

static bool is_zone_of(const struct norn_recorded_match *r, uint32_t place, uint64_t *ret_address)
{
	for (uint32_t i = 0; i < r->memory.zone_count; i++) {
		const struct norn_zone *z = &r->binding->zones[r->memory.zones[i]];
		if (z->place != place || z->hop + 1 != r->binding->spec->places[place].hops)
			continue;
		*ret_address = z->address;
		return true;
	}
	return false;
}

static int lock_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	uint32_t field = 0;
	bool acquires = e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED;
	if (!b->locks || (!acquires && e->op != NORN_SYNC_RELEASE && e->op != NORN_SYNC_RELEASE_SHARED))
		return 0;
	int result = norn_watched_memory_touch(&r->memory, e->addr, 1);
	if (result == 0 && b->field_sites)
		result = field_lock(r, e, &field);
	for (uint32_t i = b->locks; result == 0 && i; i = b->clues[i - 1].next) {
		const struct norn_checked_selector *s = selector_of(r, &b->clues[i - 1]);
		uint64_t address = e->addr;
		if ((s->kind == NORN_POINT_LOCK) != acquires || (field != s->place + 1 && !is_zone_of(r, s->place, &address)))
			continue;
		struct norn_hit *hit = add_hit(r, &b->clues[i - 1], e);
		if (!hit)
			continue;
		hit->place = s->place;
		hit->address = address;
		hit->self = e->addr;
	}
	r->memory.zone_count = 0;
	return result;
}

/* ---- marks and threads ---- */

/* Whether a selector of the kind NOTE means this mark. */
static bool fits_mark(const struct norn_checked_selector *s, const struct norn_event *e, const char *name)
{
	switch (s->mark) {
	case NORN_NOTE_BLOCK:
		return e->op == NORN_MARK_ATOMIC_BEGIN && (!s->note || strcmp(s->note, name) == 0);
	case NORN_NOTE_BLOCK_END:
		return e->op == NORN_MARK_ATOMIC_END;
	default:
		return e->op == NORN_MARK_EVENT && strcmp(s->note, name) == 0;
	}
}

static int mark_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	const struct norn_binding *b = r->binding;
	if (e->op != NORN_MARK_SET && b->notes) {
		const char *name = norn_trace_name(b->trace, (uint32_t)e->argument);
		for (uint32_t i = b->notes; i; i = b->clues[i - 1].next) {
			struct norn_hit *hit =
			        fits_mark(selector_of(r, &b->clues[i - 1]), e, name) ? add_hit(r, &b->clues[i - 1], e) : NULL;
			if (hit)
				hit->value = norn_value_integer((int64_t)e->value);
		}
	}
	if (e->op == NORN_MARK_SET && b->has_sets) {
		const char *name = norn_trace_name(b->trace, (uint32_t)e->argument);
		for (uint32_t i = 0; i < b->spec->place_count; i++) {
			const struct norn_place *p = &b->spec->places[i];
			if ((p->kind == NORN_PLACE_SET || p->kind == NORN_PLACE_FREE) && strcmp(p->text, name) == 0 &&
			        last_write(r, i, norn_value_integer((int64_t)e->value), e->value) != 0)
				return -ENOMEM;
		}
	}
	return 0;
}

static void thread_event(struct norn_recorded_match *r, const struct norn_event *e)
{
	struct calls *c = &r->calls[e->thread];
	if (e->op == NORN_THREAD_BEGIN && !c->started) {
		c->started = true;
		if (r->binding->starts)
			start_hits(r, e, NORN_POINT_START);
	}
	if (e->op == NORN_THREAD_JOIN)
		join_hits(r, e);
	bool ends = e->op == NORN_THREAD_END || e->op == NORN_THREAD_EXIT;
	if (ends && !c->ended && r->binding->starts)
		start_hits(r, e, NORN_POINT_EXIT);
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

static int dispatch(struct norn_recorded_match *r, const struct norn_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		return access_event(r, e);
	case NORN_EVENT_SYNC:
		return lock_event(r, e);
	case NORN_EVENT_ENTER:
		return enter(r, e);
	case NORN_EVENT_LEAVE:
		return leave(r, e);
	case NORN_EVENT_MARK:
		return mark_event(r, e);
	case NORN_EVENT_THREAD:
		thread_event(r, e);
		return 0;
	case NORN_EVENT_LOST:
		r->calls[e->thread].count = r->calls[e->thread].depth = 0;
		return norn_watched_memory_step(&r->memory, e);
	default:
		return norn_watched_memory_step(&r->memory, e);
	}
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
	p->hit_count = 0;
	p->bitfield = NULL;
	p->caller = 0;
	r->slot_count = 0;
	r->memory.write_count = 0;
	int result = e->thread < r->call_count ? 0 : follow_threads(r);
	if (result == 0)
		result = dispatch(r, e);
	if (result != 0)
		return result;
	p->fade_count = 0;
	if (r->next_fade < r->hidden_writes->count && (result = take_fades(r)) != 0)
		return result;
	bool frees = r->binding->has_keys && e->kind == NORN_EVENT_FREE && e->pieces < 2;
	if (!p->hit_count && !r->memory.write_count && !p->fade_count && e->kind != NORN_EVENT_LOST && !frees)
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
	p->hits = r->hits;
	p->writes = r->memory.writes;
	p->write_count = r->memory.write_count;
	p->lost = e->kind == NORN_EVENT_LOST;
	*ret_position = p;
	return 1;
}
