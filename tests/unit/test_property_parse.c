/* Parsing: what the tree holds, what is complained about and where, and that monsters are refused quickly. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "property_tree.h"

struct parse {
	struct norn_sources *sources;
	struct norn_tree *tree;
	const struct norn_diagnostic *diagnostics;
	uint32_t count, errors;
};

static void parse_bytes(struct parse *p, const char *text, size_t bytes)
{
	uint32_t file;
	p->sources = norn_sources_new();
	file = norn_sources_add(p->sources, "test.prop", text, bytes);
	p->tree = norn_tree_parse(p->sources, file);
	p->count = norn_diagnostics(p->sources, &p->diagnostics);
	p->errors = norn_diagnostics_errors(p->sources);
}

static void parse(struct parse *p, const char *text)
{
	parse_bytes(p, text, strlen(text));
}

static void done(struct parse *p)
{
	norn_tree_free(p->tree);
	norn_sources_free(p->sources);
}

/* A text without mistakes, and its tree. */
static const struct norn_decl *good(struct parse *p, const char *text)
{
	parse(p, text);
	if (p->errors) {
		norn_diagnostic_show(p->sources, p->diagnostics, false, stderr);
		fail_msg("there should be no mistake in %s", text);
	}
	return norn_tree_decls(p->tree);
}

static void same_tree(const char *a, const char *b)
{
	struct parse first, second;
	good(&first, a);
	good(&second, b);
	char *x = prop_tree_dump(first.tree), *y = prop_tree_dump(second.tree);
	if (strcmp(x, y) != 0)
		fail_msg("%s\nand\n%s\nare different:\n%s%s", a, b, x, y);
	free(x);
	free(y);
	done(&first);
	done(&second);
}

/* ---- trees ---- */

static void operators_bind_as_the_grammar_says(void **state)
{
	(void)state;
	static const char *const pairs[][2] = {
	        {"a <-> b <-> c", "(a <-> b) <-> c"},
	        {"a -> b -> c", "a -> (b -> c)"},
	        {"a <-> b -> c", "a <-> (b -> c)"},
	        {"a -> b <-> c", "(a -> b) <-> c"},
	        {"a xor b xor c -> d", "((a xor b) xor c) -> d"},
	        {"a || b && c", "a || (b && c)"},
	        {"a or b and c", "a || (b && c)"},
	        {"a && b U c && d", "(a && (b U c)) && d"},
	        {"a U b W c R d S e SW f", "a U (b W (c R (d S (e SW f))))"},
	        {"a until b unless c release d since e wsince f", "a U b W c R d S e SW f"},
	        {"a == b U c != d", "(a == b) U (c != d)"},
	        {"a = b", "a == b"},
	        {"a + b * c - d", "(a + (b * c)) - d"},
	        {"a - b - c", "(a - b) - c"},
	        {"a * b / c % d & e", "(((a * b) / c) % d) & e"},
	        {"G x == 0", "(G x) == 0"},
	        {"!a U b", "(!a) U b"},
	        {"! - ~ G F X WX prev once hist a", "!(-(~(G (F (X (WX (prev (once (hist a)))))))))"},
	        {"not always eventually next historically a", "! G F X hist a"},
	        {"forall j != i: t. a && b", "(forall j != i: t. a) && b"},
	        {"@j a == b", "(@j a) == b"},
	        {"[a -> b, c) weak && d", "([(a -> b), (c)) weak) && d"},
	        {"x -1", "x - 1"},
	        {"0x1F + 017 + 'a' + '\\n' + '\\'' + '\\x41' + 10uL", "31 + 15 + 97 + 10 + 39 + 65 + 10"},
	        {"18446744073709551615", "0xffffffffffffffff"},
	        {"`a` . `b`", "a.b"},
	        {"a /* b */ + // c\n d", "a + d"},
	        {"read (x)", "read(x)"},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		char *a = NULL, *b = NULL;
		assert_true(asprintf(&a, "pred p = %s;", pairs[i][0]) > 0 && asprintf(&b, "pred p = %s;", pairs[i][1]) > 0);
		same_tree(a, b);
		free(a);
		free(b);
	}
}

