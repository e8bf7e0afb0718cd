#include "witness/check_witnesses.h"

#include <stdlib.h>

#include "base/must.h"
#include "witness/sliced_witness.h"

static const enum norn_sliced_kind claim_kinds[] = {
        [NORN_PREDICTED_RACE] = NORN_SLICED_RACE,
        [NORN_PREDICTED_DEADLOCK] = NORN_SLICED_DEADLOCK,
        [NORN_PREDICTED_USE_AFTER_FREE] = NORN_SLICED_USE_AFTER_FREE,
        [NORN_PREDICTED_DOUBLE_FREE] = NORN_SLICED_DOUBLE_FREE,
        [NORN_PREDICTED_USE_AFTER_RETURN] = NORN_SLICED_USE_AFTER_RETURN,
        [NORN_PREDICTED_ATOMICITY] = NORN_SLICED_ATOMICITY,
        [NORN_PREDICTED_ASSERTION] = NORN_SLICED_ASSERTION,
        [NORN_PREDICTED_NULL] = NORN_SLICED_NULL,
};

static int by_base(const void *a, const void *b)
{
	const struct norn_predicted *x = *(const struct norn_predicted *const *)a, *y = *(const struct norn_predicted *const *)b;
	if (x->schedule.base != y->schedule.base)
		return x->schedule.base < y->schedule.base ? -1 : 1;
	return (x > y) - (x < y);
}

static int check(struct norn_sliced_checker *checker, const struct norn_predicted *p)
{
	struct norn_error why;
	const struct norn_sliced_claim claim = {.kind = claim_kinds[p->kind],
	        .base = p->schedule.base,
	        .events = p->schedule.events,
	        .count = p->schedule.count,
	        .stops = p->stops,
	        .stop_count = p->stop_count,
	        .first = p->assertion ? p->assertion->event : p->first,
	        .cycle = p->cycle.events,
	        .cycle_begins = p->cycle.begins,
	        .cycle_count = p->cycle.count,
	        .block = p->begin,
	        .site = p->assertion ? p->assertion->site : 0,
	        .assumed = p->assumed,
	        .assumed_count = p->assumed_count};
	return norn_sliced_check(checker, &claim, &why);
}

void norn_check_witnesses(const struct norn_graph *graph, struct norn_predictions *all, uint64_t *refused_count)
{
	struct norn_sliced_checker *checker = norn_sliced_checker_new(graph);
	const struct norn_predicted **sorted = norn_must_calloc(all->count + 1ul, sizeof *sorted);
	bool *refused = norn_must_calloc(all->count + 1ul, sizeof *refused);
	for (uint32_t i = 0; i < all->count; i++)
		sorted[i] = &all->list[i];
	qsort(sorted, all->count, sizeof *sorted, by_base); /* the checker goes through the beginning of the run but once */
	for (uint32_t i = 0; i < all->count; i++)
		if (check(checker, sorted[i]) != 0) {
			refused[sorted[i] - all->list] = true;
			++*refused_count;
		}
	norn_sliced_checker_free(checker);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < all->count; i++)
		if (!refused[i])
			all->list[kept++] = all->list[i];
	all->count = kept;
	free(sorted);
	free(refused);
}
