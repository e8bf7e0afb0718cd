#include "sliced/attempts.h"

#include <assert.h>
#include <stdlib.h>

#include "base/interrupt.h"
#include "base/must.h"
#include "errors/fork_order.h"
#include "sliced/closure.h"
#include "sliced/debug.h"
#include "sliced/memory_contents.h"
#include "sliced/open_last.h"
#include "sliced/step/step_model.h"
#include "sliced/search/schedule_search.h"
#include "sliced/schedule_assumptions.h"
#include "trace/record.h"

/* Limits; they grow with the effort. */
#define WINDOW (1u << 22) /* events of a window */
#define ORDERED (1u << 18) /* events of a window that is put into another order */
#define SEARCH_EVENTS 65536u /* span of a search: from the first event of the attempt to the last one */
#define STUCK_EVENTS (1u << 21) /* span up to which the order of S18 is still tried, and nothing else */
#define SEARCH_NEAR 8192u /* span of the searches that are made first */
#define WIDE_STEPS UINT64_C(250000) /* steps of all wide searches together; half a step for each event, if that is more */
#define SEARCHES 512u /* searches for one group */
#define SEARCH_MARGIN 256u /* events before and after the span that are searched, too */
#define SEARCH_STEPS UINT64_C(100000) /* steps of all searches together, for each node of the effort */
#define AGAIN_STEPS UINT64_C(20000) /* if all searches took fewer, those given up are repeated with more nodes */

struct norn_attempt_runner {
	const struct norn_graph *graph;
	const struct norn_builtin_options *options;
	struct norn_predictions *predictions;
	uint64_t max_steps;
	uint64_t search_steps, max_search_steps;
	uint64_t wide_steps, max_wide_steps; /* the part of search_steps that wide searches took */
	unsigned nodes; /* limit of one search */
	struct norn_schedule_search *schedule_search; /* made when it is needed */
	struct norn_fork_order *fork_order;
	unsigned without; /* rules that are switched off */
	norn_attempt_runner_look *look;
	void *look_context;
	bool calls; /* the run has calls of code that may do anything */
	bool after; /* the run has events that come after all before them */
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
	uint64_t wide = norn_graph_count(graph) / 2;
	attempt_runner->max_wide_steps = norn_builtin_bound(options, wide > WIDE_STEPS ? wide : WIDE_STEPS);
	attempt_runner->nodes = options->effort;
	attempt_runner->without = options->without;
	for (uint32_t i = 1; i <= norn_graph_count(graph) && !(attempt_runner->calls && attempt_runner->after); i++) {
		attempt_runner->calls |= norn_rule_opaque_call(graph, i);
		attempt_runner->after |= norn_schedule_comes_after(graph, i);
	}
	attempt_runner->fork_order = norn_fork_order_new(graph);
	return attempt_runner;
}

const struct norn_fork_order *norn_attempt_runner_order(const struct norn_attempt_runner *attempt_runner)
{
	bool off = attempt_runner->options->without & (NORN_RULE_BEGIN | NORN_RULE_JOIN);
	return off ? NULL : attempt_runner->fork_order;
}

void norn_attempt_runner_shows(struct norn_attempt_runner *attempt_runner, norn_attempt_runner_look *look, void *context)
{
	attempt_runner->look = look;
	attempt_runner->look_context = context;
}

struct norn_builtin_stats *norn_attempt_runner_stats(struct norn_attempt_runner *attempt_runner)
{
	return &attempt_runner->predictions->stats;
}

void norn_attempt_runner_free(struct norn_attempt_runner *attempt_runner)
{
	if (!attempt_runner)
		return;
	attempt_runner->predictions->stats.search_steps += attempt_runner->search_steps;
	norn_schedule_search_free(attempt_runner->schedule_search);
	norn_fork_order_free(attempt_runner->fork_order);
	free(attempt_runner);
}

/* ---- limits ---- */

static void limit_ends(struct norn_attempt *attempt, enum norn_builtin_limit limit)
{
	attempt->limited |= (uint16_t)(1u << limit);
}

static void count_limits(struct norn_builtin_stats *stats, struct norn_attempt *attempts, uint32_t count, const bool *found)
{
	for (uint32_t i = 0; i < count; i++) {
		attempts[i].given_up |= attempts[i].limited;
		for (unsigned k = 0; k < NORN_BUILTIN_LIMITS && !found[attempts[i].group]; k++)
			stats->limits[k] += attempts[i].limited >> k & 1;
	}
}

