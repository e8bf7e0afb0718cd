#include "sliced/schedule_search.h"

#include <stdlib.h>

#include "base/must.h"
#include "sliced/must_order.h"
#include "trace/record.h"

#define FORCED 20u /* events that must be steps of the model */

struct norn_schedule_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	struct norn_fixed_reads fixed;
	const struct norn_rule *inexact;
};

struct search {
	const struct norn_step_model *model;
	uint32_t *goal; /* per thread: so many steps */
	bool *woken; /* per thread: it is to stand before the end of a wait, woken */
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

/* ---- goals ---- */

/* Does the stop end a wait by being woken? */
static bool is_woken(const struct norn_schedule_search *schedule_search, uint32_t stop)
{
	return norn_rule_of(schedule_search->graph, stop)->wait == NORN_WAIT_WOKEN;
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
static bool aim_at(const struct norn_schedule_search *schedule_search, struct search *s, uint32_t event)
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

static bool aim_at_stop(const struct norn_schedule_search *schedule_search, struct search *s, uint32_t stop, unsigned without)
{
	uint32_t thread;
	norn_step_model_count(s->model, schedule_search->events[stop].thread, stop, &thread);
	if (thread != NORN_STEP_MODEL_NONE) {
		s->goal[thread] = s->model->first[thread + 1] - s->model->first[thread];
		s->woken[thread] = is_woken(schedule_search, stop);
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
static uint32_t *list_events(const struct norn_schedule_search *schedule_search, const struct search *s, uint32_t *ret_count)
{
	const struct norn_step_model *p = s->model;
	uint32_t *next = norn_must_alloc(p->threads + 1ul, sizeof *next), count = 0;
	uint32_t *list = norn_must_alloc(p->end - p->base + 1ul, sizeof *list);
	for (uint32_t t = 0; t < p->threads; t++)
		next[t] = norn_graph_after(schedule_search->graph, p->numbers[t], p->base);
	for (uint32_t i = 0; i < s->made_count; i++) {
		uint32_t last = p->steps[s->made[i]].event, t = column_of(p, schedule_search->events[last].thread);
		for (; next[t] && next[t] <= last; next[t] = schedule_search->events[next[t]].next)
			list[count++] = next[t];
	}
	free(next);
	*ret_count = count;
	return list;
}

static enum norn_schedule_search_result search(const struct norn_schedule_search *schedule_search, struct search *s,
        const struct norn_schedule_search_goal *goal, const uint32_t *forced, uint32_t forced_count, unsigned branches,
        uint64_t *steps)
{
	static const uint8_t results[] = {[NORN_MUST_ORDER_NEVER] = NORN_SCHEDULE_SEARCH_NO,
	        [NORN_MUST_ORDER_FOUND] = NORN_SCHEDULE_SEARCH_YES,
	        [NORN_MUST_ORDER_GIVEN_UP] = NORN_SCHEDULE_SEARCH_BOUND};
	bool possible = true;
	s->made = norn_must_alloc(norn_step_model_total(s->model) + 1ul, sizeof *s->made);
	s->goal = norn_must_calloc(s->model->threads + 1ul, sizeof *s->goal);
	s->woken = norn_must_calloc(s->model->threads + 1ul, sizeof *s->woken);
	for (uint32_t i = 0; i < goal->stop_count && possible; i++)
		possible = aim_at_stop(schedule_search, s, goal->stops[i], goal->without);
	for (uint32_t i = 0; i < forced_count && possible; i++)
		possible = aim_at(schedule_search, s, forced[i]);
	const struct norn_must_order_goal order = {s->goal, s->woken};
	return possible ? results[norn_must_order(s->model, &order, branches, steps, s->made, &s->made_count)]
	                : NORN_SCHEDULE_SEARCH_NO;
}

static void search_done(struct search *s)
{
	free(s->made);
	free(s->goal);
	free(s->woken);
}

enum norn_schedule_search_result norn_schedule_search_try(struct norn_schedule_search *schedule_search,
        const struct norn_schedule_search_goal *goal, uint32_t base, uint32_t end, unsigned branches, uint64_t *steps,
        uint32_t **ret_events, uint32_t *ret_count)
{
	uint32_t forced[FORCED] = {goal->includes[0], goal->includes[1]}, count = 2;
	for (uint32_t i = 0; i < goal->stop_count && count + 2 <= FORCED; i++) {
		const struct norn_graph_event *e = schedule_search->events + goal->stops[i];
		forced[count++] = e->life;
		bool notified = norn_rule_of(schedule_search->graph, goal->stops[i])->needs & NORN_NEED_NOTIFY;
		forced[count++] = notified ? schedule_search->events[e->next].other : 0; /* what wakes it up */
	}
	struct norn_step_model_target target = {.stops = goal->stops,
	        .stop_count = goal->stop_count,
	        .steps = forced,
	        .step_count = count,
	        .first = goal->includes[0],
	        .second = goal->includes[1],
	        .without = goal->without};
	struct norn_fixed_reads fixed;
	uint32_t last = goal->last < end ? goal->last : end;
	norn_fixed_reads_part(&fixed, &schedule_search->fixed, base, end, last, goal->stops, goal->stop_count);
	struct norn_step_model *model = norn_step_model_until(&fixed, &target, base, end);
	norn_fixed_reads_done(&fixed);
	*steps += model->cost;
	schedule_search->inexact = model->inexact;
	struct search s = {.model = model};
	enum norn_schedule_search_result result = search(schedule_search, &s, goal, forced, count, branches, steps);
	if (result == NORN_SCHEDULE_SEARCH_YES)
		*ret_events = list_events(schedule_search, &s, ret_count);
	search_done(&s);
	norn_step_model_free(model);
	return result;
}
