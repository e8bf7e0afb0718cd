#include "monitor/eval.h"

static struct norn_value truth(enum norn_truth t)
{
	return t == NORN_TRUTH_UNKNOWN ? norn_value_unknown() : norn_value_integer(t);
}

enum norn_truth norn_value_truth(struct norn_value value)
{
	if (!value.known)
		return NORN_TRUTH_UNKNOWN;
	return value.is_float ? value.real != 0 : value.integer != 0;
}

static double as_real(struct norn_value value)
{
	return value.is_float ? value.real : (double)value.integer;
}

enum norn_truth norn_value_equal(struct norn_value a, struct norn_value b)
{
	if (!a.known || !b.known)
		return NORN_TRUTH_UNKNOWN;
	return a.is_float || b.is_float ? as_real(a) == as_real(b) : a.integer == b.integer;
}

static struct norn_value negate(struct norn_value a)
{
	if (!a.known)
		return a;
	if (a.is_float)
		return norn_value_real(-a.real);
	__int128 result;
	return __builtin_sub_overflow((__int128)0, a.integer, &result) ? norn_value_unknown() : norn_value_integer(result);
}

static struct norn_value invert(struct norn_value a)
{
	return a.known && !a.is_float ? norn_value_integer(~a.integer) : norn_value_unknown();
}

static struct norn_value reals(enum norn_expr_op op, double a, double b)
{
	switch (op) {
	case NORN_EXPR_LT:
		return norn_value_integer(a < b);
	case NORN_EXPR_LE:
		return norn_value_integer(a <= b);
	case NORN_EXPR_ADD:
		return norn_value_real(a + b);
	case NORN_EXPR_SUB:
		return norn_value_real(a - b);
	case NORN_EXPR_MUL:
		return norn_value_real(a * b);
	case NORN_EXPR_DIV:
		return b == 0 ? norn_value_unknown() : norn_value_real(a / b);
	default: /* as in C, % and & have no meaning on floats */
		return norn_value_unknown();
	}
}

static struct norn_value integers(enum norn_expr_op op, __int128 a, __int128 b)
{
	const __int128 least = (__int128)((unsigned __int128)1 << 127);
	__int128 result = 0;
	bool failed = false;
	switch (op) {
	case NORN_EXPR_LT:
		return norn_value_integer(a < b);
	case NORN_EXPR_LE:
		return norn_value_integer(a <= b);
	case NORN_EXPR_ADD:
		failed = __builtin_add_overflow(a, b, &result);
		break;
	case NORN_EXPR_SUB:
		failed = __builtin_sub_overflow(a, b, &result);
		break;
	case NORN_EXPR_MUL:
		failed = __builtin_mul_overflow(a, b, &result);
		break;
	case NORN_EXPR_DIV:
	case NORN_EXPR_MOD: /* as in C: rounded towards zero, and the remainder has the dividend's sign */
		failed = b == 0 || (a == least && b == -1);
		if (!failed)
			result = op == NORN_EXPR_DIV ? a / b : a % b;
		break;
	case NORN_EXPR_BITAND:
		return norn_value_integer(a & b);
	default:
		failed = true;
	}
	return failed ? norn_value_unknown() : norn_value_integer(result);
}

static enum norn_truth opposite(enum norn_truth a)
{
	return a == NORN_TRUTH_UNKNOWN ? a : !a;
}

struct norn_value norn_value_operate(enum norn_expr_op op, struct norn_value a, struct norn_value b)
{
	switch (op) {
	case NORN_EXPR_NOT:
		return truth(opposite(norn_value_truth(a)));
	case NORN_EXPR_NEGATE:
		return negate(a);
	case NORN_EXPR_INVERT:
		return invert(a);
	case NORN_EXPR_EQ:
		return truth(norn_value_equal(a, b));
	default:
		break;
	}
	if (!a.known || !b.known)
		return norn_value_unknown();
	if (a.is_float || b.is_float)
		return reals(op, as_real(a), as_real(b));
	return integers(op, a.integer, b.integer);
}

/* For or, exchange true and false. */
static struct norn_value and_or(const struct norn_expr *expr, const struct norn_eval_env *env)
{
	enum norn_truth strong = expr->op == NORN_EXPR_AND ? NORN_TRUTH_NO : NORN_TRUTH_YES;
	enum norn_truth a = norn_expr_holds(expr->a, env);
	if (a == strong)
		return truth(a);
	enum norn_truth b = norn_expr_holds(expr->b, env);
	return truth(b == strong ? b : a == NORN_TRUTH_UNKNOWN ? a : b);
}

struct norn_value norn_expr_eval(const struct norn_expr *expr, const struct norn_eval_env *env)
{
	switch (expr->op) {
	case NORN_EXPR_INT:
		return norn_value_integer(expr->number);
	case NORN_EXPR_REAL:
		return norn_value_real(norn_real_of(expr->number));
	case NORN_EXPR_PLACE:
	case NORN_EXPR_GHOST:
	case NORN_EXPR_SLOT:
	case NORN_EXPR_KEY:
	case NORN_EXPR_VALUE:
	case NORN_EXPR_OLD:
	case NORN_EXPR_SELF:
	case NORN_EXPR_TID:
	case NORN_EXPR_TALLY:
	case NORN_EXPR_EVENT:
		return env->leaf(env->context, expr);
	case NORN_EXPR_NOT:
	case NORN_EXPR_NEGATE:
	case NORN_EXPR_INVERT:
		return norn_value_operate(expr->op, norn_expr_eval(expr->a, env), norn_value_unknown());
	case NORN_EXPR_AND:
	case NORN_EXPR_OR:
		return and_or(expr, env);
	default:
		break;
	}
	return norn_value_operate(expr->op, norn_expr_eval(expr->a, env), norn_expr_eval(expr->b, env));
}

enum norn_truth norn_expr_holds(const struct norn_expr *expr, const struct norn_eval_env *env)
{
	return norn_value_truth(norn_expr_eval(expr, env));
}

void norn_value_text(struct norn_value value, char *to, size_t room)
{
	if (!value.known) {
		snprintf(to, room, "?");
		return;
	}
	if (value.is_float) {
		snprintf(to, room, "%.15g", value.real);
		return;
	}
	char digits[48];
	char *at = digits + sizeof digits;
	*--at = '\0';
	unsigned __int128 rest = value.integer < 0 ? -(unsigned __int128)value.integer : (unsigned __int128)value.integer;
	do
		*--at = (char)('0' + (int)(rest % 10));
	while ((rest /= 10) != 0);
	snprintf(to, room, "%s%s", value.integer < 0 ? "-" : "", at);
}
