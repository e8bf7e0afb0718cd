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
#include "sliced/scanned_stops.h"
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
	/* What is being tried; fill NULL: nothing. */
	struct norn_attempt *attempts;
	uint32_t count;
	bool *found; /* per group: an attempt of it succeeded */
	norn_attempt_runner_fill *fill;
	void *context;
};

struct norn_attempt_runner *norn_attempt_runner_new(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	struct norn_attempt_runner *r = norn_must_calloc(1, sizeof *r);
	r->graph = graph;
	r->options = options;
	r->predictions = predictions;
	r->max_steps = options->max_steps ? options->max_steps
	                                  : norn_builtin_bound(options, norn_graph_count(graph) * UINT64_C(8) + 50000000);
	r->max_search_steps = options->effort * SEARCH_STEPS;
	uint64_t wide = norn_graph_count(graph) / 2;
	r->max_wide_steps = norn_builtin_bound(options, wide > WIDE_STEPS ? wide : WIDE_STEPS);
	r->nodes = options->effort;
	r->without = options->without;
	for (uint32_t i = 1; i <= norn_graph_count(graph) && !(r->calls && r->after); i++) {
		r->calls |= norn_rule_opaque_call(graph, i);
		r->after |= norn_schedule_comes_after(graph, i);
	}
	r->fork_order = norn_fork_order_new(graph);
	return r;
}

const struct norn_fork_order *norn_attempt_runner_order(const struct norn_attempt_runner *r)
{
	bool off = r->options->without & (NORN_RULE_BEGIN | NORN_RULE_JOIN);
	return off ? NULL : r->fork_order;
}

void norn_attempt_runner_shows(struct norn_attempt_runner *r, norn_attempt_runner_look *look, void *context)
{
	r->look = look;
	r->look_context = context;
}

struct norn_builtin_stats *norn_attempt_runner_stats(struct norn_attempt_runner *r)
{
	return &r->predictions->stats;
}

void norn_attempt_runner_free(struct norn_attempt_runner *r)
{
	if (!r)
		return;
	r->predictions->stats.search_steps += r->search_steps;
	norn_schedule_search_free(r->schedule_search);
	norn_fork_order_free(r->fork_order);
	free(r);
}

/* ---- limits ---- */

static void limit_ends(struct norn_attempt *attempt, enum norn_builtin_limit limit)
{
	attempt->limited |= (uint16_t)(1u << limit);
}

static void count_limits(struct norn_attempt_runner *r)
{
	struct norn_builtin_stats *stats = &r->predictions->stats;
	for (uint32_t i = 0; i < r->count; i++) {
		r->attempts[i].given_up |= r->attempts[i].limited;
		for (unsigned k = 0; k < NORN_BUILTIN_LIMITS && !r->found[r->attempts[i].group]; k++)
			stats->limits[k] += r->attempts[i].limited >> k & 1;
	}
}

