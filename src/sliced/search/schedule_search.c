#include "sliced/search/schedule_search.h"

#include <stdlib.h>

#include "base/must.h"
#include "sliced/search/late_order.h"
#include "sliced/search/must_order.h"
#include "sliced/step/step_lattice.h"
#include "trace/record.h"

#define NODES 256u /* of the lattice of all orders, for each branch that must-order may take */

struct norn_schedule_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	struct norn_fixed_reads fixed;
	const struct norn_rule *inexact, *stricter;
};

struct search_state {
	const struct norn_step_model *model;
	uint32_t *goal; /* per thread: so many steps */
	uint8_t *wakes; /* per thread: enum norn_must_order_wake */
	uint32_t *made, made_count; /* steps, in the order in which they are made */
};

/* ---- making ---- */

struct norn_schedule_search *norn_schedule_search_new(const struct norn_graph *graph)
{
	struct norn_schedule_search *schedule_search = norn_must_calloc(1, sizeof *schedule_search);
	schedule_search->graph = graph;
	schedule_search->events = norn_graph_events(graph);
	norn_fixed_reads_init_whole(&schedule_search->fixed, graph);
	return schedule_search;
}

void norn_schedule_search_free(struct norn_schedule_search *schedule_search)
{
	if (!schedule_search)
		return;
	norn_fixed_reads_done(&schedule_search->fixed);
	free(schedule_search);
}

const struct norn_rule *norn_schedule_search_inexact(const struct norn_schedule_search *search)
{
	return search->inexact;
}

const struct norn_rule *norn_schedule_search_stricter(const struct norn_schedule_search *search)
{
	return search->stricter;
}

/* ---- goals ---- */

/* Does the stop end a wait by being woken? */
static bool is_woken(const struct norn_schedule_search *schedule_search, uint32_t stop, unsigned without)
{
	return norn_rule_without(schedule_search->graph, stop, without)->wait == NORN_WAIT_WOKEN;
}

static bool can_begin(const struct norn_schedule_search *schedule_search, uint32_t stop, unsigned without)
{
	const struct norn_graph_event *e = schedule_search->events + stop;
	if (e->flags & NORN_GRAPH_WAKES && e->op == NORN_SYNC_ACQUIRE && !norn_rule_wait_end(schedule_search->graph, stop))
		return false;
	return (!(e->flags & NORN_GRAPH_AFTER) || without & NORN_RULE_OPAQUE) &&
	       (stop != norn_graph_first(schedule_search->graph, e->thread) || e->thread == 0);
}

/* The event has happened, if it is one of this part. False: it cannot. */
static bool aim_at(const struct norn_schedule_search *schedule_search, struct search_state *s, uint32_t event)
{
	if (event <= s->model->base)
		return true;
	uint32_t thread, count = norn_step_model_count(s->model, schedule_search->events[event].thread, event, &thread);
	if (thread == NORN_STEP_MODEL_NONE || count > s->model->first[thread + 1] - s->model->first[thread])
		return false;
	if (s->goal[thread] < count)
		s->goal[thread] = count;
	return true;
}

static bool aim_at_stop(
        const struct norn_schedule_search *schedule_search, struct search_state *s, uint32_t stop, bool asleep, unsigned without)
{
	uint32_t thread;
	norn_step_model_count(s->model, schedule_search->events[stop].thread, stop, &thread);
	if (thread != NORN_STEP_MODEL_NONE) {
		s->goal[thread] = s->model->first[thread + 1] - s->model->first[thread];
		if (is_woken(schedule_search, stop, without))
			s->wakes[thread] = asleep ? NORN_MUST_ORDER_ASLEEP : NORN_MUST_ORDER_WOKEN;
	}
	return can_begin(schedule_search, stop, without);
}

static uint32_t column_of(const struct norn_step_model *p, uint32_t thread)
{
	uint32_t t = 0;
	while (p->numbers[t] != thread)
		t++;
	return t;
}

/* The events of the steps, each with those of its thread before it. */
/* fixed: of the part. */
static uint32_t *list_events(const struct norn_schedule_search *schedule_search, const struct norn_fixed_reads *fixed,
        const struct search_state *s, uint32_t *ret_count)
{
	const struct norn_step_model *p = s->model;
	uint32_t *next = norn_must_alloc(p->threads + 1ul, sizeof *next), count = 0;
	uint32_t *list = norn_must_alloc(p->end - p->base + 1ul, sizeof *list);
	for (uint32_t t = 0; t < p->threads; t++)
		next[t] = norn_graph_after(schedule_search->graph, p->numbers[t], p->base);
	for (uint32_t i = 0; i < s->made_count; i++) {
		uint32_t last = p->steps[s->made[i]].event, t = column_of(p, schedule_search->events[last].thread);
		for (; next[t] && next[t] <= last; next[t] = schedule_search->events[next[t]].next)
			if (!norn_fixed_reads_skips(fixed, next[t]))
				list[count++] = next[t];
	}
	free(next);
	*ret_count = count;
	return list;
}

