#include "predict/lattice.h"

#include <errno.h>
#include <stdlib.h>

#include "predict/climb.h"

static int pack(const struct norn_computation *computation, struct norn_packing *ret_packing)
{
	struct norn_cut_thread *threads = calloc(computation->threads + 1ul, sizeof *threads);
	if (!threads)
		return -ENOMEM;
	for (uint32_t t = 0; t < computation->threads; t++)
		threads[t] = (struct norn_cut_thread){.thread = t,
		        .events = computation->events[t],
		        .clocks = norn_computation_clock(computation, t, 0),
		        .stride = computation->threads};
	int r = norn_packing_init(ret_packing, threads, computation->threads);
	free(threads);
	return r;
}

/* One window, of everything. */
static int look(struct norn_climb *climb, const struct norn_computation *computation)
{
	struct norn_packing packing;
	struct norn_observed observed;
	int r = pack(computation, &packing);
	if (r != 0)
		return r;
	r = norn_observed_init(&observed, computation, climb->search.model->observed);
	if (r != 0) {
		norn_packing_done(&packing);
		return r;
	}
	climb->threads = computation->threads;
	climb->total = computation->total;
	return norn_climb_look(climb, &packing, &observed);
}

int norn_lattice_search(const struct norn_computation *computation, const struct norn_lattice_model *model,
        const struct norn_stepper *steppers, uint32_t monitors, const struct norn_lattice_options *options,
        struct norn_lattice_result *ret_result)
{
	struct norn_climb climb;
	if (computation->total >= UINT32_MAX)
		return -EOVERFLOW;
	int r = norn_climb_init(&climb, model, steppers, monitors, options);
	if (r == 0)
		r = look(&climb, computation);
	if (r == 0)
		r = norn_climb_start(&climb);
	if (r == 0)
		r = norn_climb_to(&climb, climb.total);
	if (r == 0)
		r = norn_climb_finish(&climb);
	norn_climb_done(&climb);
	if (r < 0)
		norn_lattice_result_done(&climb.result);
	else
		*ret_result = climb.result;
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
