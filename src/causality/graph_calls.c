/* Threads, calls and frames in the dependence graph: forks and joins, calls of code without hooks, functions entered and left. */
#include "causality/dependence_graph.h"

#include <errno.h>

#include "base/must.h"
#include "causality/graph_builder_state.h"
#include "effects/effects.h"
#include "trace/record.h"
#include "trace/site.h"

/* FORK_FAILED: the thread that was announced never was. given: what it is created with. */
static void add_fork(struct norn_graph *graph, struct graph_thread *child, uint32_t number, uint64_t given)
{
	struct norn_graph_event *event = graph->events + number;
	if (event->op == NORN_THREAD_FORK) {
		child->fork = number;
		event->addr = given < NORN_GRAPH_GIVEN_NOT_KNOWN ? given : NORN_GRAPH_GIVEN_NOT_KNOWN;
	} else if (child->first == 0)
		child->fork = 0;
}

static uint64_t frame_key(const struct norn_graph_builder *builder, uint32_t thread)
{
	return ((uint64_t)thread << 32 | norn_value_flow_entered(builder->graph->flow, thread)) + 1;
}

static void add_call(struct norn_graph_builder *builder, struct graph_thread *t, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	const struct norn_graph_site *site = norn_value_flow_site(builder->graph->flow, event->site);
	*(uint32_t *)norn_must_map_put(&builder->calls, frame_key(builder, e->thread)) = number;
	event->value = e->argument;
	event->link = builder->last_io;
	if (norn_graph_submits(event)) {
		event->flags |= NORN_GRAPH_ORDERED;
		event->other = builder->last_submit;
		builder->last_submit = number;
		return;
	}
	event->other = builder->last_call;
	bool harmless = site->call == NORN_CALL_HARMLESS || e->value == NORN_CALL_RECORDED;
	/* The sources of a result that no frame gives are known only by the call's arguments. */
	if (site->call != NORN_CALL_OPAQUE || harmless)
		norn_value_flow_passed(builder->graph->flow, builder->graph->events, number);
	if (harmless) {
		event->flags |= NORN_GRAPH_CALLED;
		return;
	}
	if (site->call == NORN_CALL_ORDERED)
		event->flags |= NORN_GRAPH_ORDERED;
	builder->last_call = number;
	t->call = number;
	t->unseen = site->call == NORN_CALL_OPAQUE ? number : 0;
	t->unseen_in = norn_value_flow_entered(builder->graph->flow, event->thread);
}

/* The thread is in instrumented code again: it may have waited for any earlier event, unless its call is known not to wait. */
static void add_back(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	event->value = e->argument;
	if (e->argument == NORN_BACK_JOB)
		event->life = builder->last_submit;
	if (e->argument != NORN_BACK_RETURNED)
		return;
	const uint32_t *call = norn_map_get(&builder->calls, frame_key(builder, e->thread));
	if (call && builder->graph->events[*call].flags & (NORN_GRAPH_CALLED | NORN_GRAPH_ORDERED))
		event->flags |= NORN_GRAPH_CALLED;
	else
		event->flags |= NORN_GRAPH_AFTER;
}

/* An effect of code without hooks needs all earlier calls of such code: any of them may have caused it. */
static void not_seen(struct norn_graph_builder *builder, uint32_t number)
{
	struct norn_graph_event *event = builder->graph->events + number;
	event->flags |= NORN_GRAPH_UNSEEN;
	event->life = builder->last_call > builder->last_io ? builder->last_call : builder->last_io;
}

