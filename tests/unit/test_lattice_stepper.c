/* Real monitors in the lattice: the numbers of violating runs are those that the monitors say run by run, also about the end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "machines.h"
#include "scenarios.h"

struct property {
	enum norn_logic_kind logic;
	bool events; /* atoms are events: one at a time */
	enum norn_end end;
	const char *polish;
};

static const struct property properties[] = {
        {NORN_LOGIC_PTLTL, false, NORN_END_OPEN, "> /l I /a r"},
        {NORN_LOGIC_PTLTL, false, NORN_END_FINITE, "> a O b"},
        {NORN_LOGIC_LTL, false, NORN_END_OPEN, "W !c p"},
        {NORN_LOGIC_LTL, false, NORN_END_OPEN, "G > a F b"},
        {NORN_LOGIC_LTL, false, NORN_END_FINITE, "G > a F b"},
        {NORN_LOGIC_LTL, false, NORN_END_STUTTER, "G > a F b"},
        {NORN_LOGIC_LTL, false, NORN_END_STUTTER, "F G a"},
        {NORN_LOGIC_LTL, false, NORN_END_FINITE, "& G > a X b U b c"},
        {NORN_LOGIC_ERE, true, NORN_END_OPEN, "* ; s r"},
        {NORN_LOGIC_ERE, true, NORN_END_FINITE, "* ; s r"},
        {NORN_LOGIC_FORBID, true, NORN_END_OPEN, "; * . ; a b"},
        {NORN_LOGIC_FORBID, true, NORN_END_FINITE, "; a ; * . b"},
};

struct world {
	struct execution execution;
	struct norn_computation *computation;
	const struct property *property;
	const struct norn_monitor *monitor;
	uint32_t atoms;
	uint64_t seed;
	uint64_t runs, violating;
};

static uint64_t letter_at(const struct world *w, uint32_t valuation, uint32_t place)
{
	uint64_t hash = mixed(w->seed, valuation, place, 7);
	return w->property->events ? UINT64_C(1) << hash % w->atoms : hash & ((UINT64_C(1) << w->atoms) - 1);
}

static int world_apply(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation)
{
	struct world *w = context;
	*ret_valuation =
	        write_to(valuation, &w->execution.operations[norn_computation_payload(w->computation, event.thread, event.k)]);
	return 0;
}

static enum norn_lattice_position world_letter(void *context, uint32_t monitor, uint32_t before, uint32_t after,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	struct world *w = context;
	(void)monitor;
	(void)before;
	if (event.thread == NORN_LATTICE_BEGIN)
		return NORN_LATTICE_NO_POSITION;
	*ret_letter = letter_at(w, after, norn_computation_payload(w->computation, event.thread, event.k));
	*ret_unknown = 0;
	return NORN_LATTICE_POSITION;
}

static bool is_bad(const struct world *w, enum norn_verdict verdict)
{
	return verdict == (w->property->logic == NORN_LOGIC_FORBID ? NORN_VERDICT_MATCH : NORN_VERDICT_FALSE);
}

static void all_runs(struct world *w, uint32_t done, uint32_t valuation, uint64_t state, uint64_t last, bool bad)
{
	const struct execution *x = &w->execution;
	if (done == (1u << x->count) - 1) {
		w->runs++;
		w->violating += bad || is_bad(w, norn_monitor_final(w->monitor, state, last));
	}
	for (uint32_t e = 0; e < x->count; e++) {
		bool enabled = !(done >> e & 1);
		for (uint32_t i = 0; i < x->count; i++)
			enabled &= done >> i & 1 || !x->before[i * x->count + e];
		if (!enabled)
			continue;
		uint32_t after = write_to(valuation, &x->operations[e]);
		uint64_t letter = letter_at(w, after, e), next = norn_monitor_step(w->monitor, state, letter);
		all_runs(w, done | 1u << e, after, next, letter, bad || norn_monitor_violated(w->monitor, next));
	}
}

static void compare(struct world *w, uint64_t *violating, uint64_t *fine)
{
	/* A property of nothing but events begins at its first one, and so do these. */
	struct norn_stepper stepper =
	        norn_stepper_of(w->monitor, &(struct norn_property){.logic = w->property->logic, .end = w->property->end}, true);
	struct norn_lattice_model model = {.context = w, .apply = world_apply, .letter = world_letter};
	struct norn_lattice_options options = {.workers = 1};
	struct norn_lattice_result result;
	uint64_t start = norn_monitor_start(w->monitor);
	all_runs(w, 0, 0, start, 0, norn_monitor_violated(w->monitor, start));
	assert_int_equal(norn_lattice_search(w->computation, &model, &stepper, 1, &options, &result), 0);
	assert_true(norn_bignum_is(&result.runs, w->runs));
	assert_true(norn_bignum_is(&result.monitors[0].violating, w->violating));
	assert_int_equal(result.violation_count, w->violating > 0);
	*violating += w->violating;
	*fine += w->runs - w->violating;
	norn_lattice_result_done(&result);
}

static void real_monitors_agree_run_by_run(void **state)
{
	(void)state;
	static struct machine machine;
	uint64_t random = 77;
	for (unsigned i = 0; i < sizeof properties / sizeof *properties; i++) {
		const struct property *property = &properties[i];
		struct norn_monitor *monitor;
		uint64_t violating = 0, fine = 0;
		machine_init(&machine, property->logic, property->events, property->polish);
		machine.property.end = property->end;
		assert_int_equal(norn_monitor_new(&machine.spec, &machine.property, NULL, &monitor, NULL), 0);
		for (unsigned j = 0; j < 60; j++) {
			struct world w = {.property = property,
			        .monitor = monitor,
			        .atoms = machine.property.atom_count,
			        .seed = random_next(&random)};
			random_execution(&w.execution, &random, 3, 4 + random_below(&random, 4), random_below(&random, 4));
			w.computation = execution_computation(&w.execution);
			compare(&w, &violating, &fine);
			execution_done(&w.execution);
			norn_computation_free(w.computation);
		}
		/* Response without a say about the end cannot be violated; all others are, and are not. */
		assert_true(fine > 0 && (violating > 0) == (i != 3));
		norn_monitor_free(monitor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(real_monitors_agree_run_by_run)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
