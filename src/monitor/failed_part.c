#include "monitor/failed_part.h"

#include <errno.h>
#include <stdlib.h>

#include "base/must.h"
#include "monitor/word_semantics.h"

struct diagnosis {
	const struct norn_word_semantics *word;
	const struct norn_node *nodes;
	const uint8_t *values; /* a row of positions per node */
	uint32_t node, position; /* at fault, as far as it is known */
};

static uint8_t value(const struct diagnosis *q, uint32_t n, uint32_t i)
{
	return i == NORN_WORD_SEMANTICS_END ? NORN_WORD_SEMANTICS_MAYBE : q->values[(size_t)n * q->word->count + i];
}

/* The first position from i on where the node is false, in the order in which they come; NORN_WORD_SEMANTICS_END: none. */
static uint32_t first_false(const struct diagnosis *q, uint32_t n, uint32_t i)
{
	for (uint32_t steps = 0; steps <= q->word->count && i != NORN_WORD_SEMANTICS_END;
	        steps++, i = norn_word_semantics_next(q->word, i))
		if (value(q, n, i) == NORN_WORD_SEMANTICS_FALSE)
			return i;
	return NORN_WORD_SEMANTICS_END;
}

static uint32_t last_false(const struct diagnosis *q, uint32_t n, uint32_t i)
{
	for (uint32_t k = i + 1; k-- > 0;)
		if (value(q, n, k) == NORN_WORD_SEMANTICS_FALSE)
			return k;
	return NORN_WORD_SEMANTICS_END;
}

/* The operand that alone is at fault, and where; false: it is the node itself. */
static bool descend(const struct diagnosis *q, const struct norn_node *x, uint32_t i, uint32_t *ret_node, uint32_t *ret_position)
{
	bool a_false = x->op > NORN_OP_ATOM && value(q, x->a, i) == NORN_WORD_SEMANTICS_FALSE, a_not, b_not;
	*ret_position = i;
	switch (x->op) {
	case NORN_OP_AND:
		*ret_node = a_false ? x->a : x->b;
		return a_false != (value(q, x->b, i) == NORN_WORD_SEMANTICS_FALSE);
	case NORN_OP_OR: /* an implication: its premise is true */
		a_not = q->nodes[x->a].op == NORN_OP_NOT;
		b_not = q->nodes[x->b].op == NORN_OP_NOT;
		*ret_node = a_not ? x->b : x->a;
		return a_not != b_not;
	case NORN_OP_NEXT:
	case NORN_OP_WEAK_NEXT:
		*ret_node = x->a;
		*ret_position = norn_word_semantics_next(q->word, i);
		return true;
	case NORN_OP_RELEASE:
		*ret_node = x->b;
		*ret_position = first_false(q, x->b, i);
		return true;
	case NORN_OP_HIST:
		*ret_node = x->a;
		*ret_position = last_false(q, x->a, i);
		return true;
	default:
		return false;
	}
}

static void inquire(struct diagnosis *q)
{
	uint32_t node, position;
	while (descend(q, &q->nodes[q->node], q->position, &node, &position)) {
		if (position == NORN_WORD_SEMANTICS_END || value(q, node, position) != NORN_WORD_SEMANTICS_FALSE)
			return;
		q->node = node;
		q->position = position;
	}
}

int norn_failed_part(const struct norn_property *property, const uint64_t *letters, const uint64_t *unknown, uint32_t count,
        uint32_t loop, uint32_t *ret_node, uint32_t *ret_position)
{
	const struct norn_word_semantics word = {letters, unknown, count, loop};
	bool past = property->logic == NORN_LOGIC_PTLTL;
	if ((!past && property->logic != NORN_LOGIC_LTL) || property->node_count == 0 || count == 0)
		return -ENOENT;
	uint8_t *values = norn_must_alloc((size_t)property->node_count, count);
	struct diagnosis q = {&word, property->nodes, values, property->node_count - 1, past ? count - 1 : 0};
	norn_word_semantics_judge(&word, property, values);
	int r = value(&q, q.node, q.position) == NORN_WORD_SEMANTICS_FALSE ? 0 : -ENOENT;
	if (r == 0) {
		inquire(&q);
		*ret_node = q.node;
		*ret_position = q.position;
	}
	free(values);
	return r;
}
