/* Evaluation of expressions over known and unknown values.
 *
 * A value is unknown, a mathematical integer of up to 128 bits, or a double. A value that cannot be computed is unknown: an operand
 * that is, overflow, division by zero. Truth is 0 or 1, and follows Kleene: false and unknown is false, true or unknown is true.
 * The caller supplies the values of leaves (places, ghosts, …, the facts about the event). */
#ifndef NORN_MONITOR_EVAL_H
#define NORN_MONITOR_EVAL_H

#include "property/property.h"

struct norn_value {
	bool known, is_float;
	union {
		__int128 integer;
		double real;
	};
};

enum norn_truth { NORN_TRUTH_UNKNOWN = -1, NORN_TRUTH_NO, NORN_TRUTH_YES };

/* leaf gets expressions from NORN_EXPR_PLACE to NORN_EXPR_EVENT, never others. */
struct norn_eval_env {
	struct norn_value (*leaf)(void *context, const struct norn_expr *leaf);
	void *context;
};

struct norn_value norn_expr_eval(const struct norn_expr *expr, const struct norn_eval_env *env);
enum norn_truth norn_expr_holds(const struct norn_expr *expr, const struct norn_eval_env *env);

/* An operator from NORN_EXPR_NOT on, but AND, OR and AT, on values; b counts for nothing where it has one operand. */
struct norn_value norn_value_operate(enum norn_expr_op op, struct norn_value a, struct norn_value b);
enum norn_truth norn_value_truth(struct norn_value value);
/* As == of the language: unknown if one of them is. */
enum norn_truth norn_value_equal(struct norn_value a, struct norn_value b);

static inline struct norn_value norn_value_unknown(void)
{
	return (struct norn_value){.known = false};
}

static inline struct norn_value norn_value_integer(__int128 integer)
{
	return (struct norn_value){.known = true, .integer = integer};
}

static inline struct norn_value norn_value_real(double real)
{
	return (struct norn_value){.known = true, .is_float = true, .real = real};
}

/* "-17", "0.5", "?"; room of 48 bytes is always enough. */
void norn_value_text(struct norn_value value, char *to, size_t room);

#endif