/* A try without success met a rule that orders more than the law asks. */
static void meet_inexact(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempt, const struct norn_rule *rule)
{
	attempt_runner->predictions->stats.inexact = rule;
	attempt->inexact = true;
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

/* The first of this event and the acquires of the locks that are held there. */
static uint32_t first_held(const struct norn_graph *graph, uint32_t event)
{
	uint32_t first = event;
	for (uint32_t held = norn_graph_event(graph, event)->held; held;) {
		uint32_t acquire = norn_graph_held(graph, held, &held);
		if (acquire < first)
			first = acquire;
	}
	return first;
}

/* The event before the first stop, and before the region of an allocation that the schedule leaves out; with open_last also before
 * the first lock that a stop holds. */
static uint32_t base_of(const struct norn_graph *graph, const struct norn_attempt *attempt, bool open_last)
{
	uint32_t first = attempt->reused ? first_held(graph, attempt->reused) : UINT32_MAX;
	if (attempt->before && first_held(graph, attempt->before) < first)
		first = first_held(graph, attempt->before);
	for (uint32_t i = 0; i < attempt->count; i++) {
		uint32_t stop = open_last ? first_held(graph, attempt->stops[i]) : attempt->stops[i];
		if (stop < first)
			first = stop;
	}
	/* Events that stand for an earlier part of the run are taken as they are. */
	uint32_t carried = norn_graph_carried(graph);
	return first - 1 < carried ? carried : first - 1;
}

/* Do forks and joins forbid the attempt: that all its stops are next at once, or that the included events happened before? */
static bool is_ordered(const struct norn_attempt_runner *attempt_runner, const struct norn_attempt *attempt)
{
	const struct norn_fork_order *order = norn_attempt_runner_order(attempt_runner);
	for (uint32_t i = 0; i < attempt->count && order; i++) {
		for (uint32_t k = 0; k < attempt->count; k++)
			if (i != k && norn_fork_order_before(order, attempt->stops[i], attempt->stops[k]))
				return true;
		for (uint32_t k = 0; k < NORN_CLOSURE_INCLUDES; k++)
			if (attempt->includes[k] && norn_fork_order_before(order, attempt->stops[i], attempt->includes[k]))
				return true;
		if (attempt->reused && norn_fork_order_before(order, attempt->reused, attempt->stops[i]))
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
		return !attempt->open_last_only && (!attempt->tried || attempt_runner->without & NORN_RULE_OPAQUE);
	for (uint32_t i = 0; i < attempt->count; i++)
		if (norn_graph_event(attempt_runner->graph, attempt->stops[i])->held)
			return true;
	return false;
}

/* ---- predictions ---- */

/* Do the stops happen one after the other? Both stops of a race are enabled at once, and those of a deadlock never happen. */
static bool stops_in_turn(enum norn_predicted_kind kind)
{
	return kind != NORN_PREDICTED_RACE && kind != NORN_PREDICTED_DEADLOCK;
}

static bool are_as_recorded(const uint32_t *stops, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (stops[i - 1] > stops[i])
			return false;
	return true;
}

/* Does the schedule go beyond its base, by events of each thread in their order, and not to a stop? */
__attribute__((unused)) static bool keeps_to_threads(
        const struct norn_graph *graph, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	uint32_t *last = norn_must_calloc(norn_graph_threads(graph) + UINT64_C(1), sizeof *last);
	bool keeps = true;
	for (uint32_t i = 0; i < schedule->count; i++) {
		uint32_t event = schedule->events[i], *of_thread = last + events[event].thread;
		keeps &= event > schedule->base && event > *of_thread;
		*of_thread = event;
	}
	for (uint32_t i = 0; i < attempt->count; i++)
		keeps &= last[events[attempt->stops[i]].thread] < attempt->stops[i] && attempt->stops[i] > schedule->base;
	free(last);
	return keeps;
}

/* Adds the prediction of this attempt. False: its schedule does not show the error after all. */
static bool add(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempt, const struct norn_schedule *schedule,
        norn_attempt_runner_fill *fill, void *context)
{
	struct norn_predictions *p = attempt_runner->predictions;
	if (attempt_runner->without & NORN_RULE_AFTER) {
		uint32_t bar = norn_schedule_bar(attempt_runner->graph, schedule, attempt->stops, attempt->count);
		p->stats.barred = p->stats.barred ? p->stats.barred : bar;
		attempt->barred |= bar != 0;
		return false;
	}
	assert(keeps_to_threads(attempt_runner->graph, attempt, schedule));
	struct norn_predicted predicted = {.schedule = *schedule, .observed = schedule->count == 0, .stop_count = attempt->count};
	predicted.schedule.events = norn_must_arena_copy(&p->arena, schedule->events, schedule->count, sizeof *schedule->events);
	predicted.stops = norn_must_arena_copy(&p->arena, attempt->stops, attempt->count, sizeof *attempt->stops);
	if (attempt_runner->without & NORN_RULE_OPAQUE && !norn_schedule_find_assumed(attempt_runner->graph, &predicted, &p->arena))
		return false;
	fill(context, attempt, &predicted);
	predicted.observed &= !stops_in_turn(predicted.kind) || are_as_recorded(predicted.stops, predicted.stop_count);
	predicted.addr = norn_graph_address(attempt_runner->graph, predicted.addr);
	norn_must_grow(&p->list, p->count + UINT64_C(1), &p->room, sizeof *p->list);
	p->list[p->count++] = predicted;
	return true;
}

/* ---- trying ---- */

/* Does the second event come after the first, if there is one? */
static bool in_order(const struct norn_schedule *schedule, uint32_t first_event, uint32_t second_event)
{
	bool first = first_event <= schedule->base, second = second_event <= schedule->base;
	if (second)
		return first && first_event <= second_event;
	for (uint32_t i = 0; i < schedule->count; i++) {
		if (schedule->events[i] == second_event)
			return first;
		first |= schedule->events[i] == first_event;
	}
	return false;
}

/* Has the memory that the event frees been allocated again before the end of the schedule? */
static bool allocated_again(const struct norn_graph *graph, uint32_t free_event, const struct norn_schedule *schedule)
{
	const struct norn_graph_event *f = norn_graph_event(graph, free_event);
	bool freed = free_event <= schedule->base;
	for (uint32_t i = 0; i < schedule->count && norn_graph_frees(f); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, schedule->events[i]);
		if (freed && e->kind == NORN_EVENT_ALLOC && e->addr < f->addr + f->size && f->addr < e->addr + e->size)
			return true;
		freed |= schedule->events[i] == free_event;
	}
	return false;
}

/* Does the schedule leave out the event that must not be in it? */
static bool leaves_out(const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	bool found = attempt->reused && attempt->reused <= schedule->base;
	for (uint32_t i = 0; i < schedule->count && attempt->reused && !found; i++)
		found = schedule->events[i] == attempt->reused;
	return !found;
}

/* Are the included events in their order, and is the memory afterwards still as they left it? */
static bool holds_includes(const struct norn_graph *graph, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	if (!leaves_out(attempt, schedule))
		return false;
	for (uint32_t i = 1; i < NORN_CLOSURE_INCLUDES; i += 2)
		if (attempt->includes[i] && (!in_order(schedule, attempt->includes[i - 1], attempt->includes[i]) ||
		                                    allocated_again(graph, attempt->includes[i], schedule)))
			return false;
	return true;
}

static bool shows(
        const struct norn_attempt_runner *attempt_runner, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	return !attempt_runner->look || attempt_runner->look(attempt_runner->look_context, attempt, schedule);
}

/* Makes a prediction of a closure that succeeded. False: its schedule does not show the error. */
static bool settle(struct norn_attempt_runner *attempt_runner, struct norn_closure *closure, uint32_t base,
        struct norn_attempt *attempt, bool open_last, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_schedule schedule = {.base = base};
	const struct norn_rule *inexact = NULL;
	uint32_t *order = NULL;
	if (open_last)
		schedule.events = order = norn_open_last(attempt_runner->graph, closure, base, &schedule.count, &inexact);
	else
		schedule.events = norn_closure_window(closure, &schedule.count);
	bool shown = (order || !open_last) && holds_includes(attempt_runner->graph, attempt, &schedule) &&
	             (!attempt->sees || norn_memory_contents_as_then(attempt_runner->graph, &schedule, attempt->sees)) &&
	             shows(attempt_runner, attempt, &schedule);
	if (shown)
		shown = add(attempt_runner, attempt, &schedule, fill, context);
	else if (inexact && attempt->sees) /* without this rule there is a search for other orders */
		meet_inexact(attempt_runner, attempt, inexact);
	free(order);
	return shown;
}

/* Asks the closure, which is at base or before it, for what the attempt needs. */
static enum norn_closure_result ask(const struct norn_attempt_runner *attempt_runner, struct norn_closure *closure, uint32_t base,
        const struct norn_attempt *attempt, bool open_last)
{
	uint64_t bound = norn_builtin_bound(attempt_runner->options, open_last ? ORDERED : WINDOW);
	norn_closure_base(closure, base);
	norn_closure_sees(closure, attempt->sees);
	norn_closure_stale(
	        closure, attempt->nowhere ? norn_graph_event(attempt_runner->graph, attempt->nowhere)->life : attempt->reused);
	if (attempt_runner->look)
		norn_closure_frees(closure, attempt->freed, attempt->freed_count);
	return norn_closure_try(closure, attempt->stops, attempt->count, attempt->includes, open_last,
	        bound < UINT32_MAX ? (uint32_t)bound : UINT32_MAX);
}

/* The closure failed. Does it succeed without the rules that are stricter than the law? Then the attempt counts as not judged:
 * malloc may return other memory (S15), a call may get another answer of the system (X7). The closure without these rules is made
 * when it is first needed. */
static bool rests_on_stricter(const struct norn_attempt_runner *attempt_runner, struct norn_closure **looser, uint32_t base,
        const struct norn_attempt *attempt, bool open_last)
{
	if (!*looser) {
		*looser = norn_closure_new(attempt_runner->graph, attempt_runner->without | NORN_RULE_STRICTER);
		norn_closure_equal_values(*looser);
	}
	return ask(attempt_runner, *looser, base, attempt, open_last) != NORN_CLOSURE_NO;
}

/* closures: [0] with all rules; [1] without those that are stricter than the law, NULL until it is needed. */
static void try_one(struct norn_attempt_runner *attempt_runner, struct norn_closure *closures[2], uint32_t base,
        struct norn_attempt *attempt, bool *found, bool open_last, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_builtin_stats *stats = &attempt_runner->predictions->stats;
	struct norn_closure *closure = closures[0];
	stats->closures++;
	enum norn_closure_result result = ask(attempt_runner, closure, base, attempt, open_last);
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
			meet_inexact(attempt_runner, attempt, norn_closure_inexact(closure));
		else if ((!stats->inexact || attempt_runner->options->judged) && norn_closure_stricter(closure) &&
		         rests_on_stricter(attempt_runner, &closures[1], base, attempt, open_last))
			meet_inexact(attempt_runner, attempt, stats->inexact ? stats->inexact : norn_closure_stricter(closure));
		break;
	case NORN_CLOSURE_YES:
		found[attempt->group] |= settle(attempt_runner, closure, base, attempt, open_last, fill, context);
	}
}

