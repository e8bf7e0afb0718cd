#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "causality/mvc.h"
#include "records.h"
#include "mvc_message.h"

/* ---- the definition (JMPaX, section 2.2), naively ---- */

enum { EVENTS = 64, THREADS = 6 };

#define BASE UINT64_C(0x4000000)
#define LARGE (UINT64_C(16) << 20)

struct event {
	uint32_t thread;
	enum norn_mvc_op op;
	uint64_t where, size;
	bool relevant;
	uint64_t full; /* ARRIVE: its round became full when event number full-1 arrived; 0: it did not */
};

struct execution {
	unsigned count;
	struct event events[EVENTS];
	uint64_t before[EVENTS]; /* bit e': e' causally precedes */
};

static bool accesses(const struct event *e)
{
	return e->op == NORN_MVC_READ || e->op == NORN_MVC_WRITE;
}

static bool at_barrier(const struct event *e)
{
	return e->op == NORN_MVC_BARRIER || e->op == NORN_MVC_ARRIVE || e->op == NORN_MVC_LEAVE;
}

static bool conflict(const struct event *a, const struct event *b)
{
	return accesses(a) && accesses(b) && (a->op == NORN_MVC_WRITE || b->op == NORN_MVC_WRITE) &&
	       a->where < b->where + b->size && b->where < a->where + a->size;
}

/* Two operations of one barrier; b is number number of the execution. */
static bool barrier_order(const struct event *a, const struct event *b, unsigned number)
{
	if (!at_barrier(a) || !at_barrier(b) || a->where != b->where)
		return false;
	if (b->op != NORN_MVC_LEAVE)
		return true;
	if (a->op == NORN_MVC_ARRIVE)
		return a->full && a->full <= number;
	return a->op == NORN_MVC_BARRIER;
}

/* Does a, which came earlier, precede b by itself, not by way of a third? */
static bool directly(const struct event *a, const struct event *b, unsigned number)
{
	if (a->op == NORN_MVC_FORK && b->op == NORN_MVC_JOIN && a->where == b->where)
		return true; /* they write and read the thread's variable, even if it did nothing in between */
	return a->thread == b->thread || conflict(a, b) || barrier_order(a, b, number) ||
	       (a->op == NORN_MVC_FORK && a->where == b->thread) || (b->op == NORN_MVC_JOIN && b->where == a->thread) ||
	       b->op == NORN_MVC_AFTER_ALL || a->op == NORN_MVC_FENCE || b->op == NORN_MVC_FENCE;
}

static void close_order(struct execution *x)
{
	for (unsigned e = 0; e < x->count; e++) {
		x->before[e] = 0;
		for (unsigned d = 0; d < e; d++)
			if (directly(&x->events[d], &x->events[e], e))
				x->before[e] |= x->before[d] | UINT64_C(1) << d;
	}
}

/* ---- random executions ---- */

/* Bytes around the edges of words, blocks and pages, few enough to meet often; now and then whole pages; and large mappings that
 * begin or end there, or cover all of it. */
static void choose_bytes(uint64_t *seed, struct event *e)
{
	static const uint64_t places[] = {BASE, BASE + 0x78, BASE + 0xff8, BASE + 0x1ff4};
	static const uint64_t begins[] = {BASE - LARGE + 0x1000, BASE - LARGE, BASE + 0x1000, BASE - 0x1000, BASE - LARGE + 0x1ff8};
	static const uint64_t sizes[] = {1, 1, 2, 4, 4, 8, 8, 12, 16, 20};
	if (e->op == NORN_MVC_WRITE && random_below(seed, 12) == 0) {
		e->where = begins[random_below(seed, 5)] + random_below(seed, 2) * 0x1000;
		e->size = (LARGE << random_below(seed, 3)) + random_below(seed, 3) * 4;
		return;
	}
	if (random_below(seed, 24) == 0) {
		e->where = BASE - 8 + random_below(seed, 3) * 8;
		e->size = 4000 + random_below(seed, 3) * 4100;
		return;
	}
	e->where = places[random_below(seed, 4)] + random_below(seed, 12);
	e->size = sizes[random_below(seed, 10)];
	if (random_below(seed, 2))
		e->where &= ~(e->size <= 8 && (e->size & (e->size - 1)) == 0 ? e->size - 1 : 3);
}

