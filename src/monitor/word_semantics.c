#include "monitor/word_semantics.h"

#include <stddef.h>

/* A node's row, and those of its operands. */
struct rows {
	const struct norn_word_semantics *word;
	const uint8_t *a, *b;
	uint8_t *to;
};

static uint8_t least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static uint8_t most(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

static uint8_t negate(uint8_t a)
{
	return NORN_WORD_SEMANTICS_TRUE - a;
}

static uint8_t atom(const struct norn_word_semantics *w, uint32_t i, uint32_t atom)
{
	if (w->unknown && w->unknown[i] >> atom & 1)
		return NORN_WORD_SEMANTICS_MAYBE;
	return w->letters[i] >> atom & 1 ? NORN_WORD_SEMANTICS_TRUE : NORN_WORD_SEMANTICS_FALSE;
}

/* Once around the loop brings what holds at its positions to its first one, the second time takes it to all of them, and to u. */
static void fix(const struct rows *x, bool until)
{
	const struct norn_word_semantics *w = x->word;
	for (uint32_t i = 0; i < w->count; i++)
		x->to[i] = until ? NORN_WORD_SEMANTICS_FALSE : NORN_WORD_SEMANTICS_TRUE;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = w->count; i-- > 0;) {
			uint32_t next = norn_word_semantics_next(w, i);
			uint8_t later = next == NORN_WORD_SEMANTICS_END ? NORN_WORD_SEMANTICS_MAYBE : x->to[next];
			x->to[i] = until ? most(x->b[i], least(x->a[i], later)) : least(x->b[i], most(x->a[i], later));
		}
}

static uint8_t present_or_future(const struct rows *x, enum norn_op op, uint32_t operand, uint32_t i)
{
	uint32_t next = norn_word_semantics_next(x->word, i);
	switch (op) {
	case NORN_OP_TRUE:
		return NORN_WORD_SEMANTICS_TRUE;
	case NORN_OP_ATOM:
		return atom(x->word, i, operand);
	case NORN_OP_NOT:
		return negate(x->a[i]);
	case NORN_OP_AND:
		return least(x->a[i], x->b[i]);
	case NORN_OP_OR:
		return most(x->a[i], x->b[i]);
	case NORN_OP_NEXT:
	case NORN_OP_WEAK_NEXT:
		return next == NORN_WORD_SEMANTICS_END ? NORN_WORD_SEMANTICS_MAYBE : x->a[next];
	default:
		return NORN_WORD_SEMANTICS_FALSE;
	}
}

/* docs/property-language.md: the first position looks back at itself, and intervals that were never opened are closed. */
static uint8_t past(const struct rows *x, enum norn_op op, uint32_t i)
{
	uint8_t p = x->a[i], q = x->b[i], before = i ? x->a[i - 1] : p;
	uint8_t strong = i ? x->to[i - 1] : NORN_WORD_SEMANTICS_FALSE, weak = i ? x->to[i - 1] : NORN_WORD_SEMANTICS_TRUE;
	switch (op) {
	case NORN_OP_PREV:
		return before;
	case NORN_OP_START:
		return least(p, negate(before));
	case NORN_OP_END:
		return least(negate(p), before);
	case NORN_OP_ONCE:
		return most(p, strong);
	case NORN_OP_HIST:
		return least(p, weak);
	case NORN_OP_SINCE:
		return most(q, least(p, strong));
	case NORN_OP_WEAK_SINCE:
		return most(q, least(p, weak));
	case NORN_OP_INTERVAL:
		return least(negate(q), most(p, strong));
	default:
		return least(negate(q), most(p, weak));
	}
}

void norn_word_semantics_judge(const struct norn_word_semantics *word, const struct norn_property *property, uint8_t *values)
{
	for (uint32_t n = 0; n < property->node_count; n++) {
		const struct norn_node *node = &property->nodes[n];
		bool has_a = node->op > NORN_OP_ATOM;
		struct rows x = {word, values + (has_a ? (size_t)node->a * word->count : 0), values + (size_t)node->b * word->count,
		        values + (size_t)n * word->count};
		if (node->op == NORN_OP_UNTIL || node->op == NORN_OP_RELEASE)
			fix(&x, node->op == NORN_OP_UNTIL);
		else
			for (uint32_t i = 0; i < word->count; i++)
				x.to[i] = node->op >= NORN_OP_PREV && node->op <= NORN_OP_WEAK_INTERVAL
				                  ? past(&x, node->op, i)
				                  : present_or_future(&x, node->op, node->a, i);
	}
}
