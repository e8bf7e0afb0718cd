#include "property/check/check.h"

#include <assert.h>
#include <string.h>

#include "base/must.h"

/* The builder's first two nodes. */
#define FALSE_NODE 0u
#define TRUE_NODE 1u

void norn_builder_done(struct norn_builder *builder)
{
	norn_map_done(&builder->shared);
	norn_name_table_done(&builder->atom_names);
}

static uint32_t add(struct norn_checker *c, enum norn_op op, uint32_t a, uint32_t b, struct norn_span span)
{
	struct norn_builder *builder = &c->builder;
	assert(a < 1u << 29 && b < 1u << 29); /* a formula has far fewer nodes: NORN_EXPANSION_MAX */
	uint64_t key = (uint64_t)op << 58 | (uint64_t)a << 29 | b;
	uint32_t *known = norn_map_get(&builder->shared, key);
	if (known)
		return *known;
	norn_check_grow(c, &builder->nodes, &builder->node_room, builder->node_count, sizeof *builder->nodes);
	*(uint32_t *)norn_must_map_put(&builder->shared, key) = builder->node_count;
	builder->nodes[builder->node_count] = (struct norn_node){.op = op, .a = a, .b = b, .span = span};
	return builder->node_count++;
}

void norn_check_begin(struct norn_checker *c, bool discard)
{
	struct norn_builder *builder = &c->builder;
	norn_builder_done(builder);
	norn_map_init(&builder->shared, sizeof(uint32_t));
	builder->node_count = builder->atom_count = builder->thread_count = 0;
	builder->discard = discard;
	builder->full = false;
	add(c, NORN_OP_FALSE, 0, 0, (struct norn_span){0});
	add(c, NORN_OP_TRUE, 0, 0, (struct norn_span){0});
}

uint32_t norn_check_not(struct norn_checker *c, uint32_t a, struct norn_span span)
{
	if (a <= TRUE_NODE)
		return TRUE_NODE - a;
	if (c->builder.nodes[a].op == NORN_OP_NOT)
		return c->builder.nodes[a].a;
	return add(c, NORN_OP_NOT, a, 0, span);
}

static bool are_opposite(const struct norn_node *nodes, uint32_t a, uint32_t b)
{
	return (nodes[a].op == NORN_OP_NOT && nodes[a].a == b) || (nodes[b].op == NORN_OP_NOT && nodes[b].a == a);
}

static uint32_t join(struct norn_checker *c, enum norn_op op, uint32_t a, uint32_t b, struct norn_span span)
{
	uint32_t neutral = op == NORN_OP_AND ? TRUE_NODE : FALSE_NODE;
	if (a == b || b == neutral)
		return a;
	if (a == neutral)
		return b;
	if (a <= TRUE_NODE || b <= TRUE_NODE || are_opposite(c->builder.nodes, a, b))
		return TRUE_NODE - neutral;
	return a < b ? add(c, op, a, b, span) : add(c, op, b, a, span);
}

/* At the first position prev p is p, and since has no past (docs/property-language.md). */
static uint32_t past(struct norn_checker *c, enum norn_op op, uint32_t a, uint32_t b, struct norn_span span)
{
	switch (op) {
	case NORN_OP_PREV:
	case NORN_OP_ONCE:
	case NORN_OP_HIST:
		return a <= TRUE_NODE ? a : add(c, op, a, 0, span);
	case NORN_OP_START:
	case NORN_OP_END:
		return a <= TRUE_NODE ? FALSE_NODE : add(c, op, a, 0, span);
	case NORN_OP_SINCE:
		if (b <= TRUE_NODE || a == FALSE_NODE)
			return b;
		return a == TRUE_NODE ? add(c, NORN_OP_ONCE, b, 0, span) : add(c, op, a, b, span);
	case NORN_OP_WEAK_SINCE:
		if (a == TRUE_NODE || b == TRUE_NODE)
			return TRUE_NODE;
		if (a == FALSE_NODE)
			return b;
		return b == FALSE_NODE ? add(c, NORN_OP_HIST, a, 0, span) : add(c, op, a, b, span);
	case NORN_OP_INTERVAL:
		if (b == TRUE_NODE || a == FALSE_NODE)
			return FALSE_NODE;
		if (a == TRUE_NODE)
			return norn_check_not(c, b, span);
		return b == FALSE_NODE ? add(c, NORN_OP_ONCE, a, 0, span) : add(c, op, a, b, span);
	default: /* WEAK_INTERVAL */
		if (b <= TRUE_NODE)
			return TRUE_NODE - b;
		if (a == TRUE_NODE)
			return norn_check_not(c, b, span);
		return a == FALSE_NODE ? add(c, NORN_OP_HIST, norn_check_not(c, b, span), 0, span) : add(c, op, a, b, span);
	}
}

