#include "monitor/ptltl.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

static unsigned operands(enum norn_op op)
{
	switch (op) {
	case NORN_OP_TRUE:
	case NORN_OP_FALSE:
	case NORN_OP_ATOM:
		return 0;
	case NORN_OP_NOT:
	case NORN_OP_PREV:
	case NORN_OP_START:
	case NORN_OP_END:
	case NORN_OP_ONCE:
	case NORN_OP_HIST:
		return 1;
	default:
		return 2;
	}
}

struct ptltl_builder {
	struct norn_ptltl *ptltl;
	struct norn_map known; /* from operator and operands to 1 + the line */
};

static int emit(struct ptltl_builder *m, enum norn_op op, uint32_t a, uint32_t b, uint32_t *ret_line, struct norn_error *err)
{
	uint64_t key = (uint64_t)op << 48 | (uint64_t)a << 24 | b;
	uint32_t *line = norn_must_map_put(&m->known, key);
	struct norn_ptltl *p = m->ptltl;
	if (*line == 0) {
		if (p->count == NORN_PTLTL_CODE_MAX)
			return norn_error_set(err, -E2BIG,
			        "the formula has more than %u different subformulas, the most that a monitor computes at each step",
			        NORN_PTLTL_CODE_MAX);
		p->lines[p->count++] = (struct norn_ptltl_line){(uint8_t)op, NORN_PTLTL_NONE, (uint16_t)a, (uint16_t)b};
		*line = p->count;
	}
	*ret_line = *line - 1;
	return 0;
}

/* The operator's value if an operand is constant: TRUE, FALSE, the line *ret_same (ATOM), or itself. */
static enum norn_op fold(const struct norn_ptltl *p, enum norn_op op, uint32_t a, uint32_t b, uint32_t *ret_same)
{
	unsigned count = operands(op);
	enum norn_op x = count >= 1 ? p->lines[a].op : op, y = count >= 2 ? p->lines[b].op : op;
	bool always = x == NORN_OP_TRUE, never = x == NORN_OP_FALSE;
	*ret_same = a;
	switch (op) {
	case NORN_OP_NOT:
		*ret_same = p->lines[a].a;
		return always ? NORN_OP_FALSE : never ? NORN_OP_TRUE : x == NORN_OP_NOT ? NORN_OP_ATOM : op;
	case NORN_OP_AND:
	case NORN_OP_OR: {
		enum norn_op strong = op == NORN_OP_AND ? NORN_OP_FALSE : NORN_OP_TRUE;
		enum norn_op neutral = op == NORN_OP_AND ? NORN_OP_TRUE : NORN_OP_FALSE;
		if (x == strong || y == strong)
			return strong;
		if (x == neutral)
			*ret_same = b;
		return x == neutral || y == neutral || a == b ? NORN_OP_ATOM : op;
	}
	case NORN_OP_PREV:
	case NORN_OP_ONCE:
	case NORN_OP_HIST:
		return always || never ? x : op;
	case NORN_OP_START:
	case NORN_OP_END:
		return always || never ? NORN_OP_FALSE : op;
	case NORN_OP_SINCE:
		*ret_same = b;
		return y == NORN_OP_TRUE || y == NORN_OP_FALSE ? y : never ? NORN_OP_ATOM : op;
	case NORN_OP_WEAK_SINCE:
		*ret_same = b;
		return y == NORN_OP_TRUE || always ? NORN_OP_TRUE : never ? NORN_OP_ATOM : op;
	case NORN_OP_INTERVAL:
		return y == NORN_OP_TRUE || never ? NORN_OP_FALSE : op;
	case NORN_OP_WEAK_INTERVAL:
		return y == NORN_OP_TRUE ? NORN_OP_FALSE : y == NORN_OP_FALSE ? NORN_OP_TRUE : op;
	default:
		return op;
	}
}

