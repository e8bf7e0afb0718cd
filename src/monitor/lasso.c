#include "monitor/lasso.h"

#include <errno.h>
#include <stdlib.h>

/* Truth values in their order, so that and and or are minimum and maximum, and not is the distance from the top. */
enum { FALSE, MAYBE, TRUE };

struct word {
	const uint64_t *letters, *unknown;
	uint32_t count, loop;
};

static uint8_t least(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static uint8_t most(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

static uint32_t next(const struct word *w, uint32_t i)
{
	return i + 1 < w->count ? i + 1 : w->loop;
}

static uint8_t atom(const struct word *w, uint32_t i, uint32_t atom)
{
	if (w->unknown && w->unknown[i] >> atom & 1)
		return MAYBE;
	return w->letters[i] >> atom & 1 ? TRUE : FALSE;
}

/* Once around the loop brings what holds at its positions to its first one, the second time takes it to all of them, and to u. */
static void fix(const struct word *w, bool until, const uint8_t *a, const uint8_t *b, uint8_t *to)
{
	for (uint32_t i = 0; i < w->count; i++)
		to[i] = until ? FALSE : TRUE;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = w->count; i-- > 0;) {
			uint8_t later = to[next(w, i)];
			to[i] = until ? most(b[i], least(a[i], later)) : least(b[i], most(a[i], later));
		}
}

/* values: a row of positions per node. */
static int judge_node(const struct word *w, const struct norn_node *nodes, uint32_t n, uint8_t *values)
{
	const struct norn_node *x = &nodes[n];
	uint8_t *to = values + (size_t)n * w->count;
	const uint8_t *a = x->op > NORN_OP_ATOM ? values + (size_t)x->a * w->count : NULL, *b = values + (size_t)x->b * w->count;
	if (x->op == NORN_OP_UNTIL || x->op == NORN_OP_RELEASE) {
		fix(w, x->op == NORN_OP_UNTIL, a, b, to);
		return 0;
	}
	for (uint32_t i = 0; i < w->count; i++)
		switch (x->op) {
		case NORN_OP_TRUE:
			to[i] = TRUE;
			break;
		case NORN_OP_FALSE:
			to[i] = FALSE;
			break;
		case NORN_OP_ATOM:
			to[i] = atom(w, i, x->a);
			break;
		case NORN_OP_NOT:
			to[i] = TRUE - a[i];
			break;
		case NORN_OP_AND:
			to[i] = least(a[i], b[i]);
			break;
		case NORN_OP_OR:
			to[i] = most(a[i], b[i]);
			break;
		case NORN_OP_NEXT:
		case NORN_OP_WEAK_NEXT:
			to[i] = a[next(w, i)];
			break;
		default:
			return -EINVAL;
		}
	return 0;
}

int norn_lasso_judge(const struct norn_property *property, const uint64_t *letters, const uint64_t *unknown, uint32_t count,
        uint32_t loop, enum norn_truth *ret_holds)
{
	static const enum norn_truth truth[] = {NORN_TRUTH_NO, NORN_TRUTH_UNKNOWN, NORN_TRUTH_YES};
	const struct word w = {letters, unknown, count, loop};
	if (property->logic != NORN_LOGIC_LTL || property->node_count == 0 || loop >= count)
		return -EINVAL;
	uint8_t *values = malloc((size_t)property->node_count * count);
	int r = values ? 0 : -ENOMEM;
	for (uint32_t n = 0; r == 0 && n < property->node_count; n++)
		r = judge_node(&w, property->nodes, n, values);
	if (r == 0)
		*ret_holds = truth[values[(size_t)(property->node_count - 1) * count]];
	free(values);
	return r;
}
