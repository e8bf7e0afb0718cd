#include "predict/live_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "predict/live_instance.h"

static struct norn_value *copy_keys(struct norn_live_search *o, const struct norn_property *p, const struct norn_value *keys)
{
	struct norn_value *copy = norn_arena_alloc(&o->arena, p->key_count * sizeof *copy);
	return copy ? memcpy(copy, keys, p->key_count * sizeof *copy) : NULL;
}

/* ---- life ---- */

static bool has_pointers(const struct norn_spec *spec, const struct norn_influence *concern)
{
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (concern->places[i] && spec->places[i].hops > 1)
			return true;
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t s = 0; concern->events[e] && s < spec->events[e].selector_count; s++) {
			const struct norn_checked_selector *x = &spec->events[e].selectors[s];
			if (x->kind >= NORN_POINT_READ && x->kind <= NORN_POINT_UNLOCK && spec->places[x->place].hops > 1)
				return true;
		}
	return false;
}

/* Can something concern all instances of the property? */
static bool has_common(const struct norn_spec *spec, const struct norn_live_view *v)
{
	for (uint32_t i = 0; i < spec->place_count; i++)
		if (v->concern.places[i])
			return true;
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t k = 0; v->concern.events[e] && k < v->property->key_count; k++)
			if (v->view->topic.key_slots[e * v->property->key_count + k] == NORN_SLOT_NONE)
				return true;
	return false;
}

static int add_vista(struct norn_live_search *o, const struct norn_property *property, struct norn_error *err)
{
	struct norn_live_view *v = &o->vistas[o->vista_count++];
	v->live_search = o;
	v->property = property;
	norn_map_init(&v->index, sizeof(uint32_t));
	if (norn_view_new(o->binding, property, &v->view) != 0 || norn_influence_init(&v->concern, v->view) != 0)
		return norn_error_no_memory(err);
	v->common_events = has_common(o->binding->spec, v);
	if (has_pointers(o->binding->spec, &v->concern)) {
		v->given_up = true;
		o->findings->stats.complete = false;
		return norn_findings_note(o->findings,
		               "property %s is not judged while the program runs: it goes through pointers (norn record and norn "
		               "check judge it)",
		               property->name) == 0
		               ? 0
		               : norn_error_no_memory(err);
	}
	return norn_monitor_new(o->binding->spec, property, NULL, &v->monitor, err);
}

static int add_vistas(struct norn_live_search *o, struct norn_error *err)
{
	const struct norn_spec *spec = o->binding->spec;
	const char *others = "", *loops = "";
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < spec->property_count; i++) {
		const struct norn_property *p = &spec->properties[i];
		if (p->logic <= NORN_LOGIC_FSM && p->predict != NORN_PREDICT_NONE)
			r = add_vista(o, p, err);
		else
			others = norn_findings_text(o->findings, "%s%s%s", others, *others ? ", " : "", p->name);
		if (p->liveness)
			loops = norn_findings_text(o->findings, "%s%s%s", loops, *loops ? ", " : "", p->name);
	}
	for (uint32_t i = 0; i < spec->scope_count; i++)
		others = norn_findings_text(o->findings, "%s%s%s", others, *others ? ", " : "", spec->scopes[i].name);
	if (r == 0 && *loops &&
	        norn_findings_note(
	                o->findings, "loops that could go on for ever are not looked for while the program runs: %s", loops) != 0)
		r = norn_error_no_memory(err);
	if (r == 0 && *others) {
		o->findings->stats.complete = false;
		if (norn_findings_note(o->findings, "not judged while the program runs: %s", others) != 0)
			r = norn_error_no_memory(err);
	}
	return r;
}

int norn_live_search_new(const struct norn_sources *sources, struct norn_binding *binding,
        const struct norn_live_search_options *options, struct norn_findings *findings, struct norn_live_search **ret_outlook,
        struct norn_error *err)
{
	struct norn_live_search *o = calloc(1, sizeof *o);
	if (!o)
		return norn_error_no_memory(err);
	*o = (struct norn_live_search){.sources = sources, .binding = binding, .options = *options, .findings = findings};
	o->vistas = calloc(binding->spec->property_count + 1ul, sizeof *o->vistas);
	int r = o->vistas && norn_recorded_match_new(binding, NULL, &o->relevant) == 0 ? 0 : norn_error_no_memory(err);
	if (r == 0) {
		const struct norn_position *start = norn_recorded_match_start(o->relevant);
		o->start = start ? norn_position_copy(binding->spec, start, &o->arena) : NULL;
		r = o->start ? 0 : norn_error_no_memory(err);
	}
	o->room = binding->threads;
	if (r == 0)
		r = add_vistas(o, err);
	if (r == 0)
		*ret_outlook = o;
	else
		norn_live_search_free(o);
	return r;
}