static void try_all(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, const struct start *starts,
        uint32_t count, bool *found, bool open_last, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_builtin_stats *stats = &attempt_runner->predictions->stats;
	struct norn_closure *closures[2] = {norn_closure_new(attempt_runner->graph, attempt_runner->without), NULL};
	norn_closure_equal_values(closures[0]);
	uint64_t before = stats->steps;
	for (uint32_t i = 0; i < count; i++) {
		struct norn_attempt *attempt = attempts + starts[i].attempt;
		if (found[attempt->group] ||
		        (!attempt_runner->options->judged && attempt_runner->without & NORN_RULE_AFTER && stats->barred))
			continue;
		if (stats->steps >= attempt_runner->max_steps || norn_interrupted()) {
			limit_ends(attempt, NORN_LIMIT_STEPS);
			continue;
		}
		try_one(attempt_runner, closures, starts[i].base, attempt, found, open_last, fill, context);
		stats->steps = before + norn_closure_steps(closures[0]) + (closures[1] ? norn_closure_steps(closures[1]) : 0);
	}
	norn_closure_free(closures[0]);
	norn_closure_free(closures[1]);
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

/* A search for an attempt, and the span of its events. */
struct pending_search {
	uint32_t attempt, group;
	uint32_t first, last;
	uint32_t rank; /* its number within the group */
	bool late_only; /* too long for must-order */
};

static bool is_wide(const struct pending_search *search)
{
	return search->last - search->first >= SEARCH_NEAR;
}

/* All groups get a search before one gets another; the wide ones come last. */
static int by_rank(const void *a, const void *b)
{
	const struct pending_search *x = a, *y = b;
	if (is_wide(x) != is_wide(y))
		return is_wide(x) ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->group > y->group) - (x->group < y->group);
}

