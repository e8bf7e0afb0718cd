/* Printing and formatting: what is printed parses back to the same tree, with no parenthesis too many; formatting keeps trees and
 * comments, and changes nothing the second time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "property_tree.h"
#include "records.h"

static struct norn_sources *sources_of(const char *text, uint32_t *file)
{
	struct norn_sources *sources;
	sources = norn_sources_new();
	*file = norn_sources_add(sources, "test.prop", text, strlen(text));
	return sources;
}

/* The dump of a text's tree, NULL if there are errors in it. */
static char *parsed(const char *text, bool must)
{
	struct norn_tree *tree;
	uint32_t file;
	struct norn_sources *sources = sources_of(text, &file);
	tree = norn_tree_parse(sources, file);
	const struct norn_diagnostic *diagnostics;
	bool good = norn_diagnostics_errors(sources) == 0;
	if (!good && must) {
		norn_diagnostics(sources, &diagnostics);
		norn_diagnostic_show(sources, diagnostics, false, stderr);
		fail_msg("cannot parse: %.2000s", text);
	}
	char *dump = good ? prop_tree_dump(tree) : NULL;
	norn_tree_free(tree);
	norn_sources_free(sources);
	return dump;
}

static char *formatted(const char *text)
{
	uint32_t file;
	char *result;
	struct norn_error err = {0};
	struct norn_sources *sources = sources_of(text, &file);
	if (norn_tree_format(sources, file, &result, &err) != 0)
		fail_msg("%s: %.2000s", err.message, text);
	norn_sources_free(sources);
	return result;
}

/* Formats, and checks that the tree is the same and that formatting again changes nothing. */
static char *formats_well(const char *text)
{
	char *once = formatted(text), *twice = formatted(once), *before = parsed(text, true), *after = parsed(once, true);
	assert_string_equal(before, after);
	assert_string_equal(once, twice);
	free(twice);
	free(before);
	free(after);
	return once;
}

/* ---- random trees ---- */

static const char *const names[] = {"a", "b", "radio", "X", "G", "WX", "start", "end", "read", "count", "size", "next", "weak",
        "fresh", "until", "if", "else", "true", "struct", "not", "é", "_", "$1"};

struct maker {
	struct norn_arena arena;
	uint64_t seed;
};

static const char *any_name(struct maker *m)
{
	return names[random_below(&m->seed, sizeof names / sizeof *names)];
}

static struct norn_lval *random_lval(struct maker *m)
{
	struct norn_lval *lval = norn_arena_alloc(&m->arena, sizeof *lval);
	struct norn_step **end = &lval->steps;
	lval->name.text = any_name(m);
	if (random_below(&m->seed, 8) == 0)
		lval->file = random_below(&m->seed, 2) ? "dir/f.c" : "a \"b\"\\\n.c";
	if (random_below(&m->seed, 8) == 0) {
		lval->tagged = true;
		lval->is_union = random_below(&m->seed, 2);
	}
	if (random_below(&m->seed, 8) == 0)
		lval->function.text = any_name(m);
	while (random_below(&m->seed, 4) == 0) {
		struct norn_step *step = norn_arena_alloc(&m->arena, sizeof *step);
		unsigned kind = (unsigned)random_below(&m->seed, 3);
		step->index = kind > 0;
		step->every = kind == 1;
		step->number = kind == 2 ? random_value(&m->seed) : 0;
		step->field.text = kind == 0 ? any_name(m) : NULL;
		*end = step;
		end = &step->next;
	}
	return lval;
}

