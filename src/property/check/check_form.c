#include "property/check/check.h"

#include <stdlib.h>
#include <string.h>

#define HELP_MAX 200u /* longer formulas are not quoted */

enum { PAST = 1, FUTURE = 2 };

/* Temporal operators: what they are called, where they look, and what they become. */
static const struct operator
{
	const char *word;
	int looks;
	enum norn_op op;
}
operators[NORN_FORM_KINDS] = {
        [NORN_FORM_ALWAYS] = {"G", FUTURE, NORN_OP_RELEASE},
        [NORN_FORM_EVENTUALLY] = {"F", FUTURE, NORN_OP_UNTIL},
        [NORN_FORM_NEXT] = {"X", FUTURE, NORN_OP_NEXT},
        [NORN_FORM_WEAK_NEXT] = {"WX", FUTURE, NORN_OP_WEAK_NEXT},
        [NORN_FORM_UNTIL] = {"U", FUTURE, NORN_OP_UNTIL},
        [NORN_FORM_UNLESS] = {"W", FUTURE, NORN_OP_RELEASE},
        [NORN_FORM_RELEASE] = {"R", FUTURE, NORN_OP_RELEASE},
        [NORN_FORM_PREV] = {"prev", PAST, NORN_OP_PREV},
        [NORN_FORM_ONCE] = {"once", PAST, NORN_OP_ONCE},
        [NORN_FORM_HIST] = {"hist", PAST, NORN_OP_HIST},
        [NORN_FORM_START] = {"start", PAST, NORN_OP_START},
        [NORN_FORM_END] = {"end", PAST, NORN_OP_END},
        [NORN_FORM_INTERVAL] = {"[,)", PAST, NORN_OP_INTERVAL},
        [NORN_FORM_WEAK_INTERVAL] = {"[,) weak", PAST, NORN_OP_WEAK_INTERVAL},
        [NORN_FORM_SINCE] = {"S", PAST, NORN_OP_SINCE},
        [NORN_FORM_WEAK_SINCE] = {"SW", PAST, NORN_OP_WEAK_SINCE},
};

static const struct norn_term bad_term = {.kind = NORN_TERM_BAD};

static bool is_formula(const struct norn_form_env *env)
{
	return env->where <= NORN_IN_CHECK && !env->argument;
}

static const char *place_name(const struct norn_form_env *env)
{
	static const char *const names[] = {[NORN_IN_PTLTL] = "an event's argument",
	        [NORN_IN_LTL] = "an event's argument",
	        [NORN_IN_MTTL] = "an event's argument",
	        [NORN_IN_CHECK] = "an event's argument",
	        [NORN_IN_CONDITION] = "a selector's condition",
	        [NORN_IN_UPDATE] = "the update of a ghost",
	        [NORN_IN_INITIAL] = "the first value of a ghost",
	        [NORN_IN_ACTION] = "an action",
	        [NORN_IN_ATOM] = "the atom of a scope"};
	return names[env->where];
}

/* ---- truth ---- */

/* Any term as a truth: a number is true unless it is 0. */
static struct norn_term truth_of(
        struct norn_checker *c, const struct norn_form_env *env, struct norn_term term, struct norn_span span)
{
	if (term.kind != NORN_TERM_NUMBER)
		return term;
	term.kind = NORN_TERM_TRUTH;
	if (!is_formula(env))
		return term;
	if (term.expr->op == NORN_EXPR_INT || term.expr->op == NORN_EXPR_REAL)
		term.node = norn_check_node(c, term.expr->number ? NORN_OP_TRUE : NORN_OP_FALSE, 0, 0, span);
	else
		term.node = norn_check_atom_node(c, (struct norn_atom){.kind = NORN_ATOM_PREDICATE,
		                                            .predicate = term.expr,
		                                            .text = norn_check_expr_text(c, term.expr, env->keys),
		                                            .span = span});
	return term;
}

static struct norn_term check_truth(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	struct norn_term term = norn_check_form(c, env, form);
	return form ? truth_of(c, env, term, form->span) : term;
}

static enum norn_term_kind wider(enum norn_term_kind a, enum norn_term_kind b)
{
	return a == NORN_TERM_TEMPORAL || b == NORN_TERM_TEMPORAL ? NORN_TERM_TEMPORAL : NORN_TERM_TRUTH;
}

