/* What the checker makes of properties: nodes, atoms, places, selectors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "checked.h"

/* ---- formulas as text: what was lowered, with shared nodes written out ---- */

static void write_node(FILE *f, const struct norn_property *property, uint32_t index)
{
	static const char *const words[] = {"true", "false", "", "!", "&", "|", "prev", "start", "end", "once", "hist", "S", "SW",
	        "[)", "[)w", "X", "WX", "U", "R"};
	const struct norn_node *node = &property->nodes[index];
	assert_true(index == 0 || node->op == NORN_OP_ATOM || node->a < index);
	switch (node->op) {
	case NORN_OP_TRUE:
	case NORN_OP_FALSE:
		fputs(words[node->op], f);
		return;
	case NORN_OP_ATOM:
		fprintf(f, "{%s}", property->atoms[node->a].text);
		return;
	default:
		fprintf(f, "%s(", words[node->op]);
		write_node(f, property, node->a);
		if (node->op == NORN_OP_AND || node->op == NORN_OP_OR ||
		        (node->op >= NORN_OP_SINCE && node->op <= NORN_OP_WEAK_INTERVAL) || node->op >= NORN_OP_UNTIL) {
			assert_true(node->b < index);
			fputs(", ", f);
			write_node(f, property, node->b);
		}
		fputc(')', f);
	}
}

static char *lowered(const struct norn_property *property)
{
	char *text;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	write_node(f, property, property->node_count - 1);
	fclose(f);
	return text;
}

static void lowers_to(const char *logic, const char *text, const char *expected)
{
	char file[1024];
	snprintf(file, sizeof file, "event e = note \"e\"; event f(c, d) = call g(c, d);\nproperty p { %s: %s; }", logic, text);
	struct checked checked = check_text(file, NULL);
	const struct norn_property *property = norn_spec_property(checked.spec, "p");
	assert_string_equal(checked.diagnostics, "");
	assert_non_null(property);
	char *is = lowered(property);
	assert_string_equal(is, expected);
	free(is);
	check_done(&checked);
}

static void test_worked_examples(void **state)
{
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_spec *spec;
	struct norn_error err;
	const struct norn_diagnostic *diagnostics;
	uint32_t file;
	sources = norn_sources_new();
	assert_int_equal(norn_sources_read(sources, NORN_TESTS "/prop/worked.prop", &file, &err), 0);
	tree = norn_tree_parse(sources, file);
	spec = norn_spec_check(sources, tree, NULL);
	assert_int_equal(norn_diagnostics(sources, &diagnostics), 0);
	assert_int_equal(spec->property_count, 12);
	assert_int_equal(spec->scope_count, 1);
	assert_null(norn_spec_property(spec, "res"));
	const struct norn_property *landing = norn_spec_property(spec, "landing");
	assert_true(landing->states);
	assert_int_equal(landing->predict, NORN_PREDICT_MVC);
	assert_int_equal(landing->handler_count, 1);
	assert_int_equal(landing->handlers[0].action_count, 2);
	norn_spec_free(spec);
	norn_tree_free(tree);
	norn_sources_free(sources);
}

static void test_desugars(void **state)
{
	lowers_to("ptltl", "start(landing == 1) -> [start(approved == 1), radio == 0)",
	        "|(!(start({landing == 1})), [)(start({approved == 1}), {radio == 0}))");
	lowers_to("ltl", "G p", "R(false, {p})");
	lowers_to("ltl", "F p", "U(true, {p})");
	lowers_to("ltl", "!e W p", "R({p}, |(!({e}), {p}))");
	lowers_to("ltl", "WX p", "WX({p})");
	lowers_to("ptltl", "p xor q", "|(&({p}, !({q})), &({q}, !({p})))");
	lowers_to("ptltl", "p <-> q", "|(&({p}, {q}), &(!({p}), !({q})))");
}

static void test_folds(void **state)
{
	lowers_to("ptltl", "p && (1 < 2) && !(3 == 4) || false", "{p}");
	lowers_to("ptltl", "!!p && p && 2 * 3 - 6 == 0", "{p}");
	lowers_to("ptltl", "prev true && hist p && (p S true) && once q", "&(hist({p}), once({q}))");
	lowers_to("ptltl", "(false SW p) && (true S q)", "&({p}, once({q}))");
	lowers_to("ptltl", "(p SW false) || [p, false)", "|(hist({p}), once({p}))");
	lowers_to("ptltl", "[true, p) || [false, q)", "!({p})");
	lowers_to("ptltl", "[false, p) weak && p S q", "&(hist(!({p})), S({p}, {q}))");
	lowers_to("ptltl", "p && (end(true) || start(1))  || q", "{q}");
	lowers_to("ltl", "(false U p) && (true R q) && (p U true)", "&({p}, {q})");
	lowers_to("ltl", "X true || WX false", "|(X(true), WX(false))");
	lowers_to("ltl", "p || X false", "{p}");
}

