#include "sliced/schedule_assumptions.h"

#include <stdlib.h>

#include "base/must.h"
#include "causality/rules.h"

bool norn_schedule_comes_after(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	return e->flags & NORN_GRAPH_AFTER || norn_rule_of(graph, event)->off & NORN_RULE_AFTER;
}

/* The last opaque call of the event's thread before the event; 0: none. */
static uint32_t call_before(const struct norn_graph *graph, uint32_t event)
{
	uint32_t thread = norn_graph_event(graph, event)->thread;
	event--;
	while (event && !(norn_graph_event(graph, event)->thread == thread && norn_rule_opaque_call(graph, event)))
		event--;
	return event;
}

/* The calls that a prediction assumes to be harmless. */
struct assumed {
	const struct norn_graph *graph;
	NORN_VECTOR(uint32_t) calls;
	uint32_t world; /* the last event that needs all calls before it, 0: none */
	bool other; /* the prediction also assumes something that is not a call */
};

static void assume(struct assumed *a, uint32_t call)
{
	for (uint32_t i = 0; i < a->calls.count; i++)
		if (a->calls.items[i] == call)
			return;
	a->other |= call == 0;
	norn_must_push(&a->calls, call);
}

/* Adds what the schedule assumes of this thread, whose events after base and up to last are in it. */
static void assume_of_thread(struct assumed *a, uint32_t thread, uint32_t base, uint32_t last)
{
	for (uint32_t i = norn_graph_after(a->graph, thread, base); i && i <= last; i = norn_graph_event(a->graph, i)->next) {
		if (norn_rule_opaque_call(a->graph, i))
			assume(a, i);
		if (norn_graph_event(a->graph, i)->flags & NORN_GRAPH_AFTER)
			assume(a, call_before(a->graph, i));
		if (norn_rule_of(a->graph, i)->needs & (NORN_NEED_WORLD | NORN_NEED_CALLS) && i > a->world)
			a->world = i;
	}
}

bool norn_schedule_find_assumed(const struct norn_graph *graph, struct norn_predicted *p, struct norn_arena *arena)
{
	uint32_t threads = norn_graph_threads(graph), *last = norn_must_calloc(threads + 1ul, sizeof *last);
	struct assumed a = {.graph = graph};
	for (uint32_t i = 0; i < p->schedule.count; i++)
		last[norn_graph_event(graph, p->schedule.events[i])->thread] = p->schedule.events[i];
	for (uint32_t i = 0; i < p->stop_count; i++)
		last[norn_graph_event(graph, p->stops[i])->thread] = p->stops[i];
	for (uint32_t t = 0; t < threads; t++)
		assume_of_thread(&a, t, p->schedule.base, last[t]);
	/* Events that need all calls before them (world) are in the schedule without these calls: they are assumed to be harmless,
	 * too. */
	for (uint32_t i = p->schedule.base + 1; i < a.world; i++)
		if (norn_rule_opaque_call(graph, i))
			assume(&a, i);
	p->assumed = norn_must_arena_copy(arena, a.calls.items, a.calls.count, sizeof *p->assumed);
	p->assumed_count = a.calls.count;
	norn_vector_done(&a.calls);
	free(last);
	return !a.other;
}

uint32_t norn_schedule_bar(
        const struct norn_graph *graph, const struct norn_schedule *schedule, const uint32_t *stops, uint32_t count)
{
	uint32_t bar = 0;
	for (uint32_t i = 0; i < schedule->count && !bar; i++)
		bar = norn_schedule_comes_after(graph, schedule->events[i]) ? schedule->events[i] : 0;
	for (uint32_t i = 0; i < count && !bar; i++)
		bar = norn_schedule_comes_after(graph, stops[i]) ? stops[i] : 0;
	for (uint32_t i = 0; i < schedule->count && !bar; i++)
		bar = norn_graph_event(graph, schedule->events[i])->kind == NORN_EVENT_EXTERNAL ? schedule->events[i] : 0;
	if (bar && !norn_graph_event(graph, bar)->site)
		bar = call_before(graph, bar);
	return norn_graph_event(graph, bar)->site;
}