static struct norn_term constant(struct norn_checker *c, const struct norn_form_env *env, bool truth, struct norn_span span)
{
	struct norn_term term = {.kind = NORN_TERM_TRUTH};
	if (is_formula(env))
		term.node = norn_check_node(c, truth ? NORN_OP_TRUE : NORN_OP_FALSE, 0, 0, span);
	else
		term.expr = norn_check_int(c, truth, span);
	return term;
}

static struct norn_term negated(struct norn_checker *c, const struct norn_form_env *env, struct norn_term a, struct norn_span span)
{
	if (is_formula(env))
		a.node = norn_check_not(c, a.node, span);
	else
		a.expr = norn_check_operation(c, NORN_EXPR_NOT, a.expr, NULL, false, span);
	a.kind = wider(a.kind, a.kind);
	return a;
}

static struct norn_term joined(struct norn_checker *c, const struct norn_form_env *env, bool both, struct norn_term a,
        struct norn_term b, struct norn_span span)
{
	struct norn_term term = {.kind = wider(a.kind, b.kind)};
	if (is_formula(env))
		term.node = norn_check_node(c, both ? NORN_OP_AND : NORN_OP_OR, a.node, b.node, span);
	else
		term.expr = norn_check_operation(c, both ? NORN_EXPR_AND : NORN_EXPR_OR, a.expr, b.expr, false, span);
	return term;
}

static struct norn_term connective(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	struct norn_span span = form->span;
	struct norn_term a = check_truth(c, env, form->a);
	if (form->kind == NORN_FORM_IMPLIES && a.kind != NORN_TERM_BAD)
		a = negated(c, env, a, span); /* now, so that nodes come in the order of the text */
	struct norn_term b = check_truth(c, env, form->b);
	if (a.kind == NORN_TERM_BAD || b.kind == NORN_TERM_BAD)
		return bad_term;
	switch (form->kind) {
	case NORN_FORM_AND:
	case NORN_FORM_OR:
		return joined(c, env, form->kind == NORN_FORM_AND, a, b, span);
	case NORN_FORM_IMPLIES:
		return joined(c, env, false, a, b, span);
	default: {
		struct norn_term not_a = negated(c, env, a, span), not_b = negated(c, env, b, span);
		bool xor = form->kind == NORN_FORM_XOR;
		return joined(c, env, false, joined(c, env, true, a, xor? not_b : b, span),
		        joined(c, env, true, not_a, xor? b : not_b, span), span);
	}
	}
}

/* ---- temporal operators ---- */

static bool may_be_temporal(struct norn_checker *c, const struct norn_form_env *env, const struct norn_form *form)
{
	const struct operator* operator= & operators[form->kind];
	bool ahead = operator->looks == FUTURE;
	if (!is_formula(env)) {
		norn_check_error(c, form->span, NULL, "`%s` looks along the run, but %s is about one event", operator->word,
		        place_name(env));
		return false;
	}
	bool wants_ahead = env->where == NORN_IN_LTL || (env->where == NORN_IN_CHECK && env->future);
	if (ahead == wants_ahead)
		return true;
	const char *help = env->where == NORN_IN_MTTL ? "mttl has prev, once, hist, start, end, S, SW and intervals"
	                   : !ahead                   ? "write the property in `ptltl`"
	                   : form->kind == NORN_FORM_ALWAYS
	                           ? "leave it away: ptltl must hold at every position; or write the property in `ltl`"
	                           : "write the property in `ltl`";
	norn_check_error(c, form->span, help, "`%s` looks %s, which %s does not", operator->word, ahead ? "ahead" : "back",
	        env->where == NORN_IN_MTTL ? "mttl"
	        : wants_ahead              ? "ltl"
	                                   : "ptltl");
	return false;
}

