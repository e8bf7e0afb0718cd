#include "predict/observed.h"

#include <errno.h>
#include <stdlib.h>

struct place {
	uint64_t place, event;
	uint16_t thread;
};

static int by_place(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
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

int norn_observed_init(struct norn_observed *observed, const struct norn_computation *computation, const uint64_t *places)
{
	uint64_t total = computation->total;
	struct place *list = malloc((total + 1) * sizeof *list);
	*observed = (struct norn_observed){0};
	observed->ranks = malloc((total + 1) * sizeof *observed->ranks);
	observed->threads = malloc((total + 1) * sizeof *observed->threads);
	if (!list || !observed->ranks || !observed->threads) {
		free(list);
		norn_observed_done(observed);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < computation->threads; t++)
		for (uint32_t k = 0; k < computation->events[t]; k++) {
			uint64_t event = computation->first[t] + k;
			list[event] = (struct place){places ? places[event] : sum(computation, t, k), event, (uint16_t)t};
		}
	qsort(list, total, sizeof *list, by_place);
	for (uint64_t i = 0; i < total; i++) {
		observed->ranks[list[i].event] = i;
		observed->threads[i] = list[i].thread;
	}
	free(list);
	return 0;
}

void norn_observed_done(struct norn_observed *observed)
{
	free(observed->ranks);
	free(observed->threads);
	*observed = (struct norn_observed){0};
}
