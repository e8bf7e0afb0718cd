/* The program that is looked at is this one, as it runs: what the file says must be what memory has. */
#include <dlfcn.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "program/program.h"
#include "trace/site.h"

struct pair {
	int first;
	union {
		long second;
		struct {
			short low, high;
		};
	};
};

struct table {
	struct norn_site_table head;
	struct norn_site site;
	char strings[16];
};

/* The pass emits such tables; here are two, with what a linker may leave between them. */
#define TABLE(function)                                                                                                            \
	{                                                                                                                          \
	        .head = {.magic = NORN_SITE_MAGIC,                                                                                 \
	                .version = NORN_SITE_VERSION,                                                                              \
	                .level = NORN_INSTRUMENT_LEVEL_SHARED,                                                                     \
	                .sites = 1,                                                                                                \
	                .strings = 16},                                                                                            \
	        .site = {.kind = NORN_SITE_ENTER, .name = 1},                                                                      \
	        .strings = "\0" function,                                                                                          \
	}
__attribute__((section("norn_sites"), used, no_sanitize("address"))) static const struct table tables[] = {
        TABLE("test_places"), TABLE("elsewhere")};

__attribute__((used)) int seen = 41;
__attribute__((used)) static int *const pointers[2] = {&seen, NULL};
__attribute__((used)) static struct pair pairs[3] = {{1, {2}}, {3, {4}}, {-5, {-6}}};
__attribute__((used)) static char blank[100];
__attribute__((used)) _Thread_local long own = 17;

static struct norn_program *read_self(void)
{
	struct norn_program *program;
	struct norn_error err = {.message = ""};
	Dl_info info;
	program = norn_program_new();
	assert_int_equal(norn_program_add(program, "/proc/self/exe", 0, &err), 0);
	assert_true(dladdr(tables, &info));
	norn_program_set_load(program, 0, (uintptr_t)info.dli_fbase);
	return program;
}

static const struct norn_symbol *find(const struct norn_program *program, const char *name, const char *file)
{
	size_t cursor = 0;
	const struct norn_symbol *symbol = norn_program_symbol(program, false, name, file, NULL, &cursor);
	assert_non_null(symbol);
	assert_null(norn_program_symbol(program, false, name, file, NULL, &cursor));
	return symbol;
}

static void assert_in_memory(const struct norn_program *program, const char *name, const void *memory, size_t size)
{
	unsigned char bytes[256];
	const struct norn_symbol *symbol = find(program, name, "test_program.c");
	assert_true(size <= sizeof bytes);
	assert_int_equal(symbol->address + norn_program_bias(program, 0), (uintptr_t)memory);
	assert_int_equal(symbol->size, size);
	assert_int_equal(norn_program_initial(program, 0, symbol->address, bytes, size), 0);
	assert_memory_equal(bytes, memory, size);
	/* Any part of it, too: relocated words are not always asked for whole. */
	for (size_t at = 0; at < size; at++) {
		assert_int_equal(norn_program_initial(program, 0, symbol->address + at, bytes, size - at < 3 ? size - at : 3), 0);
		assert_memory_equal(bytes, (const unsigned char *)memory + at, size - at < 3 ? size - at : 3);
	}
}

static void test_places(void **state)
{
	struct norn_program *program = read_self();
	assert_in_memory(program, "seen", &seen, sizeof seen);
	assert_in_memory(program, "pointers", pointers, sizeof pointers);
	assert_in_memory(program, "pairs", pairs, sizeof pairs);
	assert_in_memory(program, "blank", blank, sizeof blank);
	long value = 0;
	const struct norn_symbol *symbol = find(program, "own", NULL);
	assert_true(symbol->is_thread_local);
	assert_int_equal(norn_program_initial_tls(program, 0, symbol->address, &value, sizeof value), 0);
	assert_int_equal(value, 17);
	assert_int_equal(norn_program_initial_tls(program, 0, UINT64_MAX - 3, &value, sizeof value), -ENOENT);
	assert_int_equal(norn_program_initial(program, 0, UINT64_MAX - 3, &value, sizeof value), -ENOENT);
	assert_int_equal(norn_program_initial(program, 7, find(program, "seen", NULL)->address, &value, 4), -ENOENT);
	norn_program_free(program);
}

