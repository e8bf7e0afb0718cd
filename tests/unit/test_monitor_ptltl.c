/* Past-time LTL: the vectors, and monitors against the definition on random formulas and traces. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machines.h"

static struct machine m;

static void expect(const char *polish, const char *trace, const char *verdicts)
{
	machine_init(&m, NORN_LOGIC_PTLTL, false, polish);
	assert_string_equal(machine_play(&m, NULL, false, trace), verdicts);
}

static void test_vectors(void **state)
{
	expect("Yp", "p - p p -", "T T F T T");
	expect("/p", "p - p p -", "F F T F F");
	expect("\\p", "p - p", "F T F");
	expect("Spq", "p q p pq - p", "F T T T F F");
	expect("Tpq", "p p - q p", "T T F T T");
	expect("Ipq", "- p - q - pq p -", "F T T F F F T T");
	expect("Jpq", "- p - q - pq p -", "T T T F F F T T");
	expect("S!qp", "- p - q - pq p -", "F T T F F T T T");
	expect("> /r Ipq", "- p r rq r - r", "T T T T T T F");
}

/* Landing with a blip: <landing, approved, radio>. */
static void test_landing(void **state)
{
	expect("> /l I/a!r", "r ar a ar lar", "T T T T F");
	expect("> /l Ia!r", "r ar a ar lar", "T T T T T");
	struct norn_monitor *monitor;
	machine_init(&m, NORN_LOGIC_PTLTL, false, "> /l I/a!r");
	assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, NULL), 0);
	assert_int_equal(norn_monitor_size(monitor), 3);
	assert_int_equal(norn_monitor_verdict(monitor, norn_monitor_start(monitor)), NORN_VERDICT_OPEN);
	norn_monitor_free(monitor);
}

/* Equal subformulas share a bit, and constants need none. */
static void test_bits(void **state)
{
	static const struct {
		const char *polish;
		uint32_t bits;
	} sizes[] = {{"p", 0}, {"Yp", 1}, {"&Yp/p", 1}, {"&OpYOp", 1}, {"|Yp!Yp", 1}, {"S1 0", 0}, {"&Y1 O0", 0}, {"YYYp", 3},
	        {"!!!Yp", 1}, {"H>pOq", 2}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct norn_monitor *monitor;
		machine_init(&m, NORN_LOGIC_PTLTL, false, sizes[i].polish);
		assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, NULL), 0);
		assert_int_equal(norn_monitor_size(monitor), sizes[i].bits);
		norn_monitor_free(monitor);
	}
}

static void test_settled_and_final(void **state)
{
	struct norn_monitor *monitor;
	machine_init(&m, NORN_LOGIC_PTLTL, false, "|p|O1q");
	m.property.end = NORN_END_FINITE;
	assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, NULL), 0);
	uint64_t s = norn_monitor_start(monitor);
	assert_int_equal(norn_monitor_final(monitor, s, 0), NORN_VERDICT_OPEN);
	s = norn_monitor_step(monitor, s, 0);
	assert_true(norn_monitor_settled(monitor, s));
	assert_int_equal(norn_monitor_final(monitor, s, 0), NORN_VERDICT_TRUE);
	assert_true(norn_monitor_possible(monitor, 3));
	assert_false(norn_monitor_possible(monitor, 4));
	norn_monitor_free(monitor);
}

static void test_refused(void **state)
{
	char polish[256] = "p";
	struct norn_monitor *monitor;
	struct norn_error err;
	for (unsigned bits = 59; bits <= 61; bits++) { /* Y…Y p: a bit for p and for every Y but the last */
		memset(polish, 'Y', bits);
		strcpy(polish + bits, "p");
		machine_init(&m, NORN_LOGIC_PTLTL, false, polish);
		int r = norn_monitor_new(&m.spec, &m.property, NULL, &monitor, &err);
		assert_int_equal(r, bits <= 60 ? 0 : -E2BIG);
		if (r == 0) {
			assert_int_equal(norn_monitor_size(monitor), bits);
			uint64_t s = norn_monitor_start(monitor);
			for (unsigned i = 0; i < 2 * bits; i++) { /* stationary: true, until the second position arrives */
				s = norn_monitor_step(monitor, s, i == 0);
				assert_int_equal(
				        norn_monitor_verdict(monitor, s), i <= bits ? NORN_VERDICT_TRUE : NORN_VERDICT_FALSE);
			}
			norn_monitor_free(monitor);
		} else {
			assert_non_null(strstr(err.message, "61"));
		}
	}
}

