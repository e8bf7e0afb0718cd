#include "liveness/loops.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "monitor/tableau.h"

#define CUTS_MAX 200000u
#define WORK_MAX UINT64_C(50000000)
#define MASKS (1u << NORN_PROMISES_MAX)
#define NONE UINT32_MAX

struct loop_edge {
	uint64_t letter;
	uint32_t from, thread;
	uint32_t next; /* 1 + the next one into the same node */
	enum norn_lattice_position kind; /* MAYBE stands for all that is not known, and for ends: no loop goes through it */
};

struct loop_node {
	uint64_t place;
	uint64_t reach[MASKS / 64]; /* promises that ways to here can have made, if they violate the formula */
	bool start; /* on some way no position has been yet */
	uint32_t world;
	uint32_t in; /* 1 + its first edge */
	uint32_t alike; /* 1 + the next one of the same place and world */
};

/* One cut on the way back from the end of a loop, with what is true of the part of the loop that comes after it. */
struct loop_step {
	uint32_t node, edge; /* edge: the one that leads on from here */
	uint32_t after; /* step that this one came from */
	uint32_t mask, paid;
	bool any; /* a position has been passed; its formula holds */
	bool holds;
};

struct loops_search {
	const struct norn_computation *c;
	const struct norn_lattice_model *model;
	const struct norn_loop_rules *rules;
	struct norn_tableau tableau;
	struct norn_map tables; /* letter -> struct norn_tableau_step * */
	struct norn_table cuts; /* cut → number of its node */
	NORN_VECTOR(struct loop_node) nodes;
	NORN_VECTOR(struct loop_edge) edges;
	NORN_VECTOR(struct loop_step) steps;
	struct norn_map seen;
	uint64_t work, max_work, max_cuts;
	bool unknown; /* edges were met that are not known */
	struct norn_loop_result *result;
};

static uint32_t masks(const struct loops_search *s)
{
	return 1u << s->tableau.promises;
}

static const uint32_t *cut_of(const struct loops_search *s, uint32_t node)
{
	return norn_table_key(&s->cuts, node);
}

static bool reaches(const struct loop_node *n, uint32_t mask)
{
	return n->reach[mask / 64] >> mask % 64 & 1;
}

/* The meaning of each set of promises before a position with this letter. */
static const struct norn_tableau_step *table_of(struct loops_search *s, uint64_t letter)
{
	struct norn_tableau_step **table = norn_must_map_put(&s->tables, letter);
	if (!*table) {
		*table = norn_must_alloc(masks(s), sizeof **table);
		for (uint32_t m = 0; m < masks(s); m++)
			(*table)[m] = norn_tableau_back(&s->tableau, letter, m);
	}
	return *table;
}

/* ---- the lattice ---- */

/* The node of a cut, a new one if need be. */
static uint32_t find_node(struct loops_search *s, const uint32_t *cut, uint32_t world)
{
	bool new;
	uint32_t number = norn_must_table_put(&s->cuts, cut, s->c->threads * sizeof *cut, &new);
	if (new) {
		assert(number == s->nodes.count);
		norn_must_push(&s->nodes, (struct loop_node){.world = world, .place = s->rules->place(s->rules->context, cut)});
	}
	return number;
}

/* Any promises after the position agree with one of those before it. */
static void pass_on(struct loops_search *s, const struct loop_edge *e, uint32_t to)
{
	struct loop_node *a = &s->nodes.items[e->from], *b = &s->nodes.items[to];
	if (e->kind == NORN_LATTICE_MAYBE)
		return;
	if (e->kind == NORN_LATTICE_NO_POSITION) {
		for (unsigned i = 0; i < MASKS / 64; i++)
			b->reach[i] |= a->reach[i];
		b->start |= a->start;
		return;
	}
	const struct norn_tableau_step *table = table_of(s, e->letter);
	for (uint32_t m = 0; m < masks(s); m++)
		if (reaches(a, table[m].before) || (a->start && !table[m].holds))
			b->reach[m / 64] |= UINT64_C(1) << m % 64;
}

static void add_edge(struct loops_search *s, const struct loop_edge *edge, uint32_t to)
{
	struct loop_edge *e = norn_must_add(&s->edges);
	*e = *edge;
	e->next = s->nodes.items[to].in;
	s->nodes.items[to].in = s->edges.count;
	s->unknown |= e->kind == NORN_LATTICE_MAYBE && !(e->letter & NORN_STEPPER_ENDS);
	pass_on(s, e, to);
}

