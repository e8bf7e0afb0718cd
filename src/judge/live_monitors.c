#include "judge/live_monitors.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/states.h"
#include "judge/instances.h"
#include "engine/lock.h"

/* ---- making ---- */

static bool mentions_place(const struct norn_expr *e)
{
	return e && (e->op == NORN_EXPR_PLACE || e->op == NORN_EXPR_OLD || mentions_place(e->a) || mentions_place(e->b));
}

/* Whether anything that is judged depends on what variables hold. */
static bool needs_values(const struct norn_spec *spec, const struct norn_plan_law *law)
{
	bool needs = false;
	for (uint32_t e = 0; e < spec->event_count; e++)
		for (uint32_t i = 0; i < spec->events[e].selector_count; i++) {
			const struct norn_checked_selector *s = &spec->events[e].selectors[i];
			needs |= mentions_place(s->condition) || (s->kind >= NORN_POINT_READ && s->kind <= NORN_POINT_ACCESS);
		}
	for (uint32_t g = 0; g < spec->ghost_count; g++) {
		needs |= mentions_place(spec->ghosts[g].initial);
		for (uint32_t i = 0; i < spec->ghosts[g].update_count; i++)
			needs |= mentions_place(spec->ghosts[g].updates[i].value);
	}
	for (uint32_t p = 0; p < spec->property_count; p++) {
		const struct norn_property *property = &spec->properties[p];
		for (uint32_t i = 0; law->monitors[p] && i < property->atom_count; i++)
			needs |= property->atoms[i].kind == NORN_ATOM_PREDICATE && mentions_place(property->atoms[i].predicate);
		for (uint32_t h = 0; law->monitors[p] && h < property->handler_count; h++)
			for (uint32_t i = 0; i < property->handlers[h].action_count; i++)
				for (uint32_t k = 0; k < property->handlers[h].actions[i].argument_count; k++)
					needs |= mentions_place(property->handlers[h].actions[i].arguments[k]);
	}
	return needs;
}

int norn_live_monitors_new(const struct norn_plan_law *law, enum norn_watch_mode mode, struct norn_event_match *event_match,
        norn_peek *peek, struct norn_live_monitors **ret_machines)
{
	struct norn_live_monitors *m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	m->spec = &law->spec;
	m->event_match = event_match;
	m->mode = mode;
	m->values_needed = needs_values(&law->spec, law);
	m->locked = mode == NORN_WATCH_GLOBAL || m->values_needed;
	m->list = calloc(law->spec.property_count + 1ul, sizeof *m->list);
	int r = m->list ? norn_place_values_init(&m->values, &event_match->zones, peek) : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < law->spec.property_count; i++)
		if (law->monitors[i]) {
			struct norn_property_machine *machine = &m->list[m->count++];
			machine->monitor = law->monitors[i];
			machine->index = i;
			r = norn_property_terms_init(&machine->topic, m->spec, &m->spec->properties[i]);
		}
	if (r == 0 && mode == NORN_WATCH_GLOBAL)
		r = norn_dockets_new(m, &m->dockets);
	if (r == 0)
		*ret_machines = m;
	else
		norn_live_monitors_free(m);
	return r;
}

void norn_live_monitors_free(struct norn_live_monitors *m)
{
	if (!m)
		return;
	norn_dockets_free(m, m->dockets);
	for (uint32_t i = 0; m->list && i < m->count; i++)
		norn_property_terms_done(&m->list[i].topic);
	norn_place_values_done(&m->values);
	free(m->list);
	free(m);
}

bool norn_live_monitors_any(const struct norn_live_monitors *m)
{
	return m->count > 0;
}

void norn_live_monitors_lock(struct norn_live_monitors *m)
{
	norn_online_lock(&m->lock);
}

void norn_live_monitors_unlock(struct norn_live_monitors *m)
{
	norn_online_unlock(&m->lock);
}

static void enter(struct norn_live_monitors *m)
{
	if (m->locked)
		norn_online_lock(&m->lock);
}

