#include "predict/sweep.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "predict/closure.h"
#include "predict/order.h"

struct norn_sweep {
	const struct norn_slice *slice;
	const struct norn_builtin_options *options;
	struct norn_predictions *predictions;
	uint64_t max_steps;
};

int norn_sweep_new(const struct norn_slice *slice, const struct norn_builtin_options *options, struct norn_predictions *predictions,
        struct norn_sweep **ret_sweep)
{
	struct norn_sweep *sweep = calloc(1, sizeof *sweep);
	if (!sweep)
		return -ENOMEM;
	sweep->slice = slice;
	sweep->options = options;
	sweep->predictions = predictions;
	sweep->max_steps = options->max_steps ? options->max_steps : norn_slice_count(slice) * UINT64_C(8) + 50000000;
	*ret_sweep = sweep;
	return 0;
}

void norn_sweep_free(struct norn_sweep *sweep)
{
	free(sweep);
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
static uint32_t base_of(const struct norn_slice *slice, const struct norn_attempt *attempt, bool open_last)
{
	uint32_t first = attempt->stops[0];
	for (uint32_t i = 0; i < attempt->count; i++) {
		uint32_t stop = attempt->stops[i];
		if (stop < first)
			first = stop;
		for (uint32_t held = norn_slice_event(slice, stop)->held; held && open_last;) {
			uint32_t acquire = norn_slice_held(slice, held, &held);
			if (acquire < first)
				first = acquire;
		}
	}
	/* What stands for an earlier part of the run is taken as it is. */
	uint32_t carried = norn_slice_carried(slice);
	return first - 1 < carried ? carried : first - 1;
}

static bool wanted(const struct norn_sweep *sweep, const struct norn_attempt *attempt, const bool *found, bool open_last)
{
	if (found[attempt->group])
		return false;
	for (uint32_t i = 0; i < attempt->count; i++)
		if (attempt->stops[i] <= norn_slice_carried(sweep->slice))
			return false;
	if (!open_last)
		return !attempt->open_last_only;
	for (uint32_t i = 0; i < attempt->count; i++)
		if (norn_slice_event(sweep->slice, attempt->stops[i])->held)
			return true;
	return false;
}

/* ---- predictions ---- */

static int keep_events(struct norn_predictions *p, const uint32_t *events, uint32_t count, const uint32_t **ret_events)
{
	uint32_t *copy = norn_arena_alloc(&p->arena, (count + UINT64_C(1)) * sizeof *copy);
	if (!copy)
		return -ENOMEM;
	if (count)
		memcpy(copy, events, count * sizeof *copy);
	*ret_events = copy;
	return 0;
}

static int add(struct norn_sweep *sweep, const struct norn_attempt *attempt, const struct norn_schedule *schedule,
        norn_sweep_fill *fill, void *context)
{
	struct norn_predictions *p = sweep->predictions;
	if (p->count == p->room) {
		uint32_t room = p->room ? p->room * 2 : 16;
		struct norn_predicted *bigger = realloc(p->list, room * sizeof *bigger);
		if (!bigger)
			return -ENOMEM;
		p->list = bigger;
		p->room = room;
	}
	struct norn_predicted predicted = {.schedule = *schedule, .observed = schedule->count == 0, .stop_count = attempt->count};
	int r = keep_events(p, schedule->events, schedule->count, &predicted.schedule.events);
	if (r == 0)
		r = keep_events(p, attempt->stops, attempt->count, &predicted.stops);
	if (r < 0)
		return r;
	fill(context, attempt, &predicted);
	p->list[p->count++] = predicted;
	return 0;
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

/* 1: it succeeded. */
static int settle(struct norn_sweep *sweep, struct norn_closure *closure, uint32_t base, const struct norn_attempt *attempt,
        bool open_last, norn_sweep_fill *fill, void *context)
{
	struct norn_schedule schedule = {.base = base};
	uint32_t *order = NULL;
	int r = 1;
	if (open_last)
		r = norn_order_open_last(sweep->slice, closure, base, &order, &schedule.count);
	else
		schedule.events = norn_closure_window(closure, &schedule.count);
	if (open_last)
		schedule.events = order;
	if (r == 1 && attempt->includes[1] && !in_order(&schedule, attempt->includes))
		r = 0;
	if (r == 1)
		r = add(sweep, attempt, &schedule, fill, context) < 0 ? -ENOMEM : 1;
	free(order);
	return r;
}

static int try_one(struct norn_sweep *sweep, struct norn_closure *closure, uint32_t base, struct norn_attempt *attempt, bool *found,
        bool open_last, norn_sweep_fill *fill, void *context)
{
	struct norn_builtin_stats *stats = &sweep->predictions->stats;
	int r = norn_closure_base(closure, base);
	if (r < 0)
		return r;
	stats->closures++;
	uint32_t limit = open_last ? NORN_SWEEP_ORDERED : NORN_SWEEP_WINDOW;
	r = norn_closure_try(closure, attempt->stops, attempt->count, attempt->includes, open_last, limit);
	if (r == NORN_CLOSURE_TOO_LONG)
		stats->complete = false;
	if (r != NORN_CLOSURE_YES)
		return r < 0 ? r : 0;
	r = settle(sweep, closure, base, attempt, open_last, fill, context);
	if (r == 1)
		found[attempt->group] = true;
	return r < 0 ? r : 0;
}

static int try_all(struct norn_sweep *sweep, struct norn_attempt *attempts, const struct start *starts, uint32_t count, bool *found,
        bool open_last, norn_sweep_fill *fill, void *context)
{
	struct norn_builtin_stats *stats = &sweep->predictions->stats;
	struct norn_closure *closure;
	int r = norn_closure_new(sweep->slice, sweep->options->without, &closure);
	if (r < 0)
		return r;
	r = norn_closure_equal_values(closure);
	uint64_t before = stats->steps;
	for (uint32_t i = 0; i < count && r == 0; i++) {
		struct norn_attempt *attempt = attempts + starts[i].attempt;
		if (found[attempt->group])
			continue;
		if (stats->steps >= sweep->max_steps) {
			stats->complete = false;
			break;
		}
		r = try_one(sweep, closure, starts[i].base, attempt, found, open_last, fill, context);
		stats->steps = before + norn_closure_steps(closure);
	}
	norn_closure_free(closure);
	return r;
}

static int pass(struct norn_sweep *sweep, struct norn_attempt *attempts, uint32_t count, bool *found, bool open_last,
        norn_sweep_fill *fill, void *context)
{
	struct start *starts = malloc((count + UINT64_C(1)) * sizeof *starts);
	if (!starts)
		return -ENOMEM;
	uint32_t n = 0;
	for (uint32_t i = 0; i < count; i++)
		if (wanted(sweep, attempts + i, found, open_last))
			starts[n++] = (struct start){base_of(sweep->slice, attempts + i, open_last), i};
	qsort(starts, n, sizeof *starts, by_base);
	int r = n ? try_all(sweep, attempts, starts, n, found, open_last, fill, context) : 0;
	free(starts);
	return r;
}

int norn_sweep_try(
        struct norn_sweep *sweep, struct norn_attempt *attempts, uint32_t count, bool *found, norn_sweep_fill *fill, void *context)
{
	sweep->predictions->stats.candidates += count;
	int r = pass(sweep, attempts, count, found, false, fill, context);
	return r < 0 || sweep->options->keeps_order ? r : pass(sweep, attempts, count, found, true, fill, context);
}
