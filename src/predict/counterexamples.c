/* All violating runs of a small lattice. The lattice keeps one path to each cut; here runs are followed one by one, those near to
 * the observed one first. A cut with a belief from which no violation is reached is not entered again, so that the work is bounded
 * by the lattice's size, and by the number of runs that are shown. */
#include <stdlib.h>
#include <string.h>

#include "base/table.h"
#include "lattice/belief.h"
#include "predict/search.h"

#define STEPS_MAX 100000u /* of all runs together */
#define LENGTH_MAX 2000u /* of one run */

struct run_walk {
	struct norn_instance_search *instance;
	struct norn_lattice_model model;
	uint32_t monitor;
	struct norn_belief_table beliefs;
	uint32_t *clocks; /* per event, in the order of columns: columns entries */
	uint32_t *first; /* per column: the number of its first event */
	uint32_t *key; /* the cut, then the belief */
	struct norn_lattice_event *run;
	uint32_t length;
	struct norn_table dead; /* cuts with beliefs from which no violation is reached */
	uint32_t steps, left; /* left: violations that may still be shown */
	int result;
};

static uint32_t columns_of(const struct run_walk *w)
{
	return w->instance->projection.columns.count;
}

static const struct norn_projected_list *events_of(const struct run_walk *w, uint32_t column)
{
	return &w->instance->projection.columns.items[column].events;
}

static bool is_enabled(const struct run_walk *w, uint32_t column)
{
	uint32_t columns = columns_of(w);
	if (w->key[column] == events_of(w, column)->count)
		return false;
	const uint32_t *clock = &w->clocks[(size_t)(w->first[column] + w->key[column]) * columns];
	for (uint32_t c = 0; c < columns; c++)
		if (c != column && clock[c] > w->key[c])
			return false;
	return true;
}

/* The enabled event that was observed first, of those that were observed after that number; UINT32_MAX: there is none. */
static uint32_t next_column(const struct run_walk *w, uint64_t after)
{
	uint32_t next = UINT32_MAX;
	uint64_t least = UINT64_MAX;
	for (uint32_t c = 0; c < columns_of(w); c++) {
		uint64_t number = is_enabled(w, c) ? events_of(w, c)->items[w->key[c]]->position->number : UINT64_MAX;
		if (number > after && number < least) {
			least = number;
			next = c;
		}
	}
	return next;
}

/* Was this run shown already, as the one that the lattice gave? */
static bool is_shown(const struct run_walk *w)
{
	const struct norn_lattice_result *result = norn_lattice_result(w->instance->lattice);
	for (uint32_t i = 0; i < result->violation_count; i++) {
		const struct norn_lattice_violation *v = &result->violations[i];
		bool same = v->monitor == w->monitor && v->length == w->length;
		for (uint32_t k = 0; same && k < w->length; k++)
			same = v->events[k].thread == w->run[k].thread && v->events[k].k == w->run[k].k;
		if (same)
			return true;
	}
	return false;
}

static void found(struct run_walk *w, bool at_end, struct norn_error *err)
{
	if (is_shown(w))
		return;
	struct norn_lattice_violation violation = {.monitor = w->monitor, .at_end = at_end, .events = w->run, .length = w->length};
	w->left--;
	w->result = norn_instance_search_show(w->instance, &violation, true, err);
}

static bool is_over(const struct run_walk *w)
{
	return w->result != 0 || w->left == 0 || w->steps == STEPS_MAX;
}

static uint32_t step(struct run_walk *w, uint32_t belief, uint32_t before, uint32_t after, struct norn_lattice_event event)
{
	uint64_t letter = 0, unknown = 0;
	enum norn_lattice_position position =
	        w->model.letter(w->model.context, w->monitor, before, after, event, &letter, &unknown);
	return position == NORN_LATTICE_NO_POSITION
	               ? belief
	               : norn_belief_step(&w->beliefs, belief, letter, unknown, position == NORN_LATTICE_MAYBE);
}

