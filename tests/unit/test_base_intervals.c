#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/intervals.h"
#include "base/page_set.h"
#include "records.h"

enum { SPACE = 300 };

static void agree_with_a_plain_array(void **state)
{
	(void)state;
	struct norn_intervals t = {0};
	uint32_t expected[SPACE] = {0};
	uint64_t seed = 4;
	for (uint32_t i = 1; i < 20000; i++) {
		uint64_t from = random_below(&seed, SPACE), to = from + random_below(&seed, i % 7 ? 9 : SPACE);
		to = to > SPACE ? SPACE : to;
		norn_intervals_set(&t, from, to, i);
		for (uint64_t a = from; a < to; a++)
			expected[a] = i;
		for (uint64_t a = 0; a < SPACE; a += 1 + i % 5)
			assert_int_equal(norn_intervals_get(&t, a), expected[a]);
	}
	/* One after the other they are what was set, without overlaps. */
	struct norn_interval at;
	uint64_t next = 0;
	for (uint64_t a = 0; norn_intervals_after(&t, a, &at); a = at.to) {
		assert_true(at.from >= next && at.to > at.from);
		next = at.to;
		for (uint64_t k = at.from; k < at.to; k++)
			assert_int_equal(expected[k], at.value);
	}
	assert_int_equal(next, SPACE);
	norn_intervals_done(&t);
}

static void what_is_covered_takes_no_room(void **state)
{
	(void)state;
	struct norn_intervals t = {0};
	for (uint32_t round = 1; round < 50; round++) {
		for (uint32_t i = 0; i < 1000; i++)
			norn_intervals_set(&t, i * 16, i * 16 + 8, round);
		norn_intervals_set(&t, 0, 16000, round);
	}
	assert_in_range(norn_intervals_bytes(&t), 1, 100000);
	norn_intervals_done(&t);
}

static void finds_the_next_page(void **state)
{
	(void)state;
	enum { PAGES = 20000 };
	static uint8_t there[PAGES];
	struct norn_page_set p;
	uint64_t seed = 5;
	norn_page_set_init(&p);
	for (unsigned i = 0; i < 60; i++) {
		uint64_t page = random_below(&seed, i % 3 ? PAGES : 700);
		there[page] = 1;
		norn_page_set_add(&p, page);
	}
	for (uint64_t page = 0; page < PAGES; page += 1 + page % 3)
		for (uint64_t end = page; end <= PAGES; end += 1 + PAGES / 2) {
			uint64_t next = page;
			while (next < end && !there[next])
				next++;
			assert_int_equal(norn_page_set_next(&p, page, end), next);
		}
	/* The next one may be as far as numbers go. */
	const uint64_t far = UINT64_MAX - 1;
	assert_int_equal(norn_page_set_next(&p, PAGES, UINT64_MAX), UINT64_MAX);
	norn_page_set_add(&p, far);
	assert_int_equal(norn_page_set_next(&p, PAGES, UINT64_MAX), far);
	assert_int_equal(norn_page_set_next(&p, far, UINT64_MAX), far);
	assert_int_equal(norn_page_set_next(&p, PAGES, far), far);
	norn_page_set_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(agree_with_a_plain_array),
	        cmocka_unit_test(what_is_covered_takes_no_room),
	        cmocka_unit_test(finds_the_next_page),
	};
	return cmocka_run_group_tests_name("base/intervals", tests, NULL, NULL);
}
