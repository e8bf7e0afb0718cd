/* The checker: what it accepts, what it complains about and where, and what it makes of formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "hand_program.h"
#include "prop/property.h"

struct checked {
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_spec *spec;
	char *complaints; /* "2:5 error: …; help: …\n" … */
};

static struct checked check_bytes(const char *text, size_t bytes, const struct norn_program *program)
{
	struct checked checked = {0};
	const struct norn_complaint *list;
	uint32_t file;
	size_t size;
	assert_int_equal(norn_sources_new(&checked.sources), 0);
	assert_int_equal(norn_sources_add(checked.sources, "t.prop", text, bytes, &file), 0);
	assert_int_equal(norn_tree_parse(checked.sources, file, &checked.tree), 0);
	assert_int_equal(norn_spec_check(checked.sources, checked.tree, program, &checked.spec), 0);
	FILE *f = open_memstream(&checked.complaints, &size);
	for (uint32_t i = 0, n = norn_complaints(checked.sources, &list); i < n; i++) {
		unsigned line, column;
		norn_sources_position(checked.sources, list[i].span, &line, &column);
		fprintf(f, "%u:%u %s: %s%s%s\n", line, column, list[i].severity == NORN_SEVERITY_ERROR ? "error" : "warning",
		        list[i].message, list[i].help ? "; " : "", list[i].help ? list[i].help : "");
	}
	fclose(f);
	return checked;
}

static struct checked check(const char *text, const struct norn_program *program)
{
	return check_bytes(text, strlen(text), program);
}

static void done(struct checked *checked)
{
	norn_spec_free(checked->spec);
	norn_tree_free(checked->tree);
	norn_sources_free(checked->sources);
	free(checked->complaints);
}

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
	struct checked checked = check(file, NULL);
	const struct norn_property *property = norn_spec_property(checked.spec, "p");
	assert_string_equal(checked.complaints, "");
	assert_non_null(property);
	char *is = lowered(property);
	assert_string_equal(is, expected);
	free(is);
	done(&checked);
}

static void test_worked_examples(void **state)
{
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_spec *spec;
	struct norn_error err;
	const struct norn_complaint *complaints;
	uint32_t file;
	assert_int_equal(norn_sources_new(&sources), 0);
	assert_int_equal(norn_sources_read(sources, NORN_TESTS "/prop/worked.prop", &file, &err), 0);
	assert_int_equal(norn_tree_parse(sources, file, &tree), 0);
	assert_int_equal(norn_spec_check(sources, tree, NULL, &spec), 0);
	assert_int_equal(norn_complaints(sources, &complaints), 0);
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_worked_examples), cmocka_unit_test(test_desugars)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
