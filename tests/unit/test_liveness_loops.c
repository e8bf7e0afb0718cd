/* The search for loops against all runs of random computations, each with every pair of its cuts. And what makes an iteration
 * repeat. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "computations.h"
#include "machines.h"
#include "monitor/lasso.h"
#include "liveness/loops.h"
#include "liveness/repeatable.h"
#include "trace/record.h"
#include "witness/iteration_witness.h"

#define WORLDS 3u
#define LENGTH 16u

static struct machine m;

/* A made-up meaning of the operations of an execution. */
struct meaning {
	const struct norn_computation *c;
	uint64_t letters[LENGTH + 1][WORLDS]; /* by operation and world before; the last is the start */
	enum norn_lattice_position kinds[LENGTH + 1];
	uint32_t shift[LENGTH]; /* what the operation adds to the world, modulo WORLDS */
	uint32_t salt;
};

static uint32_t operation_of(const struct meaning *x, struct norn_lattice_event e)
{
	return e.thread == NORN_LATTICE_BEGIN ? LENGTH : norn_computation_payload(x->c, e.thread, e.k);
}

static int apply(void *context, uint32_t world, struct norn_lattice_event event, uint32_t *ret_world)
{
	const struct meaning *x = context;
	*ret_world = (world + x->shift[operation_of(x, event)]) % WORLDS;
	return 0;
}

static enum norn_lattice_position letter(void *context, uint32_t monitor, uint32_t before, uint32_t after,
        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown)
{
	const struct meaning *x = context;
	(void)monitor;
	(void)after;
	*ret_letter = x->letters[operation_of(x, event)][before];
	*ret_unknown = 0;
	return x->kinds[operation_of(x, event)];
}

static uint64_t place(void *context, const uint32_t *cut)
{
	const struct meaning *x = context;
	return (cut[0] + x->salt) % 2;
}

static bool repeats(void *context, const uint32_t *from, const uint32_t *to, uint64_t *work)
{
	const struct meaning *x = context;
	uint64_t h = x->salt;
	for (uint32_t i = 0; i < x->c->threads; i++)
		h = norn_monitor_hash(h ^ ((uint64_t)from[i] << 32 | to[i]));
	++*work;
	return h % 3 != 0;
}

/* ---- the oracle ---- */

struct walk {
	const struct meaning *x;
	uint32_t cuts[LENGTH + 1][THREADS_MAX];
	uint32_t valuation_table[LENGTH + 1];
	uint64_t letters[LENGTH + 2];
	uint32_t positions[LENGTH + 1]; /* before each cut */
	uint32_t shortest; /* u of a violating lasso, UINT32_MAX: none */
};

static bool violates(const struct walk *w, uint32_t i, uint32_t j)
{
	enum norn_truth holds;
	uint64_t work = 0;
	const struct meaning *x = w->x;
	if (w->valuation_table[i] != w->valuation_table[j] || place((void *)x, w->cuts[i]) != place((void *)x, w->cuts[j]) ||
	        !repeats((void *)x, w->cuts[i], w->cuts[j], &work) || w->positions[i] == w->positions[j])
		return false;
	assert_int_equal(norn_lasso_judge(&m.property, w->letters, NULL, w->positions[j], w->positions[i], &holds), 0);
	return holds == NORN_TRUTH_NO;
}

static void go_on(struct walk *w, uint32_t at)
{
	const struct norn_computation *c = w->x->c;
	for (uint32_t i = 0; i < at; i++)
		if (i < w->shortest && violates(w, i, at))
			w->shortest = i;
	for (uint32_t t = 0; t < c->threads; t++) {
		uint32_t k = w->cuts[at][t];
		if (k == c->events[t] || !norn_computation_enabled(c, w->cuts[at], t, k))
			continue;
		uint64_t unknown;
		struct norn_lattice_event e = {t, k};
		memcpy(w->cuts[at + 1], w->cuts[at], sizeof w->cuts[at]);
		w->cuts[at + 1][t]++;
		apply((void *)w->x, w->valuation_table[at], e, &w->valuation_table[at + 1]);
		enum norn_lattice_position kind =
		        letter((void *)w->x, 0, w->valuation_table[at], 0, e, &w->letters[w->positions[at]], &unknown);
		w->positions[at + 1] = w->positions[at] + (kind == NORN_LATTICE_POSITION);
		go_on(w, at + 1);
	}
}

