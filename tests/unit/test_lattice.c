/* The lattice: the paper's two examples, and random partial orders against an enumeration of all their linear extensions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios.h"
#include "lattice/lattice.h"

/* ---- The paper's examples ---- */

/* A write of one of three variables; valuations are their values, two bits each. */
struct write {
	uint32_t thread, clock[2];
	unsigned variable, value;
};

struct example {
	const struct norn_computation *computation;
	const struct write *writes;
};

static int example_apply(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation)
{
	struct example *example = context;
	const struct write *write = &example->writes[norn_computation_payload(example->computation, event.thread, event.k)];
	*ret_valuation = (valuation & ~(3u << 2 * write->variable)) | write->value << 2 * write->variable;
	return 0;
}

/* The valuation is the letter: these monitors take it apart. */
static enum norn_lattice_position example_letter(void *context, uint32_t monitor, uint32_t before, uint32_t valuation,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	(void)context;
	(void)monitor;
	(void)event;
	*ret_letter = valuation;
	*ret_unknown = 0;
	return NORN_LATTICE_POSITION;
}

enum { FIRST = 1, PRE_LANDING = 2, PRE_APPROVED = 4, INTERVAL = 8, BROKEN = 16 };
enum landing_form { AS_IT_IS, OPENER_WITHOUT_START, LANDING_WITHOUT_START };

static uint64_t past_start(const void *context)
{
	(void)context;
	return FIRST;
}

static bool past_violated(const void *context, uint64_t state)
{
	(void)context;
	return state & BROKEN;
}

/* start(landing == 1) -> [start(approved == 1), radio == 0), and without one of the starts */
static uint64_t landing_step(const void *context, uint64_t state, uint64_t letter)
{
	enum landing_form form = *(const enum landing_form *)context;
	bool landing = letter & 3, approved = letter >> 2 & 3, down = !(letter >> 4 & 3), first = state & FIRST;
	bool started = landing && !(first ? landing : !!(state & PRE_LANDING));
	bool opener = approved && !(first ? approved : !!(state & PRE_APPROVED));
	if (form == OPENER_WITHOUT_START)
		opener = approved;
	if (form == LANDING_WITHOUT_START)
		started = landing;
	bool interval = !down && (opener || (!first && state & INTERVAL));
	return (landing ? PRE_LANDING : 0) | (approved ? PRE_APPROVED : 0) | (interval ? INTERVAL : 0) |
	       (started && !interval ? BROKEN : 0);
}

/* x > 0 -> [y = 0, y > z) */
static uint64_t xyz_step(const void *context, uint64_t state, uint64_t letter)
{
	(void)context;
	int x = (int)(letter & 3) - 1, y = letter >> 2 & 3, z = letter >> 4 & 3;
	bool interval = !(y > z) && (y == 0 || (!(state & FIRST) && state & INTERVAL));
	return (interval ? INTERVAL : 0) | (x > 0 && !interval ? BROKEN : 0);
}

static struct norn_computation *example_computation(const struct write *writes, uint32_t count)
{
	struct norn_computation_builder *builder;
	struct norn_computation *computation;
	builder = norn_computation_builder_new();
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(norn_computation_add(builder, writes[i].thread, writes[i].clock, 2, i), 0);
	assert_int_equal(norn_computation_finish(builder, &computation, NULL), 0);
	norn_computation_builder_free(builder);
	return computation;
}

static struct norn_lattice_result search_example(const struct write *writes, uint32_t count, uint32_t initial,
        const struct norn_stepper *stepper, const struct norn_lattice_options *options)
{
	struct norn_lattice_result result;
	uint64_t places[8];
	struct norn_computation *computation = example_computation(writes, count);
	struct example example = {computation, writes};
	struct norn_lattice_model model = {.context = &example,
	        .initial = initial,
	        .apply = example_apply,
	        .letter = example_letter,
	        .observed = observed_of(computation, places)};
	assert_int_equal(norn_lattice_search(computation, &model, stepper, 1, options, &result), 0);
	norn_computation_free(computation);
	return result;
}