static int by_group(const void *a, const void *b)
{
	const struct pending_search *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->last - x->first != y->last - y->first)
		return x->last - x->first < y->last - y->first ? -1 : 1;
	return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

/* Extends the span by this event, and by the acquires of the locks that are held there. */
static void span(const struct norn_graph *graph, struct pending_search *pending_search, uint32_t event)
{
	if (event == 0)
		return;
	if (event > pending_search->last)
		pending_search->last = event;
	if (event < pending_search->first)
		pending_search->first = event;
	for (uint32_t held = norn_graph_event(graph, event)->held; held;) {
		uint32_t acquire = norn_graph_held(graph, held, &held);
		if (acquire < pending_search->first)
			pending_search->first = acquire;
	}
}

/* The beginning of the wait that this acquire ends. */
static uint32_t wait_of(const struct norn_graph *graph, uint32_t acquire)
{
	uint32_t end = norn_rule_wait_end(graph, acquire);
	return end ? norn_graph_event(graph, end)->link : 0;
}

static struct pending_search search_of(const struct norn_graph *graph, const struct norn_attempt *attempt, uint32_t number)
{
	struct pending_search pending_search = {.attempt = number, .group = attempt->group, .first = UINT32_MAX};
	for (uint32_t i = 0; i < attempt->count; i++)
		span(graph, &pending_search, attempt->stops[i]);
	for (uint32_t i = 0; i < NORN_CLOSURE_INCLUDES; i++)
		span(graph, &pending_search, attempt->includes[i]);
	span(graph, &pending_search, attempt->before);
	/* The notify may have to happen before the region in which the thread falls asleep. */
	for (uint32_t i = 0; i < attempt->count; i++)
		if (attempt->asleep >> i & 1)
			span(graph, &pending_search, wait_of(graph, attempt->stops[i]));
	for (uint32_t t = 0; attempt->all_end && t < norn_graph_threads(graph); t++)
		if (norn_graph_last(graph, t) > pending_search.last)
			pending_search.last = norn_graph_last(graph, t);
	return pending_search;
}

