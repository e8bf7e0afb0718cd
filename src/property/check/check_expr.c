#include "property/check/check.h"

#include <string.h>

const struct norn_expr *norn_check_int(struct norn_checker *c, __int128 number, struct norn_span span)
{
	struct norn_expr *expr = norn_check_alloc(c, sizeof *expr);
	*expr = (struct norn_expr){.op = NORN_EXPR_INT, .number = number, .span = span};
	return expr;
}

const struct norn_expr *norn_check_real(struct norn_checker *c, uint64_t bits, struct norn_span span)
{
	struct norn_expr *expr = norn_check_alloc(c, sizeof *expr);
	*expr = (struct norn_expr){.op = NORN_EXPR_REAL, .number = bits, .span = span};
	return expr;
}

const struct norn_expr *norn_check_leaf(struct norn_checker *c, enum norn_expr_op op, uint32_t index, struct norn_span span)
{
	struct norn_expr *expr = norn_check_alloc(c, sizeof *expr);
	*expr = (struct norn_expr){.op = op, .index = index, .span = span};
	return expr;
}

static bool is_constant(const struct norn_expr *e)
{
	return e->op == NORN_EXPR_INT || e->op == NORN_EXPR_REAL;
}

/* A total order: constants last, names as they came, what is built of them behind. */
static int order(const struct norn_expr *a, const struct norn_expr *b)
{
	if (a == b)
		return 0;
	if (a->op != b->op)
		return is_constant(a) != is_constant(b) ? (is_constant(a) ? 1 : -1) : a->op < b->op ? -1 : 1;
	if (a->index != b->index)
		return a->index < b->index ? -1 : 1;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	int first = a->a ? order(a->a, b->a) : 0;
	return first || !a->b ? first : order(a->b, b->b);
}

/* False if there is no such number. */
static bool fold_arithmetic(enum norn_expr_op op, __int128 a, __int128 b, __int128 *ret)
{
	switch (op) {
	case NORN_EXPR_ADD:
		return !__builtin_add_overflow(a, b, ret);
	case NORN_EXPR_SUB:
		return !__builtin_sub_overflow(a, b, ret);
	case NORN_EXPR_MUL:
		return !__builtin_mul_overflow(a, b, ret);
	case NORN_EXPR_NEGATE:
		return !__builtin_sub_overflow((__int128)0, a, ret);
	case NORN_EXPR_DIV:
	case NORN_EXPR_MOD:
		if (b == 0 || (b == -1 && __builtin_sub_overflow((__int128)0, a, ret)))
			return false;
		*ret = op == NORN_EXPR_DIV ? a / b : b == -1 ? 0 : a % b;
		return true;
	case NORN_EXPR_INVERT:
		*ret = ~a;
		return true;
	default:
		*ret = a & b;
		return true;
	}
}

static __int128 fold_truth(enum norn_expr_op op, __int128 a, __int128 b)
{
	switch (op) {
	case NORN_EXPR_NOT:
		return !a;
	case NORN_EXPR_AND:
		return a && b;
	case NORN_EXPR_OR:
		return a || b;
	case NORN_EXPR_EQ:
		return a == b;
	case NORN_EXPR_LT:
		return a < b;
	default:
		return a <= b;
	}
}

static bool is_truth(enum norn_expr_op op)
{
	return op >= NORN_EXPR_NOT && op <= NORN_EXPR_LE && op != NORN_EXPR_NEGATE && op != NORN_EXPR_INVERT;
}

static bool is_commutative(enum norn_expr_op op)
{
	return op == NORN_EXPR_EQ || op == NORN_EXPR_ADD || op == NORN_EXPR_MUL || op == NORN_EXPR_BITAND;
}