static enum norn_lattice_position look(
        const struct loops_search *s, uint32_t before, uint32_t after, struct norn_lattice_event event, uint64_t *ret_letter)
{
	uint64_t unknown = 0;
	enum norn_lattice_position kind = s->model->letter(s->model->context, 0, before, after, event, ret_letter, &unknown);
	*ret_letter &= ~NORN_STEPPER_UNMADE;
	return kind == NORN_LATTICE_POSITION && (unknown || *ret_letter & NORN_STEPPER_ENDS) ? NORN_LATTICE_MAYBE : kind;
}

static int follow(struct loops_search *s, uint32_t from, uint32_t thread, uint32_t *cut)
{
	const struct norn_lattice_event event = {thread, cut[thread]};
	struct loop_edge edge = {.from = from, .thread = thread};
	uint32_t world, before = s->nodes.items[from].world;
	int r = s->model->apply(s->model->context, before, event, &world);
	if (r != 0)
		return r;
	edge.kind = look(s, before, world, event, &edge.letter);
	cut[thread]++;
	uint32_t to = find_node(s, cut, world);
	cut[thread]--;
	add_edge(s, &edge, to);
	return 0;
}

/* The initial valuation may be a position of its own. */
static void begin(struct loops_search *s, const uint32_t *cut)
{
	uint64_t letter = 0;
	uint32_t number = find_node(s, cut, s->model->initial);
	struct loop_node *first = &s->nodes.items[number];
	const struct norn_lattice_event event = {NORN_LATTICE_BEGIN, 0};
	enum norn_lattice_position kind = look(s, s->model->initial, s->model->initial, event, &letter);
	first->start = kind == NORN_LATTICE_NO_POSITION;
	s->unknown |= kind == NORN_LATTICE_MAYBE;
	if (kind != NORN_LATTICE_POSITION)
		return;
	const struct norn_tableau_step *table = table_of(s, letter);
	for (uint32_t m = 0; m < masks(s); m++)
		if (!table[m].holds)
			first->reach[m / 64] |= UINT64_C(1) << m % 64;
}

/* The level of a node: how many events its cut has. */
__attribute__((unused)) static uint64_t cut_level(const struct loops_search *s, uint32_t node)
{
	uint64_t level = 0;
	for (uint32_t t = 0; t < s->c->threads; t++)
		level += cut_of(s, node)[t];
	return level;
}

/* Nodes are in the order of their levels, so that all edges into a node are there before those that lead on from it. */
static int build(struct loops_search *s)
{
	uint32_t *cut = norn_must_calloc(s->c->threads + 1ul, sizeof *cut);
	int r = 0;
	begin(s, cut);
	for (uint32_t n = 0; r == 0 && n < s->nodes.count; n++) {
		if (s->nodes.count > s->max_cuts) {
			s->result->limit = NORN_LOOP_CUTS;
			break;
		}
		assert(n == 0 || cut_level(s, n - 1) <= cut_level(s, n));
		memcpy(cut, cut_of(s, n), s->c->threads * sizeof *cut);
		for (uint32_t t = 0; r == 0 && t < s->c->threads; t++)
			if (cut[t] < s->c->events[t] && norn_computation_enabled(s->c, cut, t, cut[t]))
				r = follow(s, n, t, cut);
	}
	free(cut);
	s->result->cuts = s->nodes.count;
	return r;
}

static void link_alike(struct loops_search *s)
{
	struct norn_map latest;
	norn_map_init(&latest, sizeof(uint32_t));
	for (uint32_t n = s->nodes.count; n-- > 0;) {
		struct loop_node *node = &s->nodes.items[n];
		uint32_t *next = norn_must_map_put(&latest, norn_monitor_hash(node->place ^ norn_monitor_hash(node->world + 1ul)));
		node->alike = *next;
		*next = n + 1;
	}
	norn_map_done(&latest);
}

/* ---- a loop ---- */

static bool is_within(const struct loops_search *s, uint32_t a, uint32_t b)
{
	const uint32_t *x = cut_of(s, a), *y = cut_of(s, b);
	for (uint32_t i = 0; i < s->c->threads; i++)
		if (x[i] > y[i])
			return false;
	return true;
}

/* Once each. */
static void push(struct loops_search *s, const struct loop_step *step)
{
	uint64_t key = (uint64_t)step->node << 20 | (uint64_t)step->mask << 10 | (uint64_t)step->paid << 2 |
	               (uint64_t)step->any << 1 | step->holds;
	uint8_t *seen = norn_must_map_put(&s->seen, key);
	if (*seen)
		return;
	*seen = 1;
	norn_must_push(&s->steps, *step);
	s->work++;
}

