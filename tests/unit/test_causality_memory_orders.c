/* Happens-before with memory orders, held against C17, 5.1.2.4, taken literally: on random runs release sequences are listed, all
 * pairs that synchronise are looked for, and the closure is computed. The clocks (causality/happens_before.h), the checker
 * (witness/order_witness.h) and the search (errors/mvc/memory_order.h) must say the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "causality/dependence_graph.h"
#include "causality/happens_before.h"
#include "errors/mvc/memory_order.h"
#include "trace/record.h"
#include "trace/site.h"
#include "witness/order_witness.h"
#include "witness/sliced_witness.h"

#define THREADS 3u
#define EVENTS 24u
#define RUNS 3000u

struct op {
	struct norn_event event;
	uint8_t order;
	bool fence;
};

static struct op run[EVENTS + 1];
static unsigned from; /* sites of orders: FIRST + order */

#define FIRST 1000u

static uint64_t draw_state;

static unsigned draw(unsigned below)
{
	draw_state = draw_state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(draw_state >> 33) % below;
}

static void look_up(void *context, uint32_t site, struct norn_graph_site *ret_site)
{
	*ret_site = (struct norn_graph_site){.kind = NORN_SITE_READ, .waits = true};
	if (site >= FIRST)
		ret_site->order = (uint8_t)(site - FIRST);
}

static void make_run(uint64_t seed)
{
	static const uint64_t atomics[] = {0x1000, 0x1004, 0x2000};
	draw_state = seed * 0x9e3779b97f4a7c15u;
	memset(run, 0, sizeof run);
	for (unsigned n = 1; n <= EVENTS; n++) {
		struct norn_event *e = &run[n].event;
		*e = (struct norn_event){.thread = n < THREADS ? 0 : draw(THREADS), .known = true, .value = draw(3)};
		if (n < THREADS) {
			e->kind = NORN_EVENT_THREAD;
			e->op = NORN_THREAD_FORK;
			e->value = n;
			continue;
		}
		unsigned what = draw(10);
		if (what < 3) { /* plain */
			e->kind = draw(2) ? NORN_EVENT_WRITE : NORN_EVENT_READ;
			e->addr = 0x3000 + draw(2) * 8;
			e->size = 8;
			e->site = FIRST;
		} else if (what < 5) {
			e->kind = NORN_EVENT_THREAD;
			e->op = NORN_THREAD_FENCE;
			e->value = 0;
			run[n].fence = true;
			run[n].order = (uint8_t)(NORN_ORDER_ACQUIRE + draw(4));
			e->site = FIRST + run[n].order;
		} else {
			static const uint8_t kinds[] = {
			        NORN_EVENT_READ, NORN_EVENT_WRITE, NORN_EVENT_RMW, NORN_EVENT_READ, NORN_EVENT_WRITE};
			e->kind = kinds[draw(5)];
			e->addr = atomics[draw(3)];
			e->size = e->addr < 0x2000 ? 4 : 8;
			run[n].order = (uint8_t)(NORN_ORDER_RELAXED + draw(5));
			e->site = FIRST + run[n].order;
		}
	}
}

/* ---- by definition ---- */

static bool is_atomic(unsigned n)
{
	return run[n].order && !run[n].fence;
}

static bool writes(unsigned n)
{
	return is_atomic(n) && run[n].event.kind != NORN_EVENT_READ;
}

static bool reads(unsigned n)
{
	return is_atomic(n) && run[n].event.kind != NORN_EVENT_WRITE;
}

static bool acquires(unsigned n, bool strong)
{
	unsigned o = run[n].order;
	return strong || o == NORN_ORDER_ACQUIRE || o == NORN_ORDER_ACQ_REL || o == NORN_ORDER_SEQ_CST;
}

static bool releases(unsigned n, bool strong)
{
	unsigned o = run[n].order;
	return strong || o == NORN_ORDER_RELEASE || o == NORN_ORDER_ACQ_REL || o == NORN_ORDER_SEQ_CST;
}

static bool same_object(unsigned a, unsigned b)
{
	return run[a].event.addr == run[b].event.addr;
}

static unsigned source(unsigned read)
{
	for (unsigned n = read - 1; n > 0; n--)
		if (writes(n) && same_object(n, read))
			return n;
	return 0;
}

/* Does write belong to the release sequence that head heads? */
static bool in_sequence(unsigned head, unsigned write)
{
	if (!writes(head) || head > write || !same_object(head, write))
		return false;
	for (unsigned n = head + 1; n <= write; n++)
		if (writes(n) && same_object(n, head) && run[n].event.thread != run[head].event.thread &&
		        run[n].event.kind != NORN_EVENT_RMW)
			return false;
	return true;
}

static bool before_in_thread(unsigned a, unsigned b)
{
	return a < b && run[a].event.thread == run[b].event.thread;
}

/* Does what read r sees come from a sequence headed by a, or by what follows the fence a? */
static bool passes(unsigned a, unsigned r, bool strong)
{
	unsigned w = source(r);
	if (!w)
		return false;
	if (writes(a) && releases(a, strong) && in_sequence(a, w))
		return true;
	for (unsigned x = a + 1; run[a].fence && releases(a, false) && x <= w; x++)
		if (writes(x) && before_in_thread(a, x) && in_sequence(x, w))
			return true;
	return false;
}

static bool synchronises(unsigned a, unsigned b, bool strong)
{
	if (reads(b) && acquires(b, strong) && passes(a, b, strong))
		return true;
	for (unsigned r = 1; run[b].fence && acquires(b, false) && r < b; r++)
		if (reads(r) && before_in_thread(r, b) && passes(a, r, strong))
			return true;
	return run[a].event.kind == NORN_EVENT_THREAD && run[a].event.op == NORN_THREAD_FORK &&
	       run[a].event.value == run[b].event.thread;
}