const struct norn_expr *norn_check_operation(struct norn_checker *c, enum norn_expr_op op, const struct norn_expr *a,
        const struct norn_expr *b, bool real, struct norn_span span)
{
	__int128 number;
	if (a->op == NORN_EXPR_INT && (!b || b->op == NORN_EXPR_INT)) {
		if (is_truth(op))
			number = fold_truth(op, a->number, b ? b->number : 0);
		else if (!fold_arithmetic(op, a->number, b ? b->number : 0, &number))
			return NULL;
		return norn_check_int(c, number, span);
	}
	if (op == NORN_EXPR_NEGATE && a->op == NORN_EXPR_REAL)
		return norn_check_real(c, (uint64_t)a->number ^ UINT64_C(1) << 63, span); /* the sign of a double */
	if (op == NORN_EXPR_NOT && a->op == NORN_EXPR_NOT && is_truth(a->a->op))
		return a->a;
	if ((op == NORN_EXPR_DIV || op == NORN_EXPR_MOD) && b->op == NORN_EXPR_INT && b->number == 0 && !real)
		return NULL;
	int rank = b ? order(a, b) : 1;
	if (rank == 0 && !real && (op == NORN_EXPR_EQ || op == NORN_EXPR_LT))
		return norn_check_int(c, op == NORN_EXPR_EQ, span);
	struct norn_expr *expr = norn_check_alloc(c, sizeof *expr);
	bool swapped = rank > 0 && is_commutative(op);
	*expr = (struct norn_expr){.op = op, .span = span, .a = swapped ? b : a, .b = swapped ? a : b};
	return expr;
}

const struct norn_expr *norn_check_comparison(struct norn_checker *c, enum norn_form_kind kind, const struct norn_expr *a,
        const struct norn_expr *b, bool real, struct norn_span span, bool *ret_negated)
{
	bool or_equal = kind == NORN_FORM_LE || kind == NORN_FORM_GE, greater = kind == NORN_FORM_GT || kind == NORN_FORM_GE;
	if (kind == NORN_FORM_EQ || kind == NORN_FORM_NE) {
		*ret_negated = kind == NORN_FORM_NE;
		return norn_check_operation(c, NORN_EXPR_EQ, a, b, real, span);
	}
	*ret_negated = or_equal && !real; /* a <= b is !(b < a) */
	bool swapped = greater != *ret_negated;
	return norn_check_operation(
	        c, or_equal && real ? NORN_EXPR_LE : NORN_EXPR_LT, swapped ? b : a, swapped ? a : b, real, span);
}

const struct norn_expr *norn_check_known(struct norn_checker *c, const struct norn_expr *a, uint32_t thread, struct norn_span span)
{
	if (is_constant(a))
		return a;
	struct norn_expr *expr = norn_check_alloc(c, sizeof *expr);
	*expr = (struct norn_expr){.op = NORN_EXPR_AT, .index = thread, .a = a, .span = span};
	return expr;
}

bool norn_check_has_state(const struct norn_expr *expr)
{
	return expr && (expr->op == NORN_EXPR_PLACE || expr->op == NORN_EXPR_GHOST || norn_check_has_state(expr->a) ||
	                       norn_check_has_state(expr->b));
}

/* ---- text ---- */

struct expr_printer {
	struct norn_checker *c;
	struct norn_growing_text text;
	const char *const *keys;
};

static const char *sign_of(enum norn_expr_op op)
{
	switch (op) {
	case NORN_EXPR_AND:
		return "&&";
	case NORN_EXPR_OR:
		return "||";
	case NORN_EXPR_EQ:
		return "==";
	case NORN_EXPR_LT:
		return "<";
	case NORN_EXPR_LE:
		return "<=";
	case NORN_EXPR_ADD:
		return "+";
	case NORN_EXPR_SUB:
		return "-";
	case NORN_EXPR_MUL:
		return "*";
	case NORN_EXPR_DIV:
		return "/";
	case NORN_EXPR_MOD:
		return "%";
	default:
		return "&";
	}
}

/* Its binding strength. */
static int rank_of(const struct norn_expr *expr)
{
	if (expr->text)
		return 2;
	switch (expr->op) {
	case NORN_EXPR_OR:
		return 0;
	case NORN_EXPR_AND:
		return 1;
	case NORN_EXPR_EQ:
	case NORN_EXPR_LT:
	case NORN_EXPR_LE:
		return 2;
	case NORN_EXPR_ADD:
	case NORN_EXPR_SUB:
		return 3;
	case NORN_EXPR_MUL:
	case NORN_EXPR_DIV:
	case NORN_EXPR_MOD:
	case NORN_EXPR_BITAND:
		return 4;
	default:
		return 5;
	}
}