static struct norn_term temporal(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	bool allowed = may_be_temporal(c, env, form), two = form->kind >= NORN_FORM_INTERVAL;
	struct norn_term a = check_truth(c, env, form->a), b = two ? check_truth(c, env, form->b) : a;
	if (!allowed || a.kind == NORN_TERM_BAD || b.kind == NORN_TERM_BAD)
		return bad_term;
	struct norn_term term = {.kind = NORN_TERM_TEMPORAL};
	struct norn_span span = form->span;
	switch (form->kind) {
	case NORN_FORM_ALWAYS: /* false R p */
		b.node = a.node;
		a.node = norn_check_node(c, NORN_OP_FALSE, 0, 0, span);
		break;
	case NORN_FORM_EVENTUALLY: /* true U p */
		b.node = a.node;
		a.node = norn_check_node(c, NORN_OP_TRUE, 0, 0, span);
		break;
	case NORN_FORM_UNLESS: { /* q R (p || q) */
		uint32_t either = norn_check_node(c, NORN_OP_OR, a.node, b.node, span);
		a.node = b.node;
		b.node = either;
		break;
	}
	default:
		break;
	}
	term.node = norn_check_node(c, operators[form->kind].op, a.node, b.node, span);
	return term;
}

/* ---- numbers ---- */

static bool is_prefix(const struct norn_form *form)
{
	return form->kind >= NORN_FORM_NOT && form->kind <= NORN_FORM_HIST && form->kind != NORN_FORM_NEGATE &&
	       form->kind != NORN_FORM_INVERT;
}

static bool is_comparison(enum norn_form_kind kind)
{
	return kind >= NORN_FORM_EQ && kind <= NORN_FORM_GE;
}

/* True if it looks like one, whatever its names mean. */
static bool is_number(const struct norn_form *form)
{
	return form->kind == NORN_FORM_INT || form->kind == NORN_FORM_REAL || form->kind == NORN_FORM_NAME ||
	       form->kind == NORN_FORM_NEGATE || form->kind == NORN_FORM_INVERT || form->kind >= NORN_FORM_ADD;
}

/* The form as text, in backquotes; NULL if that is not worth while. */
static const char *quoted(struct norn_checker *c, const struct norn_form *form)
{
	free(c->form_text);
	c->form_text = norn_check_is_silent(c) ? NULL : norn_form_text(form);
	return c->form_text && strlen(c->form_text) <= HELP_MAX ? norn_check_print(c, "`%s`", c->form_text) : NULL;
}

/* For `G x == 0`, which is (G x) == 0: "write `G (x == 0)`". NULL if it is nothing like that. */
static const char *help_parentheses(struct norn_checker *c, const struct norn_form *whole)
{
	if (!is_comparison(whole->kind) || !is_prefix(whole->a) || norn_check_is_silent(c))
		return NULL;
	struct norn_form *top = NULL, **at = &top, inner = *whole;
	const struct norn_form *operand = whole->a;
	for (; operand && is_prefix(operand); operand = operand->a) {
		struct norn_form *copy = norn_check_copy(c, operand, 1, sizeof *operand);
		*at = copy;
		at = &copy->a;
	}
	if (!operand || !is_number(operand))
		return NULL;
	inner.a = (struct norn_form *)operand;
	*at = &inner;
	const char *text = quoted(c, top);
	return text ? norn_check_advise(c, "write %s", text) : NULL;
}

static void complain_no_number(
        struct norn_checker *c, const struct norn_form *form, enum norn_term_kind kind, const struct norn_form *whole)
{
	const char *text = quoted(c, form), *shown = text ? text : "this", *help = help_parentheses(c, whole);
	if (kind == NORN_TERM_EVENT)
		norn_check_error(c, form->span, "an event happens or does not: it needs no comparison",
		        "%s is an event, not a number", shown);
	else if (!help && (whole->kind == NORN_FORM_EQ || whole->kind == NORN_FORM_NE))
		norn_check_error(c, form->span, whole->kind == NORN_FORM_EQ ? "`<->` compares truths" : "`xor` compares truths",
		        "%s is true or false, not a number", shown);
	else
		norn_check_error(c, form->span, help, "%s is true or false, not a number", shown);
}

static struct norn_term check_number(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, const struct norn_form *whole)
{
	struct norn_term term = norn_check_form(c, env, form);
	if (term.kind == NORN_TERM_NUMBER || term.kind == NORN_TERM_BAD)
		return term;
	complain_no_number(c, form, term.kind, whole);
	return bad_term;
}

