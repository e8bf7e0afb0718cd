/* The needs of events in a step model: what of other threads comes before each, by the table of semantics (causality/rules.h). */
#include "sliced/step/step_draft.h"

#include <assert.h>

#include "base/must.h"
#include "sliced/memory_contents.h"
#include "sliced/step/step_flow.h"
#include "trace/record.h"

/* ---- uses of objects and bytes ---- */

static void set_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* Code without hooks may write. */
static bool is_unseen(const struct norn_graph_event *e)
{
	return e->kind != NORN_EVENT_EXTERNAL && norn_memory_contents_unseen(e) &&
	       !(e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN);
}

static struct norn_step_object *note_object(struct norn_step_draft *d, uint32_t number, uint32_t event, uint32_t thread)
{
	struct norn_step_object *o = norn_must_map_put(&d->objects, number);
	o->thread = o->thread == 0 || o->thread == thread + 1 ? thread + 1 : NORN_STEP_SEVERAL;
	o->first = o->first ? o->first : event;
	return o;
}

uint32_t norn_step_draft_slept_on(const struct norn_step_draft *d, uint32_t event)
{
	const struct norn_graph_event *e = &d->events[event];
	if (e->kind != NORN_EVENT_SYNC || !(e->flags & NORN_GRAPH_WAKES))
		return 0;
	if (norn_graph_sleeps(e))
		return d->events[e->life].size;
	uint32_t end = norn_rule_wait_end(d->fixed->graph, event);
	return end ? d->events[end].size : 0;
}

static void note_sync(struct norn_step_draft *d, uint32_t event)
{
	const struct norn_graph_event *e = &d->events[event];
	uint32_t condition = norn_step_draft_slept_on(d, event);
	struct norn_step_object *o = note_object(d, e->size, event, e->thread);
	o->received |= e->op == NORN_SYNC_RECEIVE;
	if (condition)
		note_object(d, condition, 0, e->thread);
}

/* Locks that are held when the part begins. */
static void note_held(struct norn_step_draft *d, uint32_t event)
{
	const struct norn_graph *graph = d->fixed->graph;
	for (uint32_t held = d->events[event].held, rest; held; held = rest)
		note_object(d, d->events[norn_graph_held(graph, held, &rest)].size, 0, d->events[event].thread);
}

static void note_event(struct norn_step_draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	if (!d->index[e->thread]) {
		d->index[e->thread] = 1; /* its number follows */
		note_held(d, i);
	}
	if (d->stops[e->thread] && e->next == d->stops[e->thread])
		set_bit(d->aimed, i - d->model->base);
	if (norn_step_draft_quiet(d, i))
		return;
	bool read = norn_step_draft_reads(d, i), write = norn_step_draft_writes(e), out = norn_step_draft_is_out(d, i);
	d->unseen |= !out && is_unseen(e);
	for (uint64_t w = e->addr / 8; e->kind == NORN_EVENT_EXTERNAL && w * 8 < e->addr + e->size; w++)
		norn_must_map_put(&d->externals, w);
	if ((read || write) && norn_fixed_reads_shares(d->fixed, i))
		norn_byte_groups_expect(&d->byte_groups, e->addr, e->size, e->thread, read, write);
	if (e->kind == NORN_EVENT_SYNC)
		note_sync(d, i);
	bool uses = norn_step_draft_is_access(e) ? e->kind != NORN_EVENT_EXTERNAL : norn_graph_uses_object(e);
	uint32_t memory = !out && uses && e->life ? norn_graph_memory(d->fixed->graph, i) : 0;
	if (memory) {
		uint32_t *last = norn_must_map_put(&d->accesses, (uint64_t)memory << 32 | e->thread);
		*last = i;
	}
}

/* Does the event access what several threads may? */
static bool shares(const struct norn_step_draft *d, uint32_t i)
{
	return norn_fixed_reads_shares(d->fixed, i) && (norn_step_draft_reads(d, i) || norn_step_draft_writes(&d->events[i]));
}

