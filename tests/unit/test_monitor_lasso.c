/* Lassos: the vectors; the evaluator against the definition, on unrolled runs; the tableau against the evaluator. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "machines.h"
#include "monitor/failed_part.h"
#include "monitor/lasso.h"
#include "monitor/tableau.h"
#include "monitor/word_semantics.h"

#define LENGTH 16u

static struct machine m;

struct run {
	uint64_t letters[LENGTH], unknown[LENGTH];
	uint32_t count, loop;
};

static void parse(struct run *run, const char *u, const char *v)
{
	*run = (struct run){0};
	for (int part = 0; part < 2; part++) {
		const char *at = part == 0 ? u : v;
		for (size_t n; *(at += strspn(at, " ")); at += n) {
			n = strcspn(at, " ");
			run->letters[run->count++] = machine_letter(&m, at, n);
		}
		run->loop = part == 0 ? run->count : run->loop;
	}
}

static void expect(const char *polish, const char *u, const char *v, enum norn_truth expected)
{
	struct run run;
	enum norn_truth holds;
	for (int events = 0; events < 2; events++) {
		machine_init(&m, NORN_LOGIC_LTL, events, polish);
		parse(&run, u, v);
		assert_int_equal(norn_lasso_judge(&m.property, run.letters, NULL, run.count, run.loop, &holds), 0);
		assert_int_equal(holds, expected);
	}
}

static void test_vectors(void **state)
{
	expect("GFp", "-", "p -", NORN_TRUTH_YES);
	expect("GFp", "p", "- -", NORN_TRUTH_NO);
	expect("FGp", "- -", "p", NORN_TRUTH_YES);
	expect("G>rFg", "r", "- r", NORN_TRUTH_NO);
	expect("G>rFg", "-", "r g", NORN_TRUTH_YES);
	expect("Upq", "p", "p", NORN_TRUTH_NO);
	expect("GFp", "", "-", NORN_TRUTH_NO);
	expect("XXp", "- -", "p -", NORN_TRUTH_YES);
	expect("XXp", "-", "p -", NORN_TRUTH_NO);
	expect("NF1", "-", "p", NORN_TRUTH_YES);
	expect("Rpq", "", "q", NORN_TRUTH_YES);
	expect("Rpq", "q pq", "-", NORN_TRUTH_YES);
}

/* ---- the definition ---- */

static uint32_t fold(const struct run *run, uint32_t i)
{
	return i < run->count ? i : run->loop + (i - run->loop) % (run->count - run->loop);
}

/* Of position i. What happens at all happens within the next count positions: after that, those of the loop come again. */
static bool holds_at(const struct norn_node *nodes, uint32_t n, const struct run *run, uint32_t i)
{
	const struct norn_node *x = &nodes[n];
	i = fold(run, i);
	switch (x->op) {
	case NORN_OP_TRUE:
		return true;
	case NORN_OP_FALSE:
		return false;
	case NORN_OP_ATOM:
		return run->letters[i] >> x->a & 1;
	case NORN_OP_NOT:
		return !holds_at(nodes, x->a, run, i);
	case NORN_OP_AND:
		return holds_at(nodes, x->a, run, i) && holds_at(nodes, x->b, run, i);
	case NORN_OP_OR:
		return holds_at(nodes, x->a, run, i) || holds_at(nodes, x->b, run, i);
	case NORN_OP_NEXT:
	case NORN_OP_WEAK_NEXT:
		return holds_at(nodes, x->a, run, i + 1);
	case NORN_OP_UNTIL:
		for (uint32_t k = i; k <= i + run->count; k++) {
			if (holds_at(nodes, x->b, run, k))
				return true;
			if (!holds_at(nodes, x->a, run, k))
				return false;
		}
		return false;
	default:
		assert_int_equal(x->op, NORN_OP_RELEASE);
		for (uint32_t k = i; k <= i + run->count; k++) {
			if (!holds_at(nodes, x->b, run, k))
				return false;
			if (holds_at(nodes, x->a, run, k))
				return true;
		}
		return true;
	}
}

static void random_run(uint32_t *seed, unsigned atoms, struct run *run)
{
	*run = (struct run){.count = 1 + machine_random(seed, 6)};
	run->loop = machine_random(seed, run->count);
	for (uint32_t i = 0; i < run->count; i++)
		run->letters[i] = machine_random(seed, 1u << atoms);
}

