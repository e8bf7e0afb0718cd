#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "causality/computation.h"

static struct norn_computation_builder *new_builder(void **state)
{
	(void)state;
	struct norn_computation_builder *builder;
	builder = norn_computation_builder_new();
	return builder;
}

#define ADD(builder, thread, payload, ...)                                                                                         \
	assert_int_equal(norn_computation_add(builder, thread, (const uint32_t[]){__VA_ARGS__},                                    \
	                         sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), payload),                             \
	        0)

static struct norn_computation *finish(struct norn_computation_builder *builder)
{
	struct norn_computation *c;
	struct norn_error err = {0};
	int r = norn_computation_finish(builder, &c, &err);
	if (r < 0)
		print_error("%s\n", err.message);
	assert_int_equal(r, 0);
	norn_computation_builder_free(builder);
	return c;
}

static void assert_refused(struct norn_computation_builder *builder, const char *why)
{
	struct norn_computation *c = NULL;
	struct norn_error err = {0};
	assert_int_equal(norn_computation_finish(builder, &c, &err), -EBADMSG);
	assert_null(c);
	assert_string_equal(err.message, why);
	norn_computation_builder_free(builder);
}

static void nothing_is_a_computation(void **state)
{
	struct norn_computation *c = finish(new_builder(state));
	assert_int_equal(c->threads, 0);
	assert_int_equal(c->total, 0);
	norn_computation_free(c);
}

/* x/y/z of the paper, by threads 3 and 7, in an order of arrival that no run could have. */
static void any_order_of_arrival(void **state)
{
	struct norn_computation_builder *builder = new_builder(state);
	ADD(builder, 7, 13, 0, 0, 0, 1, 0, 0, 0, 2);
	ADD(builder, 3, 12, 0, 0, 0, 2);
	ADD(builder, 7, 11, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0);
	ADD(builder, 3, 10, 0, 0, 0, 1);
	struct norn_computation *c = finish(builder);
	assert_int_equal(c->threads, 2);
	assert_int_equal(c->total, 4);
	assert_int_equal(c->numbers[0], 3);
	assert_int_equal(c->numbers[1], 7);
	assert_int_equal(c->events[0], 2);
	assert_int_equal(c->events[1], 2);
	static const uint32_t clocks[2][2][2] = {{{1, 0}, {2, 0}}, {{1, 1}, {1, 2}}};
	for (unsigned i = 0; i < 2; i++)
		for (unsigned k = 0; k < 2; k++)
			assert_memory_equal(norn_computation_clock(c, i, k), clocks[i][k], sizeof clocks[i][k]);
	assert_int_equal(norn_computation_payload(c, 0, 1), 12);
	assert_int_equal(norn_computation_payload(c, 1, 0), 11);
	assert_true(norn_computation_precedes(c, 0, 0, 1, 1));
	assert_false(norn_computation_precedes(c, 0, 1, 1, 1));
	assert_false(norn_computation_precedes(c, 1, 1, 0, 1));
	assert_true(norn_computation_precedes(c, 1, 0, 1, 1));
	assert_false(norn_computation_precedes(c, 1, 0, 1, 0));
	assert_false(norn_computation_enabled(c, (const uint32_t[]){0, 0}, 1, 0));
	assert_true(norn_computation_enabled(c, (const uint32_t[]){1, 0}, 1, 0));
	norn_computation_free(c);
}

static void no_computations(void **state)
{
	struct norn_computation_builder *builder = new_builder(state);
	assert_int_equal(norn_computation_add(builder, 1, (const uint32_t[]){1, 0}, 2, 0), -EINVAL);
	assert_int_equal(norn_computation_add(builder, 1, (const uint32_t[]){1}, 1, 0), -EINVAL);
	ADD(builder, 0, 0, 1);
	ADD(builder, 0, 0, 1);
	assert_refused(builder, "relevant event 1 of thread 0 was there twice");

	ADD(builder = new_builder(state), 0, 0, 1);
	ADD(builder, 0, 0, 3);
	assert_refused(builder, "thread 0 has 2 relevant events, but one of them is number 3");

	ADD(builder = new_builder(state), 0, 0, 1, 1);
	assert_refused(builder, "relevant event 1 of thread 0 comes after number 1 of thread 1, which has only 0");

	ADD(builder = new_builder(state), 0, 0, 1, 1);
	ADD(builder, 1, 0, 0, 1);
	ADD(builder, 0, 0, 2, 0);
	assert_refused(builder, "relevant event 2 of thread 0 does not know all that the one before it knew");

	ADD(builder = new_builder(state), 0, 0, 1, 1);
	ADD(builder, 1, 0, 1, 1);
	assert_refused(builder, "the clocks of relevant event 1 of thread 0 and 1 of thread 1 contradict each other");

	ADD(builder = new_builder(state), 0, 0, 1, 1, 0);
	ADD(builder, 1, 0, 0, 1, 1);
	ADD(builder, 2, 0, 0, 0, 1);
	assert_refused(builder, "the clocks of relevant event 1 of thread 0 and 1 of thread 1 contradict each other");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(nothing_is_a_computation),
	        cmocka_unit_test(any_order_of_arrival),
	        cmocka_unit_test(no_computations),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