/* There is no such order. Is there one without the rules that are stricter than the law? */
static void judge_refusal(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempt,
        struct norn_schedule_search_goal goal, uint32_t base, uint32_t end)
{
	const struct norn_rule *met = norn_schedule_search_inexact(attempt_runner->schedule_search),
	                       *stricter = norn_schedule_search_stricter(attempt_runner->schedule_search);
	bool said = attempt_runner->predictions->stats.inexact && !attempt_runner->options->judged;
	uint32_t *events = NULL, count;
	goal.without |= NORN_RULE_LOOK;
	if (!met && stricter && !said &&
	        norn_schedule_search_try(attempt_runner->schedule_search, &goal, base, end, attempt_runner->nodes,
	                &attempt_runner->search_steps, &events, &count) != NORN_SCHEDULE_SEARCH_NO)
		met = stricter;
	free(events);
	if (met)
		meet_inexact(attempt_runner, attempt, met);
}

/* Searches the part of the run from base on. True: the error is shown. */
static bool search_from(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempt, uint32_t base, uint32_t last,
        uint32_t end, bool late_only, bool *bound, norn_attempt_runner_fill *fill, void *context)
{
	const struct norn_schedule_search_goal goal = {.stops = attempt->stops,
	        .stop_count = attempt->count,
	        .includes = attempt->includes,
	        .include_count = NORN_CLOSURE_INCLUDES,
	        .asleep = attempt->asleep,
	        .nowhere = attempt->nowhere,
	        .all_end = attempt->all_end,
	        .late_only = late_only,
	        .last = last,
	        .without = attempt_runner->without,
	        .freed = attempt->freed,
	        .freed_count = attempt->freed_count};
	struct norn_schedule schedule = {.base = base};
	uint32_t *events = NULL;
	enum norn_schedule_search_result result = norn_schedule_search_try(attempt_runner->schedule_search, &goal, base, end,
	        attempt_runner->nodes, &attempt_runner->search_steps, &events, &schedule.count);
	*bound |= result == NORN_SCHEDULE_SEARCH_BOUND;
	if (result == NORN_SCHEDULE_SEARCH_NO)
		judge_refusal(attempt_runner, attempt, goal, base, end);
	if (result != NORN_SCHEDULE_SEARCH_YES)
		return false;
	schedule.events = events;
	bool shown = holds_includes(attempt_runner->graph, attempt, &schedule) && shows(attempt_runner, attempt, &schedule) &&
	             add(attempt_runner, attempt, &schedule, fill, context);
	free(events);
	return shown;
}