static enum norn_expr_op expr_op(enum norn_form_kind kind)
{
	switch (kind) {
	case NORN_FORM_NEGATE:
		return NORN_EXPR_NEGATE;
	case NORN_FORM_INVERT:
		return NORN_EXPR_INVERT;
	case NORN_FORM_ADD:
		return NORN_EXPR_ADD;
	case NORN_FORM_SUB:
		return NORN_EXPR_SUB;
	case NORN_FORM_MUL:
		return NORN_EXPR_MUL;
	case NORN_FORM_DIV:
		return NORN_EXPR_DIV;
	case NORN_FORM_MOD:
		return NORN_EXPR_MOD;
	default:
		return NORN_EXPR_BITAND;
	}
}

static struct norn_term arithmetic(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	bool two = form->kind >= NORN_FORM_ADD;
	struct norn_term a = check_number(c, env, form->a, form), b = two ? check_number(c, env, form->b, form) : a;
	if (a.kind == NORN_TERM_BAD || b.kind == NORN_TERM_BAD)
		return bad_term;
	bool real = a.real || b.real;
	if (real && (form->kind == NORN_FORM_MOD || form->kind == NORN_FORM_BITAND || form->kind == NORN_FORM_INVERT)) {
		norn_check_error(c, form->span, NULL, "`%s` is not defined for floating-point numbers",
		        form->kind == NORN_FORM_MOD      ? "%"
		        : form->kind == NORN_FORM_BITAND ? "&"
		                                         : "~");
		return bad_term;
	}
	struct norn_term term = {.kind = NORN_TERM_NUMBER, .real = real};
	term.expr = norn_check_operation(c, expr_op(form->kind), a.expr, two ? b.expr : NULL, real, form->span);
	if (term.expr)
		return term;
	if (form->kind == NORN_FORM_DIV || form->kind == NORN_FORM_MOD)
		norn_check_error(c, form->span, NULL, "this divides by zero");
	else
		norn_check_error(c, form->span, NULL, "this number has more than 128 bits");
	return bad_term;
}

/* ---- comparisons ---- */

static bool compare(enum norn_form_kind kind, __int128 a, __int128 b)
{
	switch (kind) {
	case NORN_FORM_EQ:
		return a == b;
	case NORN_FORM_NE:
		return a != b;
	case NORN_FORM_LT:
		return a < b;
	case NORN_FORM_LE:
		return a <= b;
	case NORN_FORM_GT:
		return a > b;
	default:
		return a >= b;
	}
}

static enum norn_form_kind mirrored(enum norn_form_kind kind)
{
	switch (kind) {
	case NORN_FORM_LT:
		return NORN_FORM_GT;
	case NORN_FORM_LE:
		return NORN_FORM_GE;
	case NORN_FORM_GT:
		return NORN_FORM_LT;
	case NORN_FORM_GE:
		return NORN_FORM_LE;
	default:
		return kind;
	}
}

static const struct norn_type *type_of_leaf(
        struct norn_checker *c, const struct norn_form_env *env, const struct norn_expr *leaf, uint16_t *ret_bits)
{
	*ret_bits = 0;
	if (leaf->op == NORN_EXPR_PLACE) {
		*ret_bits = c->places[leaf->index].bit_size;
		return c->places[leaf->index].type;
	}
	return leaf->op == NORN_EXPR_SLOT && env->slot_types ? env->slot_types[leaf->index] : NULL;
}

/* Warns about comparisons that the C type of a variable decides. */
static void warn_constant(struct norn_checker *c, const struct norn_form_env *env, const struct norn_form *form,
        const struct norn_expr *a, const struct norn_expr *b)
{
	enum norn_form_kind kind = form->kind;
	__int128 min, max, number;
	uint16_t bits;
	if (a->op == NORN_EXPR_INT) {
		const struct norn_expr *left = a;
		a = b;
		b = left;
		kind = mirrored(kind);
	}
	const struct norn_type *type = type_of_leaf(c, env, a, &bits);
	if (b->op != NORN_EXPR_INT || !type || !norn_check_type_range(type, bits, &min, &max))
		return;
	number = b->number;
	bool inside = number >= min && number <= max, least = compare(kind, min, number);
	if (least != compare(kind, max, number) || (inside && (kind == NORN_FORM_EQ || kind == NORN_FORM_NE) && min != max))
		return;
	const char *name = type->name && type->name[0] ? type->name : "its type";
	if (bits)
		name = norn_check_print(c, "bit-field of %u bits", bits);
	bool low = number < min || (number == min && (kind == NORN_FORM_LT || kind == NORN_FORM_GE));
	norn_check_warn(c, form->span, NULL, "this is always %s, since no %s is %s", least ? "true" : "false", name,
	        !low       ? "so large"
	        : min == 0 ? "negative"
	                   : "so small");
}