static enum norn_mvc_op choose_op(uint64_t *seed, unsigned style)
{
	static const enum norn_mvc_op others[] = {NORN_MVC_INTERNAL, NORN_MVC_FORK, NORN_MVC_JOIN, NORN_MVC_ARRIVE, NORN_MVC_LEAVE,
	        NORN_MVC_ARRIVE, NORN_MVC_LEAVE, NORN_MVC_BARRIER, NORN_MVC_AFTER_ALL, NORN_MVC_FENCE};
	if (style == 0 || random_below(seed, 4))
		return random_below(seed, 3) ? NORN_MVC_READ : NORN_MVC_WRITE;
	/* What orders everything comes seldom, or there would be nothing left to see. */
	uint64_t which = random_below(seed, style == 1 ? 3 : 8);
	return others[which == 7 ? 7 + random_below(seed, 3) : which];
}

static void fill_rounds(struct execution *x)
{
	for (uint64_t where = 0x9000; where <= 0x9100; where += 0x100) {
		uint64_t count = 0, waiting = 0;
		for (unsigned e = 0; e < x->count; e++) {
			struct event *event = &x->events[e];
			if (!at_barrier(event) || event->where != where || event->op == NORN_MVC_LEAVE)
				continue;
			if (event->op == NORN_MVC_BARRIER) {
				count = event->size;
				waiting = 0;
				continue;
			}
			waiting |= UINT64_C(1) << e;
			if ((uint64_t)__builtin_popcountll(waiting) < count)
				continue;
			for (unsigned d = 0; d <= e; d++)
				if (waiting >> d & 1)
					x->events[d].full = e + 1;
			waiting = 0;
		}
	}
}

static void choose_execution(uint64_t *seed, struct execution *x)
{
	unsigned style = random_below(seed, 3), threads = 2 + random_below(seed, THREADS - 1), relevant = 1 + random_below(seed, 4);
	x->count = 8 + random_below(seed, EVENTS - 7);
	for (unsigned i = 0; i < x->count; i++) {
		struct event *e = &x->events[i];
		*e = (struct event){.thread = random_below(seed, threads), .relevant = random_below(seed, relevant) == 0};
		e->op = choose_op(seed, style);
		if (accesses(e))
			choose_bytes(seed, e);
		else if (at_barrier(e))
			e->where = 0x9000 + random_below(seed, 2) * 0x100;
		else
			e->where = random_below(seed, threads);
		if (e->op == NORN_MVC_BARRIER)
			e->size = random_below(seed, 4);
	}
	fill_rounds(x);
	close_order(x);
}

/* ---- what algorithm A makes of them ---- */

static void assert_clock(const struct norn_mvc *mvc, const struct execution *x, unsigned e)
{
	uint32_t counts[THREADS] = {0}, width;
	const uint32_t *clock = norn_mvc_clock(mvc, x->events[e].thread, &width);
	assert_true(width <= norn_mvc_columns(mvc));
	for (uint32_t column = 0; column < width; column++)
		counts[norn_mvc_column_thread(mvc, column)] = clock[column];
	for (unsigned d = 0; d <= e; d++)
		if (x->events[d].relevant && (d == e || x->before[e] >> d & 1))
			counts[x->events[d].thread]--;
	for (unsigned i = 0; i < THREADS; i++)
		assert_int_equal(counts[i], 0);
}

/* Requirement (a): after each event, relevant or not, V_i counts what precedes it. */
static struct norn_computation *run(const struct execution *x, enum norn_causality causality)
{
	struct norn_mvc *mvc;
	struct norn_computation_builder *builder;
	struct norn_computation *c;
	assert_int_equal(norn_mvc_new(causality, &mvc), 0);
	builder = norn_computation_builder_new();
	for (unsigned e = 0; e < x->count; e++) {
		const struct event *event = &x->events[e];
		assert_int_equal(norn_mvc_step(mvc, event->thread, event->op, event->where, event->size, event->relevant), 0);
		assert_clock(mvc, x, e);
		if (event->relevant)
			assert_int_equal(mvc_message(mvc, event->thread, e, builder), 0);
	}
	struct norn_error err;
	assert_int_equal(norn_computation_finish(builder, &c, &err), 0);
	norn_computation_builder_free(builder);
	norn_mvc_free(mvc);
	return c;
}

