/* Effects: what entries say, and what is wrong with those that cannot be understood. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "effects/effects_image.h"
#include "effects/effects_parse.h"
#include "effects/user_model.h"

static struct norn_effects_list list;

static const struct norn_effects *parse(const char *text)
{
	struct norn_error err;
	norn_effects_list_done(&list);
	list = (struct norn_effects_list){0};
	if (norn_effects_parse(text, "t", &list, &err) != 0)
		fail_msg("%u: %s", err.line, err.message);
	return list.entries.items;
}

static void parts_are_understood(void **state)
{
	(void)state;
	const struct norn_effects *e =
	        parse("char *f(const char *s, size_t *n, int c, char to[4], double d, ... more) : reads s[text max c];\n"
	              "\twrites *s[*n], result[text] if result != 0; may update to[c*n*4]; reads more[struct tm]  # why\n");
	assert_string_equal(e->type, "pppipd...");
	assert_string_equal(e->reason, "why");
	assert_int_equal(e->part_count, 5);
	assert_int_equal(e->parts[0].how, NORN_EFFECTS_READS);
	assert_int_equal(e->parts[0].extent, NORN_EFFECTS_TEXT);
	assert_int_equal(e->parts[0].limit, 2);
	assert_true(e->parts[1].behind);
	assert_int_equal(e->parts[1].limit, 1);
	assert_int_equal(e->parts[1].limit_behind, 8);
	assert_int_equal(e->parts[2].pointer, NORN_EFFECTS_RESULT);
	assert_int_equal(e->parts[2].condition, NORN_EFFECTS_IF_NOT);
	assert_int_equal(e->parts[2].subject, NORN_EFFECTS_RESULT);
	assert_true(e->parts[3].maybe);
	assert_int_equal(e->parts[3].how, NORN_EFFECTS_READS | NORN_EFFECTS_WRITES);
	assert_int_equal(e->parts[3].limit, 2);
	assert_int_equal(e->parts[3].times, 1);
	assert_int_equal(e->parts[3].bytes, 4);
	assert_int_equal(e->parts[4].pointer, 5);
	assert_int_equal(e->parts[4].bytes, 56);
	e = parse("int f(int fd, int (*g)(int, int), socklen_t *n) : hooked memory; updates descriptors[fd]; reads "
	          "streams[stdout]; calls g; "
	          "reads g[*n]; keeps n; frees n; waits lock, time; errno; reads global environ[8], *global environ[texts]; "
	          "allocates\n");
	assert_string_equal(e->type, "iipp");
	assert_int_equal(e->flags, NORN_EFFECTS_HOOKED | NORN_EFFECTS_HOOKED_MEMORY | NORN_EFFECTS_ERRNO | NORN_EFFECTS_ALLOCATES);
	assert_int_equal(e->uses[0].key, 0);
	assert_int_equal(e->uses[1].key, NORN_EFFECTS_GLOBAL);
	assert_string_equal(e->uses[1].global, "stdout");
	assert_int_equal(e->writes, 1u << NORN_EFFECTS_DESCRIPTORS);
	assert_int_equal(e->reads, 1u << NORN_EFFECTS_DESCRIPTORS | 1u << NORN_EFFECTS_STREAMS);
	assert_int_equal(e->calls, 2);
	assert_int_equal(e->keeps, 4);
	assert_int_equal(e->frees, 4);
	assert_int_equal(e->waits, NORN_EFFECTS_WAITS_LOCK | NORN_EFFECTS_WAITS_TIME);
	assert_int_equal(e->parts[0].limit_behind, 4);
	assert_string_equal(e->parts[1].global, "environ");
	assert_true(e->parts[2].behind);
	e = parse("char *cat(char *to, const char *s) : reads to[text], s[text]; writes to[text from end]\n"
	          "int cmp(const char *a, const char *b, size_t n) : reads a[nocase like b max n], b[bytes until n max n]\n"
	          "int p(int fd, const char *f, ...) : format f\n"
	          "int v(const char *f, va_list l) : scan f from l\n");
	assert_int_equal(e[0].parts[2].after, 1);
	assert_int_equal(e[1].parts[0].extent, NORN_EFFECTS_SAME_CASE);
	assert_int_equal(e[1].parts[0].other, 1);
	assert_int_equal(e[1].parts[1].extent, NORN_EFFECTS_UNTIL_BYTES);
	assert_int_equal(e[2].parts[0].other, 2);
	assert_false(e[2].parts[0].list);
	assert_int_equal(e[3].parts[0].extent, NORN_EFFECTS_SCAN);
	assert_true(e[3].parts[0].list);
}

static void others_are_shared(void **state)
{
	(void)state;
	const struct norn_effects *e =
	        parse("void *copy(void *to, const void *from, size_t n) : reads from[n]; writes to[n] # why\n"
	              "copy_chk, copy2 = copy\n"
	              "void *__copy_chk(size_t room, void *to, const void *from, size_t n) = copy\n"
	              "int mine(const char *s) = strlen\n"
	              "real root~(real x) : errno\n");
	assert_int_equal(list.entries.count, 5 + 8);
	assert_string_equal(e[2].name, "copy2");
	assert_string_equal(e[2].type, "pppl");
	assert_string_equal(e[2].reason, "why");
	assert_string_equal(e[3].type, "plppl");
	assert_int_equal(e[3].parts[0].pointer, 2);
	assert_int_equal(e[4].parts[0].extent, NORN_EFFECTS_TEXT); /* of Norn's own table */
	assert_string_equal(e[6].name, "rootf");
	assert_string_equal(e[6].type, "ff");
	assert_string_equal(e[7].type, "xx");
	assert_string_equal(e[10].name, "rootf128");
}