void norn_step_draft_note(struct norn_step_draft *d)
{
	const struct norn_step_model *p = d->model;
	for (uint32_t i = p->base + 1; i <= p->end; i++)
		note_event(d, i);
	if (d->property) {
		norn_step_flows_find_soft(d);
		norn_step_flows_expect(d);
	}
	for (uint32_t i = p->base + 1; i <= p->end; i++)
		if (shares(d, i))
			norn_byte_groups_note(&d->byte_groups, d->events[i].addr, d->events[i].size, d->events[i].thread,
			        norn_step_draft_reads(d, i), norn_step_draft_writes(&d->events[i]));
	if (d->property)
		norn_step_flows_note(d);
	norn_byte_groups_choose(&d->byte_groups);
	for (uint32_t i = p->base + 1; i <= p->end; i++)
		if (shares(d, i))
			norn_byte_groups_shape(&d->byte_groups, d->events[i].addr, d->events[i].size);
	norn_byte_groups_cut(&d->byte_groups);
}

/* ---- needs ---- */

/* Of each thread the last event that is needed counts. */
static void need(void *context, uint32_t event)
{
	struct norn_step_draft *d = context;
	uint32_t thread = d->events[event].thread;
	assert(event <= d->model->end); /* d->needed has a bit for it */
	if (event <= d->model->base || thread == d->events[d->needing].thread)
		return;
	if (d->need_of[thread] == d->needing) {
		uint32_t *last = &d->model->needs[d->need_at[thread]].count;
		*last = event > *last ? event : *last;
		return;
	}
	norn_must_grow(&d->model->needs, d->need_count + UINT64_C(1), &d->need_room, sizeof *d->model->needs);
	d->need_of[thread] = d->needing;
	d->need_at[thread] = d->need_count;
	d->model->needs[d->need_count++] = (struct norn_step_model_need){.thread = thread, .count = event};
}

/* Uses of the memory by others come before it is freed. */
static void need_uses(struct norn_step_draft *d, const struct norn_graph_event *e)
{
	uint32_t threads = norn_graph_threads(d->fixed->graph);
	for (uint32_t t = 0; e->life && t < threads; t++) {
		const uint32_t *last = d->index[t] ? norn_map_get(&d->accesses, (uint64_t)e->life << 32 | t) : NULL;
		if (last && *last < d->needing)
			need(d, *last);
	}
}

/* The looks at a resource, or a channel, since its last change. */
static void need_looks(struct norn_step_draft *d, const struct norn_graph_event *e, uint32_t since)
{
	for (uint32_t t = 0, threads = d->looks.count ? norn_graph_threads(d->fixed->graph) : 0; t < threads; t++) {
		const uint32_t *look = d->index[t] ? norn_map_get(&d->looks, (uint64_t)e->size << 32 | t) : NULL;
		if (look && *look > since)
			need(d, *look);
	}
}

/* A rule that asks for the object's history: exactly that has happened; later events come later, if they are steps. */
static void need_fence(struct norn_step_draft *d, const struct norn_graph_event *e, const struct norn_rule *rule)
{
	struct norn_step_object *o = norn_step_draft_object(d, e->size),
	                        *condition = norn_step_draft_object(d, norn_step_draft_slept_on(d, d->needing));
	if (o->fence)
		need(d, o->fence);
	bool out = norn_step_draft_is_out(d, d->needing);
	if (rule->needs & NORN_NEED_HISTORY && !out)
		o->fence = d->needing;
	if (condition && condition->fence)
		need(d, condition->fence); /* a thread that goes to sleep only now missed a notify that came before */
	if (o->received && o->last)
		need(d, o->last);
	need_looks(d, e, o->last);
	if (!out)
		o->last = d->needing;
}

static bool is_look(const struct norn_graph_event *e)
{
	return e->op == NORN_SYNC_RECEIVE && e->value == NORN_RECEIVE_LOOKED;
}

/* A look at a resource comes after the changes before it; a change comes after the looks, too. */
static void need_resource(struct norn_step_draft *d, const struct norn_graph_event *e)
{
	struct norn_step_object *o = norn_step_draft_object(d, e->size);
	if (o->last)
		need(d, o->last);
	if (norn_step_draft_is_out(d, d->needing))
		return;
	if (is_look(e)) {
		*(uint32_t *)norn_must_map_put(&d->looks, (uint64_t)e->size << 32 | e->thread) = d->needing;
		return;
	}
	need_looks(d, e, o->last);
	o->last = d->needing;
}

static bool of_resource(const struct norn_graph_event *e)
{
	return (e->op == NORN_SYNC_SEND && e->value >= NORN_SEND_CHANGES) ||
	       (e->op == NORN_SYNC_RECEIVE && norn_receive_kind(e->value) >= NORN_RECEIVE_CHANGED);
}

