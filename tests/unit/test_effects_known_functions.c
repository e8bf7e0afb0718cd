/* The table of functions without hooks: each lookup finds every row, and a row says what it means. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "effects/known_functions.c"

static void rows_are_in_order(void **state)
{
	(void)state;
	for (size_t i = 1; i < sizeof entries / sizeof *entries; i++)
		if (strcmp(entries[i - 1].name, entries[i].name) >= 0)
			fail_msg("%s stands after %s", entries[i].name, entries[i - 1].name);
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
		assert_ptr_equal(find(entries[i].name), &entries[i]);
}

/* Of a function that only calls of one type are known of, it is lent memory by such a call. */
static void types_agree(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		const struct entry *e = &entries[i];
		char type[64] = "";
		assert_true((e->known & CLASS) < NORN_KNOWN_FUNCTION_CLASSES);
		assert_true((e->known & CLASS) != OPAQUE || e->lends);
		if (!e->lends)
			continue;
		strncat(type, e->lends, strcspn(e->lends, " "));
		if (e->types && !is_one_of(type, e->types))
			fail_msg("%s is lent memory by %s, known as %s", e->name, type, e->types);
		assert_string_equal(norn_known_function_lends(e->name, type), e->lends + strlen(type) + 1);
		assert_null(norn_known_function_lends(e->name, "v?"));
	}
}

static void rows_say_what_they_mean(void **state)
{
	(void)state;
	assert_string_equal(norn_known_function_lends("read", "lipl"), "w1b:r");
	assert_null(norn_known_function_lends("read", "lip"));
	assert_null(norn_known_function_lends("of nobody", "v"));
	assert_int_equal(norn_known_function_find("strlen", NULL), NORN_KNOWN_FUNCTION_OPAQUE);
	assert_int_equal(norn_known_function_find("clock_gettime", NULL), NORN_KNOWN_FUNCTION_ORDERED);
	assert_true(norn_known_function_only_writes("clock_gettime"));
	assert_false(norn_known_function_only_writes("mktime"));
	assert_true(norn_known_function_waits("pthread_mutex_lock"));
	assert_false(norn_known_function_waits("pthread_mutex_trylock"));
	assert_false(norn_known_function_waits(NULL));
	assert_true(norn_known_function_calls_back("qsort"));
	assert_true(norn_known_function_calls_back("bsearch"));
	assert_false(norn_known_function_calls_back("strchr"));
	assert_false(norn_known_function_calls_back(NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(rows_are_in_order),
	        cmocka_unit_test(types_agree),
	        cmocka_unit_test(rows_say_what_they_mean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