static void leave(struct norn_live_monitors *m)
{
	if (m->locked)
		norn_online_unlock(&m->lock);
}

/* ---- expressions at a moment ---- */

struct norn_value norn_moment_leaf(void *context, const struct norn_expr *e)
{
	const struct norn_instance_scene *s = context;
	const struct norn_now *now = s->now;
	switch (e->op) {
	case NORN_EXPR_PLACE:
		return norn_place_values_place(&now->machines->values, e->index);
	case NORN_EXPR_GHOST:
		return now->bench->ghosts[2 * e->index];
	case NORN_EXPR_SLOT:
		return s->hit ? s->hit->slots[e->index] : norn_value_unknown();
	case NORN_EXPR_KEY:
		return s->keys ? s->keys[e->index] : norn_value_unknown();
	case NORN_EXPR_VALUE:
		return s->hit ? s->hit->value : norn_value_unknown();
	case NORN_EXPR_OLD:
		return s->hit ? s->hit->old : norn_value_unknown();
	case NORN_EXPR_SELF:
		return s->hit && s->hit->self ? norn_value_integer(s->hit->self) : norn_value_unknown();
	case NORN_EXPR_TID:
		return norn_value_integer(now->self->number);
	case NORN_EXPR_EVENT:
		if (!now->decided || now->bench->events[e->index] == NORN_TRUTH_UNKNOWN)
			return norn_value_unknown();
		return norn_value_integer(now->bench->events[e->index]);
	default:
		return norn_value_unknown();
	}
}

/* A place that pointers lead to is hit only while they lead there. */
static bool leads_there(const struct norn_now *now, const struct norn_online_hit *hit)
{
	const struct norn_live_monitors *m = now->machines;
	bool passed;
	if (hit->place == NORN_SLOT_NONE || m->spec->places[hit->place].hops <= 1 ||
	        m->event_match->zones.last_written[hit->place] != NORN_NO_SPOT)
		return true;
	uint32_t spot = norn_place_values_resolve(&m->values, hit->place, NORN_NO_SPOT, &passed);
	return spot != NORN_NO_SPOT && m->event_match->zones.spots[spot].address == hit->address;
}

static void decide(struct norn_now *now, struct norn_online_hit *hit)
{
	const struct norn_expr *condition = now->machines->spec->events[hit->event].selectors[hit->selector].condition;
	if (!leads_there(now, hit)) {
		hit->holds = NORN_TRUTH_NO;
		return;
	}
	if (!condition || hit->holds != NORN_TRUTH_UNKNOWN)
		return;
	struct norn_instance_scene scene = {.now = now, .hit = hit};
	enum norn_truth truth = norn_expr_holds(condition, &(struct norn_eval_env){norn_moment_leaf, &scene});
	hit->holds = (int8_t)(truth == NORN_TRUTH_YES && hit->unseen ? NORN_TRUTH_UNKNOWN : truth);
}

static void decide_events(struct norn_now *now)
{
	int8_t *events = now->bench->events;
	memset(events, NORN_TRUTH_NO, now->machines->spec->event_count);
	for (uint32_t i = 0; i < now->look->count; i++) {
		struct norn_online_hit *hit = &now->look->hits[i];
		if (hit->event == NORN_SLOT_NONE)
			continue;
		decide(now, hit);
		if (hit->holds == NORN_TRUTH_YES || (hit->holds == NORN_TRUTH_UNKNOWN && events[hit->event] == NORN_TRUTH_NO))
			events[hit->event] = hit->holds;
	}
	now->decided = true;
}

/* ---- ghosts ---- */

static struct norn_value updated(
        struct norn_now *now, const struct norn_checked_update *u, uint32_t ghost, const struct norn_online_hit *hit)
{
	if (u->fresh) {
		struct norn_value top = now->bench->ghosts[2 * ghost + 1];
		if (top.known && !top.is_float)
			top.integer++;
		return top.known && top.is_float ? norn_value_unknown() : top;
	}
	struct norn_instance_scene scene = {.now = now, .hit = hit};
	bool decided = now->decided;
	now->decided = false;
	struct norn_value value = norn_expr_eval(u->value, &(struct norn_eval_env){norn_moment_leaf, &scene});
	now->decided = decided;
	return value;
}

