#include "errors/builtin_search.h"

#include <stdlib.h>

#include "errors/values/assertion.h"
#include "errors/values/freed_pointer.h"
#include "errors/values/null_dereference.h"
#include "errors/atomicity.h"
#include "errors/deadlock.h"
#include "errors/mvc/memory_order.h"
#include "errors/race.h"
#include "errors/stuck.h"
#include "sliced/attempts.h"

void norn_predictions_done(struct norn_predictions *predictions)
{
	free(predictions->list);
	norn_arena_done(&predictions->arena);
	*predictions = (struct norn_predictions){0};
}

bool norn_builtin_limited(const struct norn_builtin_stats *stats)
{
	for (unsigned i = 0; i < NORN_BUILTIN_LIMITS; i++)
		if (stats->limits[i])
			return true;
	return stats->cut;
}

/* The bytes of the element of the memory that addr is in or before. */
static uint64_t element(const struct norn_named_memory *m, uint64_t addr)
{
	uint64_t number = m->count > 1 && addr >= m->addr + m->size ? (addr - m->addr - m->size) / m->step + 1 : 0;
	return m->addr + (number < m->count ? number : m->count - 1) * m->step;
}

bool norn_named_memory_shared(const struct norn_named_memory *m, const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	uint64_t first = a->addr > b->addr ? a->addr : b->addr;
	uint64_t end = a->addr + a->size < b->addr + b->size ? a->addr + a->size : b->addr + b->size;
	uint64_t meant = element(m, first);
	if (first >= end || meant >= end || first >= meant + m->size)
		return false;
	for (uint32_t i = 0; i < m->except_count; i++) {
		uint64_t part = element(&m->except[i], first);
		if (part <= first && end <= part + m->except[i].size)
			return false;
	}
	return true;
}

uint64_t norn_builtin_bound(const struct norn_builtin_options *options, uint64_t usual)
{
	return options->effort > NORN_BUILTIN_EFFORT ? usual * options->effort / NORN_BUILTIN_EFFORT : usual;
}

/* By kind, then as observed: the later of the first two stops is where people would see it. */
static int as_observed(const void *a, const void *b)
{
	const struct norn_predicted *x = a, *y = b;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	for (uint32_t i = 0; i < x->stop_count && i < y->stop_count; i++)
		if (x->stops[i] != y->stops[i])
			return x->stops[i] < y->stops[i] ? -1 : 1;
	return (x->stop_count > y->stop_count) - (x->stop_count < y->stop_count);
}

static void search(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph,
        const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	if (options->what & (NORN_BUILTIN_RACE | NORN_BUILTIN_FREE))
		norn_races_find(attempt_runner, graph, options, predictions);
	if (options->what & NORN_BUILTIN_RACE)
		norn_memory_order_find(graph, options->judged, options->only, predictions);
	if (options->what & NORN_BUILTIN_DEADLOCK)
		norn_deadlocks_find(attempt_runner, graph, options);
	if (options->what & NORN_BUILTIN_DEADLOCK && !options->keeps_order)
		norn_stuck_find(attempt_runner, graph, options);
	if (options->what & (NORN_BUILTIN_ATOMICITY | NORN_BUILTIN_INFER))
		norn_atomicity_find(attempt_runner, graph, options);
	if (options->what & NORN_BUILTIN_ASSERTION)
		norn_assertions_find(attempt_runner, graph, options, predictions);
	if (options->what & NORN_BUILTIN_NULL)
		norn_null_dereferences_find(attempt_runner, graph, options);
	if (options->what & (NORN_BUILTIN_FREE | NORN_BUILTIN_POINTER) && !options->keeps_order)
		norn_freed_pointers_find(attempt_runner, graph, options, predictions);
}

void norn_builtin_errors(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	struct norn_builtin_options all = *options;
	if (all.what == 0)
		all.what = NORN_BUILTIN_DEFAULT;
	/* After a loss of events the writers of values are not known. */
	predictions->stats.cut = norn_graph_cut(graph) || norn_graph_lost(graph);
	if (norn_graph_lost(graph))
		return;
	struct norn_attempt_runner *attempt_runner = norn_attempt_runner_new(graph, &all, predictions);
	search(attempt_runner, graph, &all, predictions);
	norn_attempt_runner_free(attempt_runner);
	if (predictions->count)
		qsort(predictions->list, predictions->count, sizeof *predictions->list, as_observed);
}
