#include "sliced/attempts.h"

#include <stdlib.h>

#include "base/must.h"
#include "errors/fork_order.h"
#include "sliced/closure.h"
#include "sliced/debug.h"
#include "sliced/memory_contents.h"
#include "sliced/open_last.h"
#include "sliced/step_model.h"
#include "sliced/schedule_search.h"
#include "trace/record.h"

/* These grow with the effort. */
#define WINDOW (1u << 22) /* events of a window */
#define ORDERED (1u << 18) /* the same, if it is to be put in another order */
#define EQUAL_VALUES 64u /* reads that might see them */
#define SEARCH_EVENTS 8192u /* from the first event that matters to the last one */
#define SEARCH_MARGIN 256u /* before and after these, at least */
#define SEARCH_STEPS UINT64_C(100000) /* for each node of the effort, of all searches together */
#define AGAIN_STEPS UINT64_C(20000) /* the same, before which what was given up is tried again with more nodes */

struct norn_attempt_runner {
	const struct norn_graph *graph;
	const struct norn_builtin_options *options;
	struct norn_predictions *predictions;
	uint64_t max_steps;
	uint64_t search_steps, max_search_steps;
	unsigned nodes; /* of a search */
	struct norn_schedule_search *schedule_search; /* made when it is needed */
	struct norn_fork_order *fork_order;
	unsigned without; /* rules that are switched off */
	bool calls; /* the run has calls of code that may do anything */
};

struct norn_attempt_runner *norn_attempt_runner_new(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	struct norn_attempt_runner *attempt_runner = norn_must_calloc(1, sizeof *attempt_runner);
	attempt_runner->graph = graph;
	attempt_runner->options = options;
	attempt_runner->predictions = predictions;
	attempt_runner->max_steps = options->max_steps
	                                    ? options->max_steps
	                                    : norn_builtin_bound(options, norn_graph_count(graph) * UINT64_C(8) + 50000000);
	attempt_runner->max_search_steps = options->effort * SEARCH_STEPS;
	attempt_runner->nodes = options->effort;
	attempt_runner->without = options->without;
	for (uint32_t i = 1; i <= norn_graph_count(graph) && !attempt_runner->calls; i++)
		attempt_runner->calls = norn_rule_opaque_call(graph, i);
	norn_must_do(norn_fork_order_new(graph, &attempt_runner->fork_order));
	return attempt_runner;
}

const struct norn_fork_order *norn_attempt_runner_order(const struct norn_attempt_runner *attempt_runner)
{
	bool off = attempt_runner->options->without & (NORN_RULE_BEGIN | NORN_RULE_JOIN);
	return off ? NULL : attempt_runner->fork_order;
}

struct norn_builtin_stats *norn_attempt_runner_stats(struct norn_attempt_runner *attempt_runner)
{
	return &attempt_runner->predictions->stats;
}

void norn_attempt_runner_free(struct norn_attempt_runner *attempt_runner)
{
	if (!attempt_runner)
		return;
	norn_schedule_search_free(attempt_runner->schedule_search);
	norn_fork_order_free(attempt_runner->fork_order);
	free(attempt_runner);
}

/* ---- limits ---- */

static void limit_ends(struct norn_attempt *attempt, enum norn_builtin_limit limit)
{
	attempt->limited |= (uint16_t)(1u << limit);
}

static void count_limits(struct norn_builtin_stats *stats, const struct norn_attempt *attempts, uint32_t count, const bool *found)
{
	for (uint32_t i = 0; i < count; i++)
		for (unsigned k = 0; k < NORN_BUILTIN_LIMITS && !found[attempts[i].group]; k++)
			stats->limits[k] += attempts[i].limited >> k & 1;
}

/* ---- where attempts begin ---- */

struct start {
	uint32_t base;
	uint32_t attempt;
};

