#include "monitor/automata/nnf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define NODES_MAX (UINT32_C(1) << 28) /* a key has 28 bits for each operand */

/* The simplified formula, if the operator need not be a node: returns true. */
static bool simplify(const struct norn_nnf *nnf, enum norn_nnf_op op, uint32_t a, uint32_t b, uint32_t *ret_formula)
{
	/* TRUE and FALSE are the nodes 0 and 1. */
	bool a_true = a == NORN_NNF_TRUE, a_false = a == NORN_NNF_FALSE, b_true = b == NORN_NNF_TRUE, b_false = b == NORN_NNF_FALSE;
	*ret_formula = b;
	switch (op) {
	case NORN_NNF_AND:
	case NORN_NNF_OR: {
		enum norn_nnf_op x = nnf->nodes[a].op, y = nnf->nodes[b].op;
		uint32_t strong = op == NORN_NNF_AND ? NORN_NNF_FALSE : NORN_NNF_TRUE, neutral = !strong;
		bool opposite = nnf->nodes[a].a == nnf->nodes[b].a &&
		                ((x == NORN_NNF_ATOM && y == NORN_NNF_NOT_ATOM) || (x == NORN_NNF_NOT_ATOM && y == NORN_NNF_ATOM));
		if (a == strong || b == strong || opposite)
			*ret_formula = strong;
		else if (b == neutral)
			*ret_formula = a;
		return *ret_formula == strong || a == neutral || b == neutral || a == b;
	}
	case NORN_NNF_NEXT: /* with finite runs, X true says that there is another position */
		*ret_formula = a;
		return a_false || (a_true && !nnf->finite);
	case NORN_NNF_WEAK_NEXT:
		*ret_formula = a;
		return a_true || (a_false && !nnf->finite);
	case NORN_NNF_UNTIL:
		return b_true || b_false || a_false || a == b;
	case NORN_NNF_RELEASE:
		return b_true || b_false || a_true || a == b;
	default:
		return false;
	}
}

static bool at_end(const struct norn_nnf *nnf, enum norn_nnf_op op, uint32_t a, uint32_t b)
{
	switch (op) {
	case NORN_NNF_TRUE:
	case NORN_NNF_WEAK_NEXT:
	case NORN_NNF_RELEASE:
		return true;
	case NORN_NNF_AND:
		return nnf->nodes[a].at_end && nnf->nodes[b].at_end;
	case NORN_NNF_OR:
		return nnf->nodes[a].at_end || nnf->nodes[b].at_end;
	default:
		return false;
	}
}

static int make(struct norn_nnf *nnf, enum norn_nnf_op op, uint32_t a, uint32_t b, uint32_t *ret_formula, struct norn_error *err)
{
	if ((op == NORN_NNF_AND || op == NORN_NNF_OR) && a > b) {
		uint32_t t = a;
		a = b;
		b = t;
	}
	if (op == NORN_NNF_WEAK_NEXT && !nnf->finite)
		op = NORN_NNF_NEXT;
	if (op > NORN_NNF_NOT_ATOM && simplify(nnf, op, a, b, ret_formula))
		return 0;
	if (nnf->count == NODES_MAX)
		return norn_error_set(err, -E2BIG, "the formula has more than %u subformulas", NODES_MAX);
	uint32_t *known = norn_must_map_put(&nnf->known, (uint64_t)op << 56 | (uint64_t)a << 28 | b); /* 1 + the node */
	if (*known == 0) {
		norn_must_grow(&nnf->nodes, nnf->count + UINT64_C(1), &nnf->room, sizeof *nnf->nodes);
		nnf->nodes[nnf->count] = (struct norn_nnf_node){op, a, b, at_end(nnf, op, a, b)};
		nnf->count++;
		*known = nnf->count;
	}
	*ret_formula = *known - 1;
	return 0;
}