/* The promises at every position are those that hold; going backwards along the lasso from the right mask comes back to it, with
 * all debts paid in the loop, and from no other mask. */
static void check_tableau(const struct run *run, bool holds)
{
	struct norn_tableau t;
	int r = norn_tableau_init(&t, &m.property);
	if (r == -E2BIG) {
		norn_tableau_done(&t);
		return;
	}
	assert_int_equal(r, 0);
	unsigned right = 0;
	for (uint32_t mask = 0; mask < 1u << t.promises; mask++) {
		uint32_t at = mask, paid = 0, begins = mask;
		bool value = false;
		for (uint32_t i = run->count; i-- > 0;) {
			struct norn_tableau_step step = norn_tableau_back(&t, run->letters[i], at);
			at = step.before;
			if (i >= run->loop)
				paid |= step.paid;
			if (i == run->loop)
				begins = at;
			value = step.holds;
		}
		if (begins != mask || paid != t.debts)
			continue;
		right++;
		assert_int_equal(value, holds);
	}
	assert_int_equal(right, 1);
	norn_tableau_done(&t);
}

static void test_random(void **state)
{
	uint32_t seed = 7;
	unsigned yes = 0;
	char polish[400];
	for (unsigned k = 0; k < 20000; k++) {
		struct run run;
		enum norn_truth holds;
		machine_random_text(&seed, NORN_LOGIC_LTL, 2, 1 + machine_random(&seed, 7), polish);
		machine_init(&m, NORN_LOGIC_LTL, false, polish);
		random_run(&seed, m.property.atom_count, &run);
		assert_int_equal(norn_lasso_judge(&m.property, run.letters, NULL, run.count, run.loop, &holds), 0);
		bool expected = holds_at(m.property.nodes, m.property.node_count - 1, &run, 0);
		if (holds != (expected ? NORN_TRUTH_YES : NORN_TRUTH_NO))
			fail_msg("%s: run %u", polish, k);
		check_tableau(&run, expected);
		yes += expected;
	}
	assert_in_range(yes, 4000, 16000);
}

/* What is said in spite of unknown bits is true for all of them. */
static void test_unknown(void **state)
{
	uint32_t seed = 11;
	unsigned said = 0;
	char polish[400];
	for (unsigned k = 0; k < 4000; k++) {
		struct run run, full;
		enum norn_truth holds, each;
		machine_random_text(&seed, NORN_LOGIC_LTL, 2, 1 + machine_random(&seed, 5), polish);
		machine_init(&m, NORN_LOGIC_LTL, false, polish);
		random_run(&seed, m.property.atom_count, &run);
		uint32_t hidden = machine_random(&seed, run.count);
		run.unknown[hidden] = machine_random(&seed, 1u << m.property.atom_count);
		assert_int_equal(norn_lasso_judge(&m.property, run.letters, run.unknown, run.count, run.loop, &holds), 0);
		said += run.unknown[hidden] && holds != NORN_TRUTH_UNKNOWN;
		for (uint64_t bits = 0; bits < 4 && holds != NORN_TRUTH_UNKNOWN; bits++) {
			full = run;
			full.letters[hidden] = (run.letters[hidden] & ~run.unknown[hidden]) | (bits & run.unknown[hidden]);
			assert_int_equal(norn_lasso_judge(&m.property, full.letters, NULL, full.count, full.loop, &each), 0);
			assert_int_equal(each, holds);
		}
	}
	assert_true(said > 500);
	machine_init(&m, NORN_LOGIC_LTL, false, "Gp");
	const uint64_t letters[] = {1, 1}, unknown[] = {0, 1};
	enum norn_truth holds;
	assert_int_equal(norn_lasso_judge(&m.property, letters, unknown, 2, 0, &holds), 0);
	assert_int_equal(holds, NORN_TRUTH_UNKNOWN);
}