static void start(struct walk *w, const struct meaning *x)
{
	uint64_t unknown;
	*w = (struct walk){.x = x, .shortest = UINT32_MAX};
	struct norn_lattice_event e = {NORN_LATTICE_BEGIN, 0};
	w->positions[0] = letter((void *)x, 0, 0, 0, e, &w->letters[0], &unknown) == NORN_LATTICE_POSITION;
}

/* The result is a run, and its loop violates. */
static void check_result(const struct meaning *x, const struct norn_loop_result *result)
{
	struct walk w;
	start(&w, x);
	for (uint32_t i = 0; i < result->count; i++) {
		uint64_t unknown;
		struct norn_lattice_event e = result->events[i];
		assert_int_equal(w.cuts[i][e.thread], e.k);
		assert_true(norn_computation_enabled(x->c, w.cuts[i], e.thread, e.k));
		memcpy(w.cuts[i + 1], w.cuts[i], sizeof w.cuts[i]);
		w.cuts[i + 1][e.thread]++;
		apply((void *)x, w.valuation_table[i], e, &w.valuation_table[i + 1]);
		bool is_one = letter((void *)x, 0, w.valuation_table[i], 0, e, &w.letters[w.positions[i]], &unknown) ==
		              NORN_LATTICE_POSITION;
		w.positions[i + 1] = w.positions[i] + is_one;
	}
	assert_true(violates(&w, result->loop, result->count));
	assert_memory_equal(result->from, w.cuts[result->loop], x->c->threads * sizeof(uint32_t));
	assert_memory_equal(result->to, w.cuts[result->count], x->c->threads * sizeof(uint32_t));
}

static void random_meaning(uint32_t *seed, struct meaning *x)
{
	for (uint32_t i = 0; i <= LENGTH; i++) {
		x->kinds[i] = machine_random(seed, 4) ? NORN_LATTICE_POSITION : NORN_LATTICE_NO_POSITION;
		for (uint32_t world = 0; world < WORLDS; world++)
			x->letters[i][world] = machine_random(seed, 1u << m.property.atom_count);
	}
	for (uint32_t i = 0; i < LENGTH; i++)
		x->shift[i] = machine_random(seed, WORLDS);
	x->salt = machine_random(seed, 1000);
}

static void test_oracle(void **state)
{
	uint32_t seed = 3;
	unsigned found = 0, missing = 0;
	for (unsigned round = 0; round < 3000; round++) {
		char polish[400];
		machine_random_text(&seed, NORN_LOGIC_LTL, 2, 1 + machine_random(&seed, 6), polish);
		machine_init(&m, NORN_LOGIC_LTL, false, polish);
		struct execution x = {.threads = 1 + machine_random(&seed, 3)};
		x.count = x.threads + machine_random(&seed, 7);
		x.operations = calloc(x.count, sizeof *x.operations);
		for (uint32_t i = 0, next[3] = {0}; i < x.count; i++) {
			uint32_t t = i < x.threads ? i : machine_random(&seed, x.threads);
			bool writes = machine_random(&seed, 4) == 0;
			x.operations[i] =
			        (struct operation){t, next[t]++, machine_random(&seed, 2) ? (int)machine_random(&seed, 4) : -1,
			                writes ? (int)machine_random(&seed, 4) : -1, 0};
		}
		execution_close(&x);
		struct norn_computation *c = execution_computation(&x);
		struct meaning meaning = {.c = c};
		random_meaning(&seed, &meaning);
		const struct norn_lattice_model model = {.context = &meaning, .apply = apply, .letter = letter};
		const struct norn_loop_rules rules = {&meaning, place, NULL, repeats};
		struct norn_loop_result result;
		struct walk w;
		start(&w, &meaning);
		go_on(&w, 0);
		assert_int_equal(norn_loops_search(c, &model, &m.property, &rules, NULL, &result), 0);
		if (result.limit != NORN_LOOP_FORMULA) {
			assert_int_equal(result.limit, NORN_LOOP_COMPLETE);
			if (result.found != (w.shortest != UINT32_MAX))
				fail_msg("round %u, %s: found %d", round, polish, result.found);
			if (result.found) {
				assert_int_equal(result.loop, w.shortest);
				check_result(&meaning, &result);
			}
			found += result.found;
			missing += !result.found;
		}
		norn_loop_result_done(&result);
		norn_computation_free(c);
		execution_done(&x);
	}
	assert_true(found > 300 && missing > 300);
}