/* A base that many events before the span. It does not go back beyond an event that only the recorded run can explain, nor beyond
 * the events that stand for the prefix. */
static uint32_t farther_base(const struct norn_graph *graph, uint32_t base, uint32_t margin, unsigned without)
{
	for (; base > norn_graph_carried(graph) && margin && !norn_rule_never_without(graph, base, without); margin--)
		base--;
	return base;
}

static void search_for(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempt,
        const struct pending_search *pending_search, bool *found, norn_attempt_runner_fill *fill, void *context)
{
	struct norn_builtin_stats *stats = &attempt_runner->predictions->stats;
	uint32_t span = pending_search->last - pending_search->first, count = norn_graph_count(attempt_runner->graph);
	uint32_t margin = (span < SEARCH_NEAR ? span : SEARCH_NEAR) + SEARCH_MARGIN;
	uint32_t end = count - pending_search->last > margin ? pending_search->last + margin : count;
	uint32_t near = pending_search->first - 1, far = farther_base(attempt_runner->graph, near, margin, attempt_runner->without);
	/* First a part with few events, from near on; then a longer one, from far on, which has all orders of the first. */
	uint32_t first_end = far != near && end - pending_search->last > SEARCH_MARGIN ? pending_search->last + SEARCH_MARGIN : end;
	bool bound = false;
	if (!attempt_runner->schedule_search)
		attempt_runner->schedule_search = norn_schedule_search_new(attempt_runner->graph);
	stats->searches += attempt_runner->nodes == attempt_runner->options->effort;
	uint32_t last = pending_search->last;
	bool late_only = pending_search->late_only;
	bool shown = ((!is_wide(pending_search) || late_only) &&
	                     search_from(attempt_runner, attempt, near, last, first_end, late_only, &bound, fill, context)) ||
	             ((far != near || is_wide(pending_search)) && !late_only &&
	                     search_from(attempt_runner, attempt, far, last, end, false, &bound, fill, context)) ||
	             search_from(attempt_runner, attempt, far, UINT32_MAX, end, late_only, &bound, fill, context);
	if (!shown && bound)
		limit_ends(attempt, late_only ? NORN_LIMIT_SPAN : NORN_LIMIT_NODES);
	found[attempt->group] = shown;
}

/* Lists the attempts that are worth a search, and returns their number. Attempts that the limits leave out are counted. */
static uint32_t list_searches(const struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        const bool *found, struct pending_search *searches)
{
	uint64_t most = norn_builtin_bound(attempt_runner->options, SEARCH_EVENTS);
	uint64_t longest = norn_builtin_bound(attempt_runner->options, STUCK_EVENTS);
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct pending_search pending_search = search_of(attempt_runner->graph, attempts + i, i);
		if (found[attempts[i].group] || attempts[i].sees || attempts[i].reused ||
		        pending_search.first <= norn_graph_carried(attempt_runner->graph) ||
		        is_ordered(attempt_runner, attempts + i))
			continue;
		if (attempt_runner->options->effort == 0)
			limit_ends(attempts + i, NORN_LIMIT_NODES);
		else if (pending_search.last - pending_search.first < most)
			searches[n++] = pending_search;
		else if (attempts[i].all_end && pending_search.last - pending_search.first < longest) {
			pending_search.late_only = true;
			searches[n++] = pending_search;
		} else
			limit_ends(attempts + i, NORN_LIMIT_SPAN);
	}
	return n;
}

