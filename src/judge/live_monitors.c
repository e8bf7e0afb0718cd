#include "judge/live_monitors.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "judge/live_monitors_state.h"

/* ---- making ---- */

static bool mentions_place(const struct norn_expr *e)
{
	return e && (e->op == NORN_EXPR_PLACE || e->op == NORN_EXPR_OLD || mentions_place(e->a) || mentions_place(e->b));
}

/* True if anything that is judged depends on values of variables. */
static bool needs_values(const struct norn_spec *spec, const struct norn_plan_props *props)
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
		for (uint32_t i = 0; props->monitors[p] && i < property->atom_count; i++)
			needs |= property->atoms[i].kind == NORN_ATOM_PREDICATE && mentions_place(property->atoms[i].predicate);
		for (uint32_t h = 0; props->monitors[p] && h < property->handler_count; h++)
			for (uint32_t i = 0; i < property->handlers[h].action_count; i++)
				for (uint32_t k = 0; k < property->handlers[h].actions[i].argument_count; k++)
					needs |= mentions_place(property->handlers[h].actions[i].arguments[k]);
	}
	return needs;
}

static void free_instances(const struct norn_live_monitors *m, struct norn_instances *list)
{
	for (uint32_t i = 0; list && i < m->count; i++)
		norn_instances_done(&list[i]);
	free(list);
}

static int new_instances(const struct norn_live_monitors *m, struct norn_instances **ret_list)
{
	struct norn_instances *list = calloc(m->count + 1ul, sizeof *list);
	int r = list ? 0 : -ENOMEM;
	for (uint32_t i = 0; list && i < m->count && r == 0; i++)
		r = norn_instances_init(&list[i], &m->list[i].terms, m->list[i].monitor);
	if (r == 0)
		*ret_list = list;
	else
		free_instances(m, list);
	return r;
}

int norn_live_monitors_new(const struct norn_plan_props *props, enum norn_watch_mode mode, struct norn_event_match *event_match,
        norn_peek *peek, struct norn_live_monitors **ret_machines)
{
	struct norn_live_monitors *m = calloc(1, sizeof *m);
	if (!m)
		return -ENOMEM;
	m->spec = &props->spec;
	m->event_match = event_match;
	m->mode = mode;
	m->values_needed = needs_values(&props->spec, props);
	m->locked = mode == NORN_WATCH_GLOBAL || m->values_needed;
	m->list = calloc(props->spec.property_count + 1ul, sizeof *m->list);
	int r = m->list ? norn_place_values_init(&m->values, &event_match->place_index, peek, NULL) : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < props->spec.property_count; i++)
		if (props->monitors[i]) {
			struct norn_property_machine *machine = &m->list[m->count++];
			machine->monitor = props->monitors[i];
			machine->index = i;
			r = norn_property_terms_init(&machine->terms, m->spec, &m->spec->properties[i]);
		}
	if (r == 0 && mode == NORN_WATCH_GLOBAL)
		r = new_instances(m, &m->instances);
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
	free_instances(m, m->instances);
	for (uint32_t i = 0; m->list && i < m->count; i++)
		norn_property_terms_done(&m->list[i].terms);
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

/* ---- positions ---- */

static struct norn_now now_of(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch,
        const struct norn_event *event)
{
	scratch->moment.thread = self->number;
	return (struct norn_now){.machines = m,
	        .self = self,
	        .scratch = scratch,
	        .moment = &scratch->moment,
	        .event = event,
	        .instances = m->mode == NORN_WATCH_GLOBAL ? m->instances : scratch->instances};
}

/* The event that the moment is of: its hits, and values as they are after it. */
static void set_event(struct norn_now *now, struct norn_look *look, uint32_t changes)
{
	struct norn_moment *m = now->moment;
	m->spots = now->machines->values.spots;
	m->spot_count = now->machines->values.ready;
	m->hits = look ? look->hits : NULL;
	m->hit_count = look ? look->count : 0;
	m->bitfield = look ? look->bitfield : NULL;
	m->change_count = changes;
	m->decided = false;
}

/* Memory that code without hooks has written is not known: asked before a letter is read, so that no verdict stands on it. */
static void check_values(struct norn_now *now, const struct norn_property_machine *m)
{
	for (uint32_t i = 0; now->machines->values_needed && i < m->terms.place_count; i++)
		norn_place_values_check(&now->machines->values, m->terms.place_list[i], true);
}

static struct norn_judging judging_of(struct norn_now *now, uint64_t serial)
{
	return (struct norn_judging){now->moment, serial, &norn_live_outcomes, now};
}

