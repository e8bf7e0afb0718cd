/* Numbers of vectors (mttl/vector_ids.h): none is given twice at a time, and none again while a thread's tables still speak of
 * it. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdlib.h>

#include "mttl/vector_ids.h"

#define ROUNDS 20000u

static bool is_clear(const struct norn_id_tables *t, uint32_t id)
{
	return !t->entries[id] && !t->entries[NORN_KNOWLEDGE_CACHE_KNOWN + id];
}

static void set(struct norn_id_tables *t, uint32_t id)
{
	t->entries[id] = t->entries[NORN_KNOWLEDGE_CACHE_KNOWN + id] = 1;
}

static void test_again(void **state)
{
	struct norn_id_tables tables[2] = {0};
	uint8_t *was = calloc(NORN_IDS, 1);
	uint32_t again = 0;
	assert_non_null(was);
	for (uint32_t i = 0; i < 2; i++)
		assert_true(norn_id_tables_open(&tables[i]));
	for (uint32_t i = 0; i < ROUNDS; i++) {
		uint32_t id = norn_id_take(was);
		assert_in_range(id, NORN_ID_NONE + 1, NORN_IDS - 1);
		assert_ptr_equal(norn_id_objects[id], was);
		again += was[id];
		for (uint32_t t = 0; t < 2; t++) {
			assert_true(is_clear(&tables[t], id));
			set(&tables[t], id);
		}
		was[id] = 1;
		norn_id_give(id);
	}
	/* Otherwise nothing was tested. */
	assert_in_range(again, ROUNDS / 4, ROUNDS);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(tables[i].entries[NORN_KNOWLEDGE_CACHE_KNOWN + NORN_ID_NONE], 1);
		norn_id_tables_close(&tables[i]);
	}
	norn_id_relax();
	free(was);
}

static void test_at_once(void **state)
{
	uint32_t *ids = calloc(NORN_IDS, sizeof *ids), count = 0;
	uint8_t *taken = calloc(NORN_IDS, 1);
	assert_true(ids && taken);
	for (uint32_t id; (id = norn_id_take(taken)); taken[id] = 1) {
		assert_int_equal(taken[id], 0);
		ids[count++] = id;
	}
	assert_in_range(count, NORN_IDS - 4300, NORN_IDS - 2); /* some were given to the thread, mean nothing, or rest */
	for (uint32_t i = 0; i < count; i++)
		norn_id_give(ids[i]);
	norn_id_relax();
	uint32_t id = norn_id_take(taken);
	assert_int_not_equal(id, 0);
	norn_id_give(id);
	norn_id_relax();
	free(ids);
	free(taken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_again), cmocka_unit_test(test_at_once)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
