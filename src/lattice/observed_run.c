#include "lattice/observed_run.h"

#include <errno.h>
#include <stdlib.h>

static int by_place(const void *a, const void *b)
{
	const struct norn_observed_run_event *x = a, *y = b;
	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	return x->event < y->event ? -1 : x->event > y->event;
}

/* Causes have smaller sums than what they cause. */
static uint64_t sum(const struct norn_computation *computation, uint32_t thread, uint32_t k)
{
	const uint32_t *clock = norn_computation_clock(computation, thread, k);
	uint64_t total = 0;
	for (uint32_t j = 0; j < computation->threads; j++)
		total += clock[j];
	return total;
}

int norn_observed_run_of(struct norn_observed_run *observed, struct norn_observed_run_event *list, uint64_t total)
{
	*observed = (struct norn_observed_run){0};
	observed->ranks = malloc((total + 1) * sizeof *observed->ranks);
	observed->threads = malloc((total + 1) * sizeof *observed->threads);
	if (!observed->ranks || !observed->threads) {
		norn_observed_run_done(observed);
		return -ENOMEM;
	}
	qsort(list, total, sizeof *list, by_place);
	for (uint64_t i = 0; i < total; i++) {
		observed->ranks[list[i].event] = i;
		if (!list[i].past)
			observed->threads[observed->count++] = list[i].thread;
	}
	return 0;
}

int norn_observed_run_init(struct norn_observed_run *observed, const struct norn_computation *computation, const uint64_t *places)
{
	struct norn_observed_run_event *list = malloc((computation->total + 1) * sizeof *list);
	if (!list)
		return -ENOMEM;
	for (uint32_t t = 0; t < computation->threads; t++)
		for (uint32_t k = 0; k < computation->events[t]; k++) {
			uint64_t event = computation->first[t] + k, place = places ? places[event] : sum(computation, t, k);
			list[event] = (struct norn_observed_run_event){place, event, (uint16_t)t, false};
		}
	int r = norn_observed_run_of(observed, list, computation->total);
	free(list);
	return r;
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