static void test_canonical_atoms(void **state)
{
	lowers_to("ptltl", "0 < x", "{x > 0}");
	lowers_to("ptltl", "x >= 5", "!({x < 5})");
	lowers_to("ptltl", "5 <= x && 5 > x || y", "{y}"); /* x < 5 and its negation */
	lowers_to("ptltl", "x <= 5", "!({x > 5})");
	lowers_to("ptltl", "x = 1 && 1 == x && !(x != 1)", "{x == 1}");
	lowers_to("ptltl", "x < y && y > x", "{x < y}");
	lowers_to("ptltl", "x != y -> y == x", "{x == y}");
	lowers_to("ptltl", "1 + x == y && y == x + 1", "{y == x + 1}");
	lowers_to("ptltl", "x - (y - 1) == (x + y) * 2", "{x - (y - 1) == (x + y) * 2}");
	lowers_to("ptltl", "x & 4 && -x < ~y", "&({x & 4}, {-x < ~y})");
	lowers_to("ptltl", "x == 0xffffffffffffffff", "{x == 18446744073709551615}");
	lowers_to("ptltl", "x == -1 + 0", "{x == -1}");
	lowers_to("ptltl", "f(5, _) && f(2 + 3, _) && f(_, _) && f(x, 1)", "&(&({f(5, _)}, {f}), {f(x, 1)})");
}

static void test_shares(void **state)
{
	struct checked checked = check_text("property p { ptltl: once (x == 1) && prev once (1 == x); }"
	                                    "property q { ptltl: c || (a && prev b) && prev (prev b && a); }",
	        NULL);
	const struct norn_property *p = norn_spec_property(checked.spec, "p"), *q = norn_spec_property(checked.spec, "q");
	assert_int_equal(p->atom_count, 1);
	assert_int_equal(p->node_count, 4); /* atom, once, prev, && */
	assert_int_equal(q->atom_count, 3);
	assert_int_equal(q->node_count, 8); /* c, a, b, prev b, &&, prev, &&, || */
	assert_int_equal(q->nodes[7].op, NORN_OP_OR);
	check_done(&checked);
}

/* Atoms that folding made superfluous are gone, and the others have their numbers. */
static void test_drops_atoms(void **state)
{
	struct checked checked = check_text(
	        "property p { ptltl: (x && false) || y; } event e = note \"e\"; property q { ltl: e || (z && false); }", NULL);
	const struct norn_property *p = norn_spec_property(checked.spec, "p"), *q = norn_spec_property(checked.spec, "q");
	assert_int_equal(p->atom_count, 1);
	assert_string_equal(p->atoms[0].text, "y");
	assert_int_equal(p->nodes[0].a, 0);
	assert_true(p->states);
	assert_int_equal(q->atom_count, 1);
	assert_false(q->states);
	check_done(&checked);
}

static void test_rex(void **state)
{
	struct checked checked =
	        check_text("event a = note \"a\"; event b = note \"b\"; property p { forbid: !(a b{2,} | .) & a?; }", NULL);
	const struct norn_property *p = norn_spec_property(checked.spec, "p");
	assert_int_equal(p->atom_count, 2);
	assert_int_equal(p->logic, NORN_LOGIC_FORBID);
	const struct norn_rnode *root = &p->rnodes[p->rnode_count - 1];
	assert_int_equal(root->kind, NORN_REX_AND);
	for (uint32_t i = 0; i < p->rnode_count; i++) {
		assert_true(p->rnodes[i].kind == NORN_REX_EVENT || p->rnodes[i].kind == NORN_REX_ANY || p->rnodes[i].a < i);
		assert_true(p->rnodes[i].kind < NORN_REX_CAT || p->rnodes[i].b < i);
	}
	const struct norn_rnode *maybe = &p->rnodes[root->b];
	assert_int_equal(maybe->kind, NORN_REX_REPEAT);
	assert_int_equal(maybe->least, 0);
	assert_int_equal(maybe->most, 1);
	assert_int_equal(p->rnodes[maybe->a].a, 0);
	check_done(&checked);
}

