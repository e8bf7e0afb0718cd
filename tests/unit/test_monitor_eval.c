/* Expressions over known and unknown values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "monitor/eval.h"

static struct norn_value places[8];

static struct norn_value leaf(void *context, const struct norn_expr *expr)
{
	assert_ptr_equal(context, places);
	assert_int_equal(expr->op, NORN_EXPR_PLACE);
	return places[expr->index];
}

static const struct norn_eval_env env = {leaf, places};

/* place 0 op place 1, as text */
static const char *binary(enum norn_expr_op op, struct norn_value a, struct norn_value b)
{
	static char text[48];
	struct norn_expr x = {.op = NORN_EXPR_PLACE, .index = 0}, y = {.op = NORN_EXPR_PLACE, .index = 1};
	struct norn_expr e = {.op = op, .a = &x, .b = &y};
	places[0] = a;
	places[1] = b;
	norn_value_text(norn_expr_eval(&e, &env), text, sizeof text);
	return text;
}

static const char *unary(enum norn_expr_op op, struct norn_value a)
{
	static char text[48];
	struct norn_expr x = {.op = NORN_EXPR_PLACE, .index = 0}, e = {.op = op, .a = &x};
	places[0] = a;
	norn_value_text(norn_expr_eval(&e, &env), text, sizeof text);
	return text;
}

static struct norn_value i(__int128 n)
{
	return norn_value_integer(n);
}

static struct norn_value f(double x)
{
	return norn_value_real(x);
}

static const __int128 least = (__int128)((unsigned __int128)1 << 127);

static void test_arithmetic(void **state)
{
	assert_string_equal(binary(NORN_EXPR_ADD, i(UINT64_MAX), i(1)), "18446744073709551616");
	assert_string_equal(binary(NORN_EXPR_SUB, i(2), i(5)), "-3");
	assert_string_equal(binary(NORN_EXPR_MUL, i(INT64_MIN), i(INT64_MIN)), "85070591730234615865843651857942052864");
	assert_string_equal(binary(NORN_EXPR_DIV, i(-7), i(2)), "-3");
	assert_string_equal(binary(NORN_EXPR_MOD, i(-7), i(2)), "-1");
	assert_string_equal(binary(NORN_EXPR_BITAND, i(12), i(10)), "8");
	assert_string_equal(unary(NORN_EXPR_NEGATE, i(4)), "-4");
	assert_string_equal(unary(NORN_EXPR_INVERT, i(0)), "-1");
	assert_string_equal(unary(NORN_EXPR_NEGATE, i(least + 1)), "170141183460469231731687303715884105727");
}

static void test_unknown(void **state)
{
	struct norn_value u = norn_value_unknown();
	assert_string_equal(binary(NORN_EXPR_ADD, i(1), u), "?");
	assert_string_equal(binary(NORN_EXPR_EQ, u, u), "?");
	assert_string_equal(binary(NORN_EXPR_DIV, i(1), i(0)), "?");
	assert_string_equal(binary(NORN_EXPR_MOD, i(1), i(0)), "?");
	assert_string_equal(binary(NORN_EXPR_DIV, f(1), i(0)), "?");
	assert_string_equal(binary(NORN_EXPR_DIV, i(least), i(-1)), "?");
	assert_string_equal(binary(NORN_EXPR_ADD, i(least), i(-1)), "?");
	assert_string_equal(binary(NORN_EXPR_SUB, i(least), i(1)), "?");
	assert_string_equal(binary(NORN_EXPR_MUL, i(least), i(2)), "?");
	assert_string_equal(unary(NORN_EXPR_NEGATE, i(least)), "?");
	assert_string_equal(unary(NORN_EXPR_INVERT, u), "?");
}

static void test_kleene(void **state)
{
	struct norn_value u = norn_value_unknown();
	const char *expected[3][3] = {{"0", "0", "0"}, {"0", "1", "?"}, {"0", "?", "?"}};
	struct norn_value values[3] = {i(0), i(7), u}, opposite[3] = {i(1), i(0), u};
	const char *negated[3] = {"1", "0", "?"};
	for (int a = 0; a < 3; a++) {
		assert_string_equal(unary(NORN_EXPR_NOT, values[a]), negated[a]);
		for (int b = 0; b < 3; b++) {
			assert_string_equal(binary(NORN_EXPR_AND, values[a], values[b]), expected[a][b]);
			/* De Morgan: !(!a || !b) */
			const char *or = binary(NORN_EXPR_OR, opposite[a], opposite[b]);
			assert_string_equal(*or == '?' ? "?" : *or == '1' ? "0" : "1", expected[a][b]);
		}
	}
}

static void test_floats(void **state)
{
	assert_string_equal(binary(NORN_EXPR_ADD, f(0.5), i(1)), "1.5");
	assert_string_equal(binary(NORN_EXPR_LT, i(1), f(1.5)), "1");
	assert_string_equal(binary(NORN_EXPR_LE, f(2), i(1)), "0");
	assert_string_equal(binary(NORN_EXPR_EQ, f(2), i(2)), "1");
	assert_string_equal(binary(NORN_EXPR_BITAND, f(2), i(2)), "?");
	assert_string_equal(binary(NORN_EXPR_AND, f(0.1), i(2)), "1");
	assert_string_equal(unary(NORN_EXPR_NOT, f(0)), "1");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	        cmocka_unit_test(test_arithmetic),
	        cmocka_unit_test(test_unknown),
	        cmocka_unit_test(test_kleene),
	        cmocka_unit_test(test_floats),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