static void expressions_bind_as_the_grammar_says(void **state)
{
	(void)state;
	same_tree("property p { ere: a | b & c d* | e; }", "property p { ere: (a | (b & (c (d*)))) | e; }");
	same_tree("property p { ere: !a* ~b; }", "property p { ere: ((!a)*) (!b); }");
	same_tree("property p { forbid: a* b+ c? d{2} e{2,} f{2,3}; }",
	        "property p { forbid: a{0,} b{1,} c{0,1} d{2,2} e{2,} f{2 , 3}; }");
}

static void words_are_names_where_they_can_be(void **state)
{
	(void)state;
	struct parse p;
	good(&p, "var property = read;  event on = call call(if_, _) | lock lock | start start by by;\n"
	         "property ltl { per per; fsm { initial initial { on -> accept; } accept accept { else -> error; }\n"
	         "  error { else -> error; } } on state state: call call(start, end, read, all); }\n"
	         "scope scope sync on { local local for for keep: ltl F on; atom atom = all == none; check: ltl check; check all: "
	         "ltl G p; }\n"
	         "property m { mttl for for: t: x; }"
	         "pred w = a.next.X.or;");
	(void)p;
	done(&p);
}

static void names_and_places(void **state)
{
	(void)state;
	struct parse p;
	const struct norn_decl *decl = good(&p, "pred p = `X`.f[3][*] == \"d/f.c\"::fn::s;");
	const struct norn_form *eq = decl->form;
	assert_int_equal(eq->kind, NORN_FORM_EQ);
	assert_int_equal(eq->depth, 2);
	assert_string_equal(eq->a->lval->name.text, "X");
	const struct norn_step *step = eq->a->lval->steps;
	assert_string_equal(step->field.text, "f");
	assert_true(step->next->index && step->next->number == 3 && step->next->next->every && !step->next->next->next);
	assert_string_equal(eq->b->lval->file, "d/f.c");
	assert_string_equal(eq->b->lval->function.text, "fn");
	assert_string_equal(eq->b->lval->name.text, "s");
	assert_int_equal(eq->span.offset, 9);
	assert_int_equal(eq->span.length, 29);
	assert_int_equal(eq->b->span.offset, 24);
	done(&p);
}

static void spans_hold_their_parentheses(void **state)
{
	(void)state;
	struct parse p;
	const struct norn_decl *decl = good(&p, "pred p = (a -> b) && !(c);");
	assert_int_equal(decl->span.offset, 0);
	assert_int_equal(decl->span.length, 26);
	assert_int_equal(decl->form->span.offset, 9);
	assert_int_equal(decl->form->span.length, 16);
	assert_int_equal(decl->form->a->span.length, 8);
	assert_int_equal(decl->form->b->span.offset, 21);
	assert_int_equal(decl->form->b->span.length, 4);
	done(&p);
}

static void strings_have_escapes(void **state)
{
	(void)state;
	struct parse p;
	const struct norn_decl *decl = good(&p, "event e = note \"a\\n\\t\\\"\\\\\\x41\\102é\";");
	assert_string_equal(decl->selectors->note, "a\n\t\"\\ABé");
	done(&p);
}

static void an_mttl_head_may_have_a_type(void **state)
{
	(void)state;
	struct parse p;
	const struct norn_decl *decl = good(&p, "property p { mttl for i: worker: x; } property q { mttl for i: x; }");
	assert_string_equal(decl->logic.thread.text, "i");
	assert_string_equal(decl->logic.type.text, "worker");
	assert_string_equal(decl->logic.form->lval->name.text, "x");
	assert_null(decl->next->logic.type.text);
	done(&p);
}

/* ---- mistakes ---- */

struct mistake {
	const char *text;
	unsigned line, column;
	const char *message, *help; /* of the first diagnostic */
};