static void test_fsm(void **state)
{
	struct checked checked = check_text(
	        "event a = note \"a\"; event b = note \"b\"; event c = note \"c\";"
	        "property p { fsm { x { b, c -> y; } initial accept y { a -> x; else -> z; } error z { } } on state z: report; }",
	        NULL);
	const struct norn_property *p = norn_spec_property(checked.spec, "p");
	assert_int_equal(p->fsm_count, 3);
	assert_int_equal(p->fsm_initial, 1);
	assert_int_equal(p->atom_count, 3); /* b c a */
	assert_string_equal(p->atoms[2].text, "a");
	const uint32_t expected[3][3] = {{1, 1, NORN_FSM_DEAD}, {2, 2, 0}, {NORN_FSM_DEAD, NORN_FSM_DEAD, NORN_FSM_DEAD}};
	for (int i = 0; i < 3; i++)
		assert_memory_equal(p->fsm[i].targets, expected[i], sizeof expected[i]);
	assert_true(p->fsm[1].accept && !p->fsm[1].error && p->fsm[2].error);
	assert_int_equal(p->handlers[0].state, 2);
	check_done(&checked);
}

static void test_selectors(void **state)
{
	struct checked checked = check_text("thread t = main | spawn(g);"
	                                    "event e(c, d) = call f(_, d, c, ...) | return f(d, x) -> c if x < c by t;"
	                                    "event s = start t | exit h | unlock m;",
	        NULL);
	const struct norn_checked_event *e = &checked.spec->events[0], *s = &checked.spec->events[1];
	assert_string_equal(checked.diagnostics, "");
	assert_int_equal(e->parameter_count, 2);
	assert_int_equal(e->selectors[0].slot_count, 3);
	assert_int_equal(e->selectors[0].slots[0], NORN_SLOT_NONE);
	assert_int_equal(e->selectors[0].slots[1], 1);
	assert_int_equal(e->selectors[0].slots[2], 0);
	assert_true(e->selectors[0].more);
	assert_int_equal(e->selectors[0].result, NORN_SLOT_NONE);
	assert_int_equal(e->selectors[0].thread_type, NORN_SLOT_NONE);
	const struct norn_checked_selector *r = &e->selectors[1];
	assert_int_equal(r->slots[0], 1);
	assert_int_equal(r->slots[1], 2);
	assert_int_equal(r->result, 0);
	assert_int_equal(r->slots_total, 3);
	assert_int_equal(r->thread_type, 0);
	assert_int_equal(r->condition->op, NORN_EXPR_LT);
	assert_int_equal(r->condition->a->index, 2);
	assert_int_equal(r->condition->b->index, 0);
	assert_int_equal(s->selectors[0].thread_type, 0);
	assert_null(s->selectors[0].function);
	assert_string_equal(s->selectors[1].function, "h");
	assert_int_equal(checked.spec->places[s->selectors[2].place].kind, NORN_PLACE_FREE);
	check_done(&checked);
}

static const struct norn_place *place_called(const struct checked *checked, const char *text)
{
	for (uint32_t i = 0; i < checked->spec->place_count; i++)
		if (strcmp(checked->spec->places[i].text, text) == 0)
			return &checked->spec->places[i];
	fail_msg("no place %s", text);
	return NULL;
}

