/* The ring between a watched program and its command: messages come in order, once, and what does not fit is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/watch_message.h"

static void test_order(void **state)
{
	struct norn_watch_ring *ring = aligned_alloc(64, sizeof *ring);
	struct norn_watch_message m = {0}, got;
	uint64_t tail = 0, put = 0;
	assert_non_null(ring);
	for (size_t i = 0; i < sizeof *ring; i++)
		((char *)ring)[i] = 0;
	norn_watch_ring_init(ring);
	assert_false(norn_watch_ring_get(ring, &tail, &got));
	for (unsigned round = 0; round < 7; round++) {
		for (; put < tail + NORN_WATCH_PLACES; put++) {
			m.relevant = put;
			assert_true(norn_watch_ring_put(ring, &m));
		}
		assert_false(norn_watch_ring_put(ring, &m));
		/* Some are read, so that the next round begins elsewhere. */
		for (uint64_t expected = tail, end = tail + 100 + round; expected < end; expected++) {
			assert_true(norn_watch_ring_get(ring, &tail, &got));
			assert_int_equal(got.relevant, expected);
		}
	}
	while (norn_watch_ring_get(ring, &tail, &got))
		assert_int_equal(got.relevant, tail - 1);
	assert_int_equal(tail, put);
	free(ring);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_order)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