static void test_refusals(void **state)
{
	const uint64_t letters[] = {0};
	enum norn_truth holds;
	struct norn_tableau t;
	machine_init(&m, NORN_LOGIC_LTL, false, "Gp");
	assert_int_equal(norn_lasso_judge(&m.property, letters, NULL, 1, 1, &holds), -EINVAL);
	machine_init(&m, NORN_LOGIC_PTLTL, false, "Op");
	assert_int_equal(norn_lasso_judge(&m.property, letters, NULL, 1, 0, &holds), -EINVAL);
	assert_int_equal(norn_tableau_init(&t, &m.property), -EINVAL);
	machine_init(&m, NORN_LOGIC_LTL, false, "XXXXXXXXXp");
	assert_int_equal(norn_tableau_init(&t, &m.property), -E2BIG);
	norn_tableau_done(&t);
}

/* What the definitions say of the past, against monitors. */
static void test_past(void **state)
{
	uint32_t seed = 5;
	char polish[400];
	for (unsigned k = 0; k < 3000; k++) {
		struct run run;
		struct norn_monitor *monitor;
		struct norn_error err = {0};
		uint8_t values[4096];
		machine_random_text(&seed, NORN_LOGIC_PTLTL, 2, 1 + machine_random(&seed, 8), polish);
		machine_init(&m, NORN_LOGIC_PTLTL, false, polish);
		random_run(&seed, m.property.atom_count, &run);
		const struct norn_word_semantics word = {run.letters, NULL, run.count, run.count};
		assert_true(m.property.node_count * run.count <= sizeof values);
		norn_word_semantics_judge(&word, &m.property, values);
		assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, &err), 0);
		uint64_t at = norn_monitor_start(monitor);
		for (uint32_t i = 0; i < run.count; i++) {
			at = norn_monitor_step(monitor, at, run.letters[i]);
			bool holds = norn_monitor_verdict(monitor, at) == NORN_VERDICT_TRUE;
			if (values[(m.property.node_count - 1) * run.count + i] !=
			        (holds ? NORN_WORD_SEMANTICS_TRUE : NORN_WORD_SEMANTICS_FALSE))
				fail_msg("%s, position %u", polish, i);
		}
		norn_monitor_free(monitor);
	}
}

/* The operator at fault, '?' if it cannot be said, and where. */
static void blame(enum norn_logic_kind logic, const char *polish, const char *u, const char *v, enum norn_op op, uint32_t position)
{
	struct run run;
	uint32_t node, at;
	machine_init(&m, logic, false, polish);
	parse(&run, u, v);
	assert_int_equal(norn_failed_part(&m.property, run.letters, NULL, run.count, run.loop, &node, &at), 0);
	assert_int_equal(m.property.nodes[node].op, op);
	assert_int_equal(at, position);
}

static void test_blame(void **state)
{
	struct run run;
	uint32_t node, at;
	/* The interval of the landing controller, the false half of a conjunction, where an always fails. */
	blame(NORN_LOGIC_PTLTL, ">/lI/ar", "- a r lr", "", NORN_OP_INTERVAL, 3);
	blame(NORN_LOGIC_PTLTL, "&pOq", "p", "", NORN_OP_ONCE, 0);
	blame(NORN_LOGIC_PTLTL, "&pq", "-", "", NORN_OP_AND, 0);
	blame(NORN_LOGIC_PTLTL, "H>pq", "q p q", "", NORN_OP_ATOM, 1);
	blame(NORN_LOGIC_LTL, "G>pXq", "- p -", "", NORN_OP_ATOM, 2);
	blame(NORN_LOGIC_LTL, "G!p", "- p", "", NORN_OP_NOT, 1);
	blame(NORN_LOGIC_LTL, "Upq", "p -", "", NORN_OP_UNTIL, 0);
	/* Infinite runs. */
	blame(NORN_LOGIC_LTL, "G>pFq", "- p q", "- p", NORN_OP_UNTIL, 4);
	blame(NORN_LOGIC_LTL, "GFp", "p", "-", NORN_OP_UNTIL, 1);
	/* A run that is open. */
	machine_init(&m, NORN_LOGIC_LTL, false, "Fp");
	parse(&run, "- -", "");
	assert_int_equal(norn_failed_part(&m.property, run.letters, NULL, run.count, run.loop, &node, &at), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_vectors), cmocka_unit_test(test_random),
	        cmocka_unit_test(test_unknown), cmocka_unit_test(test_refusals), cmocka_unit_test(test_past),
	        cmocka_unit_test(test_blame)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
