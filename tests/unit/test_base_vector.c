#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/must.h"
#include "base/bisect.h"
#include "base/vector.h"

struct item {
	uint64_t a;
	uint16_t b;
};

static void items_stay_in_order(void **state)
{
	NORN_VECTOR(struct item) v = {0};
	for (uint32_t i = 0; i < 10000; i++) {
		assert_int_equal(norn_must_push(&v, ((struct item){i, (uint16_t)i})).a, i);
		assert_true(v.count == i + 1 && v.count <= v.room);
	}
	for (uint32_t i = 0; i < v.count; i++)
		assert_true(v.items[i].a == i && v.items[i].b == (uint16_t)i);
	norn_vector_done(&v);
	assert_true(!v.items && !v.count && !v.room);
}

static void added_items_are_zero(void **state)
{
	NORN_VECTOR(struct item) v = {0};
	for (uint32_t i = 0; i < 1000; i++) {
		struct item *item = norn_must_add(&v);
		assert_ptr_equal(item, v.items + i);
		assert_true(item->a == 0 && item->b == 0);
		*item = (struct item){i + 1, 7};
		v.count--; /* what was there is gone */
		item = norn_must_add(&v);
		assert_true(item->a == 0 && item->b == 0);
	}
	norn_vector_done(&v);
}

static void reserved_room_is_not_moved(void **state)
{
	struct norn_numbers v = {0};
	norn_must_reserve(&v, 5000);
	uint32_t *items = v.items;
	assert_int_equal(v.count, 0);
	for (uint32_t i = 0; i < 5000; i++)
		assert_int_equal(norn_must_push(&v, i), i);
	assert_ptr_equal(v.items, items);
	assert_int_equal(norn_must_push(&v, v.items[4999]), 4999);
	assert_int_equal(v.items[5000], 4999);
	norn_vector_done(&v);
}

static void failure_changes_nothing(void **state)
{
	NORN_VECTOR(struct item) v = {0};
	norn_must_push(&v, ((struct item){3, 4}));
	uint32_t room = v.room;
	assert_int_equal(norn_vector_reserve(&v, UINT64_C(1) << 32), -ENOMEM);
	assert_true(v.count == 1 && v.room == room && v.items[0].a == 3 && v.items[0].b == 4);
	norn_vector_done(&v);
}

/* Every size up to 40, every range, every boundary: the first index at which the condition fails. */
static void binary_search_finds_the_boundary(void **state)
{
	(void)state;
	for (uint32_t from = 0; from < 40; from++)
		for (uint32_t to = from; to <= 40; to++)
			for (uint32_t boundary = from; boundary <= to; boundary++) {
				uint32_t asked = 0;
				assert_int_equal(
				        NORN_BISECT(from, to, i, (asked++, assert_true(i >= from && i < to), i < boundary)),
				        boundary);
				assert_true(asked <= 6);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(items_stay_in_order), cmocka_unit_test(added_items_are_zero),
	        cmocka_unit_test(reserved_room_is_not_moved), cmocka_unit_test(failure_changes_nothing),
	        cmocka_unit_test(binary_search_finds_the_boundary)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