static int by_base(const void *a, const void *b)
{
	const struct start *x = a, *y = b;
	if (x->base != y->base)
		return x->base < y->base ? -1 : 1;
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

/* The event before the first stop; open_last: before the first lock that a stop holds, too. */
static uint32_t base_of(const struct norn_graph *graph, const struct norn_attempt *attempt, bool open_last)
{
	uint32_t first = attempt->stops[0];
	for (uint32_t i = 0; i < attempt->count; i++) {
		uint32_t stop = attempt->stops[i];
		if (stop < first)
			first = stop;
		for (uint32_t held = norn_graph_event(graph, stop)->held; held && open_last;) {
			uint32_t acquire = norn_graph_held(graph, held, &held);
			if (acquire < first)
				first = acquire;
		}
	}
	/* What stands for an earlier part of the run is taken as it is. */
	uint32_t carried = norn_graph_carried(graph);
	return first - 1 < carried ? carried : first - 1;
}

/* Do forks and joins keep its stops from being next at once, or what it includes from having happened by then? */
static bool is_ordered(const struct norn_attempt_runner *attempt_runner, const struct norn_attempt *attempt)
{
	const struct norn_fork_order *order = norn_attempt_runner_order(attempt_runner);
	for (uint32_t i = 0; i < attempt->count && order; i++) {
		for (uint32_t k = 0; k < attempt->count; k++)
			if (i != k && norn_fork_order_before(order, attempt->stops[i], attempt->stops[k]))
				return true;
		for (uint32_t k = 0; k < 2; k++)
			if (attempt->includes[k] && norn_fork_order_before(order, attempt->stops[i], attempt->includes[k]))
				return true;
	}
	return false;
}

static bool wanted(
        const struct norn_attempt_runner *attempt_runner, const struct norn_attempt *attempt, const bool *found, bool open_last)
{
	if (found[attempt->group] || attempt->search_only || is_ordered(attempt_runner, attempt))
		return false;
	for (uint32_t i = 0; i < attempt->count; i++)
		if (attempt->stops[i] <= norn_graph_carried(attempt_runner->graph))
			return false;
	if (!open_last)
		return !attempt->open_last_only;
	for (uint32_t i = 0; i < attempt->count; i++)
		if (norn_graph_event(attempt_runner->graph, attempt->stops[i])->held)
			return true;
	return false;
}

/* ---- assumptions ---- */

/* The last call that may do anything of the event's thread before it; 0: none. */
static uint32_t call_before(const struct norn_graph *graph, uint32_t event)
{
	uint32_t thread = norn_graph_event(graph, event)->thread;
	event--;
	while (event && !(norn_graph_event(graph, event)->thread == thread && norn_rule_opaque_call(graph, event)))
		event--;
	return event;
}

/* Calls that a prediction rests on. */
struct assumed {
	const struct norn_graph *graph;
	NORN_VECTOR(uint32_t) calls;
	uint32_t world; /* the last event that needs all calls before it, 0: none */
	bool other; /* it rests on something else, too */
};

static void assume(struct assumed *a, uint32_t call)
{
	for (uint32_t i = 0; i < a->calls.count; i++)
		if (a->calls.items[i] == call)
			return;
	a->other |= call == 0;
	norn_must_push(&a->calls, call);
}

/* The thread goes from base to the event before last, or through it. */
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

/* Notes the calls that the prediction rests on. False: it rests on something else, too. */
static bool find_assumed(const struct norn_attempt_runner *attempt_runner, struct norn_predicted *p)
{
	const struct norn_graph *graph = attempt_runner->graph;
	uint32_t threads = norn_graph_threads(graph), *last = norn_must_calloc(threads + 1ul, sizeof *last);
	struct assumed a = {.graph = graph};
	for (uint32_t i = 0; i < p->schedule.count; i++)
		last[norn_graph_event(graph, p->schedule.events[i])->thread] = p->schedule.events[i];
	for (uint32_t i = 0; i < p->stop_count; i++)
		last[norn_graph_event(graph, p->stops[i])->thread] = p->stops[i];
	for (uint32_t t = 0; t < threads; t++)
		assume_of_thread(&a, t, p->schedule.base, last[t]);
	/* What needs all calls before it does without these. */
	for (uint32_t i = p->schedule.base + 1; i < a.world; i++)
		if (norn_rule_opaque_call(graph, i))
			assume(&a, i);
	p->assumed = norn_must_arena_copy(&attempt_runner->predictions->arena, a.calls.items, a.calls.count, sizeof *p->assumed);
	p->assumed_count = a.calls.count;
	norn_vector_done(&a.calls);
	free(last);
	return !a.other;
}

/* False: it is none after all. */
static bool add(struct norn_attempt_runner *attempt_runner, const struct norn_attempt *attempt,
        const struct norn_schedule *schedule, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_predictions *p = attempt_runner->predictions;
	struct norn_predicted predicted = {.schedule = *schedule, .observed = schedule->count == 0, .stop_count = attempt->count};
	predicted.schedule.events = norn_must_arena_copy(&p->arena, schedule->events, schedule->count, sizeof *schedule->events);
	predicted.stops = norn_must_arena_copy(&p->arena, attempt->stops, attempt->count, sizeof *attempt->stops);
	if (attempt_runner->without & NORN_RULE_OPAQUE && !find_assumed(attempt_runner, &predicted))
		return false;
	fill(context, attempt, &predicted);
	norn_must_grow(&p->list, p->count + UINT64_C(1), &p->room, sizeof *p->list);
	p->list[p->count++] = predicted;
	return true;
}

/* ---- trying ---- */

/* Does the second event that must be there come after the first? */
static bool in_order(const struct norn_schedule *schedule, const uint32_t includes[2])
{
	bool first = includes[0] <= schedule->base, second = includes[1] <= schedule->base;
	if (second)
		return first && includes[0] <= includes[1];
	for (uint32_t i = 0; i < schedule->count; i++) {
		if (schedule->events[i] == includes[1])
			return first;
		first |= schedule->events[i] == includes[0];
	}
	return false;
}

/* Has the memory that the event frees been allocated again by then? */
static bool allocated_again(const struct norn_graph *graph, uint32_t free_event, const struct norn_schedule *schedule)
{
	const struct norn_graph_event *f = norn_graph_event(graph, free_event);
	bool freed = free_event <= schedule->base;
	for (uint32_t i = 0; i < schedule->count && f->kind == NORN_EVENT_FREE; i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, schedule->events[i]);
		if (freed && e->kind == NORN_EVENT_ALLOC && e->addr < f->addr + f->size && f->addr < e->addr + e->size)
			return true;
		freed |= schedule->events[i] == free_event;
	}
	return false;
}