static const struct mistake mistakes[] = {
        {"var a = p->q;", 1, 10, "member access is always `.`", "write `.`, through pointers, too"},
        {"pred p = q->r;", 1, 10, "`->` is implication here",
                "member access is always `.`, through pointers, too; if an implication is meant, put spaces around `->`"},
        {"pred p = q->next == 0;", 1, 10, "`->` is implication here",
                "member access is always `.`, through pointers, too; if an implication is meant, put spaces around `->`"},
        {"pred p =\n X == 1;", 2, 4, "expected a formula, found `==`",
                "a C variable that is named like the operator X is written in backquotes: `X`"},
        {"pred p = 1 < U;", 1, 14, "expected a formula, found the reserved word `U`",
                "a C variable that is named like the operator U is written in backquotes: `U`"},
        {"event F = call f();", 1, 7, "expected a name for the event, found the reserved word `F`",
                "a name that is a reserved word is written in backquotes: `F`"},
        {"pred p = a &&& b;", 1, 12, "`&&&` is no operator here", "write `&&`"},
        {"pred p = a => b;", 1, 12, "`=>` is no operator here", "write `->`"},
        {"pred p = a ∧ b;", 1, 12, "`∧` is no operator here", "write `&&`"},
        {"pred p = a ^ b;", 1, 12, "`^` is no operator here", "write `xor`"},
        {"pred p = a | b;", 1, 12, "expected `;` after the predicate, or an operator, found `|`",
                "between formulas write `||`; `|` is for alternative events"},
        {"pred p = (a | b);", 1, 13, "expected `)` or an operator, found `|`",
                "between formulas write `||`; `|` is for alternative events"},
        {"pred p = a\npred q = b;", 1, 11, "`;` is missing after the predicate", "end the predicate with `;`"},
        {"property p { ltl: a }", 1, 20, "`;` is missing after the formula", "end the formula with `;`"},
        {"property p { ltl: a; on violation: report }", 1, 42, "`;` is missing after the handler", "end the handler with `;`"},
        {"property p { ptlt: a; }", 1, 14, "expected a logic, found `ptlt`", "did you mean `ptltl`?"},
        {"property p { xyzzyx: a; }", 1, 14, "expected a logic, found `xyzzyx`",
                "write one of `ptltl`, `ltl`, `ere`, `forbid`, `fsm`, `mttl`, `race`, `deadlock` and `atomic`"},
        {"propertty p { ltl: a; }", 1, 1, "expected a declaration, found `propertty`", "did you mean `property`?"},
        {"property p [predict mvc] { ltl: a; }", 1, 21, "expected `=` after the attribute, found `mvc`",
                "an attribute has a value, as in `predict=mvc`"},
        {"property p { ltl: a; on violaton: report; }", 1, 25, "expected an outcome after `on`, found `violaton`",
                "did you mean `violation`?"},
        {"property p { ltl: a; on violation: repotr; }", 1, 36, "expected an action, found `repotr`", "did you mean `report`?"},
        {"property p { ltl: a; ltl: b; }", 1, 22, "expected a handler or `}`, found `ltl`",
                "a property has one logic: make another property of this"},
        {"property p { ere: a; per k; }", 1, 22, "expected a handler or `}`, found `per`", "`per` stands before the logic"},
        {"property p { ltl: a; } ;", 1, 24, "expected a declaration, found `;`", "there is no `;` after a `}`"},
        {"property p { ltl a; }", 1, 18, "expected `:` after `ltl`, found `a`", NULL},
        {"property p { ere: a || b; }", 1, 21, "expected an event, found `||`",
                "in expressions over events it is a single `|` or `&`"},
        {"property p { ere: a{3,2}; }", 1, 21, "this repetition is at least 3 and at most 2", "the smaller number comes first"},
        {"property p { ere: a{b}; }", 1, 21, "expected a number of repetitions, found `b`",
                "a repetition is `{2}`, `{2,}` or `{2,5}`"},
        {"property p { ptltl: [a, b]; }", 1, 26, "expected `)` at the end of the interval, found `]`",
                "an interval ends with `)`: it is `[p, q)`"},
        {"property p { ltl: []a; }", 1, 19, "`[]` is no operator here", "write `G` for always"},
        {"property p { ltl: <>a; }", 1, 19, "`<>` is no operator here", "write `F`"},
        {"property p { ltl: G (a -> b; }", 1, 28, "expected `)` or an operator, found `;`", "there are more `(` than `)`"},
        {"property p { ltl: a untill b; }", 1, 21, "expected `;` after the formula, or an operator, found `untill`",
                "did you mean `until`?"},
        {"property p { ltl: a implies b; }", 1, 21, "expected `;` after the formula, or an operator, found `implies`",
                "did you mean `->`?"},
        {"property p { ptltl: start a; }", 1, 27, "expected `;` after the formula, or an operator, found `a`",
                "`start` needs parentheses: start(…)"},
        {"property p { ltl: a < b < c; }", 1, 25, "comparisons do not form chains", "write `a < b && b < c`"},
        {"property p { mttl i: a; }", 1, 19, "expected `for` after `mttl`, found `i`",
                "write `mttl for i: …`: i is the thread that is looked at"},
        {"scope s { check: ltl a; }", 1, 9, "expected `sync` after the scope's name, found `{`",
                "write `scope name sync event { … }`"},
        {"scope s sync e { check: ltl: a; }", 1, 28, "expected a formula, found `:`",
                "in a scope the formula follows without a `:`"},
        {"event e = cal f();", 1, 11, "expected a kind of event, found `cal`", "did you mean `call`?"},
        {"event e = call f() || call g();", 1, 20, "expected `;` after the event, found `||`", "between events it is a single `|`"},
        {"event e = call f;", 1, 17, "expected `(` after the function, found `;`", NULL},
        {"event e = note ping;", 1, 16, "expected what norn_event says, as a string, found `ping`", "write it in quotation marks"},
        {"thread t = spwan(f);", 1, 12, "expected a kind of threads, found `spwan`", "did you mean `spawn`?"},
        {"pred p == a;", 1, 8, "expected `=` after the name, found `==`", "declarations have a single `=`"},
        {"pred p = x[i];", 1, 12, "expected a number or `*` as the index, found `i`",
                "an index is a number, or `*` for every element"},
        {"pred p = \"abc;\n", 1, 10, "this string does not end", "a string ends with `\"` on the line where it begins"},
        {"pred p = a; /* b", 1, 13, "this comment does not end", "end it with `*/`"},
        {"event e = note \"a\\q\";", 1, 18, "there is no such escape in a string",
                "write \\n, \\t, \\\", \\\\, \\x41 or \\101; a backslash itself is \\\\, and there is no \\0"},
        {"pred p = 12ab;", 1, 10, "this is no number", "numbers are written as in C: 42, 0x2a, 052, 3.4, 'a'"},
        {"pred p = 18446744073709551616;", 1, 10, "this number does not fit in 64 bits", NULL},
        {"pred p = 'ab';", 1, 10, "this is no character constant",
                "a character constant is one ASCII character, as in 'a' or '\\n'; for others write the number"},
        {"pred p = `;", 1, 10, "this backquote does not enclose a name", "a name in backquotes is one C name, as in `X`"},
        {"pred p = é;", 1, 10, "there is no such character in the language",
                "a C name with letters beyond ASCII is written in backquotes"},
        {"pred p = a # b;", 1, 12, "there is no such character in the language", NULL},
        {"// é\npred p = ü->;", 2, 10, "there is no such character in the language",
                "a C name with letters beyond ASCII is written in backquotes"},
        {"include \"no-such-file\";", 1, 9, "cannot read no-such-file: No such file or directory",
                "the path of an include is relative to the file that includes it"},
        {"include \"/\";", 1, 9, "/ is no regular file", NULL},
        {"pred p = \xff;", 1, 10, "this byte (0xff) is not UTF-8", "property files are UTF-8 text"},
        {"pred p = a; // \xed\xa0\x80", 1, 16, "this byte (0xed) is not UTF-8", "property files are UTF-8 text"},
        {"property p {", 1, 13, "expected a logic, found the end of the file",
                "write one of `ptltl`, `ltl`, `ere`, `forbid`, `fsm`, `mttl`, `race`, `deadlock` and `atomic`"},
};