static enum norn_nnf_op dual(enum norn_nnf_op op)
{
	static const enum norn_nnf_op duals[] = {NORN_NNF_FALSE, NORN_NNF_TRUE, NORN_NNF_NOT_ATOM, NORN_NNF_ATOM, NORN_NNF_OR,
	        NORN_NNF_AND, NORN_NNF_WEAK_NEXT, NORN_NNF_NEXT, NORN_NNF_RELEASE, NORN_NNF_UNTIL};
	return duals[op];
}

static bool future(enum norn_op from, enum norn_nnf_op *ret_op)
{
	switch (from) {
	case NORN_OP_TRUE:
		*ret_op = NORN_NNF_TRUE;
		return true;
	case NORN_OP_FALSE:
		*ret_op = NORN_NNF_FALSE;
		return true;
	case NORN_OP_ATOM:
		*ret_op = NORN_NNF_ATOM;
		return true;
	case NORN_OP_AND:
		*ret_op = NORN_NNF_AND;
		return true;
	case NORN_OP_OR:
		*ret_op = NORN_NNF_OR;
		return true;
	case NORN_OP_NEXT:
		*ret_op = NORN_NNF_NEXT;
		return true;
	case NORN_OP_WEAK_NEXT:
		*ret_op = NORN_NNF_WEAK_NEXT;
		return true;
	case NORN_OP_UNTIL:
		*ret_op = NORN_NNF_UNTIL;
		return true;
	case NORN_OP_RELEASE:
		*ret_op = NORN_NNF_RELEASE;
		return true;
	default:
		return false;
	}
}

/* For each node of the property the pair (formula, negation). */
struct nnf_pair {
	uint32_t formula, negation;
};

static int add_node(struct norn_nnf *nnf, const struct norn_node *node, const struct nnf_pair *pairs, struct nnf_pair *ret_pair,
        struct norn_error *err)
{
	enum norn_nnf_op op;
	if (node->op == NORN_OP_NOT) {
		*ret_pair = (struct nnf_pair){pairs[node->a].negation, pairs[node->a].formula};
		return 0;
	}
	if (!future(node->op, &op))
		return norn_error_set(err, -EINVAL, "the formula speaks of the past");
	struct nnf_pair a = {0, 0}, b = {0, 0};
	if (op == NORN_NNF_ATOM)
		a = (struct nnf_pair){node->a, node->a};
	else if (op > NORN_NNF_NOT_ATOM)
		a = pairs[node->a];
	if (op == NORN_NNF_AND || op == NORN_NNF_OR || op >= NORN_NNF_UNTIL)
		b = pairs[node->b];
	int r = make(nnf, op, a.formula, b.formula, &ret_pair->formula, err);
	return r != 0 ? r : make(nnf, dual(op), a.negation, b.negation, &ret_pair->negation, err);
}

int norn_nnf_init(struct norn_nnf *nnf, const struct norn_property *property, struct norn_error *err)
{
	memset(nnf, 0, sizeof *nnf);
	nnf->finite = property->end == NORN_END_FINITE;
	norn_map_init(&nnf->known, sizeof(uint32_t));
	uint32_t constant;
	struct nnf_pair *pairs = norn_must_calloc(property->node_count, sizeof *pairs);
	int r = 0;
	for (enum norn_nnf_op op = NORN_NNF_TRUE; r == 0 && op <= NORN_NNF_FALSE; op++)
		r = make(nnf, op, 0, 0, &constant, err);
	for (uint32_t i = 0; r == 0 && i < property->node_count; i++)
		r = add_node(nnf, &property->nodes[i], pairs, &pairs[i], err);
	if (r == 0) {
		nnf->formula = pairs[property->node_count - 1].formula;
		nnf->negation = pairs[property->node_count - 1].negation;
	} else {
		norn_nnf_done(nnf);
	}
	free(pairs);
	return r;
}

void norn_nnf_done(struct norn_nnf *nnf)
{
	free(nnf->nodes);
	norn_map_done(&nnf->known);
	memset(nnf, 0, sizeof *nnf);
}
