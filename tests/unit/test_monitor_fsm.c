/* Automata as written, from text; and what `norn prop try` makes of steps, through the library. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "monitor/explain/try.h"

static struct norn_sources *sources;
static struct norn_tree *tree;
static struct norn_spec *spec;
static const struct norn_property *property;

static void load(const char *text)
{
	uint32_t file;
	sources = norn_sources_new();
	file = norn_sources_add(sources, "test", text, strlen(text));
	tree = norn_tree_parse(sources, file);
	spec = norn_spec_check(sources, tree, NULL);
	const struct norn_diagnostic *diagnostics;
	if (norn_diagnostics_errors(sources) > 0 && norn_diagnostics(sources, &diagnostics) > 0)
		fail_msg("%s", diagnostics[0].message);
	property = norn_spec_property(spec, "p");
	assert_non_null(property);
}

static void unload(void)
{
	norn_spec_free(spec);
	norn_tree_free(tree);
	norn_sources_free(sources);
}

static void expect(const char *steps, const char *verdicts)
{
	char *came;
	struct norn_error err;
	if (norn_try_play(spec, property, steps, &came, &err) != 0)
		fail_msg("%s: %s", steps, err.message);
	assert_string_equal(came, verdicts);
	free(came);
}

static void test_life(void **state)
{
	load("event q_init(q) = return queue_init(q);  event q_free(q) = call queue_free(q);\n"
	     "event q_use(q) = call queue_put(q, _) | call queue_get(q);\n"
	     "property p { per q; fsm { initial accept none { q_init -> live; else -> bad; }\n"
	     "live { q_use -> live; q_free -> none; else -> bad; } error bad { else -> bad; } } }\n");
	expect("q_init q_use q_free", "M ? ? M");
	expect("q_use", "M F");
	expect("q_init q_init", "M ? F");
	expect("q_init q_free q_use", "M ? M F");
	expect("q_init q_use", "M ? ?");
	struct norn_monitor *monitor;
	assert_int_equal(norn_monitor_new(spec, property, NULL, &monitor, NULL), 0);
	assert_int_equal(norn_monitor_size(monitor), 3);
	assert_string_equal(property->fsm[norn_monitor_fsm_state(monitor, norn_monitor_start(monitor))].name, "none");
	norn_monitor_free(monitor);
	unload();
}

/* Where nothing fits the run is dead; errors may be left again; the initial state need not be the first. */
static void test_dead_and_error(void **state)
{
	load("event a = note \"a\"; event b = note \"b\"; event c = note \"c\";\n"
	     "property p [end=finite] { fsm { error wrong { a -> right; } initial right { b -> wrong; c -> good; } accept good { } "
	     "} }\n");
	expect("b a c", "? F ? M");
	expect("a c", "? F F");
	expect("c c", "? M F");
	struct norn_monitor *monitor;
	assert_int_equal(norn_monitor_new(spec, property, NULL, &monitor, NULL), 0);
	uint64_t s = norn_monitor_start(monitor), dead;
	assert_int_equal(norn_monitor_fsm_state(monitor, s), 1);
	assert_int_equal(norn_monitor_final(monitor, s, 0), NORN_VERDICT_FALSE);
	assert_int_equal(norn_monitor_size(monitor), 3);
	unsigned a = strcmp(property->atoms[0].text, "a") == 0 ? 0 : strcmp(property->atoms[1].text, "a") == 0 ? 1 : 2;
	dead = norn_monitor_step(monitor, s, UINT64_C(1) << a);
	assert_int_equal(norn_monitor_fsm_state(monitor, dead), NORN_FSM_DEAD);
	assert_true(norn_monitor_settled(monitor, dead));
	assert_false(norn_monitor_settled(monitor, s));
	norn_monitor_free(monitor);
	unload();
}

/* One call that is two events: what the state lists first wins, and `else` comes last wherever it stands. */
static void test_coinciding(void **state)
{
	load("event a = call f(); event b = call f(); event c = note \"c\";\n"
	     "property p { fsm { initial s { b -> t; a -> u; c -> s; } accept t { else -> u; a -> t; } error u { } } }\n");
	expect("a,b", "? M");
	expect("a", "? F");
	expect("b a,b", "? M M");
	expect("b b", "? M F");
	struct norn_monitor *monitor;
	assert_int_equal(norn_monitor_new(spec, property, NULL, &monitor, NULL), 0);
	assert_true(norn_monitor_possible(monitor, 3));
	assert_false(norn_monitor_possible(monitor, 5));
	assert_false(norn_monitor_possible(monitor, 0));
	norn_monitor_free(monitor);
	unload();
}

/* An event that the automaton does not name goes the way of else. */
static void test_other(void **state)
{
	load("event a = note \"a\"; event z = note \"z\"; property p { fsm { initial s { a -> s; else -> t; } accept t { a -> t; } "
	     "} }\n");
	expect("a z a", "? ? M M");
	expect("z z", "? M F");
	unload();
}

static void test_values(void **state)
{
	load("property p { ptltl: x * 2 == y && x / 2 >= -1 && f < z; }\n");
	expect("x=-2,y=-4,z=1 x=0x10,y=32 z=0.5,x=0,y=0 f=0.75", "T T T F");
	expect("f,z=1 - f=1", "F T F"); /* f is true at one position only; x == y == 0 */
	char *verdicts;
	struct norn_error err;
	assert_int_equal(norn_try_play(spec, property, "x=1e", &verdicts, &err), -EINVAL);
	assert_int_equal(norn_try_play(spec, property, "nobody", &verdicts, &err), -ENOENT);
	assert_non_null(strstr(err.message, "nobody"));
	unload();
	/* A name that is an operator stands in backquotes in the file, and may in steps. */
	load("property p { ltl: F `X`; }\n");
	expect("- `X`", "? ? T");
	expect("X", "? T");
	unload();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_life),
	        cmocka_unit_test(test_dead_and_error),
	        cmocka_unit_test(test_coinciding),
	        cmocka_unit_test(test_other),
	        cmocka_unit_test(test_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