static void raise_top(struct norn_value *top, struct norn_value value)
{
	if (!top->known)
		return;
	if (!value.known)
		*top = norn_value_unknown();
	else if (!value.is_float && !top->is_float && value.integer > top->integer)
		*top = value;
}

static const struct norn_online_hit *hit_for(const struct norn_now *now, uint32_t event)
{
	for (uint32_t i = 0; i < now->look->count; i++)
		if (now->look->hits[i].event == event && now->look->hits[i].holds != NORN_TRUTH_NO)
			return &now->look->hits[i];
	return NULL;
}

/* The first update of each ghost whose event takes place counts. All are computed from the ghosts before. */
static void update_ghosts(struct norn_now *now)
{
	const struct norn_spec *spec = now->machines->spec;
	struct norn_value *news = now->bench->news;
	for (uint32_t g = 0; g < spec->ghost_count; g++) {
		now->bench->set[g] = false;
		for (uint32_t u = 0; u < spec->ghosts[g].update_count && !now->bench->set[g]; u++) {
			const struct norn_checked_update *update = &spec->ghosts[g].updates[u];
			const struct norn_online_hit *hit = hit_for(now, update->event);
			if (!hit)
				continue;
			now->bench->set[g] = true;
			news[g] = hit->holds == NORN_TRUTH_YES ? updated(now, update, g, hit) : norn_value_unknown();
		}
	}
	for (uint32_t g = 0; g < spec->ghost_count; g++) {
		if (!now->bench->set[g])
			continue;
		now->bench->ghosts[2 * g] = news[g];
		raise_top(&now->bench->ghosts[2 * g + 1], news[g]);
	}
}

/* ---- positions ---- */

/* For what is judged without an event that could be anybody's. Nobody adds to it. */
static struct norn_look nothing;

static struct norn_now now_of(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench,
        const struct norn_event *event, struct norn_look *look)
{
	return (struct norn_now){.machines = m,
	        .self = self,
	        .bench = bench,
	        .event = event,
	        .look = look,
	        .changes = bench->changes,
	        .dockets = m->mode == NORN_WATCH_GLOBAL ? m->dockets : bench->dockets};
}

/* Position 0: the values that the run starts with. In thread mode: that the thread starts with. */
static void begin_run(struct norn_now *now, bool *begun)
{
	if (*begun)
		return;
	*begun = true;
	struct norn_look *look = now->look;
	const struct norn_event *event = now->event;
	static const struct norn_event start;
	now->look = &nothing;
	now->event = &start;
	now->starts = true;
	norn_place_values_follow(&now->machines->values);
	decide_events(now);
	memset(now->bench->set, 0, now->machines->spec->ghost_count * sizeof *now->bench->set);
	for (uint32_t i = 0; i < now->machines->count; i++)
		if (now->machines->list[i].topic.property->states)
			norn_instances_position(now, i);
	now->starts = false;
	now->decided = false;
	now->look = look;
	now->event = event;
}

static void judge(struct norn_now *now)
{
	struct norn_live_monitors *m = now->machines;
	decide_events(now);
	update_ghosts(now);
	uint64_t *serial = m->mode == NORN_WATCH_GLOBAL ? &m->serial : &now->bench->serial;
	now->serial = ++*serial;
	bool relevant = false;
	for (uint32_t i = 0; i < m->count; i++)
		relevant |= norn_instances_position(now, i);
	if (m->mode == NORN_WATCH_GLOBAL)
		atomic_store_explicit(
		        &m->relevant, atomic_load_explicit(&m->relevant, memory_order_relaxed) + relevant, memory_order_relaxed);
	else
		now->bench->relevant += relevant;
}