static bool judge_machine(struct norn_now *now, uint32_t i, uint64_t serial)
{
	struct norn_live_monitors *m = now->machines;
	if (now->instances[i].keys_unknown || !norn_moment_concerns(now->moment, &m->list[i].terms))
		return false;
	now->i = i;
	check_values(now, &m->list[i]);
	const struct norn_judging judging = judging_of(now, serial);
	int r = norn_instances_position(&now->instances[i], &judging);
	if (r < 0)
		norn_live_no_memory(now);
	return r != 0;
}

/* Position 0: the values that the run starts with. In thread mode: that the thread starts with. */
static void begin_run(struct norn_now *now, bool *begun)
{
	if (*begun)
		return;
	*begun = true;
	const struct norn_event *event = now->event;
	static const struct norn_event start;
	now->event = &start;
	now->moment->starts = true;
	norn_place_values_follow(&now->machines->values);
	set_event(now, NULL, 0);
	norn_moment_decide(now->moment);
	memset(now->moment->set, 0, now->machines->spec->ghost_count * sizeof *now->moment->set);
	for (uint32_t i = 0; i < now->machines->count; i++)
		if (now->machines->list[i].terms.property->states)
			judge_machine(now, i, 0);
	now->moment->starts = false;
	now->event = event;
}

static void judge(struct norn_now *now, struct norn_look *look, uint32_t changes)
{
	struct norn_live_monitors *m = now->machines;
	set_event(now, look, changes);
	norn_moment_decide(now->moment);
	norn_moment_update(now->moment);
	uint64_t *serial = m->mode == NORN_WATCH_GLOBAL ? &m->serial : &now->scratch->serial;
	++*serial;
	bool relevant = false;
	for (uint32_t i = 0; i < m->count; i++)
		relevant |= judge_machine(now, i, *serial);
	if (m->mode == NORN_WATCH_GLOBAL)
		atomic_store_explicit(
		        &m->relevant, atomic_load_explicit(&m->relevant, memory_order_relaxed) + relevant, memory_order_relaxed);
	else
		now->scratch->relevant += relevant;
}

static bool prepare(struct norn_now *now)
{
	struct norn_live_monitors *m = now->machines;
	if (atomic_load_explicit(&m->over, memory_order_relaxed))
		return false;
	begin_run(now, m->mode == NORN_WATCH_GLOBAL ? &m->begun : &now->scratch->begun);
	return true;
}

void norn_live_monitors_event(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch,
        const struct norn_event *event, struct norn_look *look)
{
	struct norn_now now = now_of(m, self, scratch, event);
	enter(m);
	if (prepare(&now)) {
		uint32_t changes = 0;
		for (uint32_t i = 0; i < look->count; i++)
			if (look->hits[i].event == NORN_SLOT_NONE)
				changes = norn_place_values_set(&m->values, look->hits[i].place, true, event->value,
				        scratch->changes, changes, NORN_CHANGES_MAX);
		judge(&now, look, changes);
	}
	leave(m);
}

/* Drops ranges in libraries that were unloaded meanwhile: the memory may belong to something else now. */
static uint32_t drop_gone(const struct norn_live_monitors *m, const uint32_t *ranges, uint32_t count, uint32_t *ret_ranges)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t witness = m->event_match->place_index.list[ranges[i]].witness;
		uint32_t magic = 0;
		if (!witness || (m->values.peek(NULL, witness, &magic, sizeof magic) && magic == NORN_SITE_MAGIC))
			ret_ranges[kept++] = ranges[i];
	}
	return kept;
}

void norn_live_monitors_access(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch,
        const struct norn_event *event, const uint32_t *touched, uint32_t count, struct norn_look *look)
{
	struct norn_now now = now_of(m, self, scratch, event);
	uint32_t ranges[NORN_HITS_MAX];
	look->count = 0;
	if (!prepare(&now))
		return;
	count = drop_gone(m, touched, count < NORN_HITS_MAX ? count : NORN_HITS_MAX, ranges);
	uint32_t changes = norn_place_values_apply(&m->values, event, ranges, count, scratch->changes, NORN_CHANGES_MAX);
	count = norn_event_match_changed(m->event_match, event, scratch->changes, changes, ranges, count);
	norn_event_match_access(m->event_match, self, event, ranges, count, look);
	for (uint32_t i = 0; i < look->count; i++)
		look->hits[i].old = norn_place_values_old(&m->values, scratch->changes, changes, &look->hits[i]);
	changes = norn_event_match_written(
	        m->event_match, &m->values, event, ranges, count, scratch->changes, changes, NORN_CHANGES_MAX);
	if (look->count || changes)
		judge(&now, look, changes);
}