static void close_order(bool before[EVENTS + 1][EVENTS + 1], bool strong)
{
	memset(before, 0, (EVENTS + 1) * sizeof *before);
	for (unsigned b = 1; b <= EVENTS; b++)
		for (unsigned a = b - 1; a > 0; a--)
			if (before_in_thread(a, b) || synchronises(a, b, strong)) {
				before[a][b] = true;
				for (unsigned c = 1; c < a; c++)
					before[c][b] |= before[c][a];
			}
}

/* ---- the tests ---- */

static void clocks(bool before[EVENTS + 1][EVENTS + 1])
{
	struct norn_hb *hb = norn_hb_new();
	for (unsigned n = 1; n <= EVENTS; n++) {
		const struct norn_event *e = &run[n].event;
		if (run[n].fence)
			assert_int_equal(norn_hb_fence(hb, e->thread, run[n].order, n), 0);
		else if (run[n].order)
			assert_int_equal(norn_hb_atomic(hb, e, run[n].order, n), 0);
		else
			assert_int_equal(norn_hb_event(hb, e, n), 0);
		for (unsigned k = 1; k < n; k++)
			if (norn_hb_before(hb, run[k].event.thread, k, e->thread) != before[k][n])
				fail_msg("clocks: %u and %u", k, n);
	}
	norn_hb_free(hb);
}

static void clocks_are_by_definition(void **state)
{
	static bool before[EVENTS + 1][EVENTS + 1];
	for (from = 1; from <= RUNS; from++) {
		make_run(from);
		close_order(before, false);
		clocks(before);
	}
}

static struct norn_graph *make_graph(void)
{
	struct norn_graph_builder *builder = norn_graph_builder_new(look_up, NULL, NULL);
	for (unsigned n = 1; n <= EVENTS; n++)
		assert_int_equal(norn_graph_add(builder, &run[n].event), 0);
	struct norn_graph *graph = norn_graph_finish(builder);
	norn_graph_builder_free(builder);
	return graph;
}

static bool is_access(unsigned n)
{
	return run[n].event.kind != NORN_EVENT_THREAD;
}

/* Threads begin by an event that their fork is not linked with: the checker takes that as after all. So only pairs whose first
 * event comes later than all beginnings are compared. */
static unsigned begun(void)
{
	unsigned last = 0;
	bool seen[THREADS] = {true};
	for (unsigned n = 1; n <= EVENTS; n++)
		if (!seen[run[n].event.thread]) {
			seen[run[n].event.thread] = true;
			last = n;
		}
	return last;
}

static void checker_and_search_agree(void **state)
{
	static bool before[EVENTS + 1][EVENTS + 1], strong[EVENTS + 1][EVENTS + 1];
	unsigned claims = 0;
	for (from = 1; from <= RUNS; from++) {
		make_run(from);
		close_order(before, false);
		close_order(strong, true);
		struct norn_graph *graph = make_graph();
		for (unsigned a = begun() + 1; a <= EVENTS; a++)
			for (unsigned b = a + 1; b <= EVENTS; b++) {
				struct norn_missing_order missing = {0};
				if (!is_access(a) || !is_access(b) || run[a].event.thread == run[b].event.thread)
					continue;
				if (norn_order_witness(graph, b - 1, NULL, 0, a, b) != before[a][b])
					fail_msg("run %u, checker: %u and %u", from, a, b);
				if (norn_memory_order_missing(graph, a, b, &missing) != (strong[a][b] && !before[a][b]))
					fail_msg("run %u, search: %u and %u", from, a, b);
				if (!strong[a][b] || before[a][b])
					continue;
				claims++;
				assert_true(missing.release || missing.acquire);
				assert_true(
				        writes(missing.store) && reads(missing.load) && same_object(missing.store, missing.load));
				assert_true(!missing.acquire || !acquires(missing.load, false));
			}
		norn_graph_free(graph);
	}
	assert_true(claims > 1000);
}

/* The checker of witnesses: what claims a race of accesses that are ordered, or both atomic, or of one thread, is refused. */
static void claims_are_checked(void **state)
{
	static bool before[EVENTS + 1][EVENTS + 1];
	unsigned accepted = 0, refused = 0;
	for (from = 1; from <= RUNS / 4; from++) {
		make_run(from);
		close_order(before, false);
		struct norn_graph *graph = make_graph();
		struct norn_sliced_checker *checker = norn_sliced_checker_new(graph);
		for (uint32_t b = begun() + 2; b <= EVENTS; b++)
			for (uint32_t a = begun() + 1; a < b; a++) {
				struct norn_error why;
				const struct norn_sliced_claim claim = {
				        .kind = NORN_SLICED_RACE, .base = b - 1, .stops = &b, .stop_count = 1, .first = a};
				const struct norn_event *x = &run[a].event, *y = &run[b].event;
				bool race = is_access(a) && is_access(b) && x->thread != y->thread && x->addr == y->addr &&
				            (x->kind == NORN_EVENT_WRITE || y->kind == NORN_EVENT_WRITE) &&
				            !(run[a].order && run[b].order) && !before[a][b];
				bool says = norn_sliced_check(checker, &claim, &why) == 0;
				if (says != race)
					fail_msg("run %u: %u and %u: %s", from, a, b, says ? "accepted" : why.message);
				accepted += says;
				refused += !says;
			}
		norn_sliced_checker_free(checker);
		norn_graph_free(graph);
	}
	assert_true(accepted > 100 && refused > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(clocks_are_by_definition),
	        cmocka_unit_test(checker_and_search_agree),
	        cmocka_unit_test(claims_are_checked),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
