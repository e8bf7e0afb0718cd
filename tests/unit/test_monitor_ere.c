/* Extended regular expressions: the vectors, and automata against libfa's on random expressions and words. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <fa.h>

#include "machines.h"

static struct machine m;
static const struct norn_monitor_options other = {.other = true};

static void expect(const char *polish, const struct norn_monitor_options *options, const char *word, const char *verdicts)
{
	machine_init(&m, NORN_LOGIC_ERE, true, polish);
	assert_string_equal(machine_play(&m, options, true, word), verdicts);
}

static void test_vectors(void **state)
{
	expect("*;sr", NULL, "s r s s", "M ? M ? F");
	expect("*;sr", NULL, "r", "M F");
	expect("!;*.;b*.", &other, "a a b a", "M M M F F");
	expect("&*a!;aa", &other, "a a a", "M M ? M");
	expect("&*a!;aa", &other, "a b", "M M F");
	expect("*;o;*|rwc", NULL, "o r w c o", "M ? ? ? M ?");
	expect("*;o;*|rwc", NULL, "o c r", "M ? M F");
	expect("&;*.;a*.;*.;b*.", &other, "c b a c", "? ? ? M M");
}

static struct norn_monitor *make(enum norn_logic_kind logic, const char *polish, const struct norn_monitor_options *options)
{
	struct norn_monitor *monitor;
	struct norn_error err = {0};
	machine_init(&m, logic, true, polish);
	if (norn_monitor_new(&m.spec, &m.property, options, &monitor, &err) != 0)
		fail_msg("%s: %s", polish, err.message);
	return monitor;
}

static void test_sizes(void **state)
{
	static const struct {
		const char *polish;
		uint32_t states, with_other;
	} sizes[] = {
	        {"*;sr", 3, 3},
	        {"*a", 1, 2}, /* without another event nothing can go wrong */
	        {"{55a", 7, 7}, /* five left … none left, dead */
	        {"&*;aa*;a;aa", 6, 7},
	        {"*.", 1, 1},
	        {"!*.", 1, 1},
	        {";*|ab;a;|ab;|ab|ab", 16, 17},
	};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		struct norn_monitor *monitor = make(NORN_LOGIC_ERE, sizes[i].polish, NULL);
		assert_int_equal(norn_monitor_size(monitor), sizes[i].states);
		norn_monitor_free(monitor);
		monitor = make(NORN_LOGIC_ERE, sizes[i].polish, &other);
		assert_int_equal(norn_monitor_size(monitor), sizes[i].with_other);
		norn_monitor_free(monitor);
	}
}

static void test_meaning(void **state)
{
	struct norn_monitor *monitor = make(NORN_LOGIC_FORBID, ";*.;a*.", NULL);
	uint64_t s = norn_monitor_start(monitor);
	assert_false(norn_monitor_violated(monitor, s));
	assert_false(norn_monitor_possible(monitor, 0));
	s = norn_monitor_step(monitor, s, 1);
	assert_true(norn_monitor_violated(monitor, s)); /* a match is what was forbidden */
	assert_true(norn_monitor_settled(monitor, s));
	norn_monitor_free(monitor);

	machine_init(&m, NORN_LOGIC_ERE, true, "*;sr");
	m.property.end = NORN_END_FINITE;
	assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, NULL), 0);
	s = norn_monitor_start(monitor);
	assert_false(norn_monitor_settled(monitor, s));
	assert_int_equal(norn_monitor_final(monitor, s, 0), NORN_VERDICT_MATCH);
	s = norn_monitor_step(monitor, s, 1);
	assert_int_equal(norn_monitor_final(monitor, s, 1), NORN_VERDICT_FALSE);
	s = norn_monitor_step(monitor, s, 1);
	assert_true(norn_monitor_violated(monitor, s));
	assert_true(norn_monitor_settled(monitor, s));
	norn_monitor_free(monitor);
}

/* One event of the program that is both a and b: it matches either name, once. */
static void test_coinciding(void **state)
{
	machine_init(&m, NORN_LOGIC_ERE, true, ";ab");
	m.selectors[1].note = "a";
	assert_string_equal(machine_play(&m, NULL, true, "a b"), "? ? M");
	assert_string_equal(machine_play(&m, NULL, true, "ab ab"), "? ? M");
	assert_string_equal(machine_play(&m, NULL, true, "ab a"), "? ? F");
	machine_init(&m, NORN_LOGIC_ERE, true, "&*.;ab");
	m.selectors[1].note = "a";
	assert_string_equal(machine_play(&m, NULL, true, "ab ab ab"), "? ? M F");
}

static void test_refused(void **state)
{
	static const char *const polish[] = {";*|ab;a{33{33{33|ab", "&{33{33{33;*.a&{33{33{33;*.b;*.;a{33{33{33{33|ab"};
	struct norn_monitor *monitor;
	struct norn_error err;
	for (size_t i = 0; i < sizeof polish / sizeof *polish; i++) {
		machine_init(&m, NORN_LOGIC_ERE, true, polish[i]);
		assert_int_equal(norn_monitor_new(&m.spec, &m.property, NULL, &monitor, &err), -E2BIG);
		assert_non_null(strstr(err.message, "states"));
	}
}