void norn_live_search_free(struct norn_live_search *o)
{
	if (!o)
		return;
	for (uint32_t i = 0; i < o->vista_count; i++) {
		struct norn_live_view *v = &o->vistas[i];
		for (uint32_t k = 0; k < v->count; k++)
			norn_live_instance_free(v->prospects[k]);
		free(v->prospects);
		free(v->common);
		norn_map_done(&v->index);
		norn_view_free(v->view);
		norn_influence_done(&v->concern);
		norn_monitor_free(v->monitor);
	}
	for (uint32_t t = 0; t < o->thread_count; t++)
		free(o->threads[t].clock);
	free(o->threads);
	free(o->vistas);
	norn_recorded_match_free(o->relevant);
	norn_arena_done(&o->arena);
	free(o);
}

/* ---- threads ---- */

static int reserve_thread(struct norn_live_search *o, uint32_t thread)
{
	if (thread < o->thread_count)
		return 0;
	struct norn_live_search_thread *threads = realloc(o->threads, (thread + 1ul) * sizeof *threads);
	if (!threads)
		return -ENOMEM;
	memset(threads + o->thread_count, 0, (thread + 1 - o->thread_count) * sizeof *threads);
	o->threads = threads;
	o->thread_count = thread + 1;
	return 0;
}

/* What a thread has seen so far. */
static int note_clock(struct norn_live_search_thread *t, const uint32_t *clock, uint32_t width)
{
	uint32_t entries = 0;
	for (uint32_t j = 0; j < width; j++)
		entries += clock[j] > 0;
	if (entries > t->room) {
		struct norn_live_kept_entry *wider = realloc(t->clock, (size_t)2 * entries * sizeof *wider);
		if (!wider)
			return -ENOMEM;
		t->clock = wider;
		t->room = 2 * entries;
	}
	t->entries = 0;
	for (uint32_t j = 0; j < width; j++)
		if (clock[j])
			t->clock[t->entries++] = (struct norn_live_kept_entry){j, clock[j]};
	t->version++;
	return 0;
}

/* The binding may have got room for more threads, which valuations have to follow. */
static int follow_binding(struct norn_live_search *o)
{
	int r = 0;
	if (o->room == o->binding->threads)
		return 0;
	for (uint32_t i = 0; i < o->vista_count; i++)
		for (uint32_t k = 0; r == 0 && k < o->vistas[i].count; k++)
			r = norn_live_instance_widen(o->vistas[i].prospects[k], o->room);
	o->room = o->binding->threads;
	return r;
}

int norn_live_search_thread(struct norn_live_search *o, uint32_t thread, const uint32_t *clock, uint32_t width)
{
	int r = reserve_thread(o, thread);
	o->changes++;
	if (r != 0 || o->threads[thread].version)
		return r;
	o->threads[thread].known = true;
	return note_clock(&o->threads[thread], clock, width);
}

void norn_live_search_wait(struct norn_live_search *o, uint32_t thread, uint32_t joined)
{
	o->changes++;
	if (thread < o->thread_count)
		o->threads[thread].waits_for = joined + 1;
}

void norn_live_search_end(struct norn_live_search *o, uint32_t thread)
{
	o->changes++;
	if (thread < o->thread_count)
		o->threads[thread].ended = true;
}

/* ---- instances ---- */

static uint64_t hash_keys(const struct norn_property *p, const struct norn_value *keys)
{
	uint64_t h = 0;
	for (uint32_t k = 0; k < p->key_count; k++)
		h = norn_monitor_hash(h ^ (keys[k].is_float ? (uint64_t)keys[k].real : (uint64_t)keys[k].integer));
	return h;
}

static bool same_keys(const struct norn_property *p, const struct norn_value *a, const struct norn_value *b)
{
	for (uint32_t k = 0; k < p->key_count; k++)
		if (norn_value_equal(a[k], b[k]) != NORN_TRUTH_YES)
			return false;
	return true;
}

