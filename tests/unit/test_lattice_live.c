/* Streams: lattices of runs whose events come in any order that causality allows are those of the whole runs. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios.h"
#include "lattice/lattice.h"

static void assert_same_number(const struct norn_bignum *a, const struct norn_bignum *b)
{
	assert_int_equal(a->count, b->count);
	if (a->count)
		assert_memory_equal(a->limbs, b->limbs, a->count * sizeof *a->limbs);
}

static void assert_same_violation(const struct norn_lattice_violation *a, const struct norn_lattice_violation *b)
{
	assert_int_equal(a->monitor, b->monitor);
	assert_int_equal(a->at_end, b->at_end);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->distance, b->distance);
	assert_int_equal(a->length, b->length);
	assert_memory_equal(a->events, b->events, a->length * sizeof *a->events);
}

static void assert_same(const struct norn_lattice_result *a, const struct norn_lattice_result *b)
{
	assert_int_equal(a->limit, b->limit);
	assert_int_equal(a->limit_level, b->limit_level);
	assert_int_equal(a->cuts, b->cuts);
	assert_int_equal(a->levels, b->levels);
	assert_memory_equal(a->widths, b->widths, a->levels * sizeof *a->widths);
	assert_int_equal(a->counted, b->counted);
	assert_same_number(&a->runs, &b->runs);
	for (uint32_t m = 0; m < a->monitor_count; m++) {
		assert_same_number(&a->monitors[m].violating, &b->monitors[m].violating);
		assert_same_number(&a->monitors[m].uncertain, &b->monitors[m].uncertain);
	}
	assert_int_equal(a->violation_count, b->violation_count);
	for (uint32_t i = 0; i < a->violation_count; i++)
		assert_same_violation(&a->violations[i], &b->violations[i]);
}

/* ---- Threads that begin late ---- */

/* Thread t is forked by parent after its first `after` operations. Thread 0 is there from the start. */
struct fork {
	uint32_t parent, after;
};

/* Forks where the execution allows them; what that orders is added to it. */
static void add_forks(struct execution *x, struct fork *forks, uint64_t *random)
{
	uint32_t first[THREADS_MAX], begin[THREADS_MAX] = {0}, n = x->count;
	for (uint32_t i = n; i-- > 0;)
		first[x->operations[i].thread] = i;
	for (uint32_t t = 1; t < x->threads; t++) {
		uint32_t parent = random_below(random, t), before = 0;
		if (begin[parent] > first[t])
			parent = 0;
		for (uint32_t i = 0; i < first[t]; i++)
			before += x->operations[i].thread == parent;
		forks[t] = (struct fork){parent, random_below(random, before + 1)};
		begin[t] = begin[parent];
		for (uint32_t i = 0; i < first[t]; i++)
			if (x->operations[i].thread == parent && x->operations[i].k < forks[t].after && i >= begin[t])
				begin[t] = i + 1;
	}
	for (uint32_t j = 0; j < n; j++)
		for (uint32_t t = x->operations[j].thread; t; t = forks[t].parent)
			for (uint32_t i = 0; i < j; i++)
				x->before[(size_t)i * n + j] |=
				        x->operations[i].thread == forks[t].parent && x->operations[i].k < forks[t].after;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < k; i++)
			if (x->before[(size_t)i * n + k])
				for (uint32_t j = k + 1; j < n; j++)
					x->before[(size_t)i * n + j] |= x->before[(size_t)k * n + j];
}

static void forked_scenario_init(
        struct scenario *s, uint64_t seed, uint32_t threads, uint32_t events, unsigned conflicts, struct fork *forks)
{
	uint64_t random = seed * 77 + 1;
	scenario_init(s, seed, threads, events, conflicts);
	norn_computation_free(s->computation);
	add_forks(&s->execution, forks, &random);
	s->computation = execution_computation(&s->execution);
	observed_of(s->computation, s->places);
}

/* ---- Deliveries ---- */

struct delivery {
	struct scenario *scenario;
	const struct fork *forks; /* NULL: all threads are there from the start */
	struct norn_lattice *stream;
	uint64_t random;
	uint32_t given[THREADS_MAX]; /* events of each thread that the stream has */
	bool announced[THREADS_MAX], ended[THREADS_MAX];
	uint64_t built[THREADS_MAX]; /* what was built when the thread was announced, or what its fork came after */
	bool probes;
	uint64_t most_behind; /* levels that are built when all but the end has come */
};

