#include "monitor/automata/obligations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define EDGES_MAX 4000000u
#define NO_BIT 0xffu

/* A way to go on: what is passed on, and which untils among it. */
struct obligation_way {
	uint64_t next, postponed;
};

struct obligation_ways NORN_VECTOR_OF(struct obligation_way);

struct obligation_builder {
	struct norn_obligations *o;
	const struct norn_nnf *nnf;
	const struct norn_letters *letters;
	struct norn_limits *limits;
	struct norn_error *err;
	uint8_t *needed; /* per node: it is part of the formula */
	uint8_t *bits; /* per node: its bit or NO_BIT */
	uint32_t bit_nodes[64]; /* per bit */
	uint32_t bit_count;
	struct obligation_ways *dnf; /* per node that X stands before, and the root: as sets of obligations */
	struct obligation_ways *expanded; /* per node, for one letter */
	struct obligation_ways *of_bits; /* letter × bit */
	struct norn_map found; /* from mask to 1 + its number */
	uint32_t mask_room, edge_room, edge_count;
	struct obligation_ways product, other;
};

/* ---- sets of ways ---- */

static int spend(struct obligation_builder *m, uint64_t work)
{
	if (norn_limits_spend(m->limits, work))
		return 0;
	return norn_error_set(m->err, -E2BIG,
	        "its automaton is too much work: %u sets of obligations with %u edges so far, of %u subformulas", m->o->count,
	        m->edge_count, m->bit_count);
}

/* Adds a way, unless one that asks for less is there; drops those that ask for more. */
static int add_way(struct obligation_builder *m, struct obligation_ways *ways, struct obligation_way way)
{
	uint32_t kept = 0;
	int r = spend(m, ways->count + 1);
	if (r != 0)
		return r;
	for (uint32_t i = 0; i < ways->count; i++) {
		struct obligation_way w = ways->items[i];
		if ((w.next & ~way.next) == 0 && (w.postponed & ~way.postponed) == 0)
			return 0; /* nothing was dropped before this: w would have been dropped by that one, too */
		if ((way.next & ~w.next) != 0 || (way.postponed & ~w.postponed) != 0)
			ways->items[kept++] = w;
	}
	ways->count = kept;
	norn_must_push(ways, way);
	return 0;
}

/* Adds each of from, with more on it. */
static int add_ways(
        struct obligation_builder *m, struct obligation_ways *to, const struct obligation_ways *from, struct obligation_way more)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < from->count; i++)
		r = add_way(
		        m, to, (struct obligation_way){from->items[i].next | more.next, from->items[i].postponed | more.postponed});
	return r;
}

/* Adds all pairs of one of a and one of b. */
static int add_product(
        struct obligation_builder *m, struct obligation_ways *to, const struct obligation_ways *a, const struct obligation_ways *b)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < a->count; i++)
		r = add_ways(m, to, b, a->items[i]);
	return r;
}

/* ---- obligations ---- */

static bool boolean(enum norn_nnf_op op)
{
	return op == NORN_NNF_AND || op == NORN_NNF_OR;
}

/* Marks what the formula is made of. Operands come before, so one pass from the end is enough. */
static void find_needed(struct obligation_builder *m, uint32_t formula)
{
	m->needed[formula] = 1;
	for (uint32_t i = formula + 1; i-- > 0;) {
		const struct norn_nnf_node *node = &m->nnf->nodes[i];
		if (!m->needed[i] || node->op <= NORN_NNF_NOT_ATOM)
			continue;
		m->needed[node->a] = 1;
		if (boolean(node->op) || node->op >= NORN_NNF_UNTIL)
			m->needed[node->b] = 1;
	}
}