/* Warns if a variable is asked to equal a number that its C type does not have. */
static void warn_never_equal(struct norn_checker *c, const struct norn_form_env *env, const struct norn_form *form,
        const struct norn_expr *variable, const struct norn_expr *constant)
{
	__int128 min, max;
	uint16_t bits;
	char text[NORN_DOUBLE_TEXT];
	if (constant->op != NORN_EXPR_REAL || (form->kind != NORN_FORM_EQ && form->kind != NORN_FORM_NE))
		return;
	const struct norn_type *type = type_of_leaf(c, env, variable, &bits);
	double value = norn_real_of(constant->number);
	bool single = type && type->kind == NORN_TYPE_FLOAT && type->size == sizeof(float) && (double)(float)value != value;
	bool whole = type && norn_check_type_range(type, bits, &min, &max) &&
	             (value < -1e20 || value > 1e20 || value != (double)(__int128)value);
	if (!single && !whole)
		return;
	norn_real_text(value, text);
	norn_check_warn(c, form->span,
	        single ? norn_check_advise(
	                         c, "write `%sf`, which is rounded to a float as the variable is, or compare with a range", text)
	               : NULL,
	        "this is always %s, since no %s is %s", form->kind == NORN_FORM_NE ? "true" : "false",
	        type->name && *type->name ? type->name : "integer", text);
}

static bool is_text(const struct norn_form *form)
{
	return form && form->kind == NORN_FORM_TEXT;
}

static struct norn_term comparison(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	if (is_text(form->a) || is_text(form->b)) {
		struct norn_term term = norn_check_text_comparison(c, env, form);
		term = term.kind == NORN_TERM_BAD ? term : truth_of(c, env, term, form->span);
		return form->kind == NORN_FORM_NE && term.kind != NORN_TERM_BAD ? negated(c, env, term, form->span) : term;
	}
	struct norn_term a = check_number(c, env, form->a, form), b = check_number(c, env, form->b, form);
	struct norn_term term = {.kind = NORN_TERM_TRUTH};
	bool negate;
	if (a.kind == NORN_TERM_BAD || b.kind == NORN_TERM_BAD)
		return bad_term;
	bool real = a.real || b.real;
	warn_constant(c, env, form, a.expr, b.expr);
	warn_never_equal(c, env, form, a.expr, b.expr);
	warn_never_equal(c, env, form, b.expr, a.expr);
	term.expr = norn_check_comparison(c, form->kind, a.expr, b.expr, real, form->span, &negate);
	if (is_formula(env)) {
		term.kind = NORN_TERM_NUMBER;
		term = truth_of(c, env, term, form->span);
	}
	return negate ? negated(c, env, term, form->span) : term;
}

/* ---- what only some logics have ---- */

static struct norn_term access_form(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	static const char *const words[] = {[NORN_WORD_READ] = "read", [NORN_WORD_WRITE] = "write", [NORN_WORD_ACCESS] = "access"};
	uint32_t place;
	const char *word = words[form->word];
	if (env->where != NORN_IN_MTTL || env->argument) {
		norn_check_error(c, form->span, norn_check_advise(c, "declare an event, as in `event e = %s x;`", word),
		        "`%s()` is only known in mttl", word);
		return bad_term;
	}
	if (!norn_check_form_place(c, env, form->lval, false, &place))
		return bad_term;
	if (!norn_check_single_place(c, place, form->lval->span))
		return bad_term;
	return (struct norn_term){.kind = NORN_TERM_TRUTH,
	        .node = norn_check_atom_node(c, (struct norn_atom){.kind = NORN_ATOM_ACCESS,
	                                                .word = form->word,
	                                                .place = place,
	                                                .text = norn_check_print(c, "%s(%s)", word, c->places[place].text),
	                                                .span = form->span})};
}