static struct norn_lattice *open_stream(struct scenario *s, const struct norn_lattice_options *options)
{
	struct norn_stepper steppers[MONITORS];
	struct norn_lattice *stream;
	struct norn_lattice_model model = {
	        .context = s, .apply = model_apply, .letter = model_letter, .kind = model_kind, .concurrent = s->seed % 2};
	for (uint32_t m = 0; m < s->monitors; m++)
		steppers[m] = (struct norn_stepper){
		        .context = &s->automata[m],
		        .start = auto_start,
		        .step = auto_step,
		        .violated = auto_violated,
		        .settled = s->automata[m].knows_settled ? auto_settled : NULL,
		        .final = s->automata[m].ends ? auto_final : NULL,
		};
	assert_int_equal(norn_lattice_new(&model, steppers, s->monitors, options, &stream), 0);
	return stream;
}

static void announce(struct delivery *d, uint32_t thread)
{
	const struct norn_computation *c = d->scenario->computation;
	d->announced[thread] = true;
	d->built[thread] = norn_lattice_level(d->stream);
	assert_int_equal(norn_lattice_thread(d->stream, thread), 0);
	if (!d->forks || d->forks[thread].after == 0 || random_below(&d->random, 2))
		return;
	uint64_t sum = 0;
	for (uint32_t j = 0; j < c->threads; j++)
		sum += norn_computation_clock(c, d->forks[thread].parent, d->forks[thread].after - 1)[j];
	norn_lattice_bound(d->stream, thread, sum);
	if (sum > d->built[thread])
		d->built[thread] = sum;
}

/* Before the parent's event number k + 1 is given, or its end: what it has forked by then. */
static void announce_children(struct delivery *d, uint32_t parent, uint32_t k)
{
	for (uint32_t t = 1; d->forks && t < d->scenario->execution.threads; t++)
		if (d->forks[t].parent == parent && d->forks[t].after <= k && !d->announced[t])
			announce(d, t);
}

/* Gives the next event of a thread if its causes are there, or its end; false if not. */
static bool give(struct delivery *d, uint32_t t)
{
	const struct norn_computation *c = d->scenario->computation;
	if (d->ended[t] || !d->announced[t])
		return false;
	announce_children(d, t, d->given[t]);
	if (d->given[t] == c->events[t]) {
		norn_lattice_end(d->stream, t);
		d->ended[t] = true;
		return true;
	}
	const uint32_t *clock = norn_computation_clock(c, t, d->given[t]);
	if (!norn_computation_enabled(c, d->given, t, d->given[t]))
		return false;
	uint64_t place = norn_computation_payload(c, t, d->given[t]);
	assert_int_equal(norn_lattice_add(d->stream, t, clock, c->threads, place), 0);
	d->given[t]++;
	return true;
}

static bool all_ended(const struct delivery *d)
{
	for (uint32_t t = 0; t < d->scenario->execution.threads; t++)
		if (!d->ended[t])
			return false;
	return true;
}

/* Which level must be closed, from the definition: no cut of a lower level lacks the next event of a thread that lives. */
static void assert_built(const struct delivery *d)
{
	const struct norn_computation *c = d->scenario->computation;
	uint64_t level = norn_lattice_level(d->stream);
	if (norn_lattice_is_over(d->stream))
		return;
	for (uint32_t t = 0; t < c->threads; t++) {
		uint64_t sum = 0;
		for (uint32_t j = 0; d->given[t] && j < c->threads; j++)
			sum += norn_computation_clock(c, t, d->given[t] - 1)[j];
		assert_true(d->ended[t] || !d->announced[t] || level <= sum || level <= d->built[t]);
	}
}

static void deliver_all(struct delivery *d, unsigned climbs)
{
	uint32_t threads = d->scenario->execution.threads;
	for (uint32_t t = 0; t < threads; t++)
		if (!d->forks || t == 0)
			announce(d, t);
	while (!all_ended(d)) {
		uint32_t t = random_below(&d->random, threads);
		unsigned burst = 1 + random_below(&d->random, 4);
		for (unsigned i = 0; i < burst && give(d, t); i++)
			;
		if (random_below(&d->random, 8) < climbs) {
			assert_int_equal(norn_lattice_advance(d->stream), 0);
			assert_built(d);
		}
		if (d->probes && random_below(&d->random, 3) == 0)
			assert_int_equal(norn_lattice_probe(d->stream, 1 + random_below(&d->random, 300)), 0);
		d->most_behind = norn_lattice_level(d->stream);
	}
}