static int add_node(
        struct ptltl_builder *m, const struct norn_node *node, const uint32_t *lines, uint32_t *ret_line, struct norn_error *err)
{
	unsigned count = operands(node->op);
	uint32_t a = count >= 1 ? lines[node->a] : node->op == NORN_OP_ATOM ? node->a : 0, b = count >= 2 ? lines[node->b] : 0;
	if (node->op > NORN_OP_WEAK_INTERVAL)
		return norn_error_set(err, -EINVAL, "the formula speaks of the future");
	if ((node->op == NORN_OP_AND || node->op == NORN_OP_OR) && a > b) {
		uint32_t t = a;
		a = b;
		b = t;
	}
	if (node->op == NORN_OP_ATOM)
		return emit(m, node->op, a, 0, ret_line, err);
	enum norn_op folded = fold(m->ptltl, node->op, a, b, ret_line);
	if (folded == NORN_OP_ATOM)
		return 0;
	return folded == node->op ? emit(m, folded, a, b, ret_line, err) : emit(m, folded, 0, 0, ret_line, err);
}

/* Keeps of the lines only those that the root needs, the root last. */
static void drop_unneeded(struct norn_ptltl *p, uint32_t root)
{
	uint16_t *number = norn_must_calloc(p->count, sizeof *number); /* 1 + the new number; at first 1: needed */
	number[root] = 1;
	for (uint32_t i = root + 1; i-- > 0;) {
		unsigned count = number[i] ? operands(p->lines[i].op) : 0;
		if (count >= 1)
			number[p->lines[i].a] = 1;
		if (count >= 2)
			number[p->lines[i].b] = 1;
	}
	p->count = 0;
	for (uint32_t i = 0; i <= root; i++) {
		struct norn_ptltl_line line = p->lines[i];
		unsigned count = operands(line.op);
		if (!number[i])
			continue;
		line.a = count >= 1 ? (uint16_t)(number[line.a] - 1) : line.a;
		line.b = count >= 2 ? (uint16_t)(number[line.b] - 1) : line.b;
		p->lines[p->count++] = line;
		number[i] = (uint16_t)p->count;
	}
	free(number);
}

/* Gives bits to what must be remembered: the operand of prev, start and end, and every other line about the past itself. */
static int give_bits(struct norn_ptltl *p, struct norn_error *err)
{
	for (uint32_t i = 0; i < p->count; i++) {
		struct norn_ptltl_line *line = &p->lines[i];
		bool operand = line->op == NORN_OP_PREV || line->op == NORN_OP_START || line->op == NORN_OP_END;
		if (!operand && line->op < NORN_OP_ONCE)
			continue;
		struct norn_ptltl_line *remembered = operand ? &p->lines[line->a] : line;
		if (remembered->bit == NORN_PTLTL_NONE) {
			uint32_t bit = p->bits++;
			if (bit < NORN_PTLTL_BITS_MAX)
				p->kept[bit] = (uint16_t)(remembered - p->lines);
			remembered->bit = bit < NORN_PTLTL_BITS_MAX ? (uint8_t)bit : 0; /* too many: they are only counted */
		}
		if (operand)
			line->b = remembered->bit;
	}
	if (p->bits > NORN_PTLTL_BITS_MAX)
		return norn_error_set(err, -E2BIG,
		        "the formula has %u subformulas whose last value must be remembered; a monitor has room for %u", p->bits,
		        NORN_PTLTL_BITS_MAX);
	return 0;
}

int norn_ptltl_init(struct norn_ptltl *ptltl, const struct norn_property *property, struct norn_error *err)
{
	memset(ptltl, 0, sizeof *ptltl);
	struct ptltl_builder m = {.ptltl = ptltl};
	norn_map_init(&m.known, sizeof(uint32_t));
	uint32_t *lines = norn_must_alloc(property->node_count, sizeof *lines);
	ptltl->lines = norn_must_alloc(NORN_PTLTL_CODE_MAX, sizeof *ptltl->lines);
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < property->node_count; i++)
		r = add_node(&m, &property->nodes[i], lines, &lines[i], err);
	if (r == 0) {
		drop_unneeded(ptltl, lines[property->node_count - 1]);
		r = give_bits(ptltl, err);
	}
	free(lines);
	norn_map_done(&m.known);
	if (r != 0)
		norn_ptltl_done(ptltl);
	return r;
}