static void assert_widths(const struct norn_lattice_result *result, const uint64_t *widths, uint64_t levels)
{
	assert_int_equal(result->levels, levels);
	assert_memory_equal(result->widths, widths, levels * sizeof *widths);
}

static void assert_run(const struct norn_lattice_violation *violation, const char *threads)
{
	assert_int_equal(violation->length, strlen(threads));
	for (uint64_t i = 0; i < violation->length; i++)
		assert_int_equal(violation->events[i].thread, threads[i] - '1');
}

enum { LANDING, APPROVED, RADIO };
static const struct write landing_writes[] = {{0, {1, 0}, APPROVED, 1}, {0, {2, 0}, LANDING, 1}, {1, {0, 1}, RADIO, 0}};
#define RADIO_ON (1u << 2 * RADIO)

static void landing_is_as_in_the_paper(void **state)
{
	(void)state;
	static const unsigned violating[] = {2, 2, 3};
	static const char *const runs[] = {"121", "121", "112"};
	for (enum landing_form form = AS_IT_IS; form <= LANDING_WITHOUT_START; form++) {
		struct norn_stepper stepper = {&form, past_start, landing_step, past_violated, NULL, NULL, NULL};
		struct norn_lattice_result result = search_example(landing_writes, 3, RADIO_ON, &stepper, NULL);
		assert_widths(&result, (const uint64_t[]){1, 2, 2, 1}, 4);
		assert_int_equal(result.cuts, 6);
		assert_int_equal(result.limit, NORN_LATTICE_COMPLETE);
		assert_true(result.counted && norn_bignum_is(&result.runs, 3));
		assert_true(norn_bignum_is(&result.monitors[0].violating, violating[form]));
		assert_true(norn_bignum_is(&result.monitors[0].uncertain, 0));
		assert_int_equal(result.violation_count, 1);
		assert_run(&result.violations[0], runs[form]);
		norn_lattice_result_done(&result);
	}
}

static void xyz_is_as_in_the_paper(void **state)
{
	(void)state;
	enum { X, Y, Z };
	/* x is stored plus one: it begins at -1 */
	static const struct write writes[] = {{0, {1, 0}, X, 1}, {1, {1, 1}, Z, 1}, {1, {1, 2}, X, 2}, {0, {2, 0}, Y, 1}};
	struct norn_stepper stepper = {NULL, past_start, xyz_step, past_violated, NULL, NULL, NULL};
	struct norn_lattice_result result = search_example(writes, 4, 0, &stepper, NULL);
	assert_widths(&result, (const uint64_t[]){1, 1, 2, 2, 1}, 5);
	assert_int_equal(result.cuts, 7);
	assert_true(norn_bignum_is(&result.runs, 3));
	assert_true(norn_bignum_is(&result.monitors[0].violating, 1));
	assert_int_equal(result.violation_count, 1);
	assert_run(&result.violations[0], "1122"); /* x y z x */
	norn_lattice_result_done(&result);
}

struct picture {
	char text[1000];
};

static void draw(void *context, const struct norn_lattice_node *node)
{
	struct picture *picture = context;
	size_t at = strlen(picture->text);
	at += (size_t)sprintf(picture->text + at, "%u: %u,%u <%u,%u,%u> ->", node->level, node->cut[0], node->cut[1],
	        node->valuation & 3, node->valuation >> 2 & 3, node->valuation >> 4 & 3);
	for (uint32_t i = 0; i < node->next_count; i++)
		at += (size_t)sprintf(picture->text + at, " %u", node->next[i]);
	at += (size_t)sprintf(picture->text + at, " [");
	for (uint32_t i = 0; i < node->state_count; i++)
		at += (size_t)sprintf(picture->text + at, "%c", "?+~F"[node->states[i].status]);
	sprintf(picture->text + at, "]\n");
}