/* The last event that needs all calls, input and output before it, and that this one must come after; 0: none. One that needs them,
 * too, asks for no more than those before it have not: so it comes after them all. A send, or a receive, comes after those that are
 * steps. */
static uint32_t world_before(const struct norn_step_draft *d, const struct norn_graph_event *e, const struct norn_rule *rule)
{
	if (rule->needs & NORN_NEED_WORLD)
		return d->world;
	bool sends = e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_SEND;
	return sends || rule->needs & NORN_NEED_CALLS ? d->world_step : 0;
}

/* An address that a fixed read uses as a number: all is allocated as it was until then (V4). */
static uint32_t placed_by(const struct norn_step_draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	bool read = (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW) && norn_fixed_reads_has(d->fixed, i);
	return read || e->kind == NORN_EVENT_ALLOC ? norn_graph_placed_by(d->fixed->graph, d->model->base, i) : 0;
}

static void find_placed(struct norn_step_draft *d)
{
	for (uint32_t i = d->model->base + 1; i <= d->model->end; i++) {
		uint32_t placed = norn_step_draft_quiet(d, i) ? 0 : placed_by(d, i);
		d->placed = placed > d->placed ? placed : d->placed;
	}
}

static void need_place(struct norn_step_draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	uint32_t placed = placed_by(d, i);
	if (placed && placed != i)
		need(d, placed);
	bool place = e->kind == NORN_EVENT_ALLOC || (e->kind == NORN_EVENT_FREE && !(e->flags & NORN_GRAPH_PIECE)) ||
	             (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK);
	if (place && d->last_placed)
		need(d, d->last_placed);
	if (place && i <= d->placed)
		d->last_placed = i;
}

/* Does its thread arrive at a barrier that it is not to leave? The last arrival decides only what the leaves return. */
static bool stops_at_barrier(const struct norn_step_draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	return e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_BARRIER_ARRIVE && e->flags & NORN_GRAPH_COUNTED && e->next &&
	       e->next == d->stops[e->thread];
}

static void find_needs_of(struct norn_step_draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	const struct norn_rule *rule = norn_rule_without(d->fixed->graph, i, d->walk.without);
	d->needing = i;
	struct norn_rule arrival;
	if (stops_at_barrier(d, i)) {
		arrival = *rule;
		arrival.needs &= (uint16_t)~NORN_NEED_ROUND;
		rule = &arrival;
	}
	if (!norn_rule_needs_each(&d->walk, i, rule, need, d) || norn_rule_from_nowhere(d->fixed->graph, i))
		set_bit(d->never, i - d->model->base);
	if (rule->needs & NORN_NEED_USES)
		need_uses(d, e);
	if (e->kind == NORN_EVENT_SYNC && !of_resource(e))
		need_fence(d, e, rule);
	else if (e->kind == NORN_EVENT_SYNC && !(d->walk.without & NORN_RULE_LOOK))
		need_resource(d, e);
	if (d->placed)
		need_place(d, i);
	if (world_before(d, e, rule))
		need(d, world_before(d, e, rule));
	if (rule->needs & NORN_NEED_WORLD)
		d->world = i;
	if (rule->needs & NORN_NEED_WORLD && !norn_step_draft_is_out(d, i))
		d->world_step = i;
	if (d->walk.without & NORN_RULE_OPAQUE && d->written && norn_rule_opaque_call(d->fixed->graph, i))
		need(d, d->written);
	if (e->kind == NORN_EVENT_EXTERNAL && rule->needs & NORN_NEED_WORLD)
		d->written = i; /* those before it come before it */
	for (uint32_t k = 1; d->target && k < d->target->ordered_count; k += 2)
		if (d->target->ordered[k] == i && d->target->ordered[k - 1])
			need(d, d->target->ordered[k - 1]);
}

void norn_step_draft_find_needs(struct norn_step_draft *d)
{
	const struct norn_step_model *p = d->model;
	find_placed(d);
	for (uint32_t i = p->base + 1; i <= p->end; i++) {
		uint32_t first = d->first_need[i - p->base] = d->need_count;
		if (norn_step_draft_quiet(d, i))
			continue;
		find_needs_of(d, i);
		if (norn_step_draft_is_out(d, i))
			d->need_count = first; /* needs of other steps for it will never be met */
		for (uint32_t k = first; k < d->need_count; k++)
			set_bit(d->needed, p->needs[k].count - p->base);
	}
	d->first_need[p->end - p->base + 1] = d->need_count;
}