static struct norn_term at_form(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	if (env->where != NORN_IN_MTTL || env->argument) {
		norn_check_error(c, form->span, "write the property in `mttl`", "`@` is only known in mttl");
		return bad_term;
	}
	uint32_t thread = norn_check_thread_variable(c, env, form->name), outside = env->context;
	env->context = thread;
	struct norn_term term = norn_check_form(c, env, form->a);
	env->context = outside;
	if (thread == NORN_SLOT_NONE || term.kind == NORN_TERM_BAD)
		return bad_term;
	if (thread == outside) /* a thread knows itself */
		return term;
	if (term.kind == NORN_TERM_NUMBER) {
		term.expr = norn_check_known(c, term.expr, thread, form->span);
	} else {
		term.node = norn_check_node(c, NORN_OP_AT, term.node, thread, form->span);
		term.kind = wider(term.kind, term.kind);
	}
	return term;
}

static struct norn_term quantifier(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	const char *word = form->kind == NORN_FORM_FORALL ? "forall" : "exists";
	if (env->where != NORN_IN_MTTL || env->argument) {
		norn_check_error(c, form->span, "write the property in `mttl`", "`%s` is only known in mttl", word);
		return bad_term;
	}
	uint32_t other = NORN_SLOT_NONE, type = NORN_SLOT_NONE;
	bool known = form->name.text;
	if (known && form->other.text)
		known = (other = norn_check_thread_variable(c, env, form->other)) != NORN_SLOT_NONE;
	if (form->type.text)
		known &= (type = norn_check_thread_name(c, form->type)) != NORN_SLOT_NONE;
	c->bad |= !known;
	for (const struct norn_thread_variable *at = env->threads; at && known; at = at->outer)
		if (strcmp(at->name, form->name.text) == 0) {
			norn_check_error(
			        c, form->name.span, "choose another name", "`%s` already names a thread here", form->name.text);
			known = false;
		}
	struct norn_thread_variable variable = {.name = form->name.text, .outer = env->threads};
	if (known)
		known = (variable.index = norn_check_thread_number(c, form->name, type, other)) != NORN_SLOT_NONE;
	if (form->name.text)
		env->threads = &variable;
	struct norn_term term = check_truth(c, env, form->a);
	env->threads = variable.outer;
	if (!known || term.kind == NORN_TERM_BAD)
		return bad_term;
	term.kind = wider(term.kind, term.kind);
	term.node = norn_check_node(
	        c, form->kind == NORN_FORM_FORALL ? NORN_OP_FORALL : NORN_OP_EXISTS, term.node, variable.index, form->span);
	return term;
}

static bool scope_local(struct norn_checker *c, struct norn_name name)
{
	const struct norn_named *named = name.text ? norn_name_table_find(&c->scope_names, name.text) : NULL;
	c->bad |= !name.text || (named && named->bad);
	if (!name.text || (named && named->index == NORN_ITEM_LOCAL))
		return name.text;
	norn_check_error(c, name.span, norn_check_meant(c, named ? NULL : norn_check_nearest(c, &c->scope_names, name.text), NULL),
	        named ? "`%s` is an atom, and no local" : "the scope has no local `%s`", name.text);
	return false;
}

/* count(local, T), count(local, F): a verdict, unless the file has a type of that name. */
static bool is_verdict(const struct norn_checker *c, const struct norn_form *form)
{
	const char *text = form->other.text;
	return text && (strcmp(text, "T") == 0 || strcmp(text, "F") == 0) && !norn_name_table_find(&c->threads, text);
}

/* all some none size count */
static struct norn_term count_form(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	static const char *const words[] = {[NORN_WORD_ALL] = "all",
	        [NORN_WORD_SOME] = "some",
	        [NORN_WORD_NONE] = "none",
	        [NORN_WORD_SIZE] = "size",
	        [NORN_WORD_COUNT] = "count"};
	bool number = form->word == NORN_WORD_SIZE || form->word == NORN_WORD_COUNT;
	if (env->where != NORN_IN_ATOM) {
		norn_check_error(c, form->span, NULL, "`%s()` is only known in the atoms of a scope", words[form->word]);
		return bad_term;
	}
	bool known = form->word == NORN_WORD_SIZE ? form->name.text && norn_check_thread_name(c, form->name) != NORN_SLOT_NONE
	                                          : scope_local(c, form->name);
	bool verdict = is_verdict(c, form);
	if (form->other.text && !verdict)
		known &= norn_check_thread_name(c, form->other) != NORN_SLOT_NONE;
	c->bad |= !known;
	if (!known)
		return bad_term;
	struct norn_tally tally = {
	        .word = form->word, .type = NORN_SLOT_NONE, .falsified = verdict && strcmp(form->other.text, "F") == 0};
	if (form->word == NORN_WORD_SIZE)
		tally.type = norn_check_thread_name(c, form->name);
	else
		tally.local = norn_name_table_find(&c->scope_names, form->name.text)->place;
	if (form->other.text && !verdict)
		tally.type = norn_check_thread_name(c, form->other);
	return (struct norn_term){.kind = number ? NORN_TERM_NUMBER : NORN_TERM_TRUTH,
	        .expr = norn_check_leaf(c, NORN_EXPR_TALLY, norn_check_tally(c, tally), form->span)};
}

