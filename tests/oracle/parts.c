#include "parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "causality/prefix_state.h"
#include "errors/race.h"
#include "errors/mvc/hb_races.h"

/* ---- windows ---- */

struct window {
	struct norn_graph *graph;
	struct norn_sliced_checker *checker;
	engine_claim *claim;
	void *context;
	int refused;
};

static int make_window(
        const struct recording *recording, uint32_t before, norn_graph_lookup *lookup, void *sites, struct norn_graph **ret_graph)
{
	struct norn_prefix *carry = norn_prefix_new(1000);
	struct norn_graph_builder *builder = norn_graph_builder_new(lookup, sites, NULL);
	struct norn_prefix_event *list = NULL;
	uint32_t count;
	int r = 0;
	for (uint32_t i = 0; i < recording->count && r == 0; i++) {
		if (i == before) {
			list = norn_prefix_list(carry, &count);
			r = norn_prefix_begin(list, count, before, builder);
		}
		bool odd = norn_prefix_event(carry, &recording->events[i]);
		if (r == 0 && i >= before)
			r = norn_graph_add(builder, &recording->events[i]);
		if (r == 0 && i >= before && odd)
			norn_graph_odd(builder);
	}
	if (r == 0)
		*ret_graph = norn_graph_finish(builder);
	norn_graph_builder_free(builder);
	norn_prefix_free(carry);
	free(list);
	return r;
}

static uint32_t whole(const struct window *w, uint32_t number)
{
	return (uint32_t)norn_graph_number(w->graph, number);
}

static void on_window_claim(void *context, const struct norn_sliced_claim *claim, const struct norn_predicted *predicted)
{
	struct window *w = context;
	struct norn_error err;
	uint32_t *events = calloc(claim->count + claim->stop_count + claim->assumed_count + 1ul, sizeof *events);
	if (!events) {
		w->refused = -ENOMEM;
		return;
	}
	if (norn_sliced_check(w->checker, claim, &err) != 0) {
		w->refused = -EINVAL;
		printf("# in the part of the run: %s\n", err.message);
	}
	uint32_t *stops = events + claim->count, *assumed = stops + claim->stop_count;
	for (uint32_t i = 0; i < claim->count; i++)
		events[i] = whole(w, claim->events[i]);
	for (uint32_t i = 0; i < claim->stop_count; i++)
		stops[i] = whole(w, claim->stops[i]);
	for (uint32_t i = 0; i < claim->assumed_count; i++)
		assumed[i] = whole(w, claim->assumed[i]);
	struct norn_sliced_claim same = *claim;
	same.assumed = assumed;
	same.base = (uint32_t)norn_graph_until(w->graph, claim->base);
	same.events = events;
	same.stops = stops;
	same.first = whole(w, claim->first);
	uint32_t cycle[NORN_CYCLE_EVENTS], begins[NORN_CYCLE_EVENTS];
	for (uint32_t i = 0; i < claim->cycle_count; i++) {
		cycle[i] = whole(w, claim->cycle[i]);
		begins[i] = whole(w, claim->cycle_begins[i]);
	}
	same.cycle = cycle;
	same.cycle_begins = begins;
	same.block = whole(w, claim->block);
	w->claim(w->context, &same, NULL);
	free(events);
	(void)predicted;
}

int parts_window(const struct recording *recording, uint32_t before, norn_graph_lookup *lookup, void *sites,
        const struct engine_options *options, engine_claim *claim, void *context)
{
	struct window w = {.claim = claim, .context = context};
	int r = make_window(recording, before, lookup, sites, &w.graph);
	if (r < 0)
		return r;
	w.checker = norn_sliced_checker_new(w.graph);
	r = engine_builtin(w.graph, options, on_window_claim, &w);
	norn_sliced_checker_free(w.checker);
	norn_graph_free(w.graph);
	return r < 0 ? r : w.refused;
}

/* ---- happens-before ---- */

struct ordered {
	const struct norn_graph *graph;
	engine_claim *claim;
	void *context;
};

static int on_pair(void *context, const struct norn_hb_races_pair *pair)
{
	struct ordered *o = context;
	const struct norn_builtin_options options = {.keeps_order = true};
	struct norn_predictions p = {0};
	struct norn_attempt_runner *attempt_runner = norn_attempt_runner_new(o->graph, &options, &p);
	norn_races_try(attempt_runner, o->graph, (uint32_t)pair->first, (uint32_t)pair->second, pair->frees);
	for (uint32_t i = 0; i < p.count; i++) {
		if (p.list[i].assumed_count)
			continue; /* only suspected */
		const struct norn_sliced_claim c = {.kind = pair->frees ? NORN_SLICED_USE_AFTER_FREE : NORN_SLICED_RACE,
		        .base = p.list[i].schedule.base,
		        .events = p.list[i].schedule.events,
		        .count = p.list[i].schedule.count,
		        .stops = p.list[i].stops,
		        .stop_count = p.list[i].stop_count};
		o->claim(o->context, &c, NULL);
	}
	norn_attempt_runner_free(attempt_runner);
	norn_predictions_done(&p);
	return 0;
}

int parts_mvc(const struct recording *recording, norn_graph_lookup *lookup, void *sites, const struct norn_graph *graph,
        engine_claim *claim, void *context)
{
	struct ordered o = {graph, claim, context};
	struct norn_hb_races *u = norn_hb_races_new(lookup, sites, on_pair, &o);
	int r = 0;
	for (uint32_t i = 0; i < recording->count && r == 0; i++)
		r = norn_hb_races_event(u, &recording->events[i], i + 1);
	norn_hb_races_free(u);
	return r;
}