/* Limits are said. */
static void test_limits(void **state)
{
	struct operation operations[] = {{0, 0, -1, -1, 0}, {1, 0, -1, -1, 0}, {0, 1, -1, -1, 0}, {1, 1, -1, -1, 0}};
	struct execution x = {.threads = 2, .count = 4, .operations = operations};
	machine_init(&m, NORN_LOGIC_LTL, false, "GFp");
	execution_close(&x);
	struct norn_computation *c = execution_computation(&x);
	struct meaning meaning = {.c = c};
	for (uint32_t i = 0; i <= LENGTH; i++)
		meaning.kinds[i] = NORN_LATTICE_POSITION;
	const struct norn_lattice_model model = {.context = &meaning, .apply = apply, .letter = letter};
	const struct norn_loop_rules rules = {&meaning, place, NULL, repeats};
	struct norn_loop_result result;
	assert_int_equal(norn_loops_search(c, &model, &m.property, &rules, &(struct norn_loop_options){.max_cuts = 2}, &result), 0);
	assert_int_equal(result.limit, NORN_LOOP_CUTS);
	norn_loop_result_done(&result);
	for (uint32_t i = 0; i <= LENGTH; i++)
		meaning.kinds[i] = NORN_LATTICE_MAYBE;
	assert_int_equal(norn_loops_search(c, &model, &m.property, &rules, NULL, &result), 0);
	assert_false(result.found);
	assert_int_equal(result.limit, NORN_LOOP_UNKNOWN);
	norn_loop_result_done(&result);
	for (uint32_t i = 0; i <= LENGTH; i++) {
		meaning.kinds[i] = NORN_LATTICE_POSITION;
		meaning.letters[i][0] = 1;
	}
	assert_int_equal(norn_loops_search(c, &model, &m.property, &rules, &(struct norn_loop_options){.max_work = 1}, &result), 0);
	assert_false(result.found);
	assert_int_equal(result.limit, NORN_LOOP_WORK);
	norn_loop_result_done(&result);
	norn_computation_free(c);
	free(x.before);
}

/* ---- iterations ---- */

enum { B = NORN_REPEATABLE_BEFORE, I = NORN_REPEATABLE_INSIDE, A = NORN_REPEATABLE_AFTER };

struct shown {
	enum norn_repeatable_place place;
	uint8_t kind, op;
	uint32_t thread, site;
	uint64_t address, value;
	bool unknown;
};