/* ---- S18 ---- */

/* The step by which its thread falls asleep, or arrives at a barrier, to stay there, comes last; the first acquire of a lock that
 * is held at the stop, and what its thread does then, late. */
static void put_off(const struct norn_schedule_search *schedule_search, const struct search_state *s, uint32_t stop, bool asleep,
        uint32_t *early, uint32_t *late)
{
	const struct norn_graph_event *e = schedule_search->events + stop;
	uint32_t thread, held = e->held;
	norn_step_model_count(s->model, e->thread, stop, &thread);
	if (thread == NORN_STEP_MODEL_NONE)
		return;
	bool arrives = e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_BARRIER_LEAVE;
	uint32_t steps = s->model->first[thread + 1] - s->model->first[thread];
	late[thread] = early[thread] = steps - ((asleep || arrives) && steps);
	while (held) {
		uint32_t acquire = norn_graph_held(schedule_search->graph, held, &held), same;
		uint32_t before = acquire <= s->model->base ? 0 : norn_step_model_count(s->model, e->thread, acquire, &same) - 1;
		early[thread] = before < early[thread] ? before : early[thread];
	}
}

static bool order_late(const struct norn_schedule_search *schedule_search, struct search_state *s,
        const struct norn_schedule_search_goal *goal, const struct norn_must_order_goal *order, uint64_t *steps)
{
	const struct norn_step_model *p = s->model;
	uint32_t *early = norn_must_alloc(p->threads + 1ul, sizeof *early), *late = norn_must_alloc(p->threads + 1ul, sizeof *late);
	for (uint32_t t = 0; t < p->threads; t++)
		early[t] = late[t] = p->first[t + 1] - p->first[t];
	for (uint32_t i = 0; i < goal->stop_count; i++)
		put_off(schedule_search, s, goal->stops[i], goal->asleep >> i & 1, early, late);
	struct norn_late_order how = {.early = early, .late = late};
	bool found = norn_late_order(p, order, &how, steps, s->made, &s->made_count);
	how.others_first = true;
	found = found || norn_late_order(p, order, &how, steps, s->made, &s->made_count);
	free(early);
	free(late);
	return found;
}

/* ---- what branches leave open ---- */

struct reached_goal {
	const struct norn_step_model *model;
	const struct norn_must_order_goal *order;
};

static bool is_reached(void *context, const uint32_t *node)
{
	const struct reached_goal *goal = context;
	return norn_must_order_reached(goal->model, goal->order, node);
}

/* All orders of the part, in which what leads to one node counts once: where threads look at the same values again and again,
 * branches are many and nodes are few. */
static enum norn_schedule_search_result search_lattice(
        struct search_state *s, const struct norn_must_order_goal *order, unsigned branches, uint64_t *steps)
{
	const struct norn_step_model *p = s->model;
	struct reached_goal goal = {p, order};
	const struct norn_step_lattice_options options = {
	        .max_nodes = (uint64_t)NODES * branches, .context = &goal, .reached = is_reached};
	struct norn_step_lattice_result all = norn_step_lattice(p, &options);
	uint32_t *next = norn_must_calloc(p->threads + 1ul, sizeof *next);
	for (s->made_count = 0; s->made_count < all.length; s->made_count++) {
		uint32_t t = all.threads[s->made_count];
		s->made[s->made_count] = p->first[t] + next[t]++;
	}
	free(next);
	free(all.threads);
	*steps += all.nodes;
	return all.found ? NORN_SCHEDULE_SEARCH_YES : all.complete ? NORN_SCHEDULE_SEARCH_NO : NORN_SCHEDULE_SEARCH_BOUND;
}

static enum norn_schedule_search_result search(const struct norn_schedule_search *schedule_search, struct search_state *s,
        const struct norn_schedule_search_goal *goal, const uint32_t *forced, uint32_t forced_count, unsigned branches,
        uint64_t *steps)
{
	static const uint8_t results[] = {
	        [NORN_MUST_ORDER_NEVER] = NORN_SCHEDULE_SEARCH_NO, [NORN_MUST_ORDER_FOUND] = NORN_SCHEDULE_SEARCH_YES};
	bool possible = true;
	s->made = norn_must_alloc(norn_step_model_total(s->model) + 1ul, sizeof *s->made);
	s->goal = norn_must_calloc(s->model->threads + 1ul, sizeof *s->goal);
	s->wakes = norn_must_calloc(s->model->threads + 1ul, sizeof *s->wakes);
	for (uint32_t i = 0; i < goal->stop_count && possible; i++)
		possible = aim_at_stop(schedule_search, s, goal->stops[i], goal->asleep >> i & 1, goal->without);
	for (uint32_t i = 0; i < forced_count && possible; i++)
		possible = aim_at(schedule_search, s, forced[i]);
	const struct norn_must_order_goal order = {s->goal, s->wakes};
	if (possible && goal->all_end && order_late(schedule_search, s, goal, &order, steps))
		return NORN_SCHEDULE_SEARCH_YES;
	if (goal->late_only)
		return NORN_SCHEDULE_SEARCH_BOUND;
	if (!possible)
		return NORN_SCHEDULE_SEARCH_NO;
	enum norn_must_order_result result = norn_must_order(s->model, &order, branches, steps, s->made, &s->made_count);
	return result == NORN_MUST_ORDER_GIVEN_UP ? search_lattice(s, &order, branches, steps) : results[result];
}