static void landing_can_be_drawn(void **state)
{
	(void)state;
	enum landing_form form = AS_IT_IS;
	struct norn_stepper stepper = {&form, past_start, landing_step, past_violated, NULL, NULL, NULL};
	struct picture picture = {""};
	struct norn_lattice_options options = {.context = &picture, .visit = draw};
	struct norn_lattice_result result = search_example(landing_writes, 3, RADIO_ON, &stepper, &options);
	assert_string_equal(picture.text, "0: 0,0 <0,0,1> -> 0 1 [?]\n"
	                                  "1: 1,0 <0,1,1> -> 0 1 [?]\n"
	                                  "1: 0,1 <0,0,0> -> 0 [?]\n"
	                                  "2: 2,0 <1,1,1> -> 1 [?]\n"
	                                  "2: 1,1 <0,1,0> -> 0 [?]\n"
	                                  "3: 2,1 <1,1,0> -> [?F]\n");
	norn_lattice_result_done(&result);
}

/* ---- Random cases ---- */

static void assert_truth(const struct scenario *s, const struct norn_lattice_result *result)
{
	struct truth truth = find_truth(s);
	uint64_t widths[EVENTS_MAX + 1] = {0};
	assert_int_equal(result->limit, NORN_LATTICE_COMPLETE);
	assert_true(result->counted);
	assert_int_equal(result->cuts, count_cuts(&s->execution, widths));
	assert_widths(result, widths, s->execution.count + 1);
	assert_true(norn_bignum_is(&result->runs, truth.runs));
	for (uint32_t m = 0; m < s->monitors; m++) {
		assert_true(norn_bignum_is(&result->monitors[m].violating, truth.violating[m]));
		assert_true(norn_bignum_is(&result->monitors[m].uncertain, truth.uncertain[m]));
	}
	uint32_t expected = 0;
	for (uint32_t m = 0; m < s->monitors; m++)
		for (uint32_t kind = 0; kind < EVENTS_MAX + 2; kind++)
			expected += truth.shortest[m][kind] != UINT32_MAX;
	assert_int_equal(result->violation_count, expected);
	for (uint32_t i = 0; i < result->violation_count; i++) {
		const struct norn_lattice_violation *v = &result->violations[i];
		uint64_t kind = v->kind != AT_END ? v->kind : v->at_end ? EVENTS_MAX + 1 : EVENTS_MAX;
		assert_int_equal(v->length, truth.shortest[v->monitor][kind]);
		assert_violates(s, v);
		assert_true(i == 0 || result->violations[i - 1].length <= v->length);
	}
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

static void assert_same_number(const struct norn_bignum *a, const struct norn_bignum *b)
{
	assert_int_equal(a->count, b->count);
	if (a->count)
		assert_memory_equal(a->limbs, b->limbs, a->count * sizeof *a->limbs);
}

static void assert_same(const struct norn_lattice_result *a, const struct norn_lattice_result *b)
{
	assert_int_equal(a->limit, b->limit);
	assert_int_equal(a->limit_level, b->limit_level);
	assert_int_equal(a->cuts, b->cuts);
	assert_widths(a, b->widths, b->levels);
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

static void agrees_with_all_linear_extensions(void **state)
{
	(void)state;
	uint64_t random = 4711, violating = 0, uncertain = 0, runs = 0;
	for (uint64_t seed = 1; seed <= 4000; seed++) {
		struct scenario s;
		uint32_t threads = 2 + random_below(&random, 4);
		uint32_t events = threads + random_below(&random, threads < 4 ? 7 : 4);
		scenario_init(&s, seed, threads, events, random_below(&random, 5) + (events > 7));
		struct norn_lattice_options options = {.workers = 1, .violations = 100};
		struct norn_lattice_result result = scenario_search(&s, &options);
		assert_truth(&s, &result);
		for (uint32_t m = 0; m < s.monitors; m++) {
			violating += result.monitors[m].violating.count > 0;
			uncertain += result.monitors[m].uncertain.count > 0;
		}
		runs += result.runs.limbs[0];
		if (seed % 8 == 0)
			for (unsigned workers = 2; workers <= 3; workers++) {
				struct norn_lattice_options more = {.workers = workers, .violations = 100, .share_from = 1};
				struct norn_lattice_result again = scenario_search(&s, &more);
				assert_same(&result, &again);
				norn_lattice_result_done(&again);
			}
		norn_lattice_result_done(&result);
		scenario_done(&s);
	}
	/* The cases are not trivial ones. */
	assert_in_range(violating, 1500, 7500);
	assert_in_range(uncertain, 200, 7500);
	assert_true(runs > 100000);
}

static void workers_agree(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 6; seed++) {
		struct scenario s;
		scenario_init(&s, seed, 5, 40, 1 + seed % 2);
		struct norn_lattice_options one = {.workers = 1, .violations = 5, .beam = seed == 5 ? 300 : 0};
		struct norn_lattice_result first = scenario_search(&s, &one);
		for (uint32_t i = 0; i < first.violation_count; i++)
			assert_violates(&s, &first.violations[i]);
		for (unsigned workers = 2; workers <= 3; workers++) {
			struct norn_lattice_options more = one;
			more.workers = workers;
			more.share_from = 64;
			struct norn_lattice_result result = scenario_search(&s, &more);
			assert_same(&first, &result);
			norn_lattice_result_done(&result);
		}
		norn_lattice_result_done(&first);
		scenario_done(&s);
	}
}

/* ---- Limits ---- */

static void limits_are_reported_and_invent_nothing(void **state)
{
	(void)state;
	uint64_t random = 815;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct scenario s;
		scenario_init(&s, seed, 4, 12, 2);
		struct norn_lattice_options options = {.workers = 1, .violations = 100};
		struct norn_lattice_result whole = scenario_search(&s, &options);
		options.max_cuts = 1 + random_below(&random, whole.cuts - 1);
		struct norn_lattice_result cut = scenario_search(&s, &options);
		assert_int_equal(cut.limit, NORN_LATTICE_CUTS);
		assert_in_range(cut.cuts, 1, options.max_cuts);
		assert_int_equal(cut.limit_level, cut.levels);
		assert_true(cut.cuts + whole.widths[cut.levels] > options.max_cuts);
		assert_false(cut.counted);
		/* Exactly the violations of the levels that were built. */
		uint32_t expected = 0;
		while (expected < whole.violation_count && whole.violations[expected].length < cut.levels)
			expected++;
		assert_int_equal(cut.violation_count, expected);
		for (uint32_t i = 0; i < expected; i++)
			assert_same_violation(&cut.violations[i], &whole.violations[i]);

		options.max_cuts = 0;
		options.beam = 1 + random_below(&random, 4);
		struct norn_lattice_result beam = scenario_search(&s, &options);
		assert_int_equal(beam.limit, whole.widest > options.beam ? NORN_LATTICE_BEAM : NORN_LATTICE_COMPLETE);
		assert_int_equal(beam.levels, whole.levels);
		for (uint64_t i = 0; i < beam.levels; i++)
			assert_in_range(beam.widths[i], 1, options.beam);
		assert_true(options.beam > 1 || norn_bignum_is(&beam.runs, 1));
		for (uint32_t i = 0; i < beam.violation_count; i++) {
			assert_violates(&s, &beam.violations[i]);
			if (options.beam == 1) /* a step aside is seen before it is dropped */
				assert_in_range(beam.violations[i].distance, 0, 1);
		}
		norn_lattice_result_done(&whole);
		norn_lattice_result_done(&cut);
		norn_lattice_result_done(&beam);
		scenario_done(&s);
	}
}