static int add_prospect(struct norn_live_view *v, const struct norn_value *keys, struct norn_live_instance **ret_prospect)
{
	if (v->count == v->room) {
		uint32_t room = v->room ? 2 * v->room : 4;
		struct norn_live_instance **list = realloc(v->prospects, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		v->prospects = list;
		v->room = room;
	}
	struct norn_value *own = keys ? copy_keys(v->live_search, v->property, keys) : NULL;
	struct norn_live_instance *p;
	int r = keys && !own ? -ENOMEM : norn_live_instance_new(v, own, &p);
	if (r != 0)
		return r;
	v->prospects[v->count++] = p;
	for (uint32_t i = 0; r == 0 && i < v->common_count; i++)
		r = norn_live_instance_add(p, v->common[i]);
	*ret_prospect = p;
	return r;
}

/* The instance with these keys, made if there is none that has not ended. keys NULL: the only one. */
static int find_prospect(struct norn_live_view *v, const struct norn_value *keys, struct norn_live_instance **ret_prospect)
{
	void *value;
	if (norn_map_put(&v->index, keys ? hash_keys(v->property, keys) : 0, &value) != 0)
		return -ENOMEM;
	uint32_t newest = *(uint32_t *)value;
	for (uint32_t i = newest; i; i = v->prospects[i - 1]->chain)
		if (!v->prospects[i - 1]->ended && (!keys || same_keys(v->property, v->prospects[i - 1]->keys, keys))) {
			*ret_prospect = v->prospects[i - 1];
			return 0;
		}
	int r = add_prospect(v, keys, ret_prospect);
	if (r == 0) {
		(*ret_prospect)->chain = newest;
		*(uint32_t *)value = v->count;
	}
	return r;
}

static void end_prospects(struct norn_live_view *v, const struct norn_position *at)
{
	for (uint32_t i = 0; i < v->count; i++)
		for (uint32_t k = 0; !v->prospects[i]->ended && k < v->property->key_count; k++) {
			struct norn_value key = v->prospects[i]->keys[k];
			v->prospects[i]->ended |= key.known && !key.is_float && key.integer >= at->address &&
			                          key.integer < (__int128)at->address + at->size;
		}
}

/* ---- events ---- */

static int give_up(struct norn_live_view *v, const char *why)
{
	if (v->given_up)
		return 0;
	v->given_up = true;
	v->live_search->findings->stats.complete = false;
	return norn_findings_note(v->live_search->findings, "property %s is not judged any further: %s", v->property->name, why);
}

static int add_common(struct norn_live_view *v, const struct norn_live_kept *kept)
{
	if (v->common_count == v->common_room) {
		uint32_t room = v->common_room ? 2 * v->common_room : 8;
		const struct norn_live_kept **list = realloc(v->common, room * sizeof(*list));
		if (!list)
			return -ENOMEM;
		v->common = list;
		v->common_room = room;
	}
	v->common[v->common_count++] = kept;
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < v->count; i++)
		r = norn_live_instance_add(v->prospects[i], kept);
	return r;
}

/* To the instances that its events name; to all if one of its events, or a write, names none. */
static int distribute(struct norn_live_view *v, const struct norn_live_kept *kept)
{
	const struct norn_position *p = kept->position;
	struct norn_value keys[NORN_KEYS_MAX];
	struct norn_live_instance *live_instance;
	bool common = p->write_count || p->fade_count;
	int r = 0;
	for (uint32_t h = 0; h < p->hit_count && !common; h++)
		common = v->concern.events[p->hits[h].event] && !norn_view_keys(v->view, &p->hits[h], keys);
	for (uint32_t h = 0; r == 0 && h < p->hit_count; h++) {
		if (!v->concern.events[p->hits[h].event] || !norn_view_keys(v->view, &p->hits[h], keys))
			continue;
		for (uint32_t k = 0; k < v->property->key_count; k++)
			if (!keys[k].known)
				return give_up(v, "an event's key is not known");
		r = find_prospect(v, keys, &live_instance);
		if (r == 0 && !common)
			r = norn_live_instance_add(live_instance, kept);
	}
	return r == 0 && common ? add_common(v, kept) : r;
}

/* Was one of its variables written by nobody knows whom? Then since when is not known either. */
static bool is_foreign(const struct norn_live_view *v, const struct norn_position *p)
{
	for (uint32_t i = 0; p->kind == NORN_EVENT_EXTERNAL && i < p->write_count; i++)
		if (v->concern.spots[p->writes[i].spot] && !p->writes[i].silent)
			return true;
	return false;
}

static int hear(struct norn_live_view *v, const struct norn_position *p, const struct norn_live_kept *kept)
{
	struct norn_live_instance *only;
	if (v->given_up)
		return 0;
	if (is_foreign(v, p))
		return give_up(v, "code without Norn's hooks wrote one of its variables");
	int r = 0;
	if (norn_influence_has(&v->concern, p)) {
		if (v->property->key_count)
			r = distribute(v, kept);
		else if ((r = find_prospect(v, NULL, &only)) == 0)
			r = norn_live_instance_add(only, kept);
	}
	if (v->property->key_count && p->kind == NORN_EVENT_FREE)
		end_prospects(v, p);
	return r == -ESTALE ? give_up(v, "an event came that belongs before what was judged already (of a thread whose beginning "
	                                 "nobody told, or whose wait ended early)")
	                    : r;
}