static bool prepare(struct norn_now *now)
{
	struct norn_live_monitors *m = now->machines;
	if (atomic_load_explicit(&m->over, memory_order_relaxed))
		return false;
	begin_run(now, m->mode == NORN_WATCH_GLOBAL ? &m->begun : &now->bench->begun);
	return true;
}

void norn_live_monitors_event(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench,
        const struct norn_event *event, struct norn_look *look)
{
	struct norn_now now = now_of(m, self, bench, event, look);
	enter(m);
	if (prepare(&now)) {
		for (uint32_t i = 0; i < look->count; i++)
			if (look->hits[i].event == NORN_SLOT_NONE)
				now.change_count = norn_place_values_set(
				        &m->values, look->hits[i].place, true, event->value, now.changes, now.change_count);
		judge(&now);
	}
	leave(m);
}

static bool writes(const struct norn_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL;
}

/* Elements [*] and fields of every object: the value last written. */
static void note_last_written(struct norn_now *now, const uint32_t *zones, uint32_t count)
{
	struct norn_live_monitors *m = now->machines;
	const struct norn_event *e = now->event;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_online_zone *z = &m->event_match->zones.list[zones[i]];
		if (z->cell_step)
			now->change_count = norn_place_values_set(&m->values, z->place,
			        e->known && e->size == m->spec->places[z->place].size && e->size <= 8, e->value, now->changes,
			        now->change_count);
	}
	const struct norn_event_match_site *site = m->event_match->has_fields && e->kind != NORN_EVENT_EXTERNAL
	                                                   ? norn_event_match_site(m->event_match, e->site)
	                                                   : NULL;
	if (!site || !site->field)
		return;
	const struct norn_place *p = &m->spec->places[site->field - 1];
	bool whole = e->known && e->size <= 8 && e->size == (p->bit_size ? e->size : p->size);
	now->change_count = norn_place_values_set(&m->values, site->field - 1, whole,
	        p->bit_size ? e->value >> p->bit_offset / 8 * 8 : e->value, now->changes, now->change_count);
}

/* Zones of libraries that were unloaded meanwhile: their bytes are something else's. */
static uint32_t drop_gone(const struct norn_live_monitors *m, const uint32_t *zones, uint32_t count, uint32_t *ret_zones)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t witness = m->event_match->zones.list[zones[i]].witness;
		uint32_t magic = 0;
		if (!witness || (m->values.peek(witness, &magic, sizeof magic) && magic == NORN_SITE_MAGIC))
			ret_zones[kept++] = zones[i];
	}
	return kept;
}

void norn_live_monitors_access(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench,
        const struct norn_event *event, const uint32_t *touched, uint32_t count, struct norn_look *look)
{
	struct norn_now now = now_of(m, self, bench, event, look);
	uint32_t zones[NORN_HITS_MAX];
	look->count = 0;
	if (!prepare(&now))
		return;
	count = drop_gone(m, touched, count < NORN_HITS_MAX ? count : NORN_HITS_MAX, zones);
	norn_place_values_follow(&m->values);
	norn_event_match_access(m->event_match, self, event, zones, count, look);
	for (uint32_t i = 0; i < look->count; i++)
		for (uint32_t k = 0; k < count; k++)
			if (m->event_match->zones.list[zones[k]].place == look->hits[i].place &&
			        m->event_match->zones.list[zones[k]].address == look->hits[i].address)
				look->hits[i].old = norn_place_values_old(
				        &m->values, look->hits[i].place, m->event_match->zones.list[zones[k]].spot);
	now.change_count = norn_place_values_apply(&m->values, event, zones, count, now.changes);
	if (writes(event))
		note_last_written(&now, zones, count);
	if (look->count || now.change_count)
		judge(&now);
}

void norn_live_monitors_arrive(
        struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench, struct norn_look *look)
{
	static const struct norn_event none;
	if (m->mode == NORN_WATCH_GLOBAL ? m->begun : bench->begun)
		return;
	struct norn_now now = now_of(m, self, bench, &none, look);
	prepare(&now);
}