static uint32_t future(struct norn_checker *c, enum norn_op op, uint32_t a, uint32_t b, struct norn_span span)
{
	switch (op) {
	case NORN_OP_NEXT: /* X true is false at the end of a finite run */
		return a == FALSE_NODE ? a : add(c, op, a, 0, span);
	case NORN_OP_WEAK_NEXT:
		return a == TRUE_NODE ? a : add(c, op, a, 0, span);
	case NORN_OP_UNTIL:
		return b <= TRUE_NODE || a == FALSE_NODE ? b : add(c, op, a, b, span);
	default: /* RELEASE */
		return b <= TRUE_NODE || a == TRUE_NODE ? b : add(c, op, a, b, span);
	}
}

/* b is a thread variable. Over no threads at all, forall is true and exists is not. */
static uint32_t over_threads(struct norn_checker *c, enum norn_op op, uint32_t a, uint32_t b, struct norn_span span)
{
	bool constant = op == NORN_OP_AT ? a <= TRUE_NODE : a == (op == NORN_OP_FORALL ? TRUE_NODE : FALSE_NODE);
	return constant ? a : add(c, op, a, b, span);
}

uint32_t norn_check_node(struct norn_checker *c, enum norn_op op, uint32_t a, uint32_t b, struct norn_span span)
{
	switch (op) {
	case NORN_OP_TRUE:
		return TRUE_NODE;
	case NORN_OP_FALSE:
		return FALSE_NODE;
	case NORN_OP_ATOM:
		return add(c, op, a, 0, span);
	case NORN_OP_NOT:
		return norn_check_not(c, a, span);
	case NORN_OP_AND:
	case NORN_OP_OR:
		return join(c, op, a, b, span);
	case NORN_OP_AT:
	case NORN_OP_FORALL:
	case NORN_OP_EXISTS:
		return over_threads(c, op, a, b, span);
	default:
		return op >= NORN_OP_NEXT ? future(c, op, a, b, span) : past(c, op, a, b, span);
	}
}

/* ---- atoms ---- */

uint32_t norn_check_atom(struct norn_checker *c, struct norn_atom atom)
{
	struct norn_builder *builder = &c->builder;
	struct norn_named *named = norn_name_table_find(&builder->atom_names, atom.text);
	if (named)
		return named->index;
	if (builder->atom_count == NORN_ATOMS_MAX && !builder->full)
		norn_check_error(c, atom.span, "split the property",
		        "a property has at most %u different atoms, and `%s` is one too many", NORN_ATOMS_MAX, atom.text);
	builder->full |= builder->atom_count == NORN_ATOMS_MAX;
	if (builder->full)
		return NORN_SLOT_NONE;
	norn_check_grow(c, &builder->atoms, &builder->atom_room, builder->atom_count, sizeof *builder->atoms);
	norn_name_table_add(c, &builder->atom_names, atom.text)->index = builder->atom_count;
	builder->atoms[builder->atom_count] = atom;
	return builder->atom_count++;
}

uint32_t norn_check_atom_node(struct norn_checker *c, struct norn_atom atom)
{
	if (c->builder.discard)
		return FALSE_NODE;
	uint32_t index = norn_check_atom(c, atom);
	return index == NORN_SLOT_NONE ? FALSE_NODE : norn_check_node(c, NORN_OP_ATOM, index, 0, atom.span);
}

