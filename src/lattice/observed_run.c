#include "lattice/observed_run.h"

#include <stdlib.h>

#include "base/must.h"

static int by_place(const void *a, const void *b)
{
	const struct norn_observed_run_event *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

void norn_observed_run_init(struct norn_observed_run *observed, struct norn_observed_run_event *list, uint64_t total)
{
	*observed = (struct norn_observed_run){0};
	observed->ranks = norn_must_alloc(total, sizeof *observed->ranks);
	observed->threads = norn_must_alloc(total, sizeof *observed->threads);
	qsort(list, total, sizeof *list, by_place);
	for (uint64_t i = 0; i < total; i++) {
		observed->ranks[list[i].event] = i;
		if (!list[i].past)
			observed->threads[observed->count++] = list[i].thread;
	}
}

size_t norn_observed_run_bytes(const struct norn_observed_run *observed)
{
	return observed->count * (sizeof *observed->ranks + sizeof *observed->threads);
}

void norn_observed_run_done(struct norn_observed_run *observed)
{
	free(observed->ranks);
	free(observed->threads);
	*observed = (struct norn_observed_run){0};
}