/* All runs that go on from here; true if one of them violates. */
static bool follow(struct run_walk *w, uint32_t valuation, uint32_t belief, struct norn_error *err)
{
	uint32_t columns = columns_of(w);
	bool any = false, is_new;
	uint64_t last = 0;
	if (belief & NORN_BELIEF_DONE) {
		if (belief & NORN_BELIEF_VIOLATED)
			found(w, false, err);
		return belief & NORN_BELIEF_VIOLATED;
	}
	w->key[columns] = belief;
	if (norn_table_find(&w->dead, w->key, (columns + 1ul) * sizeof *w->key) != NORN_TABLE_NONE)
		return false;
	uint32_t column = next_column(w, 0);
	if (column == UINT32_MAX && norn_belief_end(&w->beliefs, belief) & NORN_BELIEF_VIOLATED) {
		found(w, true, err);
		return true;
	}
	for (; column != UINT32_MAX && !is_over(w); column = next_column(w, last)) {
		struct norn_lattice_event event = {column, w->key[column]};
		uint32_t after;
		last = events_of(w, column)->items[event.k]->position->number;
		w->steps++;
		w->result = w->model.apply(w->model.context, valuation, event, &after);
		if (w->result != 0)
			return any;
		w->run[w->length++] = event;
		w->key[column]++;
		any |= follow(w, after, step(w, belief, valuation, after, event), err);
		w->key[column]--;
		w->length--;
	}
	w->key[columns] = belief;
	if (!any && !is_over(w))
		norn_must_table_put(&w->dead, w->key, (columns + 1ul) * sizeof *w->key, &is_new);
	return any;
}

static void find_clocks(struct run_walk *w)
{
	uint32_t columns = columns_of(w), at = 0;
	for (uint32_t c = 0; c < columns; c++) {
		w->first[c] = at;
		for (uint32_t k = 0; k < events_of(w, c)->count; k++)
			norn_projection_clock(
			        &w->instance->projection, events_of(w, c)->items[k], &w->clocks[(size_t)at++ * columns]);
	}
}

int norn_search_counterexamples(struct norn_instance_search *instance, uint32_t monitor, struct norn_error *err)
{
	const struct norn_lattice_result *result = norn_lattice_result(instance->lattice);
	uint64_t events = instance->projection.events;
	uint32_t columns = instance->projection.columns.count, given = 0;
	for (uint32_t i = 0; i < result->violation_count; i++)
		given += result->violations[i].monitor == monitor;
	if (!given || given >= NORN_SEARCH_VIOLATIONS || !result->counted || events > LENGTH_MAX)
		return 0;
	const struct norn_searched_property *property = instance->properties[monitor];
	struct norn_stepper stepper = norn_stepper_of(property->monitor, property->property, true);
	struct run_walk w = {.instance = instance,
	        .model = norn_instance_search_model(instance),
	        .monitor = monitor,
	        .clocks = norn_must_calloc(events * columns + 1, sizeof *w.clocks),
	        .first = norn_must_calloc(columns + 1ul, sizeof *w.first),
	        .key = norn_must_calloc(columns + 1ul, sizeof *w.key),
	        .run = norn_must_calloc(events + 1, sizeof *w.run),
	        .left = NORN_SEARCH_VIOLATIONS - given};
	norn_belief_init(&w.beliefs, &stepper, 1);
	find_clocks(&w);
	uint32_t start = norn_belief_start(&w.beliefs, 0);
	follow(&w, w.model.initial,
	        step(&w, start, w.model.initial, w.model.initial, (struct norn_lattice_event){NORN_LATTICE_BEGIN, 0}), err);
	norn_belief_done(&w.beliefs);
	norn_table_done(&w.dead);
	free(w.clocks);
	free(w.first);
	free(w.key);
	free(w.run);
	return w.result;
}