/* ---- the result ---- */

static uint32_t operands_of(enum norn_op op)
{
	switch (op) {
	case NORN_OP_TRUE:
	case NORN_OP_FALSE:
	case NORN_OP_ATOM:
		return 0;
	case NORN_OP_AND:
	case NORN_OP_OR:
	case NORN_OP_SINCE:
	case NORN_OP_WEAK_SINCE:
	case NORN_OP_INTERVAL:
	case NORN_OP_WEAK_INTERVAL:
	case NORN_OP_UNTIL:
	case NORN_OP_RELEASE:
		return 2;
	default:
		return 1;
	}
}

/* Gives every node that root needs its new number, in the old order; the others get NORN_SLOT_NONE. */
static uint32_t number_needed(const struct norn_node *nodes, uint32_t root, uint32_t *numbers)
{
	uint32_t count = 0;
	memset(numbers, 0xff, (root + 1) * sizeof *numbers);
	numbers[root] = 0;
	for (uint32_t i = root + 1; i-- > 0;) {
		uint32_t operands = numbers[i] == NORN_SLOT_NONE ? 0 : operands_of(nodes[i].op);
		if (operands > 0)
			numbers[nodes[i].a] = 0;
		if (operands > 1)
			numbers[nodes[i].b] = 0;
	}
	for (uint32_t i = 0; i <= root; i++)
		if (numbers[i] != NORN_SLOT_NONE)
			numbers[i] = count++;
	return count;
}

/* Drops the atoms of which no node is left. */
static void renumber_atoms(struct norn_checker *c, struct norn_node *nodes, uint32_t count)
{
	struct norn_builder *builder = &c->builder;
	uint32_t numbers[NORN_ATOMS_MAX], kept = 0;
	memset(numbers, 0xff, sizeof numbers);
	for (uint32_t i = 0; i < count; i++)
		if (nodes[i].op == NORN_OP_ATOM)
			numbers[nodes[i].a] = 0;
	for (uint32_t i = 0; i < builder->atom_count; i++)
		if (numbers[i] != NORN_SLOT_NONE) {
			numbers[i] = kept;
			builder->atoms[kept++] = builder->atoms[i];
		}
	builder->atom_count = kept;
	for (uint32_t i = 0; i < count; i++)
		if (nodes[i].op == NORN_OP_ATOM)
			nodes[i].a = numbers[nodes[i].a];
}

void norn_check_finish_nodes(struct norn_checker *c, uint32_t root, struct norn_property *property)
{
	const struct norn_node *old = c->builder.nodes;
	uint32_t *numbers = norn_check_alloc(c, (root + 1) * sizeof *numbers);
	uint32_t count = number_needed(old, root, numbers), k = 0;
	struct norn_node *nodes = norn_check_alloc(c, count * sizeof *nodes);
	for (uint32_t i = 0; i <= root; i++) {
		if (numbers[i] == NORN_SLOT_NONE)
			continue;
		nodes[k] = old[i];
		if (operands_of(old[i].op) > 0)
			nodes[k].a = numbers[old[i].a];
		if (operands_of(old[i].op) > 1)
			nodes[k].b = numbers[old[i].b];
		k++;
	}
	renumber_atoms(c, nodes, count);
	property->nodes = nodes;
	property->node_count = count;
	norn_check_finish_atoms(c, property);
}

void norn_check_finish_atoms(struct norn_checker *c, struct norn_property *property)
{
	property->atoms = norn_check_copy(c, c->builder.atoms, c->builder.atom_count, sizeof *c->builder.atoms);
	property->atom_count = c->builder.atom_count;
	for (uint32_t i = 0; i < property->atom_count; i++)
		property->states |=
		        property->atoms[i].kind == NORN_ATOM_PREDICATE && norn_check_has_state(property->atoms[i].predicate);
}