static void mistakes_are_told_where_they_are(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
		struct parse p;
		unsigned line, column;
		parse(&p, mistakes[i].text);
		if (!p.count)
			fail_msg("no diagnostic about %s", mistakes[i].text);
		assert_string_equal(p.diagnostics[0].message, mistakes[i].message);
		norn_sources_position(p.sources, p.diagnostics[0].span, &line, &column);
		if (line != mistakes[i].line || column != mistakes[i].column)
			fail_msg("%s: at %u:%u", mistakes[i].text, line, column);
		if (mistakes[i].help)
			assert_string_equal(p.diagnostics[0].help, mistakes[i].help);
		else
			assert_null(p.diagnostics[0].help);
		bool arrow = p.diagnostics[0].severity == NORN_SEVERITY_WARNING;
		if (p.count > 1 && !arrow)
			fail_msg("%s: one mistake, but then: %s", mistakes[i].text, p.diagnostics[1].message);
		done(&p);
	}
}

/* Mistakes in a file of several declarations: as many diagnostics, and all declarations without a mistake. */
static void parsing_goes_on_after_mistakes(void **state)
{
	(void)state;
	struct parse p;
	parse(&p, "pred a = ;\n"
	          "pred b = 1;\n"
	          "property c [predict mvc] { ltl: G ; on violaton: report; on violation: repot; }\n"
	          "property d { fsm { initial a { x > b; y -> ; z -> c; } b { else c; } } on match: report; }\n"
	          "ghost e = 0 { x y; y: ; z: 1; }\n"
	          "scope f sync s { local l: ltl a; atom = 3; check c: lt a; check d: ltl a; }\n"
	          "event g = call h()\n"
	          "event i = call j();\n"
	          "property k { ere: a b{2,x} c; on fail: report, rest; }\n"
	          "property l { ltl: a;\n"
	          "property m { ltl: a; }\n");
	static const unsigned lines[] = {1, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 6, 6, 7, 9, 9, 11};
	for (uint32_t i = 0; i < p.count; i++) {
		unsigned line, column;
		norn_sources_position(p.sources, p.diagnostics[i].span, &line, &column);
		if (i >= sizeof lines / sizeof *lines || line != lines[i])
			fail_msg("diagnostic %u: %u:%u: %s", i, line, column, p.diagnostics[i].message);
	}
	assert_int_equal(p.count, sizeof lines / sizeof *lines);
	static const char *const left[] = {"b", "g", "i", "m"};
	unsigned n = 0;
	for (const struct norn_decl *decl = norn_tree_decls(p.tree); decl; decl = decl->next, n++) {
		assert_true(n < sizeof left / sizeof *left);
		assert_string_equal(decl->name.text, left[n]);
	}
	assert_int_equal(n, sizeof left / sizeof *left);
	done(&p);
}