static uint64_t count_relevant(const struct execution *x)
{
	uint64_t count = 0;
	for (unsigned e = 0; e < x->count; e++)
		count += x->events[e].relevant;
	return count;
}

/* Theorem 3: e ⊳ e' iff V[i] ≤ V'[i], for all pairs. Returns how many pairs are not ordered. */
static unsigned assert_theorem(const struct execution *x, const struct norn_computation *c)
{
	unsigned free_pairs = 0;
	assert_int_equal(c->total, count_relevant(x));
	for (uint32_t i = 0; i < c->threads; i++)
		for (uint32_t j = 0; j < c->threads; j++)
			for (uint32_t k = 0; k < c->events[i]; k++)
				for (uint32_t l = 0; l < c->events[j]; l++) {
					uint32_t d = norn_computation_payload(c, i, k), e = norn_computation_payload(c, j, l);
					const uint32_t *v = norn_computation_clock(c, i, k), *w = norn_computation_clock(c, j, l);
					bool before = x->before[e] >> d & 1;
					assert_int_equal(norn_computation_precedes(c, i, k, j, l), before);
					assert_int_equal(d != e && v[i] <= w[i], before);
					free_pairs += d < e && !before;
				}
	return free_pairs;
}

/* C1. */
static void theorem_3(void **state)
{
	(void)state;
	struct execution x = {0};
	uint64_t seed = 3;
	unsigned free_pairs = 0;
	for (unsigned i = 0; i < 20000; i++) {
		choose_execution(&seed, &x);
		struct norn_computation *c = run(&x, NORN_CAUSALITY_MVC);
		free_pairs += assert_theorem(&x, c);
		norn_computation_free(c);
	}
	assert_true(free_pairs > 100000);
}

static void the_observed_order_is_total(void **state)
{
	(void)state;
	struct execution x = {0};
	uint64_t seed = 4;
	for (unsigned i = 0; i < 100; i++) {
		choose_execution(&seed, &x);
		for (unsigned e = 0; e < x.count; e++)
			x.before[e] = (UINT64_C(1) << e) - 1;
		struct norn_computation *c = run(&x, NORN_CAUSALITY_OBSERVED);
		assert_int_equal(assert_theorem(&x, c), 0);
		norn_computation_free(c);
	}
}

/* Long enough that clocks are dropped and numbers used again: against plain arrays, a variable being an aligned word. */
enum { LONG_THREADS = 16, LONG_WORDS = 400 };
static uint32_t plain_thread[LONG_THREADS][LONG_THREADS], plain_access[LONG_WORDS][LONG_THREADS],
        plain_write[LONG_WORDS][LONG_THREADS];

static void take_max(uint32_t *into, const uint32_t *from)
{
	for (unsigned j = 0; j < LONG_THREADS; j++)
		into[j] = into[j] > from[j] ? into[j] : from[j];
}

static void plain_step(unsigned thread, unsigned word, bool write, bool relevant)
{
	plain_thread[thread][thread] += relevant;
	take_max(plain_thread[thread], write ? plain_access[word] : plain_write[word]);
	take_max(plain_access[word], plain_thread[thread]);
	if (write)
		take_max(plain_write[word], plain_thread[thread]);
}

static void assert_plain(const struct norn_mvc *mvc, unsigned thread)
{
	uint32_t width, counts[LONG_THREADS] = {0};
	const uint32_t *clock = norn_mvc_clock(mvc, thread, &width);
	for (uint32_t column = 0; column < width; column++)
		counts[norn_mvc_column_thread(mvc, column)] = clock[column];
	assert_memory_equal(counts, plain_thread[thread], sizeof counts);
}