static struct norn_form *random_form(struct maker *m, unsigned size)
{
	struct norn_form *form = norn_arena_alloc(&m->arena, sizeof *form), **end = &form->arguments;
	double real;
	form->kind = random_below(&m->seed, size <= 1 ? NORN_FORM_NOT : NORN_FORM_KINDS);
	switch (form->kind) {
	case NORN_FORM_INT:
		form->number = random_value(&m->seed);
		return form;
	case NORN_FORM_REAL:
		real = (double)random_value(&m->seed) / (double)(1 + random_below(&m->seed, 1000));
		memcpy(&form->number, &real, sizeof real);
		return form;
	case NORN_FORM_TEXT:
		form->text = random_below(&m->seed, 2) ? "bad" : "a \"b\"\\\n";
		return form;
	case NORN_FORM_TRUE:
	case NORN_FORM_FALSE:
		return form;
	case NORN_FORM_NAME:
		form->lval = random_lval(m);
		form->called = random_below(&m->seed, 2);
		for (unsigned i = (unsigned)random_below(&m->seed, 3); form->called && i && size > 1; i--) {
			*end = random_form(m, size / 3);
			end = &(*end)->next;
		}
		return form;
	case NORN_FORM_ACCESS:
		form->word = NORN_WORD_READ + random_below(&m->seed, 3);
		form->lval = random_lval(m);
		return form;
	case NORN_FORM_COUNT:
		form->word = NORN_WORD_ALL + random_below(&m->seed, 5);
		form->name.text = any_name(m);
		form->other.text = form->word == NORN_WORD_COUNT && random_below(&m->seed, 2) ? any_name(m) : NULL;
		return form;
	case NORN_FORM_FORALL:
	case NORN_FORM_EXISTS:
		form->other.text = random_below(&m->seed, 2) ? any_name(m) : NULL;
		form->type.text = random_below(&m->seed, 2) ? any_name(m) : NULL;
		/* fall through */
	case NORN_FORM_AT:
		form->name.text = any_name(m);
		break;
	default:
		break;
	}
	form->a = random_form(m, form->kind < NORN_FORM_INTERVAL ? size - 1 : size / 2);
	if (form->kind >= NORN_FORM_INTERVAL)
		form->b = random_form(m, size / 2);
	return form;
}

static struct norn_rex *random_rex(struct maker *m, unsigned size)
{
	struct norn_rex *rex = norn_arena_alloc(&m->arena, sizeof *rex);
	rex->kind = random_below(&m->seed, size <= 1 ? NORN_REX_NOT : NORN_REX_OR + 1);
	if (rex->kind == NORN_REX_EVENT)
		rex->event.text = any_name(m);
	if (rex->kind < NORN_REX_NOT)
		return rex;
	rex->a = random_rex(m, rex->kind < NORN_REX_CAT ? size - 1 : size / 2);
	if (rex->kind >= NORN_REX_CAT)
		rex->b = random_rex(m, size / 2);
	if (rex->kind == NORN_REX_REPEAT) {
		rex->least = (uint32_t)random_below(&m->seed, 3);
		rex->most = random_below(&m->seed, 2) ? NORN_REX_UNBOUNDED : rex->least + (uint32_t)random_below(&m->seed, 3);
	}
	return rex;
}

/* A file around a text, whose dump must hold the dump of what the text was made of. */
static void parses_back(const char *file, const char *expected)
{
	char *dump = parsed(file, true);
	if (!strstr(dump, expected))
		fail_msg("another tree came back of %.2000s", file);
	free(dump);
}

/* Takes away each pair of parentheses in turn: that must be noticed. */
static void needs_its_parentheses(char *text, const char *expected)
{
	for (char *open = text; *open; open++) {
		if (*open == '"') /* a file's name; escaped ones are in it */
			while (*++open != '"')
				open += *open == '\\';
		if (*open != '(')
			continue;
		char *close = open;
		for (unsigned depth = 0;; close++) {
			depth += *close == '(' || *close == '[';
			depth -= *close == ')' || *close == ']';
			if (!depth)
				break;
		}
		*open = *close = ' ';
		char *dump = parsed(text, false);
		if (dump && strstr(dump, expected))
			fail_msg("needless parentheses at %.40s in %.2000s", open, text);
		free(dump);
		*open = '(';
		*close = ')';
	}
}

static bool simple_brackets(const char *text)
{
	return !strchr(text, '['); /* an interval's brackets do not match */
}