static void search_done(struct search_state *s)
{
	free(s->made);
	free(s->goal);
	free(s->wakes);
}

static uint32_t stop_of(
        const struct norn_schedule_search *schedule_search, const struct norn_schedule_search_goal *goal, uint32_t thread)
{
	for (uint32_t i = 0; i < goal->stop_count; i++)
		if (schedule_search->events[goal->stops[i]].thread == thread)
			return goal->stops[i];
	return 0;
}

/* Is the thread there, though some have stopped: has it been forked? */
static bool exists(
        const struct norn_schedule_search *schedule_search, const struct norn_schedule_search_goal *goal, uint32_t thread)
{
	while (thread) {
		uint32_t first = norn_graph_first(schedule_search->graph, thread), fork = schedule_search->events[first].link;
		uint32_t stop = fork ? stop_of(schedule_search, goal, schedule_search->events[fork].thread) : 0;
		if (first == 0 || (stop && fork >= stop))
			return false;
		if (schedule_search->events[first].kind != NORN_EVENT_THREAD ||
		        schedule_search->events[first].op != NORN_THREAD_BEGIN || !fork)
			return true;
		thread = schedule_search->events[fork].thread;
	}
	return true;
}

/* Events that must be steps of the model, and happen if they are not stops; those before base count for nothing. */
static void find_forced(const struct norn_schedule_search *schedule_search, const struct norn_schedule_search_goal *goal,
        uint32_t base, struct norn_numbers *forced)
{
	for (uint32_t i = 0; i < goal->include_count; i++)
		norn_must_push(forced, goal->includes[i]);
	for (uint32_t i = 0; i < goal->stop_count; i++) {
		const struct norn_graph_event *e = schedule_search->events + goal->stops[i];
		if (goal->stops[i] != goal->nowhere)
			norn_must_push(forced, e->life);
		bool notified = norn_rule_without(schedule_search->graph, goal->stops[i], goal->without)->needs & NORN_NEED_NOTIFY;
		norn_must_push(forced, notified ? schedule_search->events[e->next].other : 0); /* the event that wakes it up */
	}
	for (uint32_t t = 0; goal->all_end && t < norn_graph_threads(schedule_search->graph); t++)
		if (norn_graph_after(schedule_search->graph, t, base) && !stop_of(schedule_search, goal, t) &&
		        exists(schedule_search, goal, t))
			norn_must_push(forced, norn_graph_last(schedule_search->graph, t));
}

enum norn_schedule_search_result norn_schedule_search_try(struct norn_schedule_search *schedule_search,
        const struct norn_schedule_search_goal *goal, uint32_t base, uint32_t end, unsigned branches, uint64_t *steps,
        uint32_t **ret_events, uint32_t *ret_count)
{
	struct norn_numbers forced = {0};
	find_forced(schedule_search, goal, base, &forced);
	struct norn_step_model_target target = {.stops = goal->stops,
	        .stop_count = goal->stop_count,
	        .steps = forced.items,
	        .step_count = forced.count,
	        .ordered = goal->includes,
	        .ordered_count = goal->include_count,
	        .without = goal->without};
	struct norn_fixed_reads fixed;
	uint32_t last = goal->last < end ? goal->last : end;
	norn_fixed_reads_part(
	        &fixed, &schedule_search->fixed, base, end, last, goal->stops, goal->stop_count, goal->freed, goal->freed_count);
	struct norn_step_model *model = norn_step_model_until(&fixed, &target, base, end);
	*steps += model->cost;
	schedule_search->inexact = model->inexact;
	schedule_search->stricter = model->stricter;
	struct search_state s = {.model = model};
	enum norn_schedule_search_result result = search(schedule_search, &s, goal, forced.items, forced.count, branches, steps);
	if (result == NORN_SCHEDULE_SEARCH_YES)
		*ret_events = list_events(schedule_search, &fixed, &s, ret_count);
	norn_fixed_reads_done(&fixed);
	search_done(&s);
	norn_vector_done(&forced);
	norn_step_model_free(model);
	return result;
}