static void a_long_run(void **state)
{
	(void)state;
	struct norn_mvc *mvc;
	uint64_t seed = 6;
	assert_int_equal(norn_mvc_new(NORN_CAUSALITY_MVC, &mvc), 0);
	for (unsigned step = 0; step < 1000000; step++) {
		unsigned thread = random_below(&seed, LONG_THREADS), word = random_below(&seed, LONG_WORDS);
		bool write = random_below(&seed, 3) == 0, relevant = random_below(&seed, 2) == 0;
		plain_step(thread, word, write, relevant);
		enum norn_mvc_op op = write ? NORN_MVC_WRITE : NORN_MVC_READ;
		assert_int_equal(norn_mvc_step(mvc, thread, op, 0x7000 + word * 8ull, 8, relevant), 0);
		assert_plain(mvc, thread);
	}
	assert_true(norn_mvc_bytes(mvc) < UINT64_C(20) << 20);
	norn_mvc_free(mvc);
}

/* Thread 0 has so many relevant events that clocks are dropped many times. */
static void churn(struct norn_mvc *mvc)
{
	for (unsigned i = 0; i < 400000; i++)
		assert_int_equal(norn_mvc_step(mvc, 0, NORN_MVC_INTERNAL, 0, 0, true), 0);
	assert_true(norn_mvc_bytes(mvc) < UINT64_C(20) << 20);
}

/* Of thread 0, thread 1 knows the first relevant event, and no other. */
static void assert_knows_first(const struct norn_mvc *mvc)
{
	uint32_t width;
	assert_int_equal(norn_mvc_clock(mvc, 1, &width)[0], 1);
	assert_int_equal(width, 1);
}

/* keep is all that there is from which thread 1 can learn, by look, of thread 0's first relevant event. */
static void assert_kept(enum norn_mvc_op keep, uint64_t where, uint64_t size, enum norn_mvc_op look)
{
	struct norn_mvc *mvc;
	assert_int_equal(norn_mvc_new(NORN_CAUSALITY_MVC, &mvc), 0);
	assert_int_equal(norn_mvc_step(mvc, 0, NORN_MVC_INTERNAL, 0, 0, true), 0);
	assert_int_equal(norn_mvc_step(mvc, 0, keep, where, size, false), 0);
	churn(mvc);
	assert_int_equal(norn_mvc_step(mvc, 1, look, where + size / 2, 4, false), 0);
	assert_knows_first(mvc);
	norn_mvc_free(mvc);
}

/* The same for a barrier, where two arrive after the first relevant event and a third one, of the next round, later. */
static void assert_round_kept(void)
{
	static const bool relevant[] = {true, false, false, true};
	struct norn_mvc *mvc;
	assert_int_equal(norn_mvc_new(NORN_CAUSALITY_MVC, &mvc), 0);
	assert_int_equal(norn_mvc_step(mvc, 0, NORN_MVC_BARRIER, 0x7000, 2, relevant[0]), 0);
	for (unsigned i = 1; i < 4; i++)
		assert_int_equal(norn_mvc_step(mvc, 0, NORN_MVC_ARRIVE, 0x7000, 0, relevant[i]), 0);
	churn(mvc);
	assert_int_equal(norn_mvc_step(mvc, 1, NORN_MVC_LEAVE, 0x7000, 0, false), 0);
	assert_knows_first(mvc);
	norn_mvc_free(mvc);
}

static void what_is_kept_is_not_dropped(void **state)
{
	(void)state;
	assert_kept(NORN_MVC_WRITE, 0x7000, 8, NORN_MVC_READ);
	assert_kept(NORN_MVC_READ, 0x7000, 8, NORN_MVC_WRITE);
	assert_kept(NORN_MVC_WRITE, 0x7000, 0x1000, NORN_MVC_READ);
	assert_kept(NORN_MVC_WRITE, 0x7000, UINT64_C(1) << 45, NORN_MVC_READ);
	assert_kept(NORN_MVC_FENCE, 0, 0, NORN_MVC_INTERNAL);
	assert_round_kept();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(theorem_3),
	        cmocka_unit_test(the_observed_order_is_total),
	        cmocka_unit_test(a_long_run),
	        cmocka_unit_test(what_is_kept_is_not_dropped),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
