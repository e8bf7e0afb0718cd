#include <setjmp.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/must.h"
#include "base/table.h"
#include "records.h"

/* A key for a number: of many lengths, some with NUL bytes, some that begin alike. */
static size_t key_of(uint32_t k, char *buffer)
{
	memset(buffer, 'x', 64);
	memcpy(buffer, &k, sizeof k);
	return sizeof k + k % 40;
}

static void agrees_with_a_plain_array(void **state)
{
	enum { KEYS = 5000 };
	struct norn_table table = {0};
	uint32_t numbers[KEYS], count = 0, order[KEYS];
	char key[64];
	uint64_t seed = 4;
	memset(numbers, 0xff, sizeof numbers);
	for (uint32_t i = 0; i < 100000; i++) {
		uint32_t k = (uint32_t)random_below(&seed, KEYS), number;
		size_t bytes = key_of(k, key);
		assert_int_equal(norn_table_find(&table, key, bytes), numbers[k]);
		if (i % 2)
			continue;
		int r = norn_table_put(&table, key, bytes, &number);
		assert_int_equal(r, numbers[k] == NORN_TABLE_NONE);
		if (r)
			order[numbers[k] = count++] = k;
		assert_int_equal(number, numbers[k]);
		assert_int_equal(table.count, count);
	}
	for (uint32_t i = 0; i < count; i++) {
		size_t bytes = key_of(order[i], key);
		assert_int_equal(norn_table_key_bytes(&table, i), bytes);
		assert_memory_equal(norn_table_key(&table, i), key, bytes);
		assert_int_equal(((const char *)norn_table_key(&table, i))[bytes], 0);
		assert_int_equal((uintptr_t)norn_table_key(&table, i) % alignof(max_align_t), 0);
	}
	norn_table_done(&table);
	assert_int_equal(norn_table_find(&table, "", 0), NORN_TABLE_NONE);
}

static void the_empty_key_is_one(void **state)
{
	struct norn_table table = {0};
	bool is_new;
	assert_int_equal(norn_table_find(&table, NULL, 0), NORN_TABLE_NONE);
	assert_int_equal(norn_must_table_put(&table, "a", 1, NULL), 0);
	assert_int_equal(norn_must_table_put(&table, NULL, 0, &is_new), 1);
	assert_true(is_new);
	assert_int_equal(norn_must_table_put(&table, "b", 0, &is_new), 1);
	assert_false(is_new);
	assert_int_equal(norn_table_key_bytes(&table, 1), 0);
	assert_string_equal(norn_table_key(&table, 1), "");
	norn_table_done(&table);
}

/* Keys that differ in one bit fall into different places: each of 4096 places gets about one of 4096. */
static void hashes_are_spread(void **state)
{
	enum { PLACES = 4096 };
	uint8_t low[PLACES] = {0}, high[PLACES] = {0};
	uint32_t low_used = 0, high_used = 0;
	for (uint64_t i = 0; i < PLACES; i++) {
		uint64_t words[3] = {i << 52, 0, i << 3};
		uint64_t hash = norn_hash(words, sizeof words);
		low_used += !low[hash % PLACES]++;
		high_used += !high[hash >> 52]++;
	}
	assert_in_range(low_used, PLACES * 6 / 10, PLACES); /* 1 - 1/e at random */
	assert_in_range(high_used, PLACES * 6 / 10, PLACES);
	assert_true(norn_hash("a", 1) != norn_hash("a", 2));
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(agrees_with_a_plain_array), cmocka_unit_test(the_empty_key_is_one),
	        cmocka_unit_test(hashes_are_spread)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