#define ACCESS(place, kind, thread, site, address, value) {place, NORN_EVENT_##kind, 0, thread, site, address, value, false}
#define SYNC(place, operation, thread, site, address)                                                                              \
	{place, NORN_EVENT_SYNC, NORN_SYNC_##operation, thread, site, address, 0, false}
#define THREAD(place, operation, thread, site, which)                                                                              \
	{place, NORN_EVENT_THREAD, NORN_THREAD_##operation, thread, site, 0, which, false}

/* What the search says of the iteration. The checker, which has code of its own, must say the same. */
static const char *refusal_of(const struct shown *shown, size_t count)
{
	struct norn_repeatable iteration;
	struct norn_iteration_witness witness;
	norn_repeatable_init(&iteration);
	norn_iteration_witness_init(&witness, NULL);
	for (size_t i = 0; i < count; i++) {
		struct norn_event e = {.kind = shown[i].kind,
		        .op = shown[i].op,
		        .known = !shown[i].unknown,
		        .thread = shown[i].thread,
		        .site = shown[i].site,
		        .addr = shown[i].address,
		        .size = 4,
		        .value = shown[i].value};
		const uint64_t found = 5;
		norn_repeatable_event(&iteration, &e, shown[i].place, &found);
		norn_iteration_witness_event(&witness, &e, (enum norn_iteration_part)shown[i].place, &found);
	}
	const char *refusal = norn_repeatable_refusal(&iteration), *checked = norn_iteration_witness_refusal(&witness);
	assert_int_equal(refusal != NULL, checked != NULL);
	if (refusal)
		assert_string_equal(refusal, checked);
	norn_repeatable_done(&iteration);
	norn_iteration_witness_done(&witness);
	return refusal;
}

#define REFUSED(why, ...)                                                                                                          \
	do {                                                                                                                       \
		const struct shown shown[] = {__VA_ARGS__};                                                                        \
		const char *refusal = refusal_of(shown, sizeof shown / sizeof *shown);                                             \
		assert_non_null(refusal);                                                                                          \
		assert_non_null(strstr(refusal, why));                                                                             \
	} while (0)
#define REPEATS(...)                                                                                                               \
	do {                                                                                                                       \
		const struct shown shown[] = {__VA_ARGS__};                                                                        \
		assert_null(refusal_of(shown, sizeof shown / sizeof *shown));                                                      \
	} while (0)

/* L1. */
static void test_turn_memory(void **state)
{
	/* What is read again is the same: nothing written, written back, only written, or read after it was written. */
	REPEATS(ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, READ, 0, 7, 64, 1));
	REPEATS(ACCESS(B, WRITE, 0, 7, 64, 1), ACCESS(I, READ, 0, 3, 64, 1), ACCESS(I, WRITE, 0, 4, 64, 2),
	        ACCESS(I, WRITE, 0, 7, 64, 1));
	REFUSED("elsewhere", ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, WRITE, 0, 7, 64, 1));
	REPEATS(ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, WRITE, 0, 4, 64, 9), ACCESS(I, READ, 0, 7, 64, 9));
	/* A counter, also one of which only a byte overlaps, or that is not known. */
	REFUSED("memory", ACCESS(B, WRITE, 0, 7, 64, 1), ACCESS(I, READ, 0, 3, 64, 1), ACCESS(I, WRITE, 0, 7, 64, 2));
	REFUSED("memory", ACCESS(B, WRITE, 0, 7, 72, 1), ACCESS(I, READ, 0, 3, 64, 0x01000000), ACCESS(I, WRITE, 0, 6, 67, 2),
	        ACCESS(I, WRITE, 0, 7, 72, 1));
	REFUSED("memory", ACCESS(B, WRITE, 0, 7, 64, 1), ACCESS(I, READ, 0, 3, 64, 1), {I, NORN_EVENT_WRITE, 0, 0, 7, 64, 1, true});
	/* Read-modify-write: found 5. */
	REPEATS(ACCESS(B, RMW, 0, 7, 64, 5), ACCESS(I, RMW, 0, 6, 64, 9), ACCESS(I, RMW, 0, 7, 64, 5));
	REFUSED("memory", ACCESS(B, RMW, 0, 7, 64, 5), ACCESS(I, RMW, 0, 7, 64, 6));
	REFUSED("not instrumented", ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, EXTERNAL, 0, 3, 64, 1), ACCESS(I, READ, 0, 7, 64, 1));
}