/* A group with more attempts than that has only so many searches, spread over the whole run. */
static uint32_t spread_searches(const struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts,
        struct pending_search *searches, uint32_t count)
{
	uint64_t most = norn_builtin_bound(attempt_runner->options, SEARCHES), groups = 0;
	for (uint32_t i = 0; i < count; i++)
		groups = searches[i].group >= groups ? searches[i].group + 1ul : groups;
	struct {
		uint64_t all, passed;
	} *of = norn_must_calloc(groups, sizeof *of);
	for (uint32_t i = 0; i < count; i++)
		of[searches[i].group].all++;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t all = of[searches[i].group].all, at = of[searches[i].group].passed++;
		if (all <= most || (at + 1) * most / all > at * most / all)
			searches[kept++] = searches[i];
		else
			limit_ends(attempts + searches[i].attempt, NORN_LIMIT_NODES);
	}
	free(of);
	return kept;
}

/* Searches that were given up are repeated with more nodes, as long as all of them together took few steps. */
static void search_again(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts,
        const struct pending_search *searches, uint32_t count, bool *found, norn_attempt_runner_fill *fill, void *context)
{
	uint64_t most = attempt_runner->options->effort * AGAIN_STEPS;
	bool again = true;
	while (again && !norn_interrupted() && attempt_runner->search_steps < most && attempt_runner->nodes < UINT32_MAX / 4) {
		attempt_runner->nodes *= 4;
		again = false;
		for (uint32_t i = 0; i < count && attempt_runner->search_steps < most && !norn_interrupted(); i++) {
			struct norn_attempt *attempt = attempts + searches[i].attempt;
			if (found[searches[i].group] || is_wide(searches + i) || !(attempt->limited >> NORN_LIMIT_NODES & 1))
				continue;
			attempt->limited &= (uint16_t)~(1u << NORN_LIMIT_NODES);
			search_for(attempt_runner, attempt, searches + i, found, fill, context);
			again |= attempt->limited >> NORN_LIMIT_NODES & 1;
		}
	}
	attempt_runner->nodes = attempt_runner->options->effort;
}

static void search_all(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context)
{
	struct pending_search *searches = norn_must_alloc(count, sizeof *searches);
	uint32_t n = list_searches(attempt_runner, attempts, count, found, searches);
	n = spread_searches(attempt_runner, attempts, searches, n);
	if (n)
		qsort(searches, n, sizeof *searches, by_group);
	for (uint32_t i = 1; i < n; i++)
		searches[i].rank = searches[i - 1].group == searches[i].group ? searches[i - 1].rank + 1 : 0;
	if (n)
		qsort(searches, n, sizeof *searches, by_rank);
	for (uint32_t i = 0; i < n; i++) {
		struct norn_attempt *attempt = attempts + searches[i].attempt;
		if (found[searches[i].group])
			continue;
		uint64_t before = attempt_runner->search_steps;
		if (before < attempt_runner->max_search_steps && !norn_interrupted() &&
		        (!is_wide(searches + i) || attempt_runner->wide_steps < attempt_runner->max_wide_steps))
			search_for(attempt_runner, attempt, searches + i, found, fill, context);
		else
			limit_ends(attempt, NORN_LIMIT_NODES);
		attempt_runner->wide_steps += is_wide(searches + i) ? attempt_runner->search_steps - before : 0;
	}
	search_again(attempt_runner, attempts, searches, n, found, fill, context);
	free(searches);
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

void norn_attempt_runner_try_observed(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        bool *found, norn_attempt_runner_fill *fill, void *context)
{
	attempt_runner->predictions->stats.candidates += count;
	pass(attempt_runner, attempts, count, found, false, fill, context);
	count_limits(&attempt_runner->predictions->stats, attempts, count, found);
}

void norn_attempt_runner_suspect(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        bool *found, norn_attempt_runner_fill *fill, void *context)
{
	if (attempt_runner->without & NORN_RULE_CALL)
		return;
	if (attempt_runner->calls) {
		for (uint32_t i = 0; i < count; i++)
			attempts[i].limited = 0;
		attempt_runner->without |= NORN_RULE_OPAQUE;
		try_everything(attempt_runner, attempts, count, found, fill, context);
	}
	/* Of the groups that remain nothing is predicted: only that they exist is reported. */
	if ((attempt_runner->after || attempt_runner->calls) && !attempt_runner->predictions->stats.barred) {
		attempt_runner->without |= NORN_RULE_OPAQUE | NORN_RULE_AFTER | NORN_RULE_EXTERNAL | NORN_RULE_STRICTER;
		pass(attempt_runner, attempts, count, found, false, fill, context);
	}
	attempt_runner->without = attempt_runner->options->without;
}
