/* LTL3: the vectors, known sizes, ends of runs; against lassos that a naive evaluator judges. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "machines.h"

static struct machine m;

static void expect(bool events, const char *polish, const char *trace, const char *verdicts)
{
	machine_init(&m, NORN_LOGIC_LTL, events, polish);
	assert_string_equal(machine_play(&m, NULL, true, trace), verdicts);
}

static void test_vectors(void **state)
{
	for (int events = 0; events < 2; events++) {
		expect(events, "Fp", "- - p -", "? ? ? T T");
		expect(events, "W!cp", "p c c", "? T T T");
		expect(events, "W!cp", "- c p", "? ? F F");
		expect(events, "G & >iXo >oXi", "i o i i o", "? ? ? ? F F");
		expect(events, "& >iXo >oXi", "i o o", "? ? T T");
		expect(events, "Upq", "p p q -", "? ? ? T T");
		expect(events, "Upq", "p - q", "? ? F F");
		expect(events, "G>pFq", "p q p", "? ? ? ?");
		expect(events, "&GpF!p", "p", "F F");
	}
}

static struct norn_monitor *make(bool events, const char *polish, enum norn_end end)
{
	struct norn_monitor *monitor;
	struct norn_error err = {0};
	machine_init(&m, NORN_LOGIC_LTL, events, polish);
	m.property.end = end;
	if (norn_monitor_new(&m.spec, &m.property, NULL, &monitor, &err) != 0)
		fail_msg("%s: %s", polish, err.message);
	return monitor;
}

/* Synthesis of what is not huge takes less than 50 ms of CPU time; in truth a hundredth of that, so sanitizers do not matter. */
static uint32_t size(bool events, const char *polish)
{
	clock_t begin = clock();
	struct norn_monitor *monitor = make(events, polish, NORN_END_OPEN);
	assert_true(norn_monitor_size(monitor) > 500 || clock() - begin < CLOCKS_PER_SEC / 20);
	uint32_t states = norn_monitor_size(monitor);
	norn_monitor_free(monitor);
	return states;
}

static void test_sizes(void **state)
{
	assert_int_equal(size(true, "W!cp"), 3); /* precedence */
	assert_int_equal(size(true, "G & >iXo >oXi"), 4); /* ping-pong */
	assert_int_equal(size(false, "G |&w!r&r!w"), 2); /* readers-writers: xor */
	assert_int_equal(size(false, "G > &&q!rFr U >pU!r&s!r r"), 4); /* response between q and r */
	assert_int_equal(size(false, "GFp"), 1); /* nothing can refute it */
	assert_int_equal(size(false, "G>pFq"), 1);
	assert_int_equal(size(false, "|Gp!Gp"), 1);
	char polish[40];
	for (unsigned k = 1; k <= 10; k++) {
		strcpy(polish, "G>p");
		memset(polish + 3, 'X', k);
		strcpy(polish + 3 + k, "q");
		assert_int_equal(size(false, polish), (1u << k) + 1);
	}
}

/* Events that cannot coincide are letters of their own: a formula over 40 of them is no 2^40 letters. */
static void test_many_events(void **state)
{
	struct norn_monitor *monitor =
	        make(true, "G&&&&&&&&&&&&>aXb>bXc>cXd>dXe>eXf>fXg>gXh>hXi>iXj>jXk>kXl>lXm>mXn", NORN_END_OPEN);
	assert_int_equal(norn_monitor_size(monitor), 15); /* free, one per event but the last that waits for the next, and F */
	uint64_t s = norn_monitor_start(monitor);
	for (unsigned i = 0; i < 14; i++)
		s = norn_monitor_step(monitor, s, UINT64_C(1) << i);
	assert_int_equal(norn_monitor_verdict(monitor, s), NORN_VERDICT_OPEN);
	assert_false(norn_monitor_possible(monitor, 3));
	assert_true(norn_monitor_possible(monitor, 0));
	s = norn_monitor_step(monitor, norn_monitor_step(monitor, s, 1), 1);
	assert_int_equal(norn_monitor_verdict(monitor, s), NORN_VERDICT_FALSE);
	assert_true(norn_monitor_violated(monitor, s));
	assert_true(norn_monitor_settled(monitor, s));
	norn_monitor_free(monitor);
	/* Two that cannot happen at once make a formula that no run satisfies; for `norn prop try` any letter is possible. */
	expect(true, "F&ab", "a", "F F");
	machine_init(&m, NORN_LOGIC_LTL, true, "F&ab");
	assert_string_equal(machine_play(&m, &(struct norn_monitor_options){.any_letter = true}, true, "a ab b"), "? ? T T");
}