static struct norn_live_kept *keep(
        struct norn_live_search *o, const struct norn_position *position, const uint32_t *clock, uint32_t width, uint64_t number)
{
	uint32_t entries = 0;
	for (uint32_t j = 0; j < width; j++)
		entries += clock[j] > 0;
	struct norn_live_kept *kept = norn_arena_alloc(&o->arena, sizeof *kept + entries * sizeof *kept->clock);
	const struct norn_position *copy = norn_position_copy(o->binding->spec, position, &o->arena);
	if (!kept || !copy)
		return NULL;
	if (number)
		((struct norn_position *)(uintptr_t)copy)->number = number;
	*kept = (struct norn_live_kept){
	        .position = copy, .thread = position->thread, .sent = clock[position->thread], .number = number};
	for (uint32_t j = 0; j < width; j++)
		if (clock[j])
			kept->clock[kept->entries++] = (struct norn_live_kept_entry){j, clock[j]};
	o->kept_bytes += sizeof *kept + entries * sizeof *kept->clock + sizeof *copy + copy->hit_count * sizeof *copy->hits +
	                 copy->write_count * sizeof *copy->writes;
	return kept;
}

static bool is_wanted(const struct norn_live_search *o, const struct norn_position *p)
{
	for (uint32_t i = 0; i < o->vista_count; i++)
		if (!o->vistas[i].given_up && norn_influence_has(&o->vistas[i].concern, p))
			return true;
	return false;
}

static void note_number(struct norn_live_search *o, uint64_t number)
{
	o->numbered += number > 0;
	o->highest = number > o->highest ? number : o->highest;
	if (o->numbered == o->highest)
		o->complete_to = o->highest;
}

int norn_live_search_event(
        struct norn_live_search *o, const struct norn_event *event, const uint32_t *clock, uint32_t width, uint64_t number)
{
	const struct norn_position *p;
	const struct norn_live_kept *kept = NULL;
	if (event->thread >= width || clock[event->thread] == 0)
		return -EBADMSG;
	int r = reserve_thread(o, event->thread);
	if (r == 0)
		r = note_clock(&o->threads[event->thread], clock, width);
	if (r == 0)
		r = follow_binding(o);
	if (r != 0)
		return r;
	o->changes++;
	o->threads[event->thread].known = true;
	o->threads[event->thread].waits_for = 0;
	note_number(o, number);
	r = norn_recorded_match_event(o->relevant, event, &p);
	if (r <= 0)
		return r;
	if (is_wanted(o, p)) {
		kept = keep(o, p, clock, width, number);
		if (!kept)
			return -ENOMEM;
		p = kept->position;
		o->findings->stats.relevant++;
	}
	r = 0;
	for (uint32_t i = 0; r == 0 && i < o->vista_count; i++)
		r = hear(&o->vistas[i], p, kept);
	return r;
}

/* ---- the search ---- */

static int each(struct norn_live_search *o, int (*job)(struct norn_live_instance *, bool, struct norn_error *), bool whole,
        struct norn_error *err)
{
	int r = follow_binding(o); /* a thread may have become known since the last event */
	if (r != 0)
		return norn_error_no_memory(err);
	for (uint32_t i = 0; i < o->vista_count; i++)
		for (uint32_t k = 0; r == 0 && k < o->vistas[i].count && !o->vistas[i].given_up; k++)
			r = job(o->vistas[i].prospects[k], whole, err);
	return r;
}

int norn_live_search_climb(struct norn_live_search *o, struct norn_error *err)
{
	return each(o, norn_live_instance_climb, false, err);
}

int norn_live_search_probe(struct norn_live_search *o, struct norn_error *err)
{
	o->probed = o->changes;
	return each(o, norn_live_instance_probe, false, err);
}

bool norn_live_search_has_news(const struct norn_live_search *o)
{
	return o->probed != o->changes;
}

int norn_live_search_finish(struct norn_live_search *o, bool whole, struct norn_error *err)
{
	if (follow_binding(o) != 0)
		return norn_error_no_memory(err);
	/* Position 0 may violate, and with it runs without events. */
	for (uint32_t i = 0; i < o->vista_count; i++) {
		struct norn_live_view *v = &o->vistas[i];
		struct norn_live_instance *only;
		if (!v->given_up && !v->property->key_count && find_prospect(v, NULL, &only) != 0)
			return norn_error_no_memory(err);
	}
	return each(o, norn_live_instance_finish, whole, err);
}

uint64_t norn_live_search_bytes(const struct norn_live_search *o)
{
	uint64_t bytes = o->kept_bytes;
	for (uint32_t i = 0; i < o->vista_count; i++)
		for (uint32_t k = 0; k < o->vistas[i].count; k++)
			bytes += norn_live_instance_bytes(o->vistas[i].prospects[k]);
	return bytes;
}
