#include "monitor/tableau.h"

#include <errno.h>
#include <stdlib.h>

#include "base/must.h"

static bool is_temporal(enum norn_op op)
{
	return op >= NORN_OP_NEXT && op <= NORN_OP_RELEASE;
}

int norn_tableau_init(struct norn_tableau *t, const struct norn_property *property)
{
	*t = (struct norn_tableau){.property = property};
	if (property->logic != NORN_LOGIC_LTL || property->node_count == 0)
		return -EINVAL;
	for (uint32_t i = 0; i < property->node_count; i++) {
		enum norn_op op = property->nodes[i].op;
		if (!is_temporal(op))
			continue;
		if (t->promises == NORN_PROMISES_MAX)
			return -E2BIG;
		t->debts |= (uint32_t)(op == NORN_OP_UNTIL || op == NORN_OP_RELEASE) << t->promises;
		t->nodes[t->promises++] = i;
	}
	t->values = norn_must_calloc(property->node_count, 1);
	return 0;
}

void norn_tableau_done(struct norn_tableau *t)
{
	free(t->values);
	*t = (struct norn_tableau){0};
}

static uint8_t value(const struct norn_tableau *t, uint32_t n, uint64_t letter, bool promised)
{
	const struct norn_node *x = &t->property->nodes[n];
	const uint8_t *v = t->values;
	switch (x->op) {
	case NORN_OP_TRUE:
		return true;
	case NORN_OP_ATOM:
		return letter >> x->a & 1;
	case NORN_OP_NOT:
		return !v[x->a];
	case NORN_OP_AND:
		return v[x->a] & v[x->b];
	case NORN_OP_OR:
		return v[x->a] | v[x->b];
	case NORN_OP_NEXT:
	case NORN_OP_WEAK_NEXT:
		return promised;
	case NORN_OP_UNTIL:
		return v[x->b] | (v[x->a] & promised);
	case NORN_OP_RELEASE:
		return v[x->b] & (v[x->a] | promised);
	default:
		return false;
	}
}

struct norn_tableau_step norn_tableau_back(struct norn_tableau *t, uint64_t letter, uint32_t after)
{
	struct norn_tableau_step step = {0};
	uint32_t promise = 0;
	for (uint32_t n = 0; n < t->property->node_count; n++) {
		bool temporal = is_temporal(t->property->nodes[n].op);
		t->values[n] = value(t, n, letter, temporal && (after >> promise & 1));
		promise += temporal;
	}
	for (uint32_t i = 0; i < t->promises; i++) {
		const struct norn_node *x = &t->property->nodes[t->nodes[i]];
		bool itself = x->op == NORN_OP_UNTIL || x->op == NORN_OP_RELEASE, holds = t->values[t->nodes[i]];
		step.before |= (uint32_t)(itself ? holds : t->values[x->a]) << i;
		/* An until that holds, holds because its aim does at last; a release that does not, because its operand fails at
		 * last. */
		bool paid = x->op == NORN_OP_UNTIL ? !holds || t->values[x->b] : itself && (holds || !t->values[x->b]);
		step.paid |= (uint32_t)paid << i;
	}
	step.holds = t->values[t->property->node_count - 1];
	return step;
}