static void test_refused(void **state)
{
	struct norn_monitor *monitor;
	struct norn_error err;
	char polish[4096];
	clock_t begin = clock();
	/* 13 free atoms */
	machine_init(&m, NORN_LOGIC_LTL, false, "&&&&&&&&&&&&abcdefghijklm");
	assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, &err), -E2BIG);
	assert_non_null(strstr(err.message, "12 atoms"));
	/* 2^20 states */
	machine_init(&m, NORN_LOGIC_LTL, false, "G>pXXXXXXXXXXXXXXXXXXXXq");
	assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, &err), -E2BIG);
	assert_non_null(strstr(err.message, "100000"));
	assert_int_equal(
	        norn_monitor_new(&m.spec, &m.property, &(struct norn_monitor_options){.max_states = 50}, &monitor, &err), -E2BIG);
	assert_non_null(strstr(err.message, "50"));
	/* 70 obligations */
	strcpy(polish, "G>p");
	memset(polish + 3, 'X', 70);
	strcpy(polish + 73, "q");
	machine_init(&m, NORN_LOGIC_LTL, false, polish);
	assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, &err), -E2BIG);
	assert_non_null(strstr(err.message, "64"));
	/* (F a && F b && …) U …: sets of sets of obligations */
	machine_init(&m, NORN_LOGIC_LTL, false,
	        "G>aU&&&&Fb FXc FXXd FXXXe FXXXXf &&&&&&Fg FXXh FXXXi XFXXXj FXXXXXk FXXXXXXa FXXXXXXXXXXXXXXXXXXl");
	assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, &err), -E2BIG);
	double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
	assert_true(seconds < 20); /* five refusals of less than 5 s each, also with sanitizers */
	print_message("# five refusals took %.2f s\n", seconds);
}

/* ---- ends of runs ---- */

static char final(const char *polish, enum norn_end end, const char *trace)
{
	struct norn_monitor *monitor = make(false, polish, end);
	uint64_t s = norn_monitor_start(monitor), letter = 0;
	for (size_t length; *(trace += strspn(trace, " ")); trace += length) {
		length = strcspn(trace, " ");
		letter = machine_letter(&m, trace, length);
		s = norn_monitor_step(monitor, s, letter);
	}
	char verdict = norn_verdict_letter(norn_monitor_final(monitor, s, letter));
	norn_monitor_free(monitor);
	return verdict;
}

static void test_ends(void **state)
{
	static const struct {
		const char *polish, *trace;
		char open, finite, stutter;
	} ends[] = {
	        {"Fp", "- -", '?', 'F', 'F'},
	        {"Fp", "- p", 'T', 'T', 'T'},
	        {"Gp", "p p", '?', 'T', 'T'},
	        {"Gp", "p -", 'F', 'F', 'F'},
	        {"Gp", "", '?', 'T', 'F'}, /* without a position the letter is 0 */
	        {"GFp", "- p", '?', 'T', 'T'},
	        {"GFp", "p -", '?', 'F', 'F'},
	        {"FGp", "- p", '?', 'T', 'T'},
	        {"Xp", "p", '?', 'F', 'T'},
	        {"Np", "p", '?', 'T', 'T'},
	        {"Np", "-", '?', 'T', 'F'},
	        {"XGp", "-", '?', 'F', 'F'},
	        {"NFp", "-", '?', 'T', 'F'},
	        {"XXp", "- -", '?', 'F', 'F'},
	        {"G & >iXo >oXi", "i o", '?', 'F', 'F'},
	        {"G & >iNo >oNi", "i o", '?', 'T', 'F'},
	        {"Upq", "p p", '?', 'F', 'F'},
	        {"Upq", "p q", 'T', 'T', 'T'},
	        {"G>rFg", "r - r", '?', 'F', 'F'},
	        {"G>rFg", "r g", '?', 'T', 'T'},
	        {"G>rFg", "g r -", '?', 'F', 'F'},
	};
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		const char expected[3] = {ends[i].open, ends[i].finite, ends[i].stutter};
		for (enum norn_end end = NORN_END_OPEN; end <= NORN_END_STUTTER; end++)
			if (final(ends[i].polish, end, ends[i].trace) != expected[end])
				fail_msg("%s on %s, end %d: %c", ends[i].polish, ends[i].trace, end,
				        final(ends[i].polish, end, ends[i].trace));
	}
}

/* ---- against lassos ---- */

#define LASSO 32u

/* The values of all nodes at the positions of u v^ω, one word of positions per node. Operands come first; U is a least fixpoint, R
 * a greatest one, and twice around the loop is enough for both. */
