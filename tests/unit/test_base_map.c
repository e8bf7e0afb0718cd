#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/map.h"
#include "records.h"

struct value {
	uint32_t a, b, c;
};

static void agrees_with_a_plain_array(void **state)
{
	(void)state;
	enum { KEYS = 700 };
	struct norn_map map;
	uint32_t expected[KEYS] = {0};
	uint64_t seed = 9;
	size_t count = 0;
	norn_map_init(&map, sizeof(struct value));
	for (unsigned i = 0; i < 200000; i++) {
		uint64_t k = random_below(&seed, KEYS), key = k * 8 << (k % 3) * 16;
		struct value *found = norn_map_get(&map, key);
		assert_true(!!found == !!expected[k]);
		if (found)
			assert_int_equal(found->b, expected[k]);
		if (random_below(&seed, 2)) {
			void *slot;
			assert_int_equal(norn_map_put(&map, key, &slot), 0);
			assert_int_equal(((struct value *)slot)->b, expected[k]);
			count += !expected[k];
			((struct value *)slot)->b = expected[k] = i + 1;
		} else {
			assert_int_equal(norn_map_remove(&map, key), expected[k] != 0);
			count -= expected[k] != 0;
			expected[k] = 0;
		}
		assert_int_equal(map.count, count);
	}
	norn_map_done(&map);
}

static void all_entries_are_visited_once(void **state)
{
	(void)state;
	struct norn_map map;
	uint8_t seen[1000] = {0};
	norn_map_init(&map, sizeof(uint64_t));
	for (uint64_t key = 0; key < 1000; key++) {
		void *slot;
		assert_int_equal(norn_map_put(&map, key, &slot), 0);
		memcpy(slot, &key, sizeof key);
	}
	size_t cursor = 0, visited = 0;
	uint64_t key;
	for (uint64_t *value; (value = norn_map_next(&map, &cursor, &key)); visited++) {
		assert_int_equal(*value, key);
		assert_int_equal(seen[key]++, 0);
	}
	assert_int_equal(visited, 1000);
	norn_map_done(&map);
	assert_null(norn_map_get(&map, 5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(agrees_with_a_plain_array),
	        cmocka_unit_test(all_entries_are_visited_once),
	};
	return cmocka_run_group_tests_name("base map", tests, NULL, NULL);
}