static int give_bit(struct obligation_builder *m, uint32_t node)
{
	if (m->bits[node] != NO_BIT)
		return 0;
	uint32_t most = m->nnf->finite ? 63 : 64;
	if (m->bit_count == most) {
		uint32_t others = 0;
		for (uint32_t i = 0; i < m->nnf->count; i++)
			others += m->needed[i] && m->nnf->nodes[i].op >= NORN_NNF_NEXT;
		return norn_error_set(m->err, -E2BIG,
		        "the formula has %u temporal subformulas, which need more than %u obligations to follow", others, most);
	}
	m->bit_nodes[m->bit_count] = node;
	m->bits[node] = (uint8_t)m->bit_count++;
	return 0;
}

static int make_dnf(struct obligation_builder *m, uint32_t i)
{
	const struct norn_nnf_node *node = &m->nnf->nodes[i];
	if (node->op == NORN_NNF_TRUE)
		return add_way(m, &m->dnf[i], (struct obligation_way){0, 0});
	if (node->op == NORN_NNF_FALSE)
		return 0;
	if (node->op == NORN_NNF_AND)
		return add_product(m, &m->dnf[i], &m->dnf[node->a], &m->dnf[node->b]);
	if (node->op == NORN_NNF_OR) {
		int r = add_ways(m, &m->dnf[i], &m->dnf[node->a], (struct obligation_way){0, 0});
		return r != 0 ? r : add_ways(m, &m->dnf[i], &m->dnf[node->b], (struct obligation_way){0, 0});
	}
	int r = give_bit(m, i);
	return r != 0 ? r : add_way(m, &m->dnf[i], (struct obligation_way){UINT64_C(1) << m->bits[i], 0});
}

/* Bits for untils, releases, and for what stands behind an X; the sets of obligations that an X, or the formula, comes to. */
static int find_obligations(struct obligation_builder *m, uint32_t formula)
{
	uint8_t *wanted = norn_must_calloc(m->nnf->count, 1); /* its dnf is */
	wanted[formula] = 1;
	int r = 0;
	for (uint32_t i = formula + 1; i-- > 0;) {
		const struct norn_nnf_node *node = &m->nnf->nodes[i];
		if (m->needed[i] && (node->op == NORN_NNF_NEXT || node->op == NORN_NNF_WEAK_NEXT))
			wanted[node->a] = 1;
		if (wanted[i] && boolean(node->op))
			wanted[node->a] = wanted[node->b] = 1;
	}
	for (uint32_t i = 0; r == 0 && i <= formula; i++) {
		if (m->needed[i] && m->nnf->nodes[i].op >= NORN_NNF_UNTIL)
			r = give_bit(m, i);
		if (r == 0 && wanted[i])
			r = make_dnf(m, i);
	}
	free(wanted);
	return r;
}

/* The ways of node i at a letter; those of its operands are known. */
static int expand(struct obligation_builder *m, uint32_t i, uint64_t letter)
{
	const struct norn_nnf_node *node = &m->nnf->nodes[i];
	struct obligation_ways *to = &m->expanded[i];
	const struct obligation_way nothing = {0, 0};
	uint64_t bit = m->bits[i] != NO_BIT ? UINT64_C(1) << m->bits[i] : 0, more = m->nnf->finite ? NORN_OBLIGATION_MORE : 0;
	int r;
	to->count = 0;
	switch (node->op) {
	case NORN_NNF_TRUE:
		return add_way(m, to, nothing);
	case NORN_NNF_FALSE:
		return 0;
	case NORN_NNF_ATOM:
	case NORN_NNF_NOT_ATOM:
		return (letter >> node->a & 1) == (node->op == NORN_NNF_ATOM) ? add_way(m, to, nothing) : 0;
	case NORN_NNF_AND:
		return add_product(m, to, &m->expanded[node->a], &m->expanded[node->b]);
	case NORN_NNF_OR:
		r = add_ways(m, to, &m->expanded[node->a], nothing);
		return r != 0 ? r : add_ways(m, to, &m->expanded[node->b], nothing);
	case NORN_NNF_NEXT:
		return add_ways(m, to, &m->dnf[node->a], (struct obligation_way){more, 0});
	case NORN_NNF_WEAK_NEXT:
		return add_ways(m, to, &m->dnf[node->a], nothing);
	case NORN_NNF_UNTIL:
		r = add_ways(m, to, &m->expanded[node->b], nothing);
		return r != 0 ? r : add_ways(m, to, &m->expanded[node->a], (struct obligation_way){bit | more, bit});
	case NORN_NNF_RELEASE:
		r = add_product(m, to, &m->expanded[node->a], &m->expanded[node->b]);
		return r != 0 ? r : add_ways(m, to, &m->expanded[node->b], (struct obligation_way){bit, 0});
	}
	return 0;
}

