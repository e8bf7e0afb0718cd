#include "parts.h"

#include <errno.h>
#include <stdlib.h>

#include "causality/carry.h"
#include "predict/race.h"
#include "predict/unordered.h"

/* ---- windows ---- */

struct window {
	struct norn_slice *slice;
	struct norn_sliced_checker *checker;
	engine_claim *claim;
	void *context;
	int refused;
};

static int make_window(
        const struct recording *recording, uint32_t before, norn_slice_lookup *lookup, void *sites, struct norn_slice **ret_slice)
{
	struct norn_carry *carry = NULL;
	struct norn_slice_builder *builder = NULL;
	struct norn_carried *list = NULL;
	uint32_t count;
	int r = norn_carry_new(1000, &carry);
	if (r == 0)
		r = norn_slice_builder_new(lookup, sites, NULL, &builder);
	for (uint32_t i = 0; i < recording->count && r == 0; i++) {
		bool odd;
		if (i == before) {
			r = norn_carry_list(carry, &list, &count);
			if (r == 0)
				r = norn_carry_begin(list, count, before, builder);
		}
		if (r == 0)
			r = norn_carry_event(carry, &recording->events[i], &odd);
		if (r == 0 && i >= before)
			r = norn_slice_add(builder, &recording->events[i]);
		if (r == 0 && i >= before && odd)
			norn_slice_odd(builder);
	}
	if (r == 0)
		r = norn_slice_finish(builder, ret_slice);
	norn_slice_builder_free(builder);
	norn_carry_free(carry);
	free(list);
	return r;
}

static uint32_t whole(const struct window *w, uint32_t number)
{
	return (uint32_t)norn_slice_number(w->slice, number);
}

static void on_window_claim(void *context, const struct norn_sliced_claim *claim, const struct norn_predicted *predicted)
{
	struct window *w = context;
	struct norn_error err;
	uint32_t *events = calloc(claim->count + claim->stop_count + 1ul, sizeof *events), *stops = events + claim->count;
	if (!events || norn_sliced_check(w->checker, claim, &err) != 0)
		w->refused = -EINVAL;
	for (uint32_t i = 0; events && i < claim->count; i++)
		events[i] = whole(w, claim->events[i]);
	for (uint32_t i = 0; events && i < claim->stop_count; i++)
		stops[i] = whole(w, claim->stops[i]);
	struct norn_sliced_claim same = *claim;
	same.base = (uint32_t)norn_slice_until(w->slice, claim->base);
	same.events = events;
	same.stops = stops;
	same.first = whole(w, claim->first);
	same.second = whole(w, claim->second);
	same.block = whole(w, claim->block);
	w->claim(w->context, &same, NULL);
	free(events);
	(void)predicted;
}

int parts_window(const struct recording *recording, uint32_t before, norn_slice_lookup *lookup, void *sites,
        const struct engine_options *options, engine_claim *claim, void *context)
{
	struct window w = {.claim = claim, .context = context};
	int r = make_window(recording, before, lookup, sites, &w.slice);
	if (r < 0)
		return r;
	r = norn_sliced_checker_new(w.slice, &w.checker);
	if (r == 0)
		r = engine_builtin(w.slice, options, on_window_claim, &w);
	norn_sliced_checker_free(w.checker);
	norn_slice_free(w.slice);
	return r < 0 ? r : w.refused;
}

/* ---- happens-before ---- */

struct ordered {
	const struct norn_slice *slice;
	engine_claim *claim;
	void *context;
};

static int on_pair(void *context, const struct norn_unordered_pair *pair)
{
	struct ordered *o = context;
	const struct norn_builtin_options options = {.keeps_order = true};
	struct norn_predictions p = {0};
	struct norn_sweep *sweep;
	bool found;
	int r = norn_sweep_new(o->slice, &options, &p, &sweep);
	if (r < 0)
		return r;
	r = norn_races_try(sweep, o->slice, (uint32_t)pair->first, (uint32_t)pair->second, pair->frees, &found);
	for (uint32_t i = 0; i < p.count && r == 0; i++) {
		const struct norn_sliced_claim c = {.kind = pair->frees ? NORN_SLICED_USE_AFTER_FREE : NORN_SLICED_RACE,
		        .base = p.list[i].schedule.base,
		        .events = p.list[i].schedule.events,
		        .count = p.list[i].schedule.count,
		        .stops = p.list[i].stops,
		        .stop_count = p.list[i].stop_count};
		o->claim(o->context, &c, NULL);
	}
	norn_sweep_free(sweep);
	norn_predictions_done(&p);
	return r;
}

int parts_mvc(const struct recording *recording, norn_slice_lookup *lookup, void *sites, const struct norn_slice *slice,
        engine_claim *claim, void *context)
{
	struct ordered o = {slice, claim, context};
	struct norn_unordered *u;
	int r = norn_unordered_new(lookup, sites, on_pair, &o, &u);
	for (uint32_t i = 0; i < recording->count && r == 0; i++)
		r = norn_unordered_event(u, &recording->events[i], i + 1);
	norn_unordered_free(r < 0 && !u ? NULL : u);
	return r;
}