static void print_int(struct expr_printer *p, __int128 number)
{
	char digits[48], *at = digits + sizeof digits - 1;
	unsigned __int128 rest = number < 0 ? -(unsigned __int128)number : (unsigned __int128)number;
	*at = 0;
	do
		*--at = '0' + (int)(rest % 10);
	while (rest /= 10);
	norn_text_append(p->c, &p->text, "%s%s", number < 0 ? "-" : "", at);
}

static void print(struct expr_printer *p, const struct norn_expr *expr, int least);

static void print_binary(struct expr_printer *p, const struct norn_expr *expr)
{
	const char *sign = sign_of(expr->op);
	const struct norn_expr *a = expr->a, *b = expr->b;
	int rank = rank_of(expr);
	if (is_constant(a) && (expr->op == NORN_EXPR_LT || expr->op == NORN_EXPR_LE)) { /* 0 < x reads as x > 0 */
		const struct norn_expr *left = a;
		sign = expr->op == NORN_EXPR_LT ? ">" : ">=";
		a = b;
		b = left;
	}
	print(p, a, rank + (rank == 2)); /* comparisons do not chain */
	norn_text_append(p->c, &p->text, " %s ", sign);
	print(p, b, rank + 1);
}

static void print_leaf(struct expr_printer *p, const struct norn_expr *expr)
{
	const char *name;
	switch (expr->op) {
	case NORN_EXPR_PLACE:
		name = p->c->places[expr->index].text;
		break;
	case NORN_EXPR_GHOST:
		name = p->c->ghosts[expr->index].name;
		break;
	case NORN_EXPR_KEY:
		name = p->keys[expr->index];
		break;
	case NORN_EXPR_EVENT:
		name = p->c->events[expr->index].name;
		break;
	case NORN_EXPR_VALUE:
		name = "value";
		break;
	case NORN_EXPR_OLD:
		name = "old";
		break;
	case NORN_EXPR_SELF:
		name = "self";
		break;
	case NORN_EXPR_TALLY:
		name = "tally"; /* only atoms have them, which are shown by their names */
		break;
	default:
		name = "tid";
		break;
	}
	norn_text_append(p->c, &p->text, "%s", name);
}

static void print(struct expr_printer *p, const struct norn_expr *expr, int least)
{
	bool parentheses = rank_of(expr) < least;
	if (parentheses)
		norn_text_append(p->c, &p->text, "(");
	if (expr->text) {
		norn_text_append(p->c, &p->text, "%s", expr->text);
	} else if (expr->op == NORN_EXPR_INT) {
		print_int(p, expr->number);
	} else if (expr->op == NORN_EXPR_REAL) {
		char text[NORN_DOUBLE_TEXT];
		norn_real_text(norn_real_of(expr->number), text);
		norn_text_append(p->c, &p->text, "%s", text);
	} else if (!expr->a) {
		print_leaf(p, expr);
	} else if (!expr->b) {
		if (expr->op == NORN_EXPR_AT)
			norn_text_append(p->c, &p->text, "@%s ", p->c->builder.threads[expr->index].name);
		else
			norn_text_append(p->c, &p->text, "%s",
			        expr->op == NORN_EXPR_NOT      ? "!"
			        : expr->op == NORN_EXPR_NEGATE ? "-"
			                                       : "~");
		print(p, expr->a, 5);
	} else {
		print_binary(p, expr);
	}
	if (parentheses)
		norn_text_append(p->c, &p->text, ")");
}

const char *norn_check_expr_text(struct norn_checker *c, const struct norn_expr *expr, const char *const *keys)
{
	struct expr_printer p = {.c = c, .keys = keys};
	print(&p, expr, 0);
	return p.text.chars;
}