/* L2. */
static void test_turn_threads(void **state)
{
	/* Who does not move must have ended, not have begun, or wait for one that moves, or waits. */
	REPEATS(THREAD(B, FORK, 0, 1, 1), ACCESS(B, READ, 1, 7, 64, 1), ACCESS(I, READ, 1, 7, 64, 1), THREAD(A, JOIN, 0, 2, 1));
	REFUSED("does nothing", THREAD(B, FORK, 0, 1, 1), ACCESS(B, READ, 1, 7, 64, 1), ACCESS(I, READ, 1, 7, 64, 1),
	        ACCESS(A, WRITE, 0, 2, 72, 1), THREAD(A, JOIN, 0, 2, 1));
	REPEATS(THREAD(B, FORK, 0, 1, 1), THREAD(B, END, 0, 1, 0), ACCESS(B, READ, 1, 7, 64, 1), ACCESS(I, READ, 1, 7, 64, 1));
	REPEATS(ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, READ, 0, 7, 64, 1), ACCESS(A, READ, 1, 2, 72, 1));
	REFUSED("does nothing", THREAD(B, FORK, 0, 7, 1), THREAD(B, FORK, 0, 7, 2), ACCESS(B, READ, 0, 7, 64, 1),
	        ACCESS(I, READ, 0, 7, 64, 1), THREAD(A, JOIN, 1, 2, 2), ACCESS(A, READ, 2, 2, 72, 1));
	REPEATS(THREAD(B, FORK, 0, 7, 1), THREAD(B, FORK, 1, 7, 2), ACCESS(B, READ, 2, 7, 64, 1), ACCESS(I, READ, 2, 7, 64, 1),
	        THREAD(A, JOIN, 1, 2, 2), THREAD(A, JOIN, 0, 2, 1));
	/* Joining a thread that has ended is no waiting. */
	REFUSED("does nothing", THREAD(B, FORK, 0, 1, 1), THREAD(B, FORK, 0, 1, 2), THREAD(B, END, 1, 3, 1),
	        ACCESS(B, READ, 2, 7, 64, 1), ACCESS(I, READ, 2, 7, 64, 1), THREAD(A, JOIN, 0, 2, 1));
	REFUSED("elsewhere", ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, READ, 0, 8, 64, 1));
	REFUSED("elsewhere", ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, READ, 0, 7, 68, 1)); /* the next element of an array */
	REFUSED("begins in it", ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, READ, 0, 7, 64, 1), ACCESS(I, READ, 1, 7, 64, 1));
	REFUSED("threads begin or end", ACCESS(B, READ, 0, 7, 64, 1), THREAD(I, FORK, 0, 4, 1), ACCESS(I, READ, 0, 7, 64, 1));
	REFUSED("nothing happens", ACCESS(B, READ, 0, 7, 64, 1), THREAD(B, END, 0, 7, 0));
}

/* L3, L4. */
static void test_turn_balance(void **state)
{
	REPEATS(SYNC(B, RELEASE, 0, 7, 64), SYNC(I, ACQUIRE, 0, 6, 64), SYNC(I, RELEASE, 0, 7, 64));
	REFUSED("as they were", SYNC(B, ACQUIRE, 0, 7, 64), SYNC(I, RELEASE, 0, 6, 72), SYNC(I, ACQUIRE, 0, 7, 64));
	REFUSED("as they were", SYNC(B, SEM_WAIT, 0, 7, 64), SYNC(I, SEM_WAIT, 0, 7, 64));
	REPEATS(SYNC(B, SEM_WAIT, 0, 7, 64), SYNC(B, SEM_POST, 1, 6, 64), SYNC(I, SEM_POST, 1, 6, 64), SYNC(I, SEM_WAIT, 0, 7, 64));
	REFUSED("without a notify", SYNC(B, WAIT_END, 0, 7, 64), SYNC(I, WAIT_BEGIN, 0, 6, 64), SYNC(I, WAIT_END, 0, 7, 64));
	REPEATS(SYNC(B, WAIT_TIMEOUT, 0, 7, 64), SYNC(I, WAIT_BEGIN, 0, 6, 64), SYNC(I, WAIT_TIMEOUT, 0, 7, 64));
	REPEATS(SYNC(B, WAIT_END, 0, 7, 64), SYNC(B, SIGNAL, 1, 5, 64), SYNC(I, WAIT_BEGIN, 0, 6, 64), SYNC(I, SIGNAL, 1, 5, 64),
	        SYNC(I, WAIT_END, 0, 7, 64));
	REFUSED("input", SYNC(B, RECEIVE, 0, 7, 64), SYNC(I, RECEIVE, 0, 7, 64));
	REFUSED("barrier", SYNC(B, BARRIER_LEAVE, 0, 7, 64), SYNC(I, BARRIER_ARRIVE, 0, 6, 64), SYNC(I, BARRIER_LEAVE, 0, 7, 64));
	REFUSED("as they were", ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, ALLOC, 0, 3, 1000, 0), ACCESS(I, READ, 0, 7, 64, 1));
	REFUSED("as they were", ACCESS(B, READ, 0, 7, 64, 1), ACCESS(I, FREE, 0, 3, 1000, 0), ACCESS(I, READ, 0, 7, 64, 1));
	REFUSED("as they were", ACCESS(B, ENTER, 0, 7, 0, 0), ACCESS(I, ENTER, 0, 7, 0, 0));
	REPEATS(ACCESS(B, ENTER, 0, 7, 0, 0), ACCESS(I, LEAVE, 0, 8, 0, 0), ACCESS(I, ENTER, 0, 7, 0, 0));
}