static bool stop_at_level_3(void *context, const struct norn_lattice_progress *progress)
{
	(void)context;
	return progress->level < 3;
}

static bool stop_within_a_level(void *context, const struct norn_lattice_progress *progress)
{
	uint64_t *level = context;
	bool again = progress->level == *level;
	*level = progress->level;
	return !again;
}

static void memory_and_patience_are_limits(void **state)
{
	(void)state;
	struct scenario s;
	scenario_init(&s, 3, 5, 60, 0);
	struct norn_lattice_options options = {.max_memory = 1 << 20};
	struct norn_lattice_result result = scenario_search(&s, &options);
	assert_int_equal(result.limit, NORN_LATTICE_MEMORY);
	assert_in_range(result.memory, 1 << 18, 3 << 19);
	assert_true(result.levels > 5 && result.levels < 60);
	assert_false(result.counted);
	norn_lattice_result_done(&result);
	options = (struct norn_lattice_options){.progress = stop_at_level_3};
	result = scenario_search(&s, &options);
	assert_int_equal(result.limit, NORN_LATTICE_STOPPED);
	assert_int_equal(result.limit_level, 3);
	assert_int_equal(result.levels, 4);
	norn_lattice_result_done(&result);
	uint64_t level = UINT64_MAX;
	options = (struct norn_lattice_options){.workers = 1, .progress = stop_within_a_level, .context = &level};
	result = scenario_search(&s, &options);
	assert_int_equal(result.limit, NORN_LATTICE_STOPPED);
	assert_int_equal(result.limit_level, level + 1);
	assert_true(result.cuts > 100000);
	norn_lattice_result_done(&result);
	scenario_done(&s);
}

