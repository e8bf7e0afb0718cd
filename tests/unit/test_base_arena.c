#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"

static void test_pieces(void **state)
{
	struct norn_arena arena = {0};
	unsigned char *pieces[3000];
	for (size_t i = 0; i < 3000; i++) {
		pieces[i] = norn_arena_alloc(&arena, i);
		assert_non_null(pieces[i]);
		assert_int_equal((uintptr_t)pieces[i] % alignof(max_align_t), 0);
		for (size_t j = 0; j < i; j++)
			assert_int_equal(pieces[i][j], 0);
		memset(pieces[i], (int)(i & 255), i);
	}
	for (size_t i = 0; i < 3000; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_equal(pieces[i][j], i & 255);
	norn_arena_done(&arena);
	assert_null(arena.chunks);
}

static void test_text(void **state)
{
	struct norn_arena arena = {0};
	assert_string_equal(norn_arena_text(&arena, "radio tower", 5), "radio");
	assert_string_equal(norn_arena_text(&arena, NULL, 0), "");
	assert_non_null(norn_arena_alloc(&arena, 1 << 20));
	assert_null(norn_arena_alloc(&arena, SIZE_MAX - 8));
	norn_arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_pieces), cmocka_unit_test(test_text)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