static void formulas_come_back(void **state)
{
	(void)state;
	struct maker m = {.seed = 4711};
	for (unsigned i = 0; i < 6000; i++) {
		struct norn_form *form = random_form(&m, 1 + (unsigned)random_below(&m.seed, 40));
		char *text = norn_form_text(form), *dump = prop_tree_dump_form(form), *file;
		assert_true(asprintf(&file, "pred p = %s;", text) > 0);
		parses_back(file, dump);
		if (i % 4 == 0 && simple_brackets(text))
			needs_its_parentheses(file, dump);
		free(formats_well(file));
		free(file);
		free(dump);
		free(text);
		norn_arena_done(&m.arena);
	}
}

static void expressions_come_back(void **state)
{
	(void)state;
	struct maker m = {.seed = 815};
	for (unsigned i = 0; i < 6000; i++) {
		struct norn_rex *rex = random_rex(&m, 1 + (unsigned)random_below(&m.seed, 60));
		char *text = norn_rex_text(rex), *dump = prop_tree_dump_rex(rex), *file;
		assert_true(asprintf(&file, "property p { ere: %s; }", text) > 0);
		parses_back(file, dump);
		if (i % 4 == 0)
			needs_its_parentheses(file, dump);
		free(formats_well(file));
		free(file);
		free(dump);
		free(text);
		norn_arena_done(&m.arena);
	}
}

/* Deep trees at the limit are printed, and come back. */
static void the_deepest_formula_comes_back(void **state)
{
	(void)state;
	struct maker m = {.seed = 1};
	struct norn_form *form = random_form(&m, 1);
	for (unsigned i = 1; i < NORN_DEPTH_MAX; i++) {
		struct norn_form *node = norn_arena_alloc(&m.arena, sizeof *node);
		node->kind = NORN_FORM_SUB;
		node->a = random_form(&m, 1);
		node->b = form;
		form = node;
	}
	char *text = norn_form_text(form), *dump = prop_tree_dump_form(form), *file;
	assert_true(asprintf(&file, "pred p = %s;", text) > 0);
	parses_back(file, dump);
	free(formats_well(file));
	free(file);
	free(dump);
	free(text);
	norn_arena_done(&m.arena);
}

/* ---- formatting ---- */

static char *read_file(const char *path)
{
	struct norn_sources *sources;
	struct norn_error err = {0};
	uint32_t file;
	sources = norn_sources_new();
	if (norn_sources_read(sources, path, &file, &err) != 0)
		fail_msg("%s", err.message);
	char *text = strdup(norn_sources_text(sources, file, NULL));
	norn_sources_free(sources);
	return text;
}

static void worked_examples_are_formatted(void **state)
{
	(void)state;
	char *text = read_file(NORN_TESTS "/prop/worked.prop"), *expected = read_file(NORN_TESTS "/prop/worked.formatted");
	char *result = formats_well(text);
	assert_string_equal(result, expected);
	free(result);
	free(expected);
	free(text);
}

static unsigned occurrences(const char *text, const char *part)
{
	unsigned count = 0;
	for (; (text = strstr(text, part)); text++)
		count++;
	return count;
}

/* Comments, line breaks and spaces thrown in wherever a space may stand. */
static void comments_are_kept_wherever_they_stand(void **state)
{
	(void)state;
	static const char *const fillers[] = {
	        " ", "\n", "\n\n\n", "\t", " /*c*/ ", "/*c*/", " //c\n", "\n//c\n", "\n/*c\n  c2 */\n", " //c   \r\n"};
	char *text = read_file(NORN_TESTS "/prop/worked.formatted");
	uint64_t seed = 77;
	for (unsigned round = 0; round < 60; round++) {
		char *mixed = calloc(strlen(text) * 20 + 1, 1), *to = mixed;
		unsigned comments = 0;
		bool in_comment = false, in_string = false;
		for (const char *from = text; *from; from++) {
			in_comment = (in_comment || strncmp(from, "//", 2) == 0) && *from != '\n';
			in_string ^= *from == '"' && !in_comment;
			if ((*from == ' ' || *from == '\t') && !in_comment && !in_string && random_below(&seed, 3) == 0) {
				const char *filler = fillers[random_below(&seed, sizeof fillers / sizeof *fillers)];
				comments += !!strchr(filler, 'c');
				to = stpcpy(to, filler);
			} else {
				*to++ = *from;
			}
		}
		unsigned before = occurrences(mixed, "/*c") + occurrences(mixed, "//c");
		assert_int_equal(before, comments);
		char *result = formats_well(mixed);
		assert_int_equal(occurrences(result, "/*c") + occurrences(result, "//c"), comments);
		assert_null(strstr(result, " \n"));
		free(result);
		free(mixed);
	}
	free(text);
}