/* Are the events that must be there in their order, and what they leave behind is still so? */
static bool holds_includes(const struct norn_graph *graph, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	return !attempt->includes[1] ||
	       (in_order(schedule, attempt->includes) && !allocated_again(graph, attempt->includes[1], schedule));
}

static bool leaves(const struct norn_graph_event *e, uint64_t addr)
{
	bool writes = e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL ||
	              e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
	              (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK);
	return writes && addr >= e->addr && addr - e->addr < e->size;
}

/* Does what the schedule leaves in this byte come from the write that the event read? */
static bool byte_as_then(const struct norn_graph *graph, const struct norn_schedule *schedule, uint32_t event, uint64_t addr)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(graph, &norn_graph_event(graph, event)->link, &writers), then = 0, now = 0;
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] > then && leaves(norn_graph_event(graph, writers[i]), addr))
			then = writers[i];
	for (uint32_t i = 0; i < schedule->count; i++)
		if (leaves(norn_graph_event(graph, schedule->events[i]), addr))
			now = schedule->events[i];
	return now ? now == then : then <= schedule->base;
}

/* Nothing that may write unseen may have come since, either. */
static bool sees_as_then(const struct norn_graph *graph, const struct norn_schedule *schedule, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	for (uint32_t i = 0; i < schedule->count; i++)
		if (norn_memory_contents_unseen(norn_graph_event(graph, schedule->events[i])))
			return false;
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++)
		if (!byte_as_then(graph, schedule, event, addr))
			return false;
	return true;
}