/* ---- against the definition ---- */

/* Whether node holds at position i, by looking at the whole trace. */
static bool holds(const struct norn_node *nodes, uint32_t n, const uint64_t *trace, int i)
{
	const struct norn_node *x = &nodes[n];
	switch (x->op) {
	case NORN_OP_TRUE:
		return true;
	case NORN_OP_FALSE:
		return false;
	case NORN_OP_ATOM:
		return trace[i] >> x->a & 1;
	case NORN_OP_NOT:
		return !holds(nodes, x->a, trace, i);
	case NORN_OP_AND:
		return holds(nodes, x->a, trace, i) && holds(nodes, x->b, trace, i);
	case NORN_OP_OR:
		return holds(nodes, x->a, trace, i) || holds(nodes, x->b, trace, i);
	case NORN_OP_PREV:
		return holds(nodes, x->a, trace, i > 0 ? i - 1 : 0);
	case NORN_OP_START:
		return holds(nodes, x->a, trace, i) && i > 0 && !holds(nodes, x->a, trace, i - 1);
	case NORN_OP_END:
		return !holds(nodes, x->a, trace, i) && i > 0 && holds(nodes, x->a, trace, i - 1);
	case NORN_OP_ONCE:
		for (int j = 0; j <= i; j++)
			if (holds(nodes, x->a, trace, j))
				return true;
		return false;
	case NORN_OP_HIST:
		for (int j = 0; j <= i; j++)
			if (!holds(nodes, x->a, trace, j))
				return false;
		return true;
	case NORN_OP_SINCE:
	case NORN_OP_WEAK_SINCE: /* some j with q, and p at all positions after it; or p at all */
		for (int j = i; j >= 0; j--) {
			if (holds(nodes, x->b, trace, j))
				return true;
			if (!holds(nodes, x->a, trace, j))
				return false;
		}
		return x->op == NORN_OP_WEAK_SINCE;
	default: /* [p,q): some j with p, and no q from j on, itself included; weak: or no q at all */
		for (int j = i; j >= 0; j--) {
			if (holds(nodes, x->b, trace, j))
				return false;
			if (holds(nodes, x->a, trace, j))
				return true;
		}
		return x->op == NORN_OP_WEAK_INTERVAL;
	}
}

static void test_definition(void **state)
{
	uint32_t seed = 2463534242u, positions = 0, tables = 0;
	for (unsigned round = 0; round < 12000; round++) {
		char polish[512];
		uint64_t trace[10];
		struct norn_monitor *monitor;
		/* every fourth formula is too big for a table */
		bool big = round % 4 == 0;
		machine_random_text(&seed, NORN_LOGIC_PTLTL, big ? 12 : 3, 1 + machine_random(&seed, big ? 14 : 7), polish);
		machine_init(&m, NORN_LOGIC_PTLTL, false, polish);
		assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, NULL), 0);
		tables += norn_monitor_size(monitor) + 1 + m.property.atom_count <= 12;
		uint64_t s = norn_monitor_start(monitor);
		for (int i = 0; i < 10; i++) {
			trace[i] = machine_random(&seed, 1u << m.property.atom_count);
			s = norn_monitor_step(monitor, s, trace[i]);
			bool expected = holds(m.nodes, m.property.node_count - 1, trace, i);
			if (norn_monitor_verdict(monitor, s) != (expected ? NORN_VERDICT_TRUE : NORN_VERDICT_FALSE))
				fail_msg("%s differs at position %d", polish, i);
			positions++;
		}
		norn_monitor_free(monitor);
	}
	assert_true(positions >= 100000);
	assert_in_range(tables, 6000, 11900);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_vectors),
	        cmocka_unit_test(test_landing),
	        cmocka_unit_test(test_bits),
	        cmocka_unit_test(test_settled_and_final),
	        cmocka_unit_test(test_refused),
	        cmocka_unit_test(test_definition),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