/* ---- includes ---- */

static void write_file(const char *directory, const char *name, const char *text)
{
	char path[200];
	snprintf(path, sizeof path, "%s/%s", directory, name);
	FILE *to = fopen(path, "w");
	assert_non_null(to);
	fputs(text, to);
	assert_int_equal(fclose(to), 0);
}

static void includes_are_relative_and_come_once(void **state)
{
	(void)state;
	char directory[] = "/tmp/norn-parse-XXXXXX", path[200];
	struct norn_sources *sources;
	struct norn_tree *tree;
	struct norn_error err = {0};
	const struct norn_diagnostic *diagnostics;
	uint32_t file;
	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof path, "%s/sub", directory);
	assert_int_equal(mkdir(path, 0700), 0);
	write_file(directory, "main.prop", "pred a = 1; include \"sub/x.prop\"; pred d = 1; include \"./sub/../sub/x.prop\";\n");
	write_file(directory, "sub/x.prop", "pred b = 1; include \"y.prop\"; include \"../main.prop\"; include \"gone.prop\";\n");
	write_file(directory, "sub/y.prop", "pred c = 1; include \"x.prop\"; pred = 1;\n");
	snprintf(path, sizeof path, "%s/main.prop", directory);
	sources = norn_sources_new();
	assert_int_equal(norn_sources_read(sources, path, &file, &err), 0);
	tree = norn_tree_parse(sources, file);
	char order[16] = "";
	for (const struct norn_decl *decl = norn_tree_decls(tree); decl; decl = decl->next)
		strcat(order, decl->kind == NORN_DECL_INCLUDE ? "+" : decl->name.text);
	assert_string_equal(order, "a+b+c+++d+");
	assert_int_equal(norn_diagnostics(sources, &diagnostics), 2);
	assert_non_null(strstr(norn_sources_name(sources, diagnostics[0].span.file), "sub/y.prop"));
	assert_non_null(strstr(diagnostics[1].message, "sub/gone.prop: No such file"));
	norn_tree_free(tree);
	norn_sources_free(sources);
	snprintf(path, sizeof path, "rm -r %s", directory);
	assert_int_equal(system(path), 0);
}