/* As reports print them. */
static void names_of_cxx_are_names(void **state)
{
	(void)state;
	static const char *const text = "std::__ostream_insert<char, std::char_traits<char> > pure\n"
	                                "ns::box<int>::~box : nothing\n"
	                                "ns::box<int>::operator=  ordered\n"
	                                "operator* output # both\n"
	                                "(anonymous namespace)::do_* : adds files; errno\n"
	                                "main::(lambda at x.cc:3:4)::operator() pure\n"
	                                "ns::f: updates statics\n";
	static const struct {
		const char *name;
		uint32_t writes, adds;
		uint16_t flags;
	} expected[] = {{"std::__ostream_insert<char, std::char_traits<char> >", 0, 0, 0}, {"ns::box<int>::~box", 0, 0, 0},
	        {"ns::box<int>::operator=", 1u << NORN_EFFECTS_STATICS, 0, 0}, {"operator*", 0, 1u << NORN_EFFECTS_FILES, 0},
	        {"(anonymous namespace)::do_", 0, 1u << NORN_EFFECTS_FILES, NORN_EFFECTS_PREFIX | NORN_EFFECTS_ERRNO},
	        {"main::(lambda at x.cc:3:4)::operator()", 0, 0, 0}, {"ns::f", 1u << NORN_EFFECTS_STATICS, 0, 0}};
	struct norn_effects_list l = {0};
	struct norn_error err = {0};
	if (norn_effects_parse(text, "t", &l, &err) != 0)
		fail_msg("%s", err.message);
	assert_int_equal(l.entries.count, sizeof expected / sizeof *expected);
	for (uint32_t i = 0; i < l.entries.count; i++) {
		assert_string_equal(l.entries.items[i].name, expected[i].name);
		assert_null(l.entries.items[i].type);
		assert_int_equal(l.entries.items[i].writes, expected[i].writes);
		assert_int_equal(l.entries.items[i].adds, expected[i].adds);
		assert_int_equal(l.entries.items[i].flags, expected[i].flags);
	}
	norn_effects_list_done(&l);
}

static void mistakes_are_named(void **state)
{
	(void)state;
	static const struct {
		const char *text, *part;
		unsigned line;
	} bad[] = {{"int f(int x) : reads y[4]", "\"y\" is neither an argument nor a resource", 1},
	        {"\nint f(int x) : reads envronment", "did you mean \"environment\"", 2},
	        {"int f(foo_t x) : nothing", "the type \"foo_t\" is not known", 1},
	        {"int f(char *s) : reads s[struct nix]", "the size of \"struct nix\" is not known", 1},
	        {"int f(char *s) : reads s", "\"[\" is missing", 1},
	        {"int f(char *s) : mangles s", "\"mangles s\" is no effect", 1},
	        {"int f(char *s) : adds s[4]", "only resources can be added to", 1},
	        {"int f(char *s) : format s", "a format needs", 1}, {"int f(char *) : nothing", "an argument has no name", 1},
	        {"int f(int clock) : nothing", "cannot be called clock", 1}, {"f = g", "there is no entry \"g\"", 1},
	        {"int f(char *s) : writes s[4] if result > 0", "a condition is", 1},
	        {"int f(int x) : waits rain", "not \"rain\"", 1},
	        {"int f(char *s) : writes s[text from end]", "\"from end\" needs", 1},
	        {"int f(int x) : nothing errno", "\";\" is missing", 1}, {"ns::f pear", "pear is no class", 1}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct norn_effects_list l = {0};
		struct norn_error err = {0};
		assert_int_equal(norn_effects_parse(bad[i].text, "t", &l, &err), -EINVAL);
		if (!strstr(err.message, bad[i].part))
			fail_msg("\"%s\" does not say \"%s\"", err.message, bad[i].part);
		assert_int_equal(err.line, bad[i].line);
		norn_effects_list_done(&l);
	}
}

static void the_table_is_found(void **state)
{
	(void)state;
	for (unsigned i = 0; i < norn_effects_table_count; i++) {
		const struct norn_effects *e = norn_effects_table + i;
		assert_true(i == 0 || strcmp(e[-1].name, e->name) <= 0);
		assert_ptr_equal(norn_effects_find(e->name, e->type), e);
	}
	assert_null(norn_effects_find("log", "vp...")); /* not libm's */
	assert_true(norn_effects_is_pure(norn_effects_find("log", "dd")));
	assert_true(norn_effects_find("log", "dd")->flags & NORN_EFFECTS_ERRNO);
	assert_false(norn_effects_is_pure(norn_effects_find("rand", NULL)));
	assert_null(norn_effects_find("of nobody", NULL));
	assert_null(norn_effects_find(NULL, NULL));
	for (unsigned i = 0; i < NORN_EFFECTS_RESOURCES; i++)
		assert_true(strlen(norn_effects_resource_text(i)) > 10);
}