/* ---- all forms ---- */

static struct norn_term by_kind(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	switch (form->kind) {
	case NORN_FORM_INT:
		return (struct norn_term){.kind = NORN_TERM_NUMBER, .expr = norn_check_int(c, form->number, form->span)};
	case NORN_FORM_REAL:
		return (struct norn_term){
		        .kind = NORN_TERM_NUMBER, .real = true, .expr = norn_check_real(c, form->number, form->span)};
	case NORN_FORM_TEXT:
		norn_check_error(c, form->span, "compare it, as in `name == \"bob\"`", "a string is no number");
		return bad_term;
	case NORN_FORM_TRUE:
	case NORN_FORM_FALSE:
		return constant(c, env, form->kind == NORN_FORM_TRUE, form->span);
	case NORN_FORM_NAME:
		return norn_check_name(c, env, form);
	case NORN_FORM_ACCESS:
		return access_form(c, env, form);
	case NORN_FORM_COUNT:
		return count_form(c, env, form);
	case NORN_FORM_NOT: {
		struct norn_term term = check_truth(c, env, form->a);
		return term.kind == NORN_TERM_BAD ? term : negated(c, env, term, form->span);
	}
	case NORN_FORM_AT:
		return at_form(c, env, form);
	case NORN_FORM_FORALL:
	case NORN_FORM_EXISTS:
		return quantifier(c, env, form);
	case NORN_FORM_IFF:
	case NORN_FORM_IMPLIES:
	case NORN_FORM_XOR:
	case NORN_FORM_OR:
	case NORN_FORM_AND:
		return connective(c, env, form);
	default:
		if (operators[form->kind].word)
			return temporal(c, env, form);
		return is_comparison(form->kind) ? comparison(c, env, form) : arithmetic(c, env, form);
	}
}

static void complain_exhausted(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	env->exhausted = true;
	if (env->size > NORN_EXPANSION_MAX)
		norn_check_error(c, form->span, "split the formula",
		        "with its predicates expanded, this formula has more than %u parts", NORN_EXPANSION_MAX);
	else if (env->depth >= NORN_NESTING_MAX)
		norn_check_error(c, form->span, "split the formula",
		        "with its predicates expanded, this formula nests deeper than %u", NORN_NESTING_MAX);
	else
		norn_check_error(c, form->span, NULL, "the predicates of all formulas together expand to more than %u parts",
		        NORN_EXPANSIONS_MAX);
}

struct norn_term norn_check_form(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form)
{
	if (!form || env->exhausted) {
		c->bad = true;
		return bad_term;
	}
	c->expanded += env->expansion != NULL;
	if (++env->size > NORN_EXPANSION_MAX || env->depth >= NORN_NESTING_MAX || c->expanded > NORN_EXPANSIONS_MAX) {
		complain_exhausted(c, env, form);
		return bad_term;
	}
	env->depth++;
	struct norn_term term = by_kind(c, env, form);
	env->depth--;
	return term;
}

bool norn_check_formula(struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, uint32_t *ret_root)
{
	struct norn_term term = check_truth(c, env, form);
	*ret_root = term.node;
	return term.kind != NORN_TERM_BAD;
}

const struct norn_expr *norn_check_expression(
        struct norn_checker *c, struct norn_form_env *env, const struct norn_form *form, bool *ret_real)
{
	struct norn_term term = norn_check_form(c, env, form);
	if (ret_real)
		*ret_real = term.real;
	return term.kind == NORN_TERM_BAD ? NULL : term.expr;
}