/* Makes a prediction of a closure that succeeded. False: its schedule does not show the error. */
static bool settle(struct norn_attempt_runner *attempt_runner, struct norn_closure *closure, uint32_t base,
        const struct norn_attempt *attempt, bool open_last, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_schedule schedule = {.base = base};
	const struct norn_rule *inexact = NULL;
	uint32_t *order = NULL;
	if (open_last)
		schedule.events = order = norn_open_last(attempt_runner->graph, closure, base, &schedule.count, &inexact);
	else
		schedule.events = norn_closure_window(closure, &schedule.count);
	bool shown = (order || !open_last) && holds_includes(attempt_runner->graph, attempt, &schedule) &&
	             (!attempt->sees || sees_as_then(attempt_runner->graph, &schedule, attempt->sees));
	if (shown)
		shown = add(attempt_runner, attempt, &schedule, fill, context);
	else if (inexact && attempt->sees) /* the others are searched for, without this rule */
		attempt_runner->predictions->stats.inexact = inexact;
	free(order);
	return shown;
}

static void try_one(struct norn_attempt_runner *attempt_runner, struct norn_closure *closure, uint32_t base,
        struct norn_attempt *attempt, bool *found, bool open_last, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_builtin_stats *stats = &attempt_runner->predictions->stats;
	norn_closure_base(closure, base);
	stats->closures++;
	uint64_t limit = norn_builtin_bound(attempt_runner->options, open_last ? ORDERED : WINDOW);
	norn_closure_sees(closure, attempt->sees);
	enum norn_closure_result result = norn_closure_try(closure, attempt->stops, attempt->count, attempt->includes, open_last,
	        limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX);
	if (norn_sliced_debug.closures)
		norn_debug_closure(closure, attempt_runner->graph, base, attempt->stops, attempt->count, result);
	switch (result) {
	case NORN_CLOSURE_TOO_LONG:
		limit_ends(attempt, NORN_LIMIT_WINDOW);
		break;
	case NORN_CLOSURE_NO:
		if (norn_closure_too_equal(closure))
			limit_ends(attempt, NORN_LIMIT_VALUES);
		if (norn_closure_inexact(closure))
			stats->inexact = norn_closure_inexact(closure);
		break;
	case NORN_CLOSURE_YES:
		found[attempt->group] |= settle(attempt_runner, closure, base, attempt, open_last, fill, context);
	}
}

static void try_all(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, const struct start *starts,
        uint32_t count, bool *found, bool open_last, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_builtin_stats *stats = &attempt_runner->predictions->stats;
	struct norn_closure *closure = norn_closure_new(attempt_runner->graph, attempt_runner->without);
	norn_closure_equal_values(closure, (uint32_t)norn_builtin_bound(attempt_runner->options, EQUAL_VALUES));
	uint64_t before = stats->steps;
	for (uint32_t i = 0; i < count; i++) {
		struct norn_attempt *attempt = attempts + starts[i].attempt;
		if (found[attempt->group])
			continue;
		if (stats->steps >= attempt_runner->max_steps) {
			limit_ends(attempt, NORN_LIMIT_STEPS);
			continue;
		}
		try_one(attempt_runner, closure, starts[i].base, attempt, found, open_last, fill, context);
		stats->steps = before + norn_closure_steps(closure);
	}
	norn_closure_free(closure);
}

static void pass(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count, bool *found,
        bool open_last, norn_attempt_runner_fill *fill, void *context)
{
	struct start *starts = norn_must_alloc(count, sizeof *starts);
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++)
		if (wanted(attempt_runner, attempts + i, found, open_last))
			starts[n++] = (struct start){base_of(attempt_runner->graph, attempts + i, open_last), i};
	qsort(starts, n, sizeof *starts, by_base);
	if (n)
		try_all(attempt_runner, attempts, starts, n, found, open_last, fill, context);
	free(starts);
}

/* ---- searching ---- */

/* An attempt that is searched for, and the events that it is about. */
struct quest {
	uint32_t attempt, group;
	uint32_t first, last;
	uint32_t rank; /* in its group */
};