static void judge_lasso(const struct norn_node *nodes, uint32_t count, const uint64_t *letters, unsigned length, unsigned loop,
        uint32_t *ret_values)
{
	for (uint32_t n = 0; n < count; n++) {
		const struct norn_node *x = &nodes[n];
		bool release = x->op == NORN_OP_RELEASE;
		uint32_t a = x->op > NORN_OP_ATOM ? ret_values[x->a] : 0, b = x->op > NORN_OP_NOT ? ret_values[x->b] : 0;
		uint32_t v = release ? UINT32_MAX : 0;
		for (unsigned i = 2 * length; i-- > 0;) {
			unsigned at = i % length, after = at + 1 == length ? loop : at + 1;
			bool p = a >> at & 1, q = b >> at & 1, later = v >> after & 1, value = false;
			switch (x->op) {
			case NORN_OP_TRUE:
				value = true;
				break;
			case NORN_OP_ATOM:
				value = letters[at] >> x->a & 1;
				break;
			case NORN_OP_NOT:
				value = !p;
				break;
			case NORN_OP_AND:
				value = p && q;
				break;
			case NORN_OP_OR:
				value = p || q;
				break;
			case NORN_OP_NEXT:
			case NORN_OP_WEAK_NEXT:
				value = a >> after & 1;
				break;
			case NORN_OP_UNTIL:
				value = q || (p && later);
				break;
			case NORN_OP_RELEASE:
				value = q && (p || later);
				break;
			default:
				break;
			}
			v = value ? v | 1u << at : v & ~(1u << at);
		}
		ret_values[n] = v;
	}
}

static bool lasso(const struct norn_property *property, const uint64_t *letters, unsigned length, unsigned loop)
{
	uint32_t values[256];
	assert_true(property->node_count <= 256);
	judge_lasso(property->nodes, property->node_count, letters, length, loop, values);
	return values[property->node_count - 1] & 1;
}

static void expect_lasso(const char *polish, const char *u, const char *v, bool holds)
{
	uint64_t letters[LASSO];
	unsigned length = 0, loop = 0;
	machine_init(&m, NORN_LOGIC_LTL, false, polish);
	for (int part = 0; part < 2; part++) {
		const char *trace = part == 0 ? u : v;
		for (size_t n; *(trace += strspn(trace, " ")); trace += n) {
			n = strcspn(trace, " ");
			letters[length++] = machine_letter(&m, trace, n);
		}
		loop = part == 0 ? length : loop;
	}
	assert_int_equal(lasso(&m.property, letters, length, loop), holds);
}

/* The evaluator itself, by the vectors of lassos. */
static void test_lassos(void **state)
{
	expect_lasso("GFp", "-", "p -", true);
	expect_lasso("GFp", "p", "- -", false);
	expect_lasso("FGp", "- -", "p", true);
	expect_lasso("G>rFg", "r", "- r", false);
	expect_lasso("G>rFg", "-", "r g", true);
	expect_lasso("Upq", "p", "p", false);
}

/* T is never followed by a lasso that fails, nor F by one that holds; what is open at the end of a stuttering run is what the lasso
 * says. */
static void test_sampled(void **state)
{
	uint32_t seed = 88172645u, settled = 0, open = 0;
	for (unsigned round = 0; round < 4000; round++) {
		char polish[256];
		machine_random_text(&seed, NORN_LOGIC_LTL, 3, 1 + machine_random(&seed, 7), polish);
		struct norn_monitor *monitor = make(false, polish, round % 2 ? NORN_END_OPEN : NORN_END_STUTTER);
		for (unsigned sample = 0; sample < 30; sample++) {
			uint64_t letters[LASSO], s = norn_monitor_start(monitor);
			unsigned prefix = machine_random(&seed, 6), length = prefix + 1 + machine_random(&seed, 8);
			unsigned loop = prefix + machine_random(&seed, length - prefix);
			for (unsigned i = 0; i < length; i++)
				letters[i] = machine_random(&seed, 1u << m.property.atom_count);
			for (unsigned i = 0; i < prefix; i++)
				s = norn_monitor_step(monitor, s, letters[i]);
			enum norn_verdict verdict = norn_monitor_verdict(monitor, s);
			settled += verdict != NORN_VERDICT_OPEN;
			open += verdict == NORN_VERDICT_OPEN;
			bool holds = lasso(&m.property, letters, length, loop);
			if (verdict != NORN_VERDICT_OPEN && holds != (verdict == NORN_VERDICT_TRUE))
				fail_msg("%s: the verdict %c is contradicted", polish, norn_verdict_letter(verdict));
			if (round % 2 == 0 && prefix > 0) {
				bool expected = lasso(&m.property, letters, prefix, prefix - 1);
				assert_int_equal(norn_monitor_final(monitor, s, letters[prefix - 1]),
				        expected ? NORN_VERDICT_TRUE : NORN_VERDICT_FALSE);
			}
		}
		norn_monitor_free(monitor);
	}
	assert_true(settled > 10000 && open > 10000);
}