/* ---- monsters ---- */

/* before, then count times part, then after. */
static char *monster(const char *before, const char *part, size_t count, const char *after, size_t *ret_bytes)
{
	size_t bytes = strlen(part);
	char *text = malloc(strlen(before) + count * bytes + strlen(after) + 1), *to = text;
	assert_non_null(text);
	to = stpcpy(to, before);
	for (size_t i = 0; i < count; i++, to += bytes)
		memcpy(to, part, bytes);
	to = stpcpy(to, after);
	*ret_bytes = (size_t)(to - text);
	return text;
}

static void monsters_are_one_complaint(void **state)
{
	(void)state;
	static const struct {
		const char *before, *part, *after;
		size_t count;
	} monsters[] = {
	        {"pred a = ", "(", "", 100000},
	        {"pred a = ", "x && ", "x;", 1000000},
	        {"pred a = ", "x -> ", "x;", 1000000},
	        {"pred a = ", "x + y U x * ", "x;", 500000},
	        {"pred a = ", "!", "x;", 1000000},
	        {"pred a = ", "@j ", "x;", 1000000},
	        {"pred a = ", "forall j. ", "x;", 1000000},
	        {"pred a = ", "[x,", "x;", 100000},
	        {"pred a = ", "f(", "x;", 100000},
	        {"pred a = ", "start(", "x;", 100000},
	        {"property a { ltl: ", "(x -> ", "x; }", 100000},
	        {"property a { ere: ", "(", "x; }", 100000},
	        {"property a { ere: ", "(x | ", "x; }", 100000},
	        {"property a { ere: ", "!", "x; }", 1000000},
	        {"property a { ere: ", "x ", "; }", 1000000},
	        {"property a { ere: x", "*", "; }", 1000000},
	        {"property a { ere: ", "x |", "x; }", 1000000},
	        {"pred a = ", "\x01", ";", 10000000},
	        {"pred a = x; ", "\xff", "", 10000000},
	        {"pred a = \"", "xxxxxxxxxx", "", 1000000},
	        {"/*", " comment ", "", 1000000},
	        {"pred a = ", "9", ";", 10000000},
	        {"pred a = x", "[", ";", 10000000},
	        {"property a { fsm ", "{ s ", "", 1000000},
	};
	for (size_t i = 0; i < sizeof monsters / sizeof *monsters; i++) {
		struct parse p;
		size_t bytes;
		char *text = monster(monsters[i].before, monsters[i].part, monsters[i].count, monsters[i].after, &bytes);
		parse_bytes(&p, text, bytes);
		if (p.errors != 1)
			fail_msg("%s%s...: %u diagnostics", monsters[i].before, monsters[i].part, p.errors);
		done(&p);
		free(text);
	}
	struct parse p;
	parse_bytes(&p, "pred a = b;\n\0", 13);
	assert_int_equal(p.errors, 1);
	assert_string_equal(p.diagnostics[0].message, "there is a NUL byte in the file");
	done(&p);
}