/* ---- Large numbers ---- */

/* Independent threads have as many runs as there are ways to shuffle them. */
struct decimal {
	unsigned digits[2000]; /* the lowest first */
};

static void times(struct decimal *d, unsigned factor)
{
	unsigned carry = 0;
	for (unsigned i = 0; i < 2000; i++, carry /= 10) {
		carry += d->digits[i] * factor;
		d->digits[i] = carry % 10;
	}
}

static void over(struct decimal *d, unsigned divisor)
{
	unsigned rest = 0;
	for (unsigned i = 2000; i-- > 0; rest %= divisor) {
		rest = rest * 10 + d->digits[i];
		d->digits[i] = rest / divisor;
	}
	assert_int_equal(rest, 0);
}

static char *shuffles(uint32_t threads, uint32_t events)
{
	struct decimal d = {{1}};
	for (uint32_t t = 0, all = 0; t < threads; t++)
		for (uint32_t k = 1; k <= events; k++) {
			times(&d, ++all);
			over(&d, k);
		}
	unsigned top = 1999;
	while (d.digits[top] == 0)
		top--;
	char *text = calloc(top + 2, 1);
	for (unsigned i = 0; i <= top; i++)
		text[i] = (char)('0' + d.digits[top - i]);
	return text;
}

static struct norn_computation *independent(uint32_t threads, uint32_t events)
{
	struct norn_computation_builder *builder;
	struct norn_computation *computation;
	builder = norn_computation_builder_new();
	for (uint32_t t = 0; t < threads; t++)
		for (uint32_t k = 0; k < events; k++) {
			uint32_t clock[THREADS_MAX] = {0};
			clock[t] = k + 1;
			assert_int_equal(norn_computation_add(builder, t, clock, threads, 0), 0);
		}
	assert_int_equal(norn_computation_finish(builder, &computation, NULL), 0);
	norn_computation_builder_free(builder);
	return computation;
}

static int no_change(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation)
{
	(void)context;
	(void)event;
	*ret_valuation = valuation;
	return 0;
}