void norn_live_monitors_before(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench,
        const struct norn_event *event, const uint32_t *zones, uint32_t count, struct norn_look *look)
{
	struct norn_event external = *event;
	for (unsigned tries = 0; tries < 8 && norn_place_values_external(&m->values, zones, count, &external); tries++) {
		uint32_t touched[NORN_HITS_MAX];
		uint32_t n = norn_place_index_find(&m->event_match->zones, external.addr, external.size, touched, NORN_HITS_MAX);
		norn_live_monitors_access(m, self, bench, &external, touched, n, look);
	}
}

void norn_live_monitors_block(
        struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench, const struct norn_event *event)
{
	struct norn_now now = now_of(m, self, bench, event, &nothing);
	enter(m);
	if (prepare(&now)) {
		uint32_t zones[NORN_HITS_MAX];
		uint32_t count = 0;
		if (m->event_match->zones.has_pointers)
			count = norn_place_index_find(&m->event_match->zones, event->addr, event->size, zones, NORN_HITS_MAX);
		if (count)
			now.change_count = norn_place_values_apply(&m->values, event, zones, count, now.changes);
		for (uint32_t i = 0; event->kind == NORN_EVENT_FREE && i < m->count; i++)
			norn_instances_freed(&now, i);
	}
	leave(m);
}

/* ---- threads, and the end ---- */

struct norn_bench *norn_live_monitors_begin(struct norn_live_monitors *m, struct norn_online_thread *self)
{
	const struct norn_spec *spec = m->spec;
	struct norn_bench *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	b->events = calloc(spec->event_count + 1ul, 1);
	b->set = calloc(spec->ghost_count + 1ul, sizeof *b->set);
	b->memory = calloc(3ul * spec->ghost_count + 2, sizeof *b->ghosts);
	if (!b->events || !b->set || !b->memory || (m->mode == NORN_WATCH_THREAD && norn_dockets_new(m, &b->dockets) != 0)) {
		free(b->events);
		free(b->set);
		free(b->memory);
		free(b);
		return NULL;
	}
	b->ghosts = b->memory;
	b->news = b->ghosts + 2ul * spec->ghost_count;
	static const struct norn_event start;
	struct norn_now now = now_of(m, self, b, &start, NULL);
	struct norn_instance_scene scene = {.now = &now};
	enter(m);
	norn_place_values_follow(&m->values);
	for (uint32_t g = 0; g < spec->ghost_count; g++)
		b->ghosts[2 * g] = b->ghosts[2 * g + 1] =
		        norn_expr_eval(spec->ghosts[g].initial, &(struct norn_eval_env){norn_moment_leaf, &scene});
	leave(m);
	return b;
}

static void count_in(struct norn_live_monitors *m, struct norn_bench *b)
{
	atomic_fetch_add_explicit(&m->relevant, b->relevant, memory_order_relaxed);
	b->relevant = 0;
}

/* The run is over for these machines: what is still open is settled. */
static void end_all(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench)
{
	static const struct norn_event end;
	struct norn_now now = now_of(m, self, bench, &end, &nothing);
	if (prepare(&now))
		for (uint32_t i = 0; i < m->count; i++)
			norn_instances_end(&now, i);
}

void norn_live_monitors_end(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench)
{
	if (m->mode == NORN_WATCH_THREAD) {
		enter(m);
		end_all(m, self, bench);
		leave(m);
	}
	count_in(m, bench);
	norn_dockets_free(m, bench->dockets);
	free(bench->events);
	free(bench->set);
	free(bench->memory);
	free(bench);
}

void norn_live_monitors_finish(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_bench *bench)
{
	enter(m);
	end_all(m, self, bench);
	if (m->mode == NORN_WATCH_GLOBAL)
		atomic_store(&m->over, true);
	leave(m);
	count_in(m, bench);
}

void norn_live_monitors_count(struct norn_live_monitors *m, struct norn_live_monitors_counts *ret_counts)
{
	ret_counts->relevant = atomic_load(&m->relevant);
	ret_counts->complete = !atomic_load(&m->incomplete);
}