/* ---- against libfa ---- */

static struct fa *compile(const char *regexp)
{
	struct fa *fa;
	assert_int_equal(fa_compile(regexp, strlen(regexp), &fa), 0);
	return fa;
}

static struct fa *both(struct fa *(*operation)(struct fa *, struct fa *), struct fa *a, struct fa *b)
{
	struct fa *result = operation(a, b);
	assert_non_null(result);
	fa_free(a);
	fa_free(b);
	return result;
}

static struct fa *translate(uint32_t n, const char *any)
{
	const struct norn_rnode *x = &m.rnodes[n];
	char text[80];
	switch (x->kind) {
	case NORN_REX_EVENT:
		return compile((char[]){m.letters[x->a], '\0'});
	case NORN_REX_ANY:
		return compile(any);
	case NORN_REX_NOT:
		snprintf(text, sizeof text, "%s*", any);
		return both(fa_minus, compile(text), translate(x->a, any));
	case NORN_REX_REPEAT: {
		struct fa *a = translate(x->a, any),
		          *result = fa_iter(a, (int)x->least, x->most == NORN_REX_UNBOUNDED ? -1 : (int)x->most);
		assert_non_null(result);
		fa_free(a);
		return result;
	}
	default:
		return both(x->kind == NORN_REX_CAT   ? fa_concat
		            : x->kind == NORN_REX_AND ? fa_intersect
		                                      : fa_union,
		        translate(x->a, any), translate(x->b, any));
	}
}

static struct state *follow(struct state *s, char c)
{
	for (size_t i = 0; s && i < fa_state_num_trans(s); i++) {
		struct state *to;
		unsigned char min, max;
		assert_int_equal(fa_state_trans(s, i, &to, &min, &max), 0);
		if (min <= (unsigned char)c && (unsigned char)c <= max)
			return to;
	}
	return NULL;
}

static uint32_t count_states(struct fa *fa)
{
	uint32_t count = 0;
	for (struct state *s = fa_state_initial(fa); s; s = fa_state_next(s))
		count++;
	return count;
}

/* The verdicts on a random word; returns whether it ended dead. libfa's minimal automata have no dead state. */
static bool play(const struct norn_monitor *monitor, struct fa *fa, const char *alphabet, const char *polish, uint32_t *seed)
{
	struct state *s = fa_state_initial(fa);
	uint64_t mine = norn_monitor_start(monitor);
	bool empty = fa_is_basic(fa, FA_EMPTY) != 0;
	for (unsigned i = 0; i < 8; i++) {
		char expected = !s || empty ? 'F' : fa_state_is_accepting(s) ? 'M' : '?';
		if (norn_verdict_letter(norn_monitor_verdict(monitor, mine)) != expected)
			fail_msg("%s is not %c after %u letters", polish, expected, i);
		char c = alphabet[machine_random(seed, (uint32_t)strlen(alphabet))];
		mine = norn_monitor_step(monitor, mine, machine_letter(&m, &c, 1));
		s = follow(s, c);
	}
	return !s;
}

static bool has_dead_state(struct fa *fa, const char *alphabet)
{
	for (struct state *s = fa_state_initial(fa); s; s = fa_state_next(s))
		for (const char *c = alphabet; *c; c++)
			if (!follow(s, *c))
				return true;
	return false;
}

static void test_libfa(void **state)
{
	uint32_t seed = 362436069u;
	unsigned rounds = 0, dead = 0, largest = 0;
	while (rounds < 1200) {
		char polish[256], alphabet[8], any[16];
		machine_random_text(&seed, NORN_LOGIC_ERE, 3, 1 + machine_random(&seed, 8), polish);
		machine_init(&m, NORN_LOGIC_ERE, true, polish);
		bool with_other = rounds % 2;
		if (m.property.atom_count == 0)
			continue;
		snprintf(alphabet, sizeof alphabet, "%.*s%s", (int)m.property.atom_count, m.letters, with_other ? "z" : "");
		snprintf(any, sizeof any, "[%s]", alphabet);
		struct norn_monitor *monitor = make(NORN_LOGIC_ERE, polish, with_other ? &other : NULL);
		struct fa *fa = translate(m.property.rnode_count - 1, any);
		assert_int_equal(fa_minimize(fa), 0);
		for (unsigned i = 0; i < 12; i++)
			dead += play(monitor, fa, alphabet, polish, &seed);
		uint32_t states = fa_is_basic(fa, FA_EMPTY) ? 1 : count_states(fa) + has_dead_state(fa, alphabet);
		if (norn_monitor_size(monitor) != states)
			fail_msg("%s has %u states instead of %u", polish, norn_monitor_size(monitor), states);
		largest = states > largest ? states : largest;
		fa_free(fa);
		norn_monitor_free(monitor);
		rounds++;
	}
	assert_true(dead > 2000 && dead < 12000 && largest > 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_vectors),
	        cmocka_unit_test(test_sizes),
	        cmocka_unit_test(test_meaning),
	        cmocka_unit_test(test_coinciding),
	        cmocka_unit_test(test_refused),
	        cmocka_unit_test(test_libfa),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