static void test_places(void **state)
{
	struct checked checked =
	        check_text("lock m = mutex_pointer; var r = radio; event l = lock m;"
	                   "property p { ltl: bank[2].limits.max && first.next.balance && first[2].balance && bank[1].open && r && "
	                   "radio && phase; }"
	                   "property q { race on bank[*].balance, struct acct.limits.max, struct acct.balance, first.history[*]; }",
	                hand_program());
	assert_string_equal(checked.diagnostics, "");
	const struct norn_place *place = place_called(&checked, "bank[2].limits.max");
	assert_int_equal(place->kind, NORN_PLACE_OBJECT);
	assert_int_equal(place->hops, 1);
	assert_int_equal(place->offsets[0], 2 * 48 + 20);
	assert_int_equal(place->size, 4);
	place = place_called(&checked, "first.next.balance");
	assert_int_equal(place->hops, 3);
	assert_int_equal(place->offsets[0], 0);
	assert_int_equal(place->offsets[1], 8);
	assert_int_equal(place->offsets[2], 0);
	place = place_called(&checked, "first[2].balance");
	assert_int_equal(place->hops, 2);
	assert_int_equal(place->offsets[1], 96);
	place = place_called(&checked, "bank[1].open");
	assert_int_equal(place->offsets[0], 48 + 24);
	assert_int_equal(place->bit_offset, 3);
	assert_int_equal(place->bit_size, 2);
	place = place_called(&checked, "r");
	assert_string_equal(place->base->name, "radio");
	assert_int_equal(norn_spec_property(checked.spec, "p")->atom_count, 6); /* r is radio */
	assert_int_equal(place_called(&checked, "phase")->kind, NORN_PLACE_SET);
	place = place_called(&checked, "m");
	assert_int_equal(place->hops, 2); /* what the pointer points to */
	assert_int_equal(place->size, 40);
	place = place_called(&checked, "bank[*].balance");
	assert_int_equal(place->cell_step, 48);
	assert_int_equal(place->count, 10);
	place = place_called(&checked, "struct acct.limits.max");
	assert_int_equal(place->kind, NORN_PLACE_FIELD);
	assert_string_equal(place->field, "limits.max"); /* as sites name it: from the innermost tag */
	assert_string_equal(place_called(&checked, "struct acct.balance")->field, "acct.balance");
	place = place_called(&checked, "first.history[*]");
	assert_int_equal(place->hops, 2);
	assert_int_equal(place->offsets[1], 28);
	assert_int_equal(place->cell_step, 4);
	assert_int_equal(place->count, 4);
	check_done(&checked);
}

/* A float is never negated: !(a < b) is not a >= b if one is no number. */
static void test_floats(void **state)
{
	struct checked checked =
	        check_text("property p { ptltl: speed >= 2 && speed <= 3 && speed == speed && landing >= 2; }", hand_program());
	const struct norn_property *p = norn_spec_property(checked.spec, "p");
	assert_string_equal(checked.diagnostics, "");
	assert_int_equal(p->atom_count, 4);
	assert_int_equal(p->atoms[0].predicate->op, NORN_EXPR_LE);
	assert_int_equal(p->atoms[0].predicate->a->op, NORN_EXPR_INT);
	assert_string_equal(p->atoms[0].text, "speed >= 2");
	assert_int_equal(p->atoms[1].predicate->op, NORN_EXPR_LE);
	assert_int_equal(p->atoms[1].predicate->a->op, NORN_EXPR_PLACE);
	assert_string_equal(p->atoms[2].text, "speed == speed");
	assert_int_equal(p->atoms[3].predicate->op, NORN_EXPR_LT);
	check_done(&checked);
}

static void test_coincidence(void **state)
{
	struct checked checked =
	        check_text("event c1 = call f(...); event c2 = call f(_); event c3 = call g(); event r = return f(...);"
	                   "event w = write x; event a = read y; event l1 = lock m; event l2 = lock n; event u = unlock m;"
	                   "event n1 = note \"n\"; event n2 = note \"o\"; event s = start h; event m = write z | call f(_);"
	                   "thread t = main; event st = start t;",
	                NULL);
	static const char *const together[] = {"c1 c2", "w a", "l1 l2", "m c1", "m c2", "m w", "m a", "s st"};
	const struct norn_spec *spec = checked.spec;
	for (uint32_t i = 0; i < spec->event_count; i++)
		for (uint32_t k = 0; k < spec->event_count; k++) {
			bool expected = i == k;
			for (size_t j = 0; j < sizeof together / sizeof *together; j++) {
				char first[16], second[16];
				snprintf(first, sizeof first, "%s %s", spec->events[i].name, spec->events[k].name);
				snprintf(second, sizeof second, "%s %s", spec->events[k].name, spec->events[i].name);
				expected |= strcmp(together[j], first) == 0 || strcmp(together[j], second) == 0;
			}
			if (norn_events_may_coincide(spec, i, k) != expected)
				fail_msg("%s and %s", spec->events[i].name, spec->events[k].name);
		}
	check_done(&checked);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_worked_examples),
	        cmocka_unit_test(test_desugars),
	        cmocka_unit_test(test_folds),
	        cmocka_unit_test(test_canonical_atoms),
	        cmocka_unit_test(test_shares),
	        cmocka_unit_test(test_drops_atoms),
	        cmocka_unit_test(test_rex),
	        cmocka_unit_test(test_fsm),
	        cmocka_unit_test(test_selectors),
	        cmocka_unit_test(test_places),
	        cmocka_unit_test(test_floats),
	        cmocka_unit_test(test_coincidence),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