/* All groups get a search before one gets another. */
static int by_rank(const void *a, const void *b)
{
	const struct quest *x = a, *y = b;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

static int by_group(const void *a, const void *b)
{
	const struct quest *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->last - x->first != y->last - y->first)
		return x->last - x->first < y->last - y->first ? -1 : 1;
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

/* This event, and the beginnings of the regions that it is in. */
static void span(const struct norn_graph *graph, struct quest *quest, uint32_t event)
{
	if (event == 0)
		return;
	if (event > quest->last)
		quest->last = event;
	if (event < quest->first)
		quest->first = event;
	for (uint32_t held = norn_graph_event(graph, event)->held; held;) {
		uint32_t acquire = norn_graph_held(graph, held, &held);
		if (acquire < quest->first)
			quest->first = acquire;
	}
}

static struct quest quest_of(const struct norn_graph *graph, const struct norn_attempt *attempt, uint32_t number)
{
	struct quest quest = {.attempt = number, .group = attempt->group, .first = UINT32_MAX};
	for (uint32_t i = 0; i < attempt->count; i++)
		span(graph, &quest, attempt->stops[i]);
	for (uint32_t i = 0; i < 2; i++)
		span(graph, &quest, attempt->includes[i]);
	return quest;
}

/* Searches the part of the run from base on. True: the error is shown. */
static bool search_from(struct norn_attempt_runner *attempt_runner, const struct norn_attempt *attempt, uint32_t base,
        uint32_t last, uint32_t end, bool *bound, norn_attempt_runner_fill *fill, void *context)
{
	const struct norn_schedule_search_goal goal = {.stops = attempt->stops,
	        .stop_count = attempt->count,
	        .includes = {attempt->includes[0], attempt->includes[1]},
	        .last = last,
	        .without = attempt_runner->without};
	struct norn_schedule schedule = {.base = base};
	uint32_t *events = NULL;
	enum norn_schedule_search_result result = norn_schedule_search_try(attempt_runner->schedule_search, &goal, base, end,
	        attempt_runner->nodes, &attempt_runner->search_steps, &events, &schedule.count);
	*bound |= result == NORN_SCHEDULE_SEARCH_BOUND;
	if (result == NORN_SCHEDULE_SEARCH_NO && norn_schedule_search_inexact(attempt_runner->schedule_search))
		attempt_runner->predictions->stats.inexact = norn_schedule_search_inexact(attempt_runner->schedule_search);
	if (result != NORN_SCHEDULE_SEARCH_YES)
		return false;
	schedule.events = events;
	bool shown =
	        holds_includes(attempt_runner->graph, attempt, &schedule) && add(attempt_runner, attempt, &schedule, fill, context);
	free(events);
	return shown;
}

/* A base that many events back, unless something is in between that only the recorded run can explain. What only stands for the
 * past stays as it is. */
static uint32_t farther_base(const struct norn_graph *graph, uint32_t base, uint32_t margin, unsigned without)
{
	for (; base > norn_graph_carried(graph) && margin && !norn_rule_never_without(graph, base, without); margin--)
		base--;
	return base;
}

static void search_for(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempt, const struct quest *quest,
        bool *found, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_builtin_stats *stats = &attempt_runner->predictions->stats;
	uint32_t margin = quest->last - quest->first + SEARCH_MARGIN, count = norn_graph_count(attempt_runner->graph);
	uint32_t end = count - quest->last > margin ? quest->last + margin : count;
	uint32_t near = quest->first - 1, far = farther_base(attempt_runner->graph, near, margin, attempt_runner->without);
	bool bound = false;
	if (!attempt_runner->schedule_search)
		attempt_runner->schedule_search = norn_schedule_search_new(attempt_runner->graph);
	stats->searches += attempt_runner->nodes == attempt_runner->options->effort;
	bool shown = search_from(attempt_runner, attempt, near, quest->last, end, &bound, fill, context) ||
	             (far != near && search_from(attempt_runner, attempt, far, quest->last, end, &bound, fill, context)) ||
	             search_from(attempt_runner, attempt, far, UINT32_MAX, end, &bound, fill, context);
	if (!shown && bound)
		limit_ends(attempt, NORN_LIMIT_NODES);
	found[attempt->group] = shown;
}

/* The attempts that are worth a search: their number. What none is made for, for want of effort, is noted. */
static uint32_t find_quests(const struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        const bool *found, struct quest *quests)
{
	uint64_t most = norn_builtin_bound(attempt_runner->options, SEARCH_EVENTS);
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct quest quest = quest_of(attempt_runner->graph, attempts + i, i);
		if (found[attempts[i].group] || attempts[i].sees || quest.first <= norn_graph_carried(attempt_runner->graph) ||
		        is_ordered(attempt_runner, attempts + i))
			continue;
		if (attempt_runner->options->effort == 0)
			limit_ends(attempts + i, NORN_LIMIT_NODES);
		else if (quest.last - quest.first >= most)
			limit_ends(attempts + i, NORN_LIMIT_SPAN);
		else
			quests[n++] = quest;
	}
	return n;
}