static int copy_ways(struct obligation_builder *m, struct obligation_ways *to, const struct obligation_ways *from)
{
	to->items = norn_must_copy(from->items, from->count, sizeof *to->items);
	to->count = to->room = from->count;
	return spend(m, from->count);
}

static int expand_letters(struct obligation_builder *m, uint32_t formula)
{
	m->of_bits = norn_must_calloc((size_t)m->letters->count * m->bit_count, sizeof *m->of_bits);
	for (uint32_t c = 0; c < m->letters->count; c++) {
		for (uint32_t i = 0; i <= formula; i++) {
			int r = m->needed[i] ? expand(m, i, m->letters->words[c]) : 0;
			if (r != 0)
				return r;
		}
		for (uint32_t b = 0; b < m->bit_count; b++) {
			int r = copy_ways(m, &m->of_bits[(size_t)c * m->bit_count + b], &m->expanded[m->bit_nodes[b]]);
			if (r != 0)
				return r;
		}
	}
	return 0;
}

/* ---- exploring ---- */

static int number_mask(struct obligation_builder *m, uint64_t mask, uint32_t *ret_number)
{
	struct norn_obligations *o = m->o;
	uint32_t *known = norn_must_map_put(&m->found, mask);
	if (*known == 0) {
		if (o->count == m->limits->states)
			return norn_error_set(
			        m->err, -E2BIG, "its automaton has more than %u sets of obligations", m->limits->states);
		if (o->count == m->mask_room) {
			norn_must_grow(&o->masks, o->count + UINT64_C(1), &m->mask_room, sizeof *o->masks);
			o->first = norn_must_realloc(o->first, (size_t)m->mask_room * o->letters + 1, sizeof *o->first);
		}
		if ((uint64_t)(o->count + 1) * o->letters > NORN_DFA_ENTRIES_MAX)
			return norn_error_set(m->err, -E2BIG,
			        "its automaton has more than %u sets of obligations for each of %u letters", o->count, o->letters);
		o->masks[o->count++] = mask;
		*known = o->count;
	}
	*ret_number = *known - 1;
	return 0;
}

static int add_edge(struct obligation_builder *m, struct obligation_way way)
{
	struct norn_obligations *o = m->o;
	if (m->edge_count == EDGES_MAX)
		return norn_error_set(
		        m->err, -E2BIG, "its automaton has more than %u edges between %u sets of obligations", EDGES_MAX, o->count);
	norn_must_grow(&o->edges, m->edge_count + UINT64_C(1), &m->edge_room, sizeof *o->edges);
	struct norn_ltl_edge *edge = &o->edges[m->edge_count++];
	edge->postponed = way.postponed;
	return number_mask(m, way.next, &edge->to);
}

/* The ways of a whole mask: one of each of its obligations. */
static int expand_mask(struct obligation_builder *m, uint64_t mask, uint32_t letter)
{
	m->product.count = 0;
	int r = add_way(m, &m->product, (struct obligation_way){0, 0});
	if (m->nnf->finite)
		mask &= ~NORN_OBLIGATION_MORE; /* met by the letter that is being read */
	for (; r == 0 && mask != 0; mask &= mask - 1) {
		const struct obligation_ways *of_bit = &m->of_bits[(size_t)letter * m->bit_count + (unsigned)__builtin_ctzll(mask)];
		m->other.count = 0;
		r = add_product(m, &m->other, &m->product, of_bit);
		struct obligation_ways t = m->product;
		m->product = m->other;
		m->other = t;
	}
	return r;
}

