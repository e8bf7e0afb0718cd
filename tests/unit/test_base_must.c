#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"

#if !__has_feature(address_sanitizer) /* which does not return NULL for such sizes */
static void too_much(void)
{
	norn_must_calloc(SIZE_MAX / 4, 8);
}

static void too_many(void)
{
	norn_must_alloc(SIZE_MAX / 2, 3); /* the product overflows */
}
#endif

static void too_long(void)
{
	NORN_VECTOR(uint64_t) v = {0};
	norn_must_reserve(&v, UINT64_C(1) << 32);
}

static void too_large_for_an_arena(void)
{
	struct norn_arena arena = {0};
	norn_must_arena_alloc(&arena, SIZE_MAX - 8);
}

/* Ends with one line and status 2? */
static void ends(void (*action)(void))
{
	int ends[2], status;
	char said[256];
	assert_int_equal(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		action();
		_exit(0);
	}
	close(ends[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	ssize_t n = read(ends[0], said, sizeof said - 1);
	close(ends[0]);
	assert_true(n > 0);
	said[n] = 0;
	assert_non_null(strstr(said, "norn: there is not enough memory\n"));
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
}

static void lack_of_memory_ends_the_process(void **state)
{
	ends(norn_out_of_memory);
	ends(too_long);
	ends(too_large_for_an_arena);
#if !__has_feature(address_sanitizer)
	ends(too_much);
	ends(too_many);
#endif
}

static void copies(void **state)
{
	uint32_t numbers[] = {1, 2, 3};
	uint32_t *copy = norn_must_copy(numbers, 3, sizeof *numbers);
	assert_memory_equal(copy, numbers, sizeof numbers);
	void *nothing = norn_must_copy(NULL, 0, 4), *also_nothing = norn_must_calloc(0, 0);
	char *text = norn_must_text("abc"), *part = norn_must_text_n("abc", 2), *formatted = norn_must_format("%s-%d", "x", 7);
	assert_non_null(nothing);
	assert_non_null(also_nothing);
	assert_string_equal(text, "abc");
	assert_string_equal(part, "ab");
	assert_string_equal(formatted, "x-7");
	assert_null(norn_must_text(NULL));
	free(copy);
	free(nothing);
	free(also_nothing);
	free(text);
	free(part);
	free(formatted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(lack_of_memory_ends_the_process), cmocka_unit_test(copies)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