static void streams_agree_with_whole_runs(void **state)
{
	(void)state;
	uint64_t random = 4712, early = 0, violating = 0, cases = 0;
	for (uint64_t seed = 1; seed <= 4000; seed++) {
		struct scenario s;
		struct fork forks[THREADS_MAX] = {{0}};
		uint32_t threads = 2 + random_below(&random, 4);
		uint32_t events = threads + random_below(&random, threads < 4 ? 7 : 4);
		unsigned conflicts = random_below(&random, 5) + (events > 7);
		bool forked = seed % 2;
		if (forked)
			forked_scenario_init(&s, seed, threads, events, conflicts, forks);
		else
			scenario_init(&s, seed, threads, events, conflicts);
		struct norn_lattice_options options = {.workers = 1 + (seed % 16 == 0), .violations = 100, .share_from = 1};
		struct norn_lattice_result whole = scenario_search(&s, &options);
		struct truth truth = find_truth(&s);
		assert_true(norn_bignum_is(&whole.runs, truth.runs));
		for (unsigned round = 0; round < 3; round++) {
			struct delivery d = {.scenario = &s, .forks = forked ? forks : NULL, .random = seed * 31 + round + 1};
			d.stream = open_stream(&s, &options);
			deliver_all(&d, round * 4);
			assert_int_equal(norn_lattice_finish(d.stream, true), 0);
			assert_same(norn_lattice_result(d.stream), &whole);
			early += d.most_behind > 0;
			violating += whole.violation_count > 0;
			cases++;
			norn_lattice_free(d.stream);
		}
		norn_lattice_result_done(&whole);
		scenario_done(&s);
	}
	/* Levels were built before the end had come, and not all cases are dull. */
	assert_in_range(early, cases / 3, cases);
	assert_in_range(violating, cases / 4, cases);
}

/* Looking ahead finds what is there, and changes nothing else. */
static void probes_find_and_change_nothing(void **state)
{
	(void)state;
	uint64_t early = 0, found = 0;
	for (uint64_t seed = 1; seed <= 600; seed++) {
		struct scenario s;
		struct fork forks[THREADS_MAX] = {{0}};
		forked_scenario_init(&s, seed, 4, 12, 2 + seed % 3, forks);
		struct norn_lattice_options options = {.workers = 1, .violations = 100, .max_cuts = seed % 5 ? 0 : 40};
		struct norn_lattice_result whole = scenario_search(&s, &options);
		struct delivery d = {.scenario = &s, .forks = forks, .random = seed, .probes = true};
		d.stream = open_stream(&s, &options);
		deliver_all(&d, 2);
		early += norn_lattice_result(d.stream)->violation_count;
		assert_int_equal(norn_lattice_finish(d.stream, true), 0);
		const struct norn_lattice_result *result = norn_lattice_result(d.stream);
		assert_int_equal(result->limit, whole.limit);
		assert_int_equal(result->cuts, whole.cuts);
		assert_int_equal(result->levels, whole.levels);
		assert_memory_equal(result->widths, whole.widths, whole.levels * sizeof *whole.widths);
		assert_same_number(&result->runs, &whole.runs);
		for (uint32_t m = 0; m < s.monitors; m++)
			assert_same_number(&result->monitors[m].violating, &whole.monitors[m].violating);
		/* The same kinds; with limits, perhaps some from beyond. */
		assert_true(result->violation_count == whole.violation_count ||
		            (options.max_cuts && result->violation_count > whole.violation_count));
		for (uint32_t i = 0; i < result->violation_count; i++)
			assert_violates(&s, &result->violations[i]);
		found += result->violation_count;
		norn_lattice_free(d.stream);
		norn_lattice_result_done(&whole);
		scenario_done(&s);
	}
	assert_true(found > 500 && early > found / 2);
}

static void large_streams_agree(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++) {
		struct scenario s;
		struct fork forks[THREADS_MAX] = {{0}};
		forked_scenario_init(&s, seed, seed % 3 ? 5 : 12, seed % 3 ? 40 : 30, 2 + seed % 3, forks);
		struct norn_lattice_options options = {.workers = 1 + seed % 2,
		        .share_from = 64,
		        .violations = 5,
		        .max_cuts = 60000,
		        .beam = seed % 4 == 0 ? 100 : 0};
		struct norn_lattice_result whole = scenario_search(&s, &options);
		struct delivery d = {.scenario = &s, .forks = forks, .random = seed};
		d.stream = open_stream(&s, &options);
		deliver_all(&d, 8);
		assert_int_equal(norn_lattice_finish(d.stream, true), 0);
		assert_same(norn_lattice_result(d.stream), &whole);
		norn_lattice_free(d.stream);
		norn_lattice_result_done(&whole);
		scenario_done(&s);
	}
}

/* ---- What is cut off ---- */

/* A run whose end did not come is judged like the run of the events that came, but for its end. */
static void what_was_cut_off_is_judged_as_far_as_it_came(void **state)
{
	(void)state;
	uint64_t found = 0;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		struct scenario s;
		scenario_init(&s, seed, 3, 10, 3);
		struct norn_lattice_options options = {.workers = 1, .violations = 100};
		struct delivery d = {.scenario = &s, .random = seed};
		d.stream = open_stream(&s, &options);
		for (uint32_t t = 0; t < 3; t++)
			announce(&d, t);
		for (unsigned i = 0; i < 12; i++) {
			give(&d, random_below(&d.random, 3));
			assert_int_equal(norn_lattice_advance(d.stream), 0);
		}
		assert_int_equal(norn_lattice_finish(d.stream, false), 0);
		const struct norn_lattice_result *result = norn_lattice_result(d.stream);
		assert_int_equal(result->levels, norn_lattice_events(d.stream) + 1);
		for (uint32_t i = 0; i < result->violation_count; i++) {
			assert_false(result->violations[i].at_end);
			assert_violates(&s, &result->violations[i]);
			found++;
		}
		norn_lattice_free(d.stream);
		scenario_done(&s);
	}
	assert_true(found > 100);
}