static int call(const struct norn_effects_model *model, const char *name)
{
	return (int)norn_effects_model_call(norn_effects_model_find(model, name));
}

static void models_have_entries(void **state)
{
	(void)state;
	struct norn_effects_model *model;
	struct norn_error err;
	const char *text =
	        "log_* : adds files\nint hash(const char *s) : reads s[text]\ncache : updates statics\nlog_x pure\n  y output\n";
	assert_int_equal(norn_effects_model_parse(text, "m", &model, &err), 0);
	assert_int_equal(norn_effects_model_find(model, "log_line")->adds, 1u << NORN_EFFECTS_FILES);
	assert_int_equal(norn_effects_model_find(model, "hash")->part_count, 1);
	assert_null(norn_effects_model_find(model, "hash2"));
	assert_null(norn_effects_model_find(NULL, "hash"));
	assert_int_equal(call(model, "log_line"), NORN_EFFECTS_CALL_HARMLESS);
	assert_int_equal(call(model, "log_x"), NORN_EFFECTS_CALL_HARMLESS);
	assert_int_equal(call(model, "y"), NORN_EFFECTS_CALL_HARMLESS);
	assert_int_equal(call(model, "cache"), NORN_EFFECTS_CALL_ORDERED);
	assert_int_equal(call(model, "hash"), NORN_EFFECTS_CALL_OPAQUE); /* its reads were not recorded */
	norn_effects_model_free(model);
}

/* The image of one entry, and its only row. */
static const struct norn_effects_row *row_of(const char *text, struct norn_effects_image **ret_image)
{
	parse(text);
	*ret_image = norn_effects_image_make(list.entries.items, list.entries.count, false);
	assert_int_equal((*ret_image)->rows, list.entries.count);
	return norn_effects_image_rows(*ret_image);
}

static void images_hold_what_the_runtime_records(void **state)
{
	(void)state;
	struct norn_effects_image *image;
	const struct norn_effects_row *r = row_of(
	        "int f(int *to, const char *from, void *o) : writes to[4] if result == 0; reads from[text]; updates object[o]",
	        &image);
	const struct norn_effects_row_part *p = norn_effects_image_parts(image) + r->parts;
	assert_string_equal(norn_effects_image_text(image, r->name), "f");
	assert_string_equal(norn_effects_image_text(image, r->type), "ippp");
	assert_int_equal(r->part_count, 2);
	assert_int_equal(p[0].bytes, 4);
	assert_int_equal(p[0].condition, NORN_EFFECTS_IF_IS);
	assert_int_equal(p[1].extent, NORN_EFFECTS_TEXT);
	assert_int_equal(r->object_count, 1);
	assert_int_equal(r->objects[0], 2 | NORN_EFFECTS_OBJECT_CHANGES);
	assert_int_equal(r->flags, NORN_EFFECTS_ROW_READS | NORN_EFFECTS_ROW_CAREFUL);
	assert_int_equal(r->looks | r->changes, 0);
	free(image);
}

/* What the runtime could not record makes a call opaque. */
static void images_are_careful(void **state)
{
	static const char *const opaque[] = {"int f(int *p) : may write p[4]", "int f(void *p) : reads p[whole]",
	        "int f(char *p) : keeps p", "int f(int (*g)(int)) : calls g", "int f(char **p) : reads *p[text]",
	        "int f(const char *s, ...) : scan s", "int f(void) : reads global optind[4]", "int f(void) : waits lock",
	        "int f(void) : writes locale", "int f(void) : updates object", "int f(void) : opaque"};
	static const char *const known[] = {"int f(int *p) : may read p[4]", "int f(char *p) : frees p; reads p[whole]",
	        "int f(const char *s, ...) : format s", "int f(void) : waits time", "int f(void) : waits lock; updates statics",
	        "char **f(void) : writes *result[text]", "int f(int fd) : reads object[fd]"};
	struct norn_effects_image *image;
	(void)state;
	for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
		if (!(row_of(opaque[i], &image)->flags & NORN_EFFECTS_ROW_OPAQUE))
			fail_msg("%s", opaque[i]);
		free(image);
	}
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		if (row_of(known[i], &image)->flags & NORN_EFFECTS_ROW_OPAQUE)
			fail_msg("%s", known[i]);
		free(image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(images_hold_what_the_runtime_records),
	        cmocka_unit_test(images_are_careful),
	        cmocka_unit_test(parts_are_understood),
	        cmocka_unit_test(others_are_shared),
	        cmocka_unit_test(names_of_cxx_are_names),
	        cmocka_unit_test(mistakes_are_named),
	        cmocka_unit_test(the_table_is_found),
	        cmocka_unit_test(models_have_entries),
	};
	int r = cmocka_run_group_tests(tests, NULL, NULL);
	norn_effects_list_done(&list);
	return r;
}