void norn_live_monitors_arrive(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch)
{
	static const struct norn_event none;
	if (m->mode == NORN_WATCH_GLOBAL ? m->begun : scratch->begun)
		return;
	struct norn_now now = now_of(m, self, scratch, &none);
	prepare(&now);
}

void norn_live_monitors_before(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch,
        const struct norn_event *event, const uint32_t *ranges, uint32_t count, struct norn_look *look)
{
	struct norn_event external = *event;
	for (unsigned tries = 0; tries < 8 && norn_place_values_external(&m->values, ranges, count, &external); tries++) {
		uint32_t touched[NORN_HITS_MAX];
		uint32_t n =
		        norn_place_index_find(&m->event_match->place_index, external.addr, external.size, touched, NORN_HITS_MAX);
		norn_live_monitors_access(m, self, scratch, &external, touched, n, look);
	}
}

void norn_live_monitors_block(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch,
        const struct norn_event *event)
{
	struct norn_now now = now_of(m, self, scratch, event);
	enter(m);
	if (prepare(&now)) {
		uint32_t ranges[NORN_HITS_MAX];
		uint32_t count = 0, changes = 0;
		if (m->event_match->place_index.has_pointers)
			count = norn_place_index_find(
			        &m->event_match->place_index, event->addr, event->size, ranges, NORN_HITS_MAX);
		if (count)
			changes = norn_place_values_apply(&m->values, event, ranges, count, scratch->changes, NORN_CHANGES_MAX);
		set_event(&now, NULL, changes);
		const struct norn_judging judging = judging_of(&now, 0);
		for (now.i = 0; event->kind == NORN_EVENT_FREE && now.i < m->count; now.i++)
			norn_instances_freed(&now.instances[now.i], &judging, event->addr, event->size);
	}
	leave(m);
}

/* ---- threads, and the end ---- */

static void free_scratch(const struct norn_live_monitors *m, struct norn_judge_scratch *b)
{
	free_instances(m, b->instances);
	free(b->memory);
	free(b);
}

struct norn_judge_scratch *norn_live_monitors_begin(struct norn_live_monitors *m, struct norn_online_thread *self)
{
	const struct norn_spec *spec = m->spec;
	struct norn_judge_scratch *b = calloc(1, sizeof *b);
	if (!b)
		return NULL;
	size_t ghosts = 2ul * (spec->ghost_count + 1) * sizeof *b->moment.ghosts;
	b->memory = calloc(1, ghosts + norn_moment_bytes(spec));
	if (!b->memory || (m->mode == NORN_WATCH_THREAD && new_instances(m, &b->instances) != 0)) {
		free_scratch(m, b);
		return NULL;
	}
	b->moment = (struct norn_moment){.place_index = &m->event_match->place_index, .ghosts = b->memory, .changes = b->changes};
	norn_moment_place(&b->moment, spec, (char *)b->memory + ghosts);
	static const struct norn_event start;
	struct norn_now now = now_of(m, self, b, &start);
	enter(m);
	norn_place_values_follow(&m->values);
	set_event(&now, NULL, 0);
	norn_ghosts_start(&b->moment, b->moment.ghosts);
	leave(m);
	return b;
}

static void count_in(struct norn_live_monitors *m, struct norn_judge_scratch *b)
{
	atomic_fetch_add_explicit(&m->relevant, b->relevant, memory_order_relaxed);
	b->relevant = 0;
}

/* The run is over for these machines: what is still open is settled. */
static void end_all(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch)
{
	static const struct norn_event end;
	struct norn_now now = now_of(m, self, scratch, &end);
	if (!prepare(&now))
		return;
	set_event(&now, NULL, 0);
	const struct norn_judging judging = judging_of(&now, 0);
	for (now.i = 0; now.i < m->count; now.i++)
		norn_instances_end(&now.instances[now.i], &judging);
}

void norn_live_monitors_end(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch)
{
	if (m->mode == NORN_WATCH_THREAD) {
		enter(m);
		end_all(m, self, scratch);
		leave(m);
	}
	count_in(m, scratch);
	free_scratch(m, scratch);
}

void norn_live_monitors_finish(struct norn_live_monitors *m, struct norn_online_thread *self, struct norn_judge_scratch *scratch)
{
	enter(m);
	end_all(m, self, scratch);
	if (m->mode == NORN_WATCH_GLOBAL)
		atomic_store(&m->over, true);
	leave(m);
	count_in(m, scratch);
}

void norn_live_monitors_count(struct norn_live_monitors *m, struct norn_live_monitors_counts *ret_counts)
{
	ret_counts->relevant = atomic_load(&m->relevant);
	ret_counts->complete = !atomic_load(&m->incomplete);
}