/* ---- Nonsense ---- */

static void clocks_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	struct scenario s;
	scenario_init(&s, 1, 3, 6, 0);
	struct norn_lattice *stream = open_stream(&s, NULL);
	for (uint32_t t = 0; t < 3; t++)
		assert_int_equal(norn_lattice_thread(stream, t), 0);
	assert_int_equal(norn_lattice_add(stream, 0, (uint32_t[]){2, 0, 0}, 3, 0), -EBADMSG); /* not the next one */
	assert_int_equal(norn_lattice_add(stream, 0, (uint32_t[]){0, 0, 0}, 3, 0), -EBADMSG);
	assert_int_equal(norn_lattice_add(stream, 0, (uint32_t[]){1, 1, 0}, 3, 0), -EBADMSG); /* a cause is missing */
	assert_int_equal(norn_lattice_add(stream, 0, (uint32_t[]){1, 0, 0}, 3, 0), 0);
	assert_int_equal(norn_lattice_add(stream, 1, (uint32_t[]){1, 1, 0}, 3, 0), 0);
	assert_int_equal(norn_lattice_add(stream, 2, (uint32_t[]){0, 1, 1}, 3, 0), -EBADMSG); /* knows less than its cause */
	assert_int_equal(norn_lattice_add(stream, 1, (uint32_t[]){0, 2, 0}, 3, 0), -EBADMSG); /* knows less than before */
	assert_int_equal(norn_lattice_add(stream, 2, (uint32_t[]){1, 1, 1}, 3, 0), 0);
	norn_lattice_end(stream, 2);
	assert_int_equal(norn_lattice_add(stream, 2, (uint32_t[]){1, 1, 2}, 3, 0), -EBADMSG); /* has ended */
	assert_int_equal(norn_lattice_advance(stream), 0);
	assert_int_equal(norn_lattice_level(stream), 1);
	/* A thread that had not been announced comes too late. */
	assert_int_equal(norn_lattice_add(stream, 3, (uint32_t[]){0, 0, 0, 1}, 4, 0), -ESTALE);
	norn_lattice_free(stream);
	scenario_done(&s);
}

/* ---- Memory ---- */

static int no_change(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation)
{
	(void)context;
	(void)event;
	*ret_valuation = valuation;
	return 0;
}

/* Two threads in step for a long time: everything but the paths is forgotten. */
static void what_no_cut_needs_is_forgotten(void **state)
{
	(void)state;
	enum { EVENTS = 200000 };
	struct norn_lattice_model model = {.apply = no_change};
	struct norn_lattice_options options = {.workers = 1, .uncounted = true};
	struct norn_lattice *stream;
	size_t tenth = 0;
	assert_int_equal(norn_lattice_new(&model, NULL, 0, &options, &stream), 0);
	assert_int_equal(norn_lattice_thread(stream, 0), 0);
	assert_int_equal(norn_lattice_thread(stream, 1), 0);
	uint32_t clocks[2][2] = {{0, 0}, {0, 0}};
	for (uint32_t i = 0; i < EVENTS; i++) {
		uint32_t t = i % 2;
		clocks[t][t]++;
		if (i % 8 > 5)
			clocks[t][!t] = clocks[!t][!t];
		assert_int_equal(norn_lattice_add(stream, t, clocks[t], 2, i), 0);
		if (i % 10 == 9)
			assert_int_equal(norn_lattice_advance(stream), 0);
		if (i == EVENTS / 10)
			tenth = norn_lattice_bytes(stream);
	}
	size_t last = norn_lattice_bytes(stream);
	assert_true(norn_lattice_level(stream) > EVENTS - 20);
	assert_true(norn_lattice_base(stream, 0) > EVENTS / 2 - 100);
	assert_true(last < tenth + (size_t)EVENTS * 10);
	norn_lattice_free(stream);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(streams_agree_with_whole_runs),
	        cmocka_unit_test(probes_find_and_change_nothing),
	        cmocka_unit_test(large_streams_agree),
	        cmocka_unit_test(what_was_cut_off_is_judged_as_far_as_it_came),
	        cmocka_unit_test(clocks_that_make_no_sense_are_refused),
	        cmocka_unit_test(what_no_cut_needs_is_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