static int explore(struct obligation_builder *m, uint32_t formula)
{
	struct norn_obligations *o = m->o;
	const struct obligation_ways *roots = &m->dnf[formula];
	int r = 0;
	o->initial = norn_must_alloc(roots->count, sizeof *o->initial);
	for (uint32_t i = 0; r == 0 && i < roots->count; i++)
		r = number_mask(m, roots->items[i].next, &o->initial[o->initial_count++]);
	for (uint32_t s = 0; r == 0 && s < o->count; s++)
		for (uint32_t c = 0; r == 0 && c < o->letters; c++) {
			o->first[(size_t)s * o->letters + c] = m->edge_count;
			r = expand_mask(m, o->masks[s], c);
			for (uint32_t i = 0; r == 0 && i < m->product.count; i++)
				r = add_edge(m, m->product.items[i]);
		}
	if (r != 0)
		return r;
	if (!o->first) /* no mask at all: the formula is false */
		o->first = norn_must_alloc(1, sizeof *o->first);
	o->first[(size_t)o->count * o->letters] = m->edge_count;
	return 0;
}

/* ---- which masks accept a word ---- */

/* Tarjan's algorithm over the edges of one letter, or of all: components are numbered so that edges lead to lower or equal ones. */
struct tarjan {
	const struct norn_obligations *o;
	uint32_t from, letters; /* edges of mask s: those of its letters from … from + letters - 1 */
	uint32_t *index, *low, *component; /* index 0: not yet seen; component UINT32_MAX: none yet */
	uint32_t *stack, stack_count;
	uint32_t *path, *edge; /* the masks under way, and per depth the edge to look at next */
	uint32_t *order, order_count; /* masks by component, ascending */
	uint32_t components, next_index;
};

static uint32_t edges_begin(const struct tarjan *t, uint32_t s)
{
	return t->o->first[(size_t)s * t->o->letters + t->from];
}

static uint32_t edges_end(const struct tarjan *t, uint32_t s)
{
	return t->o->first[(size_t)s * t->o->letters + t->from + t->letters];
}

static void visit(struct tarjan *t, uint32_t s, uint32_t depth)
{
	t->index[s] = t->low[s] = ++t->next_index;
	t->stack[t->stack_count++] = s;
	t->path[depth] = s;
	t->edge[depth] = edges_begin(t, s);
}

static void close_component(struct tarjan *t, uint32_t s)
{
	uint32_t member;
	do {
		member = t->stack[--t->stack_count];
		t->component[member] = t->components;
		t->order[t->order_count++] = member;
	} while (member != s);
	t->components++;
}

static void search(struct tarjan *t, uint32_t root)
{
	uint32_t depth = 0;
	visit(t, root, 0);
	for (;;) {
		uint32_t s = t->path[depth];
		if (t->edge[depth] < edges_end(t, s)) {
			uint32_t to = t->o->edges[t->edge[depth]++].to;
			if (t->index[to] == 0)
				visit(t, to, ++depth);
			else if (t->component[to] == UINT32_MAX && t->index[to] < t->low[s])
				t->low[s] = t->index[to];
			continue;
		}
		if (t->low[s] == t->index[s])
			close_component(t, s);
		if (depth == 0)
			return;
		uint32_t parent = t->path[--depth];
		if (t->low[s] < t->low[parent])
			t->low[parent] = t->low[s];
	}
}

/* A component is good iff it has an edge, and no until is postponed by all of its edges. A mask accepts iff it reaches a good
 * one. */