static void numbers_of_runs_are_exact(void **state)
{
	(void)state;
	static const uint32_t sizes[][2] = {
	        {1, 10}, {2, 31}, {2, 33}, {2, 64}, {2, 200}, {3, 21}, {3, 40}, {4, 16}, {6, 6}, {10, 2}};
	struct norn_lattice_model model = {.apply = no_change};
	for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct norn_computation *computation = independent(sizes[i][0], sizes[i][1]);
		struct norn_lattice_result result;
		uint64_t cuts = 1;
		assert_int_equal(norn_lattice_search(computation, &model, NULL, 0, NULL, &result), 0);
		char *expected = shuffles(sizes[i][0], sizes[i][1]), *text = norn_bignum_text(&result.runs);
		assert_string_equal(text, expected);
		for (uint32_t t = 0; t < sizes[i][0]; t++)
			cuts *= sizes[i][1] + 1;
		assert_int_equal(result.cuts, cuts);
		free(expected);
		free(text);
		norn_lattice_result_done(&result);
		norn_computation_free(computation);
	}
}

static void bignums_print(void **state)
{
	(void)state;
	struct norn_bignum number = {0};
	char *text = norn_bignum_text(&number);
	assert_string_equal(text, "0");
	free(text);
	norn_bignum_add(&number, (const uint64_t[]){UINT64_MAX, UINT64_MAX}, 2);
	norn_bignum_add(&number, (const uint64_t[]){1}, 1);
	assert_int_equal(number.count, 3);
	text = norn_bignum_text(&number);
	assert_string_equal(text, "340282366920938463463374607431768211456");
	free(text);
	norn_bignum_done(&number);
	norn_bignum_add(&number, (const uint64_t[]){UINT64_C(10000000000000000000)}, 1);
	text = norn_bignum_text(&number);
	assert_string_equal(text, "10000000000000000000");
	free(text);
	norn_bignum_done(&number);
}

/* Event i comes after event i - 2: two chains, which wait for each other every four events. */
static void many_threads_and_long_runs_work_where_the_lattice_is_narrow(void **state)
{
	(void)state;
	enum { THREADS = 64, EVENTS = 10000 };
	struct norn_computation_builder *builder;
	struct norn_computation *computation;
	struct norn_lattice_result result;
	struct norn_lattice_model model = {.apply = no_change};
	static uint32_t clocks[EVENTS][THREADS];
	builder = norn_computation_builder_new();
	for (uint32_t i = 0; i < EVENTS; i++) {
		if (i >= 2)
			memcpy(clocks[i], clocks[i - 2], sizeof *clocks);
		if (i && (i % 4 == 3 || i % 4 == 0))
			for (uint32_t t = 0; t < THREADS; t++)
				clocks[i][t] = clocks[i - 1][t] > clocks[i][t] ? clocks[i - 1][t] : clocks[i][t];
		clocks[i][i % THREADS] = i / THREADS + 1;
		assert_int_equal(norn_computation_add(builder, i % THREADS, clocks[i], THREADS, i), 0);
	}
	assert_int_equal(norn_computation_finish(builder, &computation, NULL), 0);
	norn_computation_builder_free(builder);
	assert_int_equal(norn_lattice_search(computation, &model, NULL, 0, NULL, &result), 0);
	assert_int_equal(result.levels, EVENTS + 1);
	assert_true(result.counted && result.runs.count > 30);
	assert_in_range(result.widest, 2, 4);
	norn_lattice_result_done(&result);
	norn_computation_free(computation);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(landing_is_as_in_the_paper),
	        cmocka_unit_test(xyz_is_as_in_the_paper),
	        cmocka_unit_test(landing_can_be_drawn),
	        cmocka_unit_test(agrees_with_all_linear_extensions),
	        cmocka_unit_test(workers_agree),
	        cmocka_unit_test(limits_are_reported_and_invent_nothing),
	        cmocka_unit_test(memory_and_patience_are_limits),
	        cmocka_unit_test(numbers_of_runs_are_exact),
	        cmocka_unit_test(bignums_print),
	        cmocka_unit_test(many_threads_and_long_runs_work_where_the_lattice_is_narrow),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