/* The value of the formula on letters, followed by a word on which the nodes have these values at its first position. */
static bool after(const struct norn_property *property, const uint64_t *letters, unsigned length, uint64_t profile)
{
	const struct norn_node *nodes = property->nodes;
	for (unsigned i = length; i-- > 0;) {
		uint64_t now = 0;
		for (uint32_t n = 0; n < property->node_count; n++) {
			const struct norn_node *x = &nodes[n];
			bool a = now >> x->a & 1, b = now >> x->b & 1, later = profile >> n & 1, value = false;
			switch (x->op) {
			case NORN_OP_TRUE:
				value = true;
				break;
			case NORN_OP_ATOM:
				value = letters[i] >> x->a & 1;
				break;
			case NORN_OP_NOT:
				value = !a;
				break;
			case NORN_OP_AND:
				value = a && b;
				break;
			case NORN_OP_OR:
				value = a || b;
				break;
			case NORN_OP_NEXT:
			case NORN_OP_WEAK_NEXT:
				value = profile >> x->a & 1;
				break;
			case NORN_OP_UNTIL:
				value = b || (a && later);
				break;
			case NORN_OP_RELEASE:
				value = b && (a || later);
				break;
			default:
				break;
			}
			now |= (uint64_t)value << n;
		}
		profile = now;
	}
	return profile >> (property->node_count - 1) & 1;
}

#define PROFILES 64u

/* All values that the nodes can have at the first position of a word over one atom: every lasso with |u| <= 4 and |v| <= 8.
 * With two temporal operators a tableau has 4 states and 2 acceptance conditions: these lassos reach everything. */
static unsigned find_profiles(const struct norn_property *property, uint64_t *ret_profiles)
{
	unsigned count = 0;
	for (unsigned u = 0; u <= 4; u++)
		for (unsigned v = 1; v <= 8; v++)
			for (uint32_t word = 0; word < 1u << (u + v); word++) {
				uint64_t letters[12], profile = 0;
				uint32_t values[64];
				for (unsigned i = 0; i < u + v; i++)
					letters[i] = word >> i & 1;
				judge_lasso(property->nodes, property->node_count, letters, u + v, u, values);
				for (uint32_t n = 0; n < property->node_count; n++)
					profile |= (uint64_t)(values[n] & 1) << n;
				unsigned i = 0;
				while (i < count && ret_profiles[i] != profile)
					i++;
				assert_true(i < PROFILES);
				ret_profiles[i] = profile;
				count += i == count;
			}
	return count;
}

static unsigned temporal(const struct norn_property *property)
{
	unsigned count = 0;
	for (uint32_t n = 0; n < property->node_count; n++)
		count += property->nodes[n].op >= NORN_OP_NEXT;
	return count;
}

static void test_exact(void **state)
{
	uint32_t seed = 521288629u;
	unsigned formulas = 0;
	while (formulas < 150) {
		char polish[128];
		machine_random_text(&seed, NORN_LOGIC_LTL, 1, 2 + machine_random(&seed, 4), polish);
		machine_init(&m, NORN_LOGIC_LTL, false, polish);
		if (temporal(&m.property) == 0 || temporal(&m.property) > 2)
			continue;
		formulas++;
		uint64_t profiles[PROFILES + 1];
		unsigned count = find_profiles(&m.property, profiles);
		struct norn_monitor *monitor = make(false, polish, NORN_END_OPEN);
		for (unsigned length = 0; length <= 5; length++)
			for (uint32_t word = 0; word < 1u << length; word++) {
				uint64_t letters[5], s = norn_monitor_start(monitor);
				bool may_hold = false, may_fail = false;
				for (unsigned i = 0; i < length; i++) {
					letters[i] = m.property.atom_count ? word >> i & 1 : 0;
					s = norn_monitor_step(monitor, s, letters[i]);
				}
				for (unsigned i = 0; i < count; i++)
					*(after(&m.property, letters, length, profiles[i]) ? &may_hold : &may_fail) = true;
				char expected = !may_hold ? 'F' : !may_fail ? 'T' : '?';
				if (norn_verdict_letter(norn_monitor_verdict(monitor, s)) != expected)
					fail_msg("%s after word %x of length %u is not %c", polish, word, length, expected);
			}
		norn_monitor_free(monitor);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_vectors),
	        cmocka_unit_test(test_sizes),
	        cmocka_unit_test(test_many_events),
	        cmocka_unit_test(test_refused),
	        cmocka_unit_test(test_ends),
	        cmocka_unit_test(test_lassos),
	        cmocka_unit_test(test_sampled),
	        cmocka_unit_test(test_exact),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