/* Where all of this took little time, what was given up gets more nodes, and then more again. */
static void search_again(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, const struct quest *quests,
        uint32_t count, bool *found, norn_attempt_runner_fill *fill, void *context)
{
	uint64_t most = attempt_runner->options->effort * AGAIN_STEPS;
	bool again = true;
	while (again && attempt_runner->search_steps < most && attempt_runner->nodes < UINT32_MAX / 4) {
		attempt_runner->nodes *= 4;
		again = false;
		for (uint32_t i = 0; i < count && attempt_runner->search_steps < most; i++) {
			struct norn_attempt *attempt = attempts + quests[i].attempt;
			if (found[quests[i].group] || !(attempt->limited >> NORN_LIMIT_NODES & 1))
				continue;
			attempt->limited &= (uint16_t)~(1u << NORN_LIMIT_NODES);
			search_for(attempt_runner, attempt, quests + i, found, fill, context);
			again |= attempt->limited >> NORN_LIMIT_NODES & 1;
		}
	}
	attempt_runner->nodes = attempt_runner->options->effort;
}

static void search_all(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context)
{
	struct quest *quests = norn_must_alloc(count, sizeof *quests);
	uint32_t n = find_quests(attempt_runner, attempts, count, found, quests);
	if (n)
		qsort(quests, n, sizeof *quests, by_group);
	for (uint32_t i = 1; i < n; i++)
		quests[i].rank = quests[i - 1].group == quests[i].group ? quests[i - 1].rank + 1 : 0;
	if (n)
		qsort(quests, n, sizeof *quests, by_rank);
	for (uint32_t i = 0; i < n; i++) {
		struct norn_attempt *attempt = attempts + quests[i].attempt;
		if (found[quests[i].group])
			continue;
		if (attempt_runner->search_steps < attempt_runner->max_search_steps)
			search_for(attempt_runner, attempt, quests + i, found, fill, context);
		else
			limit_ends(attempt, NORN_LIMIT_NODES);
	}
	search_again(attempt_runner, attempts, quests, n, found, fill, context);
	free(quests);
}

static void try_everything(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context)
{
	pass(attempt_runner, attempts, count, found, false, fill, context);
	if (!attempt_runner->options->keeps_order) {
		pass(attempt_runner, attempts, count, found, true, fill, context);
		search_all(attempt_runner, attempts, count, found, fill, context);
	}
	count_limits(&attempt_runner->predictions->stats, attempts, count, found);
}

void norn_attempt_runner_try(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context)
{
	attempt_runner->predictions->stats.candidates += count;
	try_everything(attempt_runner, attempts, count, found, fill, context);
}

void norn_attempt_runner_suspect(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        bool *found, norn_attempt_runner_fill *fill, void *context)
{
	if (!attempt_runner->calls || attempt_runner->without & NORN_RULE_CALL)
		return;
	for (uint32_t i = 0; i < count; i++)
		attempts[i].limited = 0;
	attempt_runner->without |= NORN_RULE_OPAQUE;
	try_everything(attempt_runner, attempts, count, found, fill, context);
	attempt_runner->without &= ~(unsigned)NORN_RULE_OPAQUE;
}