static void find_accepting(const struct tarjan *t, uint8_t *ret_accepts)
{
	for (uint32_t i = 0, end; i < t->order_count; i = end) {
		uint32_t component = t->component[t->order[i]];
		bool edge = false, live = false;
		uint64_t postponed = UINT64_MAX;
		for (end = i; end < t->order_count && t->component[t->order[end]] == component; end++) {
			uint32_t s = t->order[end];
			for (uint32_t e = edges_begin(t, s); e < edges_end(t, s); e++) {
				const struct norn_ltl_edge *at = &t->o->edges[e];
				if (t->component[at->to] != component) {
					live |= ret_accepts[at->to];
					continue;
				}
				edge = true;
				postponed &= at->postponed;
			}
		}
		live |= edge && postponed == 0;
		for (uint32_t j = i; j < end; j++)
			ret_accepts[t->order[j]] = live;
	}
}

static void accepting(const struct norn_obligations *o, uint32_t from, uint32_t letters, uint8_t *ret_accepts)
{
	size_t n = o->count + 1;
	uint32_t *memory = norn_must_calloc(n * 7, sizeof *memory);
	struct tarjan t = {.o = o,
	        .from = from,
	        .letters = letters,
	        .index = memory,
	        .low = memory + n,
	        .component = memory + 2 * n,
	        .stack = memory + 3 * n,
	        .path = memory + 4 * n,
	        .edge = memory + 5 * n,
	        .order = memory + 6 * n};
	memset(t.component, 0xff, n * sizeof *t.component);
	for (uint32_t s = 0; s < o->count; s++)
		if (t.index[s] == 0)
			search(&t, s);
	find_accepting(&t, ret_accepts);
	free(memory);
}

void norn_obligations_stutter(const struct norn_obligations *o, uint32_t letter, uint8_t *ret_accepts)
{
	accepting(o, letter, 1, ret_accepts);
}

/* ---- all together ---- */

static void free_ways(struct obligation_ways *ways, size_t count)
{
	for (size_t i = 0; ways && i < count; i++)
		free(ways[i].items);
	free(ways);
}

static int build(struct obligation_builder *m, uint32_t formula)
{
	uint32_t n = m->nnf->count;
	m->needed = norn_must_calloc(n, 1);
	m->bits = norn_must_alloc(n, 1);
	m->dnf = norn_must_calloc(n, sizeof *m->dnf);
	m->expanded = norn_must_calloc(n, sizeof *m->expanded);
	memset(m->bits, NO_BIT, n);
	find_needed(m, formula);
	int r = find_obligations(m, formula);
	if (r == 0)
		r = expand_letters(m, formula);
	if (r == 0)
		r = explore(m, formula);
	if (r != 0)
		return r;
	m->o->live = norn_must_alloc(m->o->count, 1);
	accepting(m->o, 0, m->o->letters, m->o->live);
	return 0;
}

int norn_obligations_init(struct norn_obligations *o, const struct norn_nnf *nnf, uint32_t formula,
        const struct norn_letters *letters, struct norn_limits *limits, struct norn_error *err)
{
	*o = (struct norn_obligations){.letters = letters->count};
	struct obligation_builder m = {.o = o, .nnf = nnf, .letters = letters, .limits = limits, .err = err};
	norn_map_init(&m.found, sizeof(uint32_t));
	int r = build(&m, formula);
	free(m.needed);
	free(m.bits);
	free_ways(m.dnf, nnf->count);
	free_ways(m.expanded, nnf->count);
	free_ways(m.of_bits, (size_t)letters->count * m.bit_count);
	free(m.product.items);
	free(m.other.items);
	norn_map_done(&m.found);
	if (r != 0)
		norn_obligations_done(o);
	return r;
}

void norn_obligations_done(struct norn_obligations *o)
{
	free(o->masks);
	free(o->edges);
	free(o->first);
	free(o->live);
	free(o->initial);
	memset(o, 0, sizeof *o);
}