static struct shown random_event(uint64_t r, enum norn_repeatable_place place, unsigned threads)
{
	static const uint8_t kinds[] = {NORN_EVENT_READ, NORN_EVENT_READ, NORN_EVENT_READ, NORN_EVENT_WRITE, NORN_EVENT_RMW,
	        NORN_EVENT_SYNC, NORN_EVENT_SYNC, NORN_EVENT_THREAD, NORN_EVENT_ENTER, NORN_EVENT_LEAVE, NORN_EVENT_ALLOC,
	        NORN_EVENT_FREE, NORN_EVENT_MARK, NORN_EVENT_EXTERNAL};
	uint8_t kind = kinds[r % (sizeof kinds)];
	unsigned ops = kind == NORN_EVENT_SYNC     ? NORN_SYNC_OPS
	               : kind == NORN_EVENT_THREAD ? NORN_THREAD_OPS
	               : kind == NORN_EVENT_ALLOC  ? NORN_ALLOC_OPS
	                                           : 2;
	return (struct shown){place, kind, (uint8_t)(1 + (r >> 8) % (ops - 1)), (uint32_t)(r >> 16) % threads,
	        (uint32_t)(r >> 20) % 2, 64 + (r >> 24) % 3 * 2, (r >> 32) % 3, (r >> 40) % 16 == 0};
}

/* Turns by chance: search and checker agree on each, and both answers come up. */
static void test_turn_checker(void **state)
{
	uint64_t random = 1;
	unsigned repeat = 0, refused = 0;
	for (unsigned round = 0; round < 50000; round++) {
		struct shown shown[12], inside[6];
		unsigned count = 0, iteration = (unsigned)(norn_monitor_hash(++random) % 6);
		const unsigned threads = 1 + (unsigned)(norn_monitor_hash(++random) % 2);
		for (unsigned k = 0; k < iteration; k++)
			inside[k] = random_event(norn_monitor_hash(++random), I, threads);
		/* Mostly each thread begins where the iteration ends. */
		for (unsigned k = 0; k < iteration && norn_monitor_hash(++random) % 8; k++) {
			shown[count] = inside[k];
			shown[count++].place = B;
		}
		for (unsigned k = 0; k < iteration; k++)
			shown[count++] = inside[k];
		if (norn_monitor_hash(++random) % 2)
			shown[count++] = random_event(norn_monitor_hash(++random), A, threads);
		if (refusal_of(shown, count))
			refused++;
		else
			repeat++;
	}
	if (repeat < 500 || refused < 500)
		fail_msg("%u iterations repeat, %u do not", repeat, refused);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_oracle), cmocka_unit_test(test_limits),
	        cmocka_unit_test(test_turn_memory), cmocka_unit_test(test_turn_threads), cmocka_unit_test(test_turn_balance),
	        cmocka_unit_test(test_turn_checker)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
