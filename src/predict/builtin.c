#include "predict/builtin.h"

#include <stdlib.h>

#include "predict/atomic.h"
#include "predict/deadlock.h"
#include "predict/race.h"
#include "predict/sweep.h"

void norn_predictions_done(struct norn_predictions *predictions)
{
	free(predictions->list);
	norn_arena_done(&predictions->arena);
	*predictions = (struct norn_predictions){0};
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

static int search(struct norn_sweep *sweep, const struct norn_slice *slice, const struct norn_builtin_options *options,
        struct norn_builtin_stats *stats)
{
	int r = 0;
	if (options->what & (NORN_BUILTIN_RACE | NORN_BUILTIN_FREE))
		r = norn_races_find(sweep, slice, options);
	if (r == 0 && options->what & NORN_BUILTIN_DEADLOCK)
		r = norn_deadlocks_find(sweep, slice, options, stats);
	if (r == 0 && options->what & (NORN_BUILTIN_ATOMICITY | NORN_BUILTIN_INFER))
		r = norn_atomicity_find(sweep, slice, options);
	return r;
}

int norn_builtin_errors(
        const struct norn_slice *slice, const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	struct norn_builtin_options all = *options;
	if (all.what == 0)
		all.what = NORN_BUILTIN_DEFAULT;
	predictions->stats.complete = !norn_slice_cut(slice);
	if (norn_slice_lost(slice)) {
		/* Who wrote what is not known then. */
		predictions->stats.complete = false;
		return 0;
	}
	struct norn_sweep *sweep;
	int r = norn_sweep_new(slice, &all, predictions, &sweep);
	if (r < 0)
		return r;
	r = search(sweep, slice, &all, &predictions->stats);
	norn_sweep_free(sweep);
	if (r == 0 && predictions->count)
		qsort(predictions->list, predictions->count, sizeof *predictions->list, as_observed);
	return r;
}