static void layout(void **state)
{
	(void)state;
	static const struct {
		const char *text, *expected;
	} vectors[] = {
	        {"", ""},
	        {"\n\n  // only a comment  ", "// only a comment\n"},
	        {"pred a=b;", "pred a = b;\n"},
	        {"\n\npred a=b;\n\n\n\npred c=d;pred e=f;", "pred a = b;\n\npred c = d;\npred e = f;\n"},
	        {"pred a = - x - -1 * ~ y+!z . next [ 3 ] [*];", "pred a = -x - -1 * ~y + !z.next[3][*];\n"},
	        {"pred a = not b and G(c)or f ( x ,y )&&@j(q)||[p,q)weak;",
	                "pred a = not b and G (c) or f(x, y) && @j (q) || [p, q) weak;\n"},
	        {"var v=\"f.c\" :: fn::s . x;", "var v = \"f.c\"::fn::s.x;\n"},
	        {"property p [ a = 1 , b=c ]{forbid:!( a|b c ){2 , 3}* . & ~d;}",
	                "property p [a=1, b=c] { forbid: !(a | b c){2,3}* . & ~d; }\n"},
	        {"property p{ltl:a; // why\n}", "property p {\n\tltl: a; // why\n}\n"},
	        {"property p{\n\n// what\n\nltl:a;\n\n}", "property p {\n\t// what\n\n\tltl: a;\n}\n"},
	        {"pred a = b /* inside */ && c; /* behind */ /* again */\n// own\n",
	                "pred a = b /* inside */ && c; /* behind */ /* again */\n// own\n"},
	        {"\xef\xbb\xbfpred a = b;", "pred a = b;\n"},
	        {"event e = call aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(_) | return bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(_, x) -> r if x > 0 "
	         "by t;",
	                "event e = call aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa(_)\n"
	                "\t| return bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb(_, x) -> r if x > 0 by t;\n"},
	        {"property p { race on aaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb, cccccccccccccccccccccccc, "
	         "ddddddddddddd; }",
	                "property p {\n\trace on aaaaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb,\n"
	                "\t\tcccccccccccccccccccccccc, ddddddddddddd;\n}\n"},
	};
	for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
		char *result = formats_well(vectors[i].text);
		assert_string_equal(result, vectors[i].expected);
		free(result);
	}
}

static void a_file_with_mistakes_is_not_formatted(void **state)
{
	(void)state;
	uint32_t file;
	char *text = NULL;
	struct norn_error err = {0};
	struct norn_sources *sources = sources_of("pred a = ;", &file);
	assert_int_equal(norn_tree_format(sources, file, &text, &err), -22);
	assert_string_equal(err.message, "test.prop has mistakes, and cannot be formatted");
	assert_null(text);
	assert_int_equal(norn_diagnostics_errors(sources), 0);
	norn_sources_free(sources);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(formulas_come_back),
	        cmocka_unit_test(expressions_come_back),
	        cmocka_unit_test(the_deepest_formula_comes_back),
	        cmocka_unit_test(worked_examples_are_formatted),
	        cmocka_unit_test(comments_are_kept_wherever_they_stand),
	        cmocka_unit_test(layout),
	        cmocka_unit_test(a_file_with_mistakes_is_not_formatted),
	};
	return cmocka_run_group_tests_name("prop print", tests, NULL, NULL);
}