/* The step before this one, by that edge. */
static void go_back(struct loops_search *s, uint32_t from, uint32_t edge)
{
	const struct loop_edge *e = &s->edges.items[edge];
	struct loop_step step = s->steps.items[from];
	step.node = e->from;
	step.edge = edge;
	step.after = from;
	if (e->kind == NORN_LATTICE_POSITION) {
		const struct norn_tableau_step *table = table_of(s, e->letter);
		step.any = true;
		step.holds = table[step.mask].holds;
		step.paid |= table[step.mask].paid;
		step.mask = table[step.mask].before;
	}
	push(s, &step);
}

static bool closes(const struct loops_search *s, const struct loop_step *step, uint32_t begin, uint32_t mask)
{
	const struct loop_node *n = &s->nodes.items[begin];
	return step->node == begin && step->any && step->mask == mask && step->paid == s->tableau.debts &&
	       (reaches(n, mask) || (n->start && !step->holds));
}

/* Looks for a way from begin to end along which the promises come back to mask: its first step, NONE if there is none. */
static uint32_t find_way(struct loops_search *s, uint32_t begin, uint32_t end, uint32_t mask)
{
	const struct loop_step last = {.node = end, .edge = NONE, .after = NONE, .mask = mask};
	norn_map_done(&s->seen);
	norn_map_init(&s->seen, 1);
	s->steps.count = 0;
	push(s, &last);
	for (uint32_t i = 0; i < s->steps.count; i++) {
		if (closes(s, &s->steps.items[i], begin, mask))
			return i;
		for (uint32_t e = s->nodes.items[s->steps.items[i].node].in; e; e = s->edges.items[e - 1].next) {
			const struct loop_edge *edge = &s->edges.items[e - 1];
			if (edge->kind != NORN_LATTICE_MAYBE && is_within(s, begin, edge->from))
				go_back(s, i, e - 1);
		}
	}
	return NONE;
}

/* ---- the result ---- */

static uint64_t number_of(const struct loops_search *s, const struct loop_edge *e)
{
	uint64_t seat = s->c->first[e->thread] + cut_of(s, e->from)[e->thread];
	return s->model->observed ? s->model->observed[seat] : 0;
}

/* The edge by which a way that has made these promises comes to the node; of several, that whose event was observed last. mask is
 * NONE if no position has been yet. */
static uint32_t edge_into(struct loops_search *s, uint32_t node, uint32_t mask, uint32_t *ret_before)
{
	uint32_t best = NONE;
	for (uint32_t i = s->nodes.items[node].in; i; i = s->edges.items[i - 1].next) {
		const struct loop_edge *e = &s->edges.items[i - 1];
		const struct loop_node *from = &s->nodes.items[e->from];
		uint32_t before = mask;
		bool fits = e->kind == NORN_LATTICE_NO_POSITION && (mask == NONE ? from->start : reaches(from, mask));
		if (e->kind == NORN_LATTICE_POSITION && mask != NONE) {
			const struct norn_tableau_step *table = table_of(s, e->letter);
			bool first = from->start && !table[mask].holds;
			fits = first || reaches(from, table[mask].before);
			before = first ? NONE : table[mask].before;
		}
		if (fits && (best == NONE || number_of(s, e) > number_of(s, &s->edges.items[best]))) {
			best = i - 1;
			*ret_before = before;
		}
	}
	return best;
}

static uint32_t level_of(const struct loops_search *s, uint32_t node)
{
	uint32_t level = 0;
	for (uint32_t i = 0; i < s->c->threads; i++)
		level += cut_of(s, node)[i];
	return level;
}

static void tell(struct loops_search *s, uint32_t begin, uint32_t end, uint32_t mask, uint32_t step)
{
	struct norn_loop_result *r = s->result;
	r->count = level_of(s, end);
	r->loop = level_of(s, begin);
	r->events = norn_must_alloc(r->count + 1ul, sizeof *r->events);
	r->from = norn_must_copy(cut_of(s, begin), s->c->threads, sizeof *r->from);
	r->to = norn_must_copy(cut_of(s, end), s->c->threads, sizeof *r->to);
	mask = reaches(&s->nodes.items[begin], mask) ? mask : NONE;
	for (uint32_t i = r->loop, node = begin; i-- > 0;) {
		uint32_t before = NONE, number = edge_into(s, node, mask, &before);
		assert(number != NONE);
		const struct loop_edge *e = &s->edges.items[number];
		node = e->from;
		r->events[i] = (struct norn_lattice_event){e->thread, cut_of(s, node)[e->thread]};
		mask = before;
	}
	for (uint32_t i = r->loop; s->steps.items[step].after != NONE; step = s->steps.items[step].after, i++) {
		const struct loop_edge *e = &s->edges.items[s->steps.items[step].edge];
		r->events[i] = (struct norn_lattice_event){e->thread, cut_of(s, e->from)[e->thread]};
	}
	r->found = true;
}

