#include "lattice/lattice.h"

#include <errno.h>
#include <stdlib.h>

#include "lattice/levels.h"

static int pack(const struct norn_computation *computation, struct norn_packing *ret_packing)
{
	struct norn_cut_thread *threads = calloc(computation->threads + 1ul, sizeof *threads);
	if (!threads)
		return -ENOMEM;
	for (uint32_t t = 0; t < computation->threads; t++)
		threads[t] = (struct norn_cut_thread){.thread = t,
		        .events = computation->events[t],
		        .clocks = norn_computation_clock(computation, t, 0),
		        .cell_step = computation->threads};
	int r = norn_packing_init(ret_packing, threads, computation->threads);
	free(threads);
	return r;
}

/* One window, of everything. */
static int look(struct norn_levels *levels, const struct norn_computation *computation)
{
	struct norn_packing packing;
	struct norn_observed_run observed;
	int r = pack(computation, &packing);
	if (r != 0)
		return r;
	r = norn_observed_run_init(&observed, computation, levels->search.model->observed);
	if (r != 0) {
		norn_packing_done(&packing);
		return r;
	}
	levels->threads = computation->threads;
	levels->total = computation->total;
	return norn_levels_look(levels, &packing, &observed);
}

int norn_lattice_search(const struct norn_computation *computation, const struct norn_lattice_model *model,
        const struct norn_stepper *steppers, uint32_t monitors, const struct norn_lattice_options *options,
        struct norn_lattice_result *ret_result)
{
	struct norn_levels levels;
	if (computation->total >= UINT32_MAX)
		return -EOVERFLOW;
	int r = norn_levels_init(&levels, model, steppers, monitors, options);
	if (r == 0)
		r = look(&levels, computation);
	if (r == 0)
		r = norn_levels_start(&levels);
	if (r == 0)
		r = norn_levels_to(&levels, levels.total);
	if (r == 0)
		r = norn_levels_finish(&levels);
	norn_levels_done(&levels);
	if (r < 0)
		norn_lattice_result_done(&levels.result);
	else
		*ret_result = levels.result;
	return r;
}

void norn_lattice_result_done(struct norn_lattice_result *result)
{
	for (uint32_t i = 0; i < result->violation_count; i++)
		free(result->violations[i].events);
	for (uint32_t m = 0; m < result->monitor_count && result->monitors; m++) {
		norn_bignum_done(&result->monitors[m].violating);
		norn_bignum_done(&result->monitors[m].uncertain);
	}
	norn_bignum_done(&result->runs);
	free(result->violations);
	free(result->monitors);
	free(result->widths);
	*result = (struct norn_lattice_result){0};
}

const char *norn_lattice_limit_name(enum norn_lattice_limit limit)
{
	static const char *const names[] = {"complete", "max-cuts", "max-memory", "beam", "stopped"};
	return names[limit];
}
