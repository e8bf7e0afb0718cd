#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "causality/clock.h"
#include "records.h"

enum { WIDTH = 11, KEPT = 40 };

struct kept {
	uint32_t clock;
	uint32_t entries[WIDTH];
};

static void assert_entries(const struct norn_clocks *clocks, uint32_t clock, const uint32_t *expected)
{
	uint32_t width;
	const uint32_t *entries = norn_clocks_entries(clocks, clock, &width);
	assert_true(width <= WIDTH);
	assert_true(width == 0 || entries[width - 1] != 0);
	for (uint32_t j = 0; j < WIDTH; j++)
		assert_int_equal(j < width ? entries[j] : 0, expected[j]);
}

static void collect(struct norn_clocks *clocks, const struct kept *kept)
{
	assert_int_equal(norn_clocks_collect_begin(clocks), 0);
	for (unsigned i = 0; i < KEPT; i++)
		norn_clocks_mark(clocks, kept[i].clock);
	norn_clocks_collect_end(clocks);
	assert_true(norn_clocks_count(clocks) <= KEPT + 1);
	for (unsigned i = 0; i < KEPT; i++)
		assert_entries(clocks, kept[i].clock, kept[i].entries);
}

static void assert_compared(struct norn_clocks *clocks, const struct kept *a, const struct kept *b)
{
	bool at_most = true;
	for (unsigned j = 0; j < WIDTH; j++)
		at_most &= a->entries[j] <= b->entries[j];
	assert_int_equal(norn_clocks_join(clocks, a->clock, b->clock) == b->clock, at_most);
	assert_int_equal(a->clock == b->clock, memcmp(a->entries, b->entries, sizeof a->entries) == 0);
}

/* Against plain arrays: small counts, so that equal clocks come about in many ways. */
static void agrees_with_plain_arrays(void **state)
{
	(void)state;
	struct norn_clocks *clocks;
	struct kept kept[KEPT] = {0};
	uint64_t seed = 5;
	assert_int_equal(norn_clocks_new(&clocks), 0);
	for (unsigned step = 0; step < 300000; step++) {
		struct kept *to = &kept[random_below(&seed, KEPT)];
		const struct kept *a = &kept[random_below(&seed, KEPT)], *b = &kept[random_below(&seed, KEPT)];
		if (random_below(&seed, 3) == 0) {
			uint32_t column = random_below(&seed, WIDTH);
			*to = *a;
			to->clock = norn_clocks_increment(clocks, a->clock, column);
			to->entries[column]++;
		} else {
			struct kept joined = {.clock = norn_clocks_join(clocks, a->clock, b->clock)};
			for (unsigned j = 0; j < WIDTH; j++)
				joined.entries[j] = a->entries[j] > b->entries[j] ? a->entries[j] : b->entries[j];
			*to = joined;
		}
		assert_entries(clocks, to->clock, to->entries);
		assert_compared(clocks, &kept[random_below(&seed, KEPT)], &kept[random_below(&seed, KEPT)]);
		if (random_below(&seed, 50) == 0)
			*to = (struct kept){0};
		if (random_below(&seed, 3000) == 0)
			collect(clocks, kept);
	}
	assert_int_equal(norn_clocks_error(clocks), 0);
	norn_clocks_free(clocks);
}

/* A thread that counts to a million, alone: memory stays where it was. */
static void what_is_dropped_makes_room(void **state)
{
	(void)state;
	struct norn_clocks *clocks;
	uint32_t clock = NORN_CLOCK_ZERO;
	unsigned collections = 0;
	assert_int_equal(norn_clocks_new(&clocks), 0);
	for (unsigned i = 0; i < 1000000; i++) {
		clock = norn_clocks_increment(clocks, clock, 9);
		if (!norn_clocks_full(clocks, 0))
			continue;
		assert_int_equal(norn_clocks_collect_begin(clocks), 0);
		norn_clocks_mark(clocks, clock);
		norn_clocks_collect_end(clocks);
		assert_int_equal(norn_clocks_count(clocks), 2);
		collections++;
	}
	uint32_t width;
	assert_int_equal(norn_clocks_entries(clocks, clock, &width)[9], 1000000);
	assert_int_equal(width, 10);
	assert_true(collections > 10);
	assert_true(norn_clocks_bytes(clocks) < 3 * NORN_CLOCKS_SPARE);
	norn_clocks_free(clocks);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(agrees_with_plain_arrays),
	        cmocka_unit_test(what_is_dropped_makes_room),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