int norn_graph_add_thread(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	struct norn_graph_event *event = graph->events + number;
	struct graph_thread *t;
	event->value = e->value;
	switch (e->op) {
	case NORN_THREAD_FORK:
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
		if (e->value >= NORN_GRAPH_THREADS_MAX)
			return e->value == NORN_NO_THREAD ? 0 : -EOVERFLOW;
		t = norn_graph_builder_thread(graph, (uint32_t)e->value);
		norn_value_flow_synced(graph->flow, graph->events, number, e); /* its site is known from now on */
		/* A child that did nothing ended after its fork (S13). No thread joins itself but in a damaged trace. */
		if (e->op == NORN_THREAD_JOIN)
			event->link = e->value == e->thread ? 0 : t->last ? t->last : t->fork;
		else
			add_fork(graph, t, number, e->argument);
		if (e->op == NORN_THREAD_JOIN && e->argument != NORN_JOIN_DROPS)
			norn_value_flow_taken(graph->flow, graph->events, (uint32_t)e->value);
		if (e->op == NORN_THREAD_FORK)
			norn_value_flow_forks(graph->flow, graph->events, number, (uint32_t)e->value);
		return 0;
	case NORN_THREAD_BEGIN:
		event->link = graph->threads[e->thread].fork;
		if (e->argument == e->thread)
			event->flags |= NORN_GRAPH_CALLED;
		return 0;
	case NORN_THREAD_STACK:
		t = graph->threads + e->thread;
		if (t->stack) {
			uint64_t low = t->stack;
			t->stack = 0;
			norn_graph_add_alloc(builder, number, low, e->argument);
		} else {
			t->stack = e->argument;
		}
		return 0;
	case NORN_THREAD_SIGNAL:
		not_seen(builder, number);
		graph->threads[e->thread].signalled = true;
		return 0;
	case NORN_THREAD_END:
		if (norn_value_flow_entered(graph->flow, e->thread))
			not_seen(builder, number);
		return 0;
	case NORN_THREAD_CALL:
		add_call(builder, graph->threads + e->thread, number, e);
		return 0;
	case NORN_THREAD_BACK:
		norn_value_flow_started(graph->flow, e->thread);
		add_back(builder, number, e);
		return 0;
	case NORN_THREAD_FENCE:
		norn_value_flow_site(graph->flow, e->site);
		return 0;
	}
	return 0;
}

/* Did the call at this site enter the function directly? A recorded call through a pointer did not: such a call is recorded only
 * where it enters code without hooks. What that code calls back has the same call site. */
static bool is_direct(struct norn_graph *graph, const struct graph_thread *t, uint32_t around, const struct norn_event *e)
{
	if (!norn_value_flow_fits(graph->flow, e->call_site, e->site))
		return false;
	const struct norn_graph_site *site = norn_value_flow_known(graph->flow, e->call_site);
	/* A call site in another function than the thread's innermost one is that of an older call, not of the one that led here.
	 * */
	if (around && site->entry && site->entry != graph->events[around].site)
		return false;
	return !(site->indirect && t->unseen && t->unseen_in == around && graph->events[t->unseen].site == e->call_site);
}

/* Does the function at this site only call back code with hooks, beside effects that are known? Then no CALL is recorded for it. */
static bool is_called_back(struct norn_graph *graph, const struct graph_thread *t, uint32_t around, const struct norn_event *e)
{
	const struct norn_graph_site *site = norn_value_flow_known(graph->flow, e->call_site);
	bool recorded = t->unseen && t->unseen_in == around && graph->events[t->unseen].site == e->call_site;
	const struct norn_effects *effects = site ? norn_effects_find(site->name, NULL) : NULL;
	return effects && effects->calls && site->kind == NORN_SITE_CALL && !site->indirect && !recorded;
}

void norn_graph_add_enter(
        struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e, uint32_t call, uint32_t back)
{
	struct norn_graph *graph = builder->graph;
	struct graph_thread *t = graph->threads + e->thread;
	uint32_t around = norn_value_flow_entered(graph->flow, e->thread);
	graph->events[number].link = e->call_site;
	graph->events[number].other = around;
	struct norn_event entered = *e;
	if (t->signalled || !is_direct(graph, t, around, e))
		entered.call_site = 0;
	else if (call && graph->events[call].site == e->call_site)
		graph->events[call].flags |= NORN_GRAPH_CALLED, graph->events[back].flags |= back ? NORN_GRAPH_CALLED : 0;
	/* The kernel enters a signal handler, and the code that it returns to has not waited (X13). */
	bool unseen = entered.call_site == 0 && around && !t->signalled && !is_called_back(graph, t, around, e);
	if (unseen)
		not_seen(builder, number);
	else if (t->unseen_in == around && !t->signalled)
		t->unseen = 0;
	t->signalled = false;
	norn_value_flow_enter(graph->flow, graph->events, number, &entered);
}

void norn_graph_add_leave(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	norn_map_remove(&builder->calls, frame_key(builder, e->thread));
	uint32_t enter = norn_value_flow_leave(graph->flow, graph->events, number, e);
	graph->events[number].link = enter;
	if ((e->argument & (NORN_LEAVE_UNWOUND | NORN_LEAVE_EXITED)) == NORN_LEAVE_UNWOUND)
		not_seen(builder, number);
	struct graph_thread *t = graph->threads + e->thread;
	t->outside = enter && graph->events[enter].flags & NORN_GRAPH_UNSEEN;
	if (enter && enter == t->unseen_in)
		t->unseen = 0;
}