static void test_types(void **state)
{
	struct norn_program *program = read_self();
	if (!norn_program_has_types(program, 0)) {
		norn_program_free(program);
		skip(); /* built without -g */
	}
	const struct norn_type *type = find(program, "pairs", NULL)->type;
	uint64_t offset = 99;
	assert_int_equal(type->kind, NORN_TYPE_ARRAY);
	assert_int_equal(type->count, 3);
	assert_string_equal(type->target->name, "pair");
	assert_ptr_equal(type->target, norn_program_tag(program, false, "pair"));
	const struct norn_member *member = norn_type_member(type->target, "high", &offset);
	assert_non_null(member);
	assert_int_equal(member->type->kind, NORN_TYPE_SIGNED);
	assert_int_equal(offset, offsetof(struct pair, high));
	assert_null(norn_type_member(type->target, "", &offset));
	assert_null(norn_type_member(type, "first", &offset));
	assert_string_equal(norn_type_nearest_member(type->target, "hgih"), "high");
	assert_null(norn_type_nearest_member(type, "first"));
	size_t cursor = 0;
	const struct norn_symbol *function = norn_program_symbol(program, true, "test_places", NULL, NULL, &cursor);
	assert_non_null(function);
	assert_true(function->instrumented && function->is_static);
	assert_int_equal(function->type->member_count, 1);
	assert_string_equal(function->type->members[0].name, "state");
	assert_string_equal(function->type->members[0].type->name, "void **");
	norn_program_free(program);
}

static void test_sites(void **state)
{
	struct norn_program *program = read_self();
	struct table copy[2];
	memset(copy, 0xee, sizeof copy);
	for (int i = 0; i < 2; i++) {
		copy[0] = tables[i];
		assert_true(norn_program_matches_sites(program, 0, copy, sizeof copy[0]));
		assert_true(norn_program_matches_sites(program, 0, copy, sizeof copy)); /* a tail is no part of it */
		assert_false(norn_program_matches_sites(program, 0, copy, sizeof copy[0] - 1));
		assert_false(norn_program_matches_sites(program, 1, copy, sizeof copy[0]));
	}
	for (size_t at = 0; at < sizeof copy[0]; at++) {
		copy[0] = tables[0];
		((unsigned char *)copy)[at] ^= 1;
		assert_false(norn_program_matches_sites(program, 0, copy, sizeof copy[0]));
	}
	norn_program_free(program);
}

static void test_names(void **state)
{
	struct norn_program *program = read_self();
	assert_int_equal(norn_program_modules(program), 1);
	assert_string_equal(norn_program_path(program, 0), "/proc/self/exe");
	assert_null(norn_program_path(program, 1));
	assert_false(norn_program_has_set(program, "speed"));
	norn_program_add_set(program, "speed");
	norn_program_add_set(program, "speed");
	assert_true(norn_program_has_set(program, "speed"));
	assert_false(norn_program_has_set(program, "spee"));
	assert_string_equal(norn_program_nearest(program, false, "poniters"), "pointers");
	assert_string_equal(norn_program_nearest(program, true, "test_place"), "test_places");
	norn_program_free(program);
	norn_program_free(NULL);
}

static void test_refusals(void **state)
{
	struct norn_program *program;
	struct norn_error err = {.message = ""};
	program = norn_program_new();
	assert_int_equal(norn_program_add(program, "/nonexistent/program", 0, &err), -ENOENT);
	assert_non_null(strstr(err.message, "/nonexistent/program"));
	assert_int_equal(norn_program_add(program, "/", 0, NULL), -EINVAL);
	assert_int_equal(norn_program_add(program, "/proc/self/status", 0, &err), -ENOEXEC);
	assert_int_equal(norn_program_modules(program), 0);
	size_t cursor = 0;
	assert_null(norn_program_symbol(program, false, "x", NULL, NULL, &cursor));
	assert_null(norn_program_nearest(program, false, "x"));
	assert_null(norn_program_nearest_tag(program, "x"));
	assert_null(norn_program_tag(program, false, "x"));
	norn_program_free(program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_places),
	        cmocka_unit_test(test_types),
	        cmocka_unit_test(test_sites),
	        cmocka_unit_test(test_names),
	        cmocka_unit_test(test_refusals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