/* Is there a loop from one cut to the other? */
static void try_pair(struct loops_search *s, uint32_t begin, uint32_t end)
{
	const struct loop_node *n = &s->nodes.items[begin];
	for (uint32_t mask = 0; mask < masks(s); mask++) {
		if (!reaches(n, mask) && !n->start)
			continue;
		uint32_t step = find_way(s, begin, end, mask);
		if (step == NONE)
			continue;
		/* It does not depend on the mask. */
		if (s->rules->repeats(s->rules->context, cut_of(s, begin), cut_of(s, end), &s->work))
			tell(s, begin, end, mask, step);
		return;
	}
}

static bool is_candidate(const struct loops_search *s, uint32_t a, uint32_t b)
{
	const struct loop_node *x = &s->nodes.items[a], *y = &s->nodes.items[b];
	return x->place == y->place && x->world == y->world && is_within(s, a, b) &&
	       (!s->rules->possible || s->rules->possible(s->rules->context, cut_of(s, a), cut_of(s, b)));
}

static void search_pairs(struct loops_search *s)
{
	link_alike(s);
	for (uint32_t a = 0; a < s->nodes.count && !s->result->found; a++)
		for (uint32_t b = s->nodes.items[a].alike; b && !s->result->found; b = s->nodes.items[b - 1].alike) {
			if (++s->work > s->max_work) {
				s->result->limit = NORN_LOOP_WORK;
				return;
			}
			if (is_candidate(s, a, b - 1))
				try_pair(s, a, b - 1);
		}
}

static void search_done(struct loops_search *s)
{
	size_t cursor = 0;
	uint64_t key;
	for (void **table; (table = norn_map_next(&s->tables, &cursor, &key));)
		free(*table);
	norn_map_done(&s->tables);
	norn_table_done(&s->cuts);
	norn_map_done(&s->seen);
	norn_tableau_done(&s->tableau);
	norn_vector_done(&s->nodes);
	norn_vector_done(&s->edges);
	norn_vector_done(&s->steps);
}

int norn_loops_search(const struct norn_computation *computation, const struct norn_lattice_model *model,
        const struct norn_property *property, const struct norn_loop_rules *rules, const struct norn_loop_options *options,
        struct norn_loop_result *ret_result)
{
	struct norn_loop_result result = {0};
	struct loops_search s = {.c = computation,
	        .model = model,
	        .rules = rules,
	        .max_cuts = options && options->max_cuts ? options->max_cuts : CUTS_MAX,
	        .max_work = options && options->max_work ? options->max_work : WORK_MAX,
	        .result = &result};
	norn_map_init(&s.tables, sizeof(void *));
	norn_map_init(&s.seen, 1);
	int r = norn_tableau_init(&s.tableau, property);
	if (r == -E2BIG) {
		result.limit = NORN_LOOP_FORMULA;
		r = 0;
	} else {
		norn_must_do(r);
		r = build(&s);
		if (r == 0)
			search_pairs(&s);
		if (r == 0 && result.limit == NORN_LOOP_COMPLETE && s.unknown)
			result.limit = NORN_LOOP_UNKNOWN;
	}
	search_done(&s);
	if (r != 0)
		norn_loop_result_done(&result);
	else
		*ret_result = result;
	return r;
}

void norn_loop_result_done(struct norn_loop_result *result)
{
	free(result->events);
	free(result->from);
	free(result->to);
	*result = (struct norn_loop_result){0};
}

const char *norn_loop_limit_remedy(enum norn_loop_limit limit)
{
	static const char *const texts[] = {"", "allow more (--max-cuts)", "allow more (--max-cuts)",
	        "build all units that write them by norn cc", "say it by several properties"};
	return texts[limit];
}

const char *norn_loop_limit_text(enum norn_loop_limit limit)
{
	static const char *const texts[] = {"", "there are too many cuts", "there are too many pairs of cuts",
	        "some values are not known", "the formula has more than 8 temporal operators"};
	return texts[limit];
}