/* Depth at the limit is fine, one more is not. */
static void depth_has_a_limit(void **state)
{
	(void)state;
	static const struct {
		const char *before, *part, *after, *closing;
	} kinds[] = {
	        {"pred a = ", "(", "x", ")"},
	        {"pred a = ", "!", "x", ""},
	        {"pred a = ", "x -> ", "x", ""},
	        {"pred a = ", "x - ", "x", ""},
	        {"pred a = ", "start(", "x", ")"},
	        {"pred a = ", "f(", "x", ")"},
	        {"pred a = ", "x - (", "x", ")"},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		for (size_t depth = NORN_DEPTH_MAX - 1; depth <= NORN_DEPTH_MAX + 1; depth += 2) {
			struct parse p;
			size_t bytes, more;
			char *head = monster(kinds[i].before, kinds[i].part, depth, kinds[i].after, &bytes);
			char *text = monster(head, kinds[i].closing, depth, ";", &more);
			parse_bytes(&p, text, more);
			assert_int_equal(p.errors, depth > NORN_DEPTH_MAX);
			if (depth < NORN_DEPTH_MAX && strcmp(kinds[i].part, "(") != 0)
				assert_int_equal(norn_tree_decls(p.tree)->form->depth, NORN_DEPTH_MAX);
			done(&p);
			free(head);
			free(text);
		}
}

/* Ten million bytes of all kinds take time in proportion, and memory that is bounded. */
static void long_files_are_parsed_in_linear_time(void **state)
{
	(void)state;
	static const char *const parts[] = {"pred aaaaaaaaaaaaaaaaaaaaaaaaaaaa = bbbbbbbbbbbbbbbbbbbbbbbbbbb && c;\n", "} ; ) x ",
	        "event lock lock ", "property p {", "// comment\n", "/**/", "pred a = \"", "event e(x) = call f(x) | "};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		clock_t taken[2];
		for (unsigned k = 0; k < 2; k++) {
			struct parse p;
			size_t bytes;
			char *text = monster("", parts[i], (k ? 4000000 : 1000000) / strlen(parts[i]), "", &bytes);
			clock_t start = clock();
			parse_bytes(&p, text, bytes);
			taken[k] = clock() - start;
			done(&p);
			free(text);
		}
		/* Four times as much; a quadratic parser would take 16 times as long. */
		if (taken[1] > 10 * taken[0] + CLOCKS_PER_SEC / 2)
			fail_msg("%s: %ld and %ld µs", parts[i], (long)taken[0], (long)taken[1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(operators_bind_as_the_grammar_says),
	        cmocka_unit_test(expressions_bind_as_the_grammar_says),
	        cmocka_unit_test(words_are_names_where_they_can_be),
	        cmocka_unit_test(names_and_places),
	        cmocka_unit_test(spans_hold_their_parentheses),
	        cmocka_unit_test(strings_have_escapes),
	        cmocka_unit_test(an_mttl_head_may_have_a_type),
	        cmocka_unit_test(mistakes_are_told_where_they_are),
	        cmocka_unit_test(parsing_goes_on_after_mistakes),
	        cmocka_unit_test(includes_are_relative_and_come_once),
	        cmocka_unit_test(monsters_are_one_complaint),
	        cmocka_unit_test(depth_has_a_limit),
	        cmocka_unit_test(long_files_are_parsed_in_linear_time),
	};
	return cmocka_run_group_tests_name("prop parse", tests, NULL, NULL);
}