/* A try without success met a rule that orders more than the law asks. */
static void meet_inexact(struct norn_attempt_runner *r, struct norn_attempt *attempt, const struct norn_rule *rule)
{
	r->predictions->stats.inexact = rule;
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
static bool is_ordered(const struct norn_attempt_runner *r, const struct norn_attempt *attempt)
{
	const struct norn_fork_order *order = norn_attempt_runner_order(r);
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

static bool wanted(const struct norn_attempt_runner *r, const struct norn_attempt *attempt, bool open_last)
{
	if (r->found[attempt->group] || attempt->search_only || is_ordered(r, attempt))
		return false;
	for (uint32_t i = 0; i < attempt->count; i++)
		if (attempt->stops[i] <= norn_graph_carried(r->graph))
			return false;
	if (!open_last)
		return !attempt->open_last_only && (!attempt->tried || r->without & NORN_RULE_OPAQUE);
	for (uint32_t i = 0; i < attempt->count; i++)
		if (norn_graph_event(r->graph, attempt->stops[i])->held)
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
static bool add(struct norn_attempt_runner *r, struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	struct norn_predictions *p = r->predictions;
	if (r->without & NORN_RULE_AFTER) {
		uint32_t bar = norn_schedule_bar(r->graph, schedule, attempt->stops, attempt->count);
		p->stats.barred = p->stats.barred ? p->stats.barred : bar;
		attempt->barred |= bar != 0;
		return false;
	}
	assert(keeps_to_threads(r->graph, attempt, schedule));
	struct norn_predicted predicted = {.schedule = *schedule, .observed = schedule->count == 0, .stop_count = attempt->count};
	predicted.schedule.events = norn_must_arena_copy(&p->arena, schedule->events, schedule->count, sizeof *schedule->events);
	predicted.stops = norn_must_arena_copy(&p->arena, attempt->stops, attempt->count, sizeof *attempt->stops);
	if (r->without & NORN_RULE_OPAQUE && !norn_schedule_find_assumed(r->graph, &predicted, &p->arena))
		return false;
	r->fill(r->context, attempt, &predicted);
	predicted.observed &= !stops_in_turn(predicted.kind) || are_as_recorded(predicted.stops, predicted.stop_count);
	predicted.addr = norn_graph_address(r->graph, predicted.addr);
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
	uint64_t freed_at = norn_graph_address(graph, f->addr);
	bool freed = free_event <= schedule->base;
	for (uint32_t i = 0; i < schedule->count && norn_graph_frees(f); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, schedule->events[i]);
		uint64_t at = norn_graph_address(graph, e->addr); /* also of what may lie elsewhere */
		if (freed && e->kind == NORN_EVENT_ALLOC && at < freed_at + f->size && freed_at < at + e->size)
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

static bool shows(const struct norn_attempt_runner *r, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	return !r->look || r->look(r->look_context, attempt, schedule);
}

/* Do the stops touch what they are to, as all that decides it comes out as it did? */
static bool stops_reach(
        const struct norn_attempt_runner *r, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	const struct norn_graph *graph = r->graph;
	return (!attempt->sees || norn_memory_contents_as_then(
	                                  graph, schedule, attempt->sees, norn_graph_event(graph, attempt->sees)->size)) &&
	       norn_scanned_stops_as_then(graph, attempt, schedule);
}

/* Makes a prediction of a closure that succeeded. False: its schedule does not show the error. */
static bool settle(
        struct norn_attempt_runner *r, struct norn_closure *closure, uint32_t base, struct norn_attempt *attempt, bool open_last)
{
	struct norn_schedule schedule = {.base = base};
	const struct norn_rule *inexact = NULL;
	uint32_t *order = NULL;
	if (open_last)
		schedule.events = order = norn_open_last(r->graph, closure, base, &schedule.count, &inexact);
	else
		schedule.events = norn_closure_window(closure, &schedule.count);
	bool shown = (order || !open_last) && holds_includes(r->graph, attempt, &schedule) && stops_reach(r, attempt, &schedule) &&
	             shows(r, attempt, &schedule);
	if (shown)
		shown = add(r, attempt, &schedule);
	else if (inexact && attempt->sees) /* without this rule there is a search for other orders */
		meet_inexact(r, attempt, inexact);
	free(order);
	return shown;
}

/* Asks the closure, which is at base or before it, for what the attempt needs. */
static enum norn_closure_result ask(const struct norn_attempt_runner *r, struct norn_closure *closure, uint32_t base,
        const struct norn_attempt *attempt, bool open_last)
{
	uint64_t bound = norn_builtin_bound(r->options, open_last ? ORDERED : WINDOW);
	norn_closure_base(closure, base);
	uint64_t bytes = norn_graph_event(r->graph, attempt->sees)->size;
	uint32_t sees = attempt->sees ? attempt->sees : norn_scanned_stop(r->graph, attempt, &bytes);
	norn_closure_sees(closure, sees, bytes);
	norn_closure_stale(closure, attempt->nowhere ? norn_graph_event(r->graph, attempt->nowhere)->life : attempt->reused);
	if (r->look)
		norn_closure_frees(closure, attempt->freed, attempt->freed_count);
	return norn_closure_try(closure, attempt->stops, attempt->count, attempt->includes, open_last,
	        bound < UINT32_MAX ? (uint32_t)bound : UINT32_MAX);
}

/* The closure failed. Does it succeed without the rules that are stricter than the law? Then the attempt counts as not judged:
 * malloc may return other memory (S15), a call may get another answer of the system (X7). The closure without these rules is made
 * when it is first needed. */
static bool rests_on_stricter(const struct norn_attempt_runner *r, struct norn_closure **looser, uint32_t base,
        const struct norn_attempt *attempt, bool open_last)
{
	if (!*looser) {
		*looser = norn_closure_new(r->graph, r->without | NORN_RULE_STRICTER);
		norn_closure_equal_values(*looser);
	}
	return ask(r, *looser, base, attempt, open_last) != NORN_CLOSURE_NO;
}

/* closures: [0] with all rules; [1] without those that are stricter than the law, NULL until it is needed. */
static void try_one(struct norn_attempt_runner *r, struct norn_closure *closures[2], uint32_t base, struct norn_attempt *attempt,
        bool open_last)
{
	struct norn_builtin_stats *stats = &r->predictions->stats;
	struct norn_closure *closure = closures[0];
	stats->closures++;
	enum norn_closure_result result = ask(r, closure, base, attempt, open_last);
	if (norn_sliced_debug.closures)
		norn_debug_closure(closure, r->graph, base, attempt->stops, attempt->count, result);
	switch (result) {
	case NORN_CLOSURE_TOO_LONG:
		limit_ends(attempt, NORN_LIMIT_WINDOW);
		break;
	case NORN_CLOSURE_NO:
		if (norn_closure_too_equal(closure))
			limit_ends(attempt, NORN_LIMIT_VALUES);
		if (norn_closure_inexact(closure))
			meet_inexact(r, attempt, norn_closure_inexact(closure));
		else if ((!stats->inexact || r->options->judged) && norn_closure_stricter(closure) &&
		         rests_on_stricter(r, &closures[1], base, attempt, open_last))
			meet_inexact(r, attempt, stats->inexact ? stats->inexact : norn_closure_stricter(closure));
		break;
	case NORN_CLOSURE_YES:
		r->found[attempt->group] |= settle(r, closure, base, attempt, open_last);
	}
}

static void try_all(struct norn_attempt_runner *r, const struct start *starts, uint32_t count, bool open_last)
{
	struct norn_builtin_stats *stats = &r->predictions->stats;
	struct norn_closure *closures[2] = {norn_closure_new(r->graph, r->without), NULL};
	norn_closure_equal_values(closures[0]);
	uint64_t before = stats->steps;
	for (uint32_t i = 0; i < count; i++) {
		struct norn_attempt *attempt = r->attempts + starts[i].attempt;
		if (r->found[attempt->group] || (!r->options->judged && r->without & NORN_RULE_AFTER && stats->barred))
			continue;
		if (stats->steps >= r->max_steps || norn_interrupted()) {
			limit_ends(attempt, NORN_LIMIT_STEPS);
			continue;
		}
		try_one(r, closures, starts[i].base, attempt, open_last);
		stats->steps = before + norn_closure_steps(closures[0]) + (closures[1] ? norn_closure_steps(closures[1]) : 0);
	}
	norn_closure_free(closures[0]);
	norn_closure_free(closures[1]);
}

static void pass(struct norn_attempt_runner *r, bool open_last)
{
	struct start *starts = norn_must_alloc(r->count, sizeof *starts);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->count; i++)
		if (wanted(r, r->attempts + i, open_last))
			starts[n++] = (struct start){base_of(r->graph, r->attempts + i, open_last), i};
	qsort(starts, n, sizeof *starts, by_base);
	if (n)
		try_all(r, starts, n, open_last);
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
static void judge_refusal(struct norn_attempt_runner *r, struct norn_attempt *attempt, struct norn_schedule_search_goal goal,
        uint32_t base, uint32_t end)
{
	const struct norn_rule *met = norn_schedule_search_inexact(r->schedule_search),
	                       *stricter = norn_schedule_search_stricter(r->schedule_search);
	bool said = r->predictions->stats.inexact && !r->options->judged;
	uint32_t *events = NULL, count;
	goal.without |= NORN_RULE_LOOK | NORN_RULE_RESULT;
	if (!met && stricter && !said &&
	        norn_schedule_search_try(r->schedule_search, &goal, base, end, r->nodes, &r->search_steps, &events, &count) !=
	                NORN_SCHEDULE_SEARCH_NO)
		met = stricter;
	free(events);
	if (met)
		meet_inexact(r, attempt, met);
}

/* Searches the part of the run from base on. True: the error is shown. */
static bool search_from(struct norn_attempt_runner *r, struct norn_attempt *attempt, uint32_t base, uint32_t last, uint32_t end,
        bool late_only, bool *bound)
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
	        .without = r->without,
	        .freed = attempt->freed,
	        .freed_count = attempt->freed_count};
	struct norn_schedule schedule = {.base = base};
	uint32_t *events = NULL;
	enum norn_schedule_search_result result = norn_schedule_search_try(
	        r->schedule_search, &goal, base, end, r->nodes, &r->search_steps, &events, &schedule.count);
	*bound |= result == NORN_SCHEDULE_SEARCH_BOUND;
	if (result == NORN_SCHEDULE_SEARCH_NO)
		judge_refusal(r, attempt, goal, base, end);
	if (result != NORN_SCHEDULE_SEARCH_YES)
		return false;
	schedule.events = events;
	uint64_t bytes;
	bool shown = holds_includes(r->graph, attempt, &schedule) && shows(r, attempt, &schedule);
	if (shown && norn_scanned_stop(r->graph, attempt, &bytes)) {
		/* The search does not keep what the stop saw. */
		meet_inexact(r, attempt, &norn_rule_scan);
		shown = false;
	}
	shown = shown && add(r, attempt, &schedule);
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

static void search_for(struct norn_attempt_runner *r, const struct pending_search *pending_search)
{
	struct norn_attempt *attempt = r->attempts + pending_search->attempt;
	struct norn_builtin_stats *stats = &r->predictions->stats;
	uint32_t span = pending_search->last - pending_search->first, count = norn_graph_count(r->graph);
	uint32_t margin = (span < SEARCH_NEAR ? span : SEARCH_NEAR) + SEARCH_MARGIN;
	uint32_t end = count - pending_search->last > margin ? pending_search->last + margin : count;
	uint32_t near = pending_search->first - 1, far = farther_base(r->graph, near, margin, r->without);
	/* First a part with few events, from near on; then a longer one, from far on, which has all orders of the first. */
	uint32_t first_end = far != near && end - pending_search->last > SEARCH_MARGIN ? pending_search->last + SEARCH_MARGIN : end;
	bool bound = false;
	if (!r->schedule_search)
		r->schedule_search = norn_schedule_search_new(r->graph);
	stats->searches += r->nodes == r->options->effort;
	uint32_t last = pending_search->last;
	bool late_only = pending_search->late_only;
	bool shown =
	        ((!is_wide(pending_search) || late_only) && search_from(r, attempt, near, last, first_end, late_only, &bound)) ||
	        ((far != near || is_wide(pending_search)) && !late_only &&
	                search_from(r, attempt, far, last, end, false, &bound)) ||
	        /* Where nothing comes after the last event this is the same question again. */
	        ((last < end || late_only) && search_from(r, attempt, far, UINT32_MAX, end, late_only, &bound));
	if (!shown && bound)
		limit_ends(attempt, late_only ? NORN_LIMIT_SPAN : NORN_LIMIT_NODES);
	r->found[attempt->group] = shown;
}

/* Lists the attempts that are worth a search, and returns their number. Attempts that the limits leave out are counted. */
static uint32_t list_searches(const struct norn_attempt_runner *r, struct pending_search *searches)
{
	uint64_t most = norn_builtin_bound(r->options, SEARCH_EVENTS);
	uint64_t longest = norn_builtin_bound(r->options, STUCK_EVENTS);
	uint32_t n = 0;
	for (uint32_t i = 0; i < r->count; i++) {
		struct pending_search pending_search = search_of(r->graph, r->attempts + i, i);
		if (r->found[r->attempts[i].group] || r->attempts[i].sees || r->attempts[i].reused ||
		        pending_search.first <= norn_graph_carried(r->graph) || is_ordered(r, r->attempts + i))
			continue;
		if (r->options->effort == 0)
			limit_ends(r->attempts + i, NORN_LIMIT_NODES);
		else if (pending_search.last - pending_search.first < most)
			searches[n++] = pending_search;
		else if (r->attempts[i].all_end && pending_search.last - pending_search.first < longest) {
			pending_search.late_only = true;
			searches[n++] = pending_search;
		} else
			limit_ends(r->attempts + i, NORN_LIMIT_SPAN);
	}
	return n;
}

/* A group with more attempts than that has only so many searches, spread over the whole run. */
static uint32_t spread_searches(const struct norn_attempt_runner *r, struct pending_search *searches, uint32_t count)
{
	uint64_t most = norn_builtin_bound(r->options, SEARCHES), groups = 0;
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
			limit_ends(r->attempts + searches[i].attempt, NORN_LIMIT_NODES);
	}
	free(of);
	return kept;
}

/* Searches that were given up are repeated with more nodes, as long as all of them together took few steps. */
static void search_again(struct norn_attempt_runner *r, const struct pending_search *searches, uint32_t count)
{
	uint64_t most = r->options->effort * AGAIN_STEPS;
	bool again = true;
	while (again && !norn_interrupted() && r->search_steps < most && r->nodes < UINT32_MAX / 4) {
		r->nodes *= 4;
		again = false;
		for (uint32_t i = 0; i < count && r->search_steps < most && !norn_interrupted(); i++) {
			struct norn_attempt *attempt = r->attempts + searches[i].attempt;
			if (r->found[searches[i].group] || is_wide(searches + i) || !(attempt->limited >> NORN_LIMIT_NODES & 1))
				continue;
			attempt->limited &= (uint16_t)~(1u << NORN_LIMIT_NODES);
			search_for(r, searches + i);
			again |= attempt->limited >> NORN_LIMIT_NODES & 1;
		}
	}
	r->nodes = r->options->effort;
}

static void search_all(struct norn_attempt_runner *r)
{
	struct pending_search *searches = norn_must_alloc(r->count, sizeof *searches);
	uint32_t n = list_searches(r, searches);
	n = spread_searches(r, searches, n);
	if (n)
		qsort(searches, n, sizeof *searches, by_group);
	for (uint32_t i = 1; i < n; i++)
		searches[i].rank = searches[i - 1].group == searches[i].group ? searches[i - 1].rank + 1 : 0;
	if (n)
		qsort(searches, n, sizeof *searches, by_rank);
	for (uint32_t i = 0; i < n; i++) {
		struct norn_attempt *attempt = r->attempts + searches[i].attempt;
		if (r->found[searches[i].group])
			continue;
		uint64_t before = r->search_steps;
		if (before < r->max_search_steps && !norn_interrupted() &&
		        (!is_wide(searches + i) || r->wide_steps < r->max_wide_steps))
			search_for(r, searches + i);
		else
			limit_ends(attempt, NORN_LIMIT_NODES);
		r->wide_steps += is_wide(searches + i) ? r->search_steps - before : 0;
	}
	search_again(r, searches, n);
	free(searches);
}

static void try_everything(struct norn_attempt_runner *r)
{
	pass(r, false);
	if (!r->options->keeps_order) {
		pass(r, true);
		search_all(r);
	}
	count_limits(r);
}

static void begin(struct norn_attempt_runner *r, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context)
{
	assert(!r->fill); /* fill and look try nothing themselves */
	r->attempts = attempts;
	r->count = count;
	r->found = found;
	r->fill = fill;
	r->context = context;
}

static void end(struct norn_attempt_runner *r)
{
	r->attempts = NULL;
	r->count = 0;
	r->found = NULL;
	r->fill = NULL;
}

void norn_attempt_runner_try(struct norn_attempt_runner *r, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context)
{
	begin(r, attempts, count, found, fill, context);
	r->predictions->stats.candidates += count;
	try_everything(r);
	end(r);
}

void norn_attempt_runner_try_observed(struct norn_attempt_runner *r, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context)
{
	begin(r, attempts, count, found, fill, context);
	r->predictions->stats.candidates += count;
	pass(r, false);
	count_limits(r);
	end(r);
}

void norn_attempt_runner_suspect(struct norn_attempt_runner *r, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context)
{
	if (r->without & NORN_RULE_CALL)
		return;
	begin(r, attempts, count, found, fill, context);
	if (r->calls) {
		for (uint32_t i = 0; i < count; i++)
			attempts[i].limited = 0;
		r->without |= NORN_RULE_OPAQUE;
		try_everything(r);
	}
	/* Of the groups that remain nothing is predicted: only that they exist is reported. */
	if ((r->after || r->calls) && !r->predictions->stats.barred) {
		r->without |= NORN_RULE_OPAQUE | NORN_RULE_AFTER | NORN_RULE_EXTERNAL | NORN_RULE_STRICTER;
		pass(r, false);
	}
	r->without = r->options->without;
	end(r);
}
