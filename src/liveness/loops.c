#include "liveness/loops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "monitor/tableau.h"

#define CUTS_MAX 200000u
#define WORK_MAX UINT64_C(50000000)
#define MASKS (1u << NORN_PROMISES_MAX)
#define NONE UINT32_MAX

struct edge {
	uint64_t letter;
	uint32_t from, thread;
	uint32_t next; /* 1 + the next one into the same node */
	enum norn_lattice_position kind; /* MAYBE stands for all that is not known */
};

struct node {
	uint64_t place;
	uint64_t reach[MASKS / 64]; /* promises that ways to here can have made, if they violate the formula */
	bool start; /* on some way no position has been yet */
	uint32_t world;
	uint32_t in; /* 1 + its first edge */
	uint32_t chain; /* 1 + the next one of the same hash */
	uint32_t alike; /* 1 + the next one of the same place and world */
};

/* One cut on the way back from the end of a loop, with what is true of the part of the loop that comes after it. */
struct step {
	uint32_t node, edge; /* edge: the one that leads on from here */
	uint32_t after; /* step that this one came from */
	uint32_t mask, paid;
	bool any; /* a position has been passed; its formula holds */
	bool holds;
};

struct search {
	const struct norn_computation *c;
	const struct norn_lattice_model *model;
	const struct norn_loop_rules *rules;
	struct norn_tableau tableau;
	struct norn_map tables; /* letter -> struct norn_tableau_step * */
	struct node *nodes;
	uint32_t *cuts; /* c->threads each */
	uint32_t node_count, node_room;
	struct norn_map index; /* hash of a cut -> 1 + node */
	struct edge *edges;
	uint32_t edge_count, edge_room;
	struct step *steps;
	uint32_t step_count, step_room;
	struct norn_map seen;
	uint64_t work, max_work, max_cuts;
	bool unknown; /* edges were met that are not known */
	struct norn_loop_result *result;
};

static uint32_t masks(const struct search *s)
{
	return 1u << s->tableau.promises;
}

static const uint32_t *cut_of(const struct search *s, uint32_t node)
{
	return s->cuts + (size_t)node * s->c->threads;
}

static bool reaches(const struct node *n, uint32_t mask)
{
	return n->reach[mask / 64] >> mask % 64 & 1;
}

/* What each set of promises means before a position with this letter. */
static const struct norn_tableau_step *table_of(struct search *s, uint64_t letter)
{
	void *value;
	if (norn_map_put(&s->tables, letter, &value) != 0)
		return NULL;
	struct norn_tableau_step **table = value;
	if (!*table) {
		*table = malloc(masks(s) * sizeof **table);
		for (uint32_t m = 0; *table && m < masks(s); m++)
			(*table)[m] = norn_tableau_back(&s->tableau, letter, m);
	}
	return *table;
}

/* ---- the lattice ---- */

static uint64_t hash_cut(const uint32_t *cut, uint32_t threads)
{
	uint64_t h = 1;
	for (uint32_t i = 0; i < threads; i++)
		h = norn_monitor_hash(h ^ cut[i]);
	return h;
}

static int add_node(struct search *s, const uint32_t *cut, uint32_t world, uint32_t *chain, uint32_t *ret_node)
{
	uint32_t threads = s->c->threads;
	if (s->node_count == s->node_room) {
		uint32_t room = s->node_room ? 2 * s->node_room : 256;
		struct node *nodes = realloc(s->nodes, room * sizeof *nodes);
		s->nodes = nodes ? nodes : s->nodes;
		uint32_t *cuts = realloc(s->cuts, (size_t)room * (threads + 1) * sizeof *cuts);
		s->cuts = cuts ? cuts : s->cuts;
		if (!nodes || !cuts)
			return -ENOMEM;
		s->node_room = room;
	}
	memcpy(s->cuts + (size_t)s->node_count * threads, cut, threads * sizeof *cut);
	s->nodes[s->node_count] = (struct node){.world = world, .chain = *chain, .place = s->rules->place(s->rules->context, cut)};
	*ret_node = s->node_count++;
	*chain = s->node_count;
	return 0;
}

/* The node of a cut, a new one if need be. */
static int find_node(struct search *s, const uint32_t *cut, uint32_t world, uint32_t *ret_node)
{
	void *value;
	if (norn_map_put(&s->index, hash_cut(cut, s->c->threads), &value) != 0)
		return -ENOMEM;
	uint32_t *chain = value;
	for (uint32_t i = *chain; i; i = s->nodes[i - 1].chain)
		if (memcmp(cut_of(s, i - 1), cut, s->c->threads * sizeof *cut) == 0) {
			*ret_node = i - 1;
			return 0;
		}
	return add_node(s, cut, world, chain, ret_node);
}

/* Whatever promises after the position agree with one of those before it. */
static int pass_on(struct search *s, const struct edge *e, uint32_t to)
{
	struct node *a = &s->nodes[e->from], *b = &s->nodes[to];
	if (e->kind == NORN_LATTICE_MAYBE)
		return 0;
	if (e->kind == NORN_LATTICE_NO_POSITION) {
		for (unsigned i = 0; i < MASKS / 64; i++)
			b->reach[i] |= a->reach[i];
		b->start |= a->start;
		return 0;
	}
	const struct norn_tableau_step *table = table_of(s, e->letter);
	if (!table)
		return -ENOMEM;
	for (uint32_t m = 0; m < masks(s); m++)
		if (reaches(a, table[m].before) || (a->start && !table[m].holds))
			b->reach[m / 64] |= UINT64_C(1) << m % 64;
	return 0;
}

static int add_edge(struct search *s, const struct edge *edge, uint32_t to)
{
	if (s->edge_count == s->edge_room) {
		uint32_t room = s->edge_room ? 2 * s->edge_room : 512;
		struct edge *edges = realloc(s->edges, room * sizeof *edges);
		if (!edges)
			return -ENOMEM;
		s->edges = edges;
		s->edge_room = room;
	}
	struct edge *e = &s->edges[s->edge_count++];
	*e = *edge;
	e->next = s->nodes[to].in;
	s->nodes[to].in = s->edge_count;
	s->unknown |= e->kind == NORN_LATTICE_MAYBE;
	return pass_on(s, e, to);
}

static enum norn_lattice_position look(
        const struct search *s, uint32_t before, uint32_t after, struct norn_lattice_event event, uint64_t *ret_letter)
{
	uint64_t unknown = 0;
	enum norn_lattice_position kind = s->model->letter(s->model->context, 0, before, after, event, ret_letter, &unknown);
	return kind == NORN_LATTICE_POSITION && unknown ? NORN_LATTICE_MAYBE : kind;
}

static int follow(struct search *s, uint32_t from, uint32_t thread, uint32_t *cut)
{
	const struct norn_lattice_event event = {thread, cut[thread]};
	struct edge edge = {.from = from, .thread = thread};
	uint32_t world, to, before = s->nodes[from].world;
	int r = s->model->apply(s->model->context, before, event, &world);
	if (r != 0)
		return r;
	edge.kind = look(s, before, world, event, &edge.letter);
	cut[thread]++;
	r = find_node(s, cut, world, &to);
	cut[thread]--;
	return r == 0 ? add_edge(s, &edge, to) : r;
}

/* The initial valuation may be a position of its own. */
static int begin(struct search *s, uint32_t *cut)
{
	uint32_t node;
	uint64_t letter = 0;
	int r = find_node(s, cut, s->model->initial, &node);
	if (r != 0)
		return r;
	const struct norn_lattice_event event = {NORN_LATTICE_BEGIN, 0};
	enum norn_lattice_position kind = look(s, s->model->initial, s->model->initial, event, &letter);
	s->nodes[0].start = kind == NORN_LATTICE_NO_POSITION;
	s->unknown |= kind == NORN_LATTICE_MAYBE;
	if (kind != NORN_LATTICE_POSITION)
		return 0;
	const struct norn_tableau_step *table = table_of(s, letter);
	for (uint32_t m = 0; table && m < masks(s); m++)
		if (!table[m].holds)
			s->nodes[0].reach[m / 64] |= UINT64_C(1) << m % 64;
	return table ? 0 : -ENOMEM;
}

/* Nodes come by levels, so that all edges into one are there before those that lead on from it. */
static int build(struct search *s)
{
	uint32_t *cut = calloc(s->c->threads + 1ul, sizeof *cut);
	int r = cut ? begin(s, cut) : -ENOMEM;
	for (uint32_t n = 0; r == 0 && n < s->node_count; n++) {
		if (s->node_count > s->max_cuts) {
			s->result->limit = NORN_LOOP_CUTS;
			break;
		}
		memcpy(cut, cut_of(s, n), s->c->threads * sizeof *cut);
		for (uint32_t t = 0; r == 0 && t < s->c->threads; t++)
			if (cut[t] < s->c->events[t] && norn_computation_enabled(s->c, cut, t, cut[t]))
				r = follow(s, n, t, cut);
	}
	free(cut);
	s->result->cuts = s->node_count;
	return r;
}

static int link_alike(struct search *s)
{
	struct norn_map latest;
	int r = 0;
	norn_map_init(&latest, sizeof(uint32_t));
	for (uint32_t n = s->node_count; r == 0 && n-- > 0;) {
		void *value;
		r = norn_map_put(
		        &latest, norn_monitor_hash(s->nodes[n].place ^ norn_monitor_hash(s->nodes[n].world + 1ul)), &value);
		if (r == 0) {
			s->nodes[n].alike = *(uint32_t *)value;
			*(uint32_t *)value = n + 1;
		}
	}
	norn_map_done(&latest);
	return r;
}

/* ---- a loop ---- */

static bool is_within(const struct search *s, uint32_t a, uint32_t b)
{
	const uint32_t *x = cut_of(s, a), *y = cut_of(s, b);
	for (uint32_t i = 0; i < s->c->threads; i++)
		if (x[i] > y[i])
			return false;
	return true;
}

/* Once each. */
static int push(struct search *s, const struct step *step)
{
	uint64_t key = (uint64_t)step->node << 20 | (uint64_t)step->mask << 10 | (uint64_t)step->paid << 2 |
	               (uint64_t)step->any << 1 | step->holds;
	void *value;
	if (norn_map_put(&s->seen, key, &value) != 0)
		return -ENOMEM;
	if (*(uint8_t *)value)
		return 0;
	*(uint8_t *)value = 1;
	if (s->step_count == s->step_room) {
		uint32_t room = s->step_room ? 2 * s->step_room : 256;
		struct step *steps = realloc(s->steps, room * sizeof *steps);
		if (!steps)
			return -ENOMEM;
		s->steps = steps;
		s->step_room = room;
	}
	s->steps[s->step_count++] = *step;
	s->work++;
	return 0;
}

/* The step before this one, by that edge. */
static int go_back(struct search *s, uint32_t from, uint32_t edge)
{
	const struct edge *e = &s->edges[edge];
	struct step step = s->steps[from];
	step.node = e->from;
	step.edge = edge;
	step.after = from;
	if (e->kind == NORN_LATTICE_POSITION) {
		const struct norn_tableau_step *table = table_of(s, e->letter);
		if (!table)
			return -ENOMEM;
		step.any = true;
		step.holds = table[step.mask].holds;
		step.paid |= table[step.mask].paid;
		step.mask = table[step.mask].before;
	}
	return push(s, &step);
}

static bool closes(const struct search *s, const struct step *step, uint32_t begin, uint32_t mask)
{
	const struct node *n = &s->nodes[begin];
	return step->node == begin && step->any && step->mask == mask && step->paid == s->tableau.debts &&
	       (reaches(n, mask) || (n->start && !step->holds));
}

/* Looks for a way from begin to end along which the promises come back to mask; *ret_step is its first one, NONE: there is none. */
static int find_way(struct search *s, uint32_t begin, uint32_t end, uint32_t mask, uint32_t *ret_step)
{
	struct step last = {.node = end, .edge = NONE, .after = NONE, .mask = mask};
	norn_map_done(&s->seen);
	norn_map_init(&s->seen, 1);
	s->step_count = 0;
	*ret_step = NONE;
	int r = push(s, &last);
	for (uint32_t i = 0; r == 0 && i < s->step_count; i++) {
		if (closes(s, &s->steps[i], begin, mask)) {
			*ret_step = i;
			return 0;
		}
		for (uint32_t e = s->nodes[s->steps[i].node].in; r == 0 && e; e = s->edges[e - 1].next)
			if (s->edges[e - 1].kind != NORN_LATTICE_MAYBE && is_within(s, begin, s->edges[e - 1].from))
				r = go_back(s, i, e - 1);
	}
	return r;
}

/* ---- the result ---- */

static uint64_t number_of(const struct search *s, const struct edge *e)
{
	uint64_t seat = s->c->first[e->thread] + cut_of(s, e->from)[e->thread];
	return s->model->observed ? s->model->observed[seat] : 0;
}

/* The edge by which a way that has made these promises comes to the node; of several, that whose event was observed last. mask is
 * NONE if no position has been yet. */
static uint32_t edge_into(struct search *s, uint32_t node, uint32_t mask, uint32_t *ret_before)
{
	uint32_t best = NONE;
	for (uint32_t i = s->nodes[node].in; i; i = s->edges[i - 1].next) {
		const struct edge *e = &s->edges[i - 1];
		const struct node *from = &s->nodes[e->from];
		uint32_t before = mask;
		bool fits = e->kind == NORN_LATTICE_NO_POSITION && (mask == NONE ? from->start : reaches(from, mask));
		if (e->kind == NORN_LATTICE_POSITION && mask != NONE) {
			const struct norn_tableau_step *table = table_of(s, e->letter);
			bool first = table && from->start && !table[mask].holds;
			fits = table && (first || reaches(from, table[mask].before));
			before = first ? NONE : table ? table[mask].before : NONE;
		}
		if (fits && (best == NONE || number_of(s, e) > number_of(s, &s->edges[best]))) {
			best = i - 1;
			*ret_before = before;
		}
	}
	return best;
}

static uint32_t level_of(const struct search *s, uint32_t node)
{
	uint32_t level = 0;
	for (uint32_t i = 0; i < s->c->threads; i++)
		level += cut_of(s, node)[i];
	return level;
}

static uint32_t *copy_cut(const struct search *s, uint32_t node)
{
	uint32_t *cut = malloc((s->c->threads + 1ul) * sizeof *cut);
	if (cut)
		memcpy(cut, cut_of(s, node), s->c->threads * sizeof *cut);
	return cut;
}

static int tell(struct search *s, uint32_t begin, uint32_t end, uint32_t mask, uint32_t step)
{
	struct norn_loop_result *r = s->result;
	r->count = level_of(s, end);
	r->loop = level_of(s, begin);
	r->events = malloc((r->count + 1ul) * sizeof *r->events);
	r->from = copy_cut(s, begin);
	r->to = copy_cut(s, end);
	if (!r->events || !r->from || !r->to)
		return -ENOMEM;
	mask = reaches(&s->nodes[begin], mask) ? mask : NONE;
	for (uint32_t i = r->loop, node = begin; i-- > 0;) {
		uint32_t before = NONE, e = edge_into(s, node, mask, &before);
		if (e == NONE)
			return -ENOMEM; /* a table could not be made */
		node = s->edges[e].from;
		r->events[i] = (struct norn_lattice_event){s->edges[e].thread, cut_of(s, node)[s->edges[e].thread]};
		mask = before;
	}
	for (uint32_t i = r->loop; s->steps[step].after != NONE; step = s->steps[step].after, i++) {
		const struct edge *e = &s->edges[s->steps[step].edge];
		r->events[i] = (struct norn_lattice_event){e->thread, cut_of(s, e->from)[e->thread]};
	}
	r->found = true;
	return 0;
}

/* Is there a loop from one cut to the other? */
static int try_pair(struct search *s, uint32_t begin, uint32_t end)
{
	int may = -1; /* not asked yet */
	const struct node *n = &s->nodes[begin];
	for (uint32_t mask = 0; mask < masks(s) && may != 0; mask++) {
		uint32_t step;
		if (!reaches(n, mask) && !n->start)
			continue;
		int r = find_way(s, begin, end, mask, &step);
		if (r != 0)
			return r;
		if (step == NONE)
			continue;
		may = s->rules->repeats(s->rules->context, cut_of(s, begin), cut_of(s, end), &s->work);
		if (may != 0)
			return may < 0 ? may : tell(s, begin, end, mask, step);
	}
	return 0;
}

static bool is_candidate(const struct search *s, uint32_t a, uint32_t b)
{
	const struct node *x = &s->nodes[a], *y = &s->nodes[b];
	return x->place == y->place && x->world == y->world && is_within(s, a, b) &&
	       (!s->rules->possible || s->rules->possible(s->rules->context, cut_of(s, a), cut_of(s, b)));
}

static int search_pairs(struct search *s)
{
	int r = link_alike(s);
	for (uint32_t a = 0; r == 0 && a < s->node_count && !s->result->found; a++)
		for (uint32_t b = s->nodes[a].alike; r == 0 && b && !s->result->found; b = s->nodes[b - 1].alike) {
			if (++s->work > s->max_work) {
				s->result->limit = NORN_LOOP_WORK;
				return 0;
			}
			if (is_candidate(s, a, b - 1))
				r = try_pair(s, a, b - 1);
		}
	return r;
}

static void search_done(struct search *s)
{
	size_t cursor = 0;
	uint64_t key;
	for (void **table; (table = norn_map_next(&s->tables, &cursor, &key));)
		free(*table);
	norn_map_done(&s->tables);
	norn_map_done(&s->index);
	norn_map_done(&s->seen);
	norn_tableau_done(&s->tableau);
	free(s->nodes);
	free(s->cuts);
	free(s->edges);
	free(s->steps);
}

int norn_loops_search(const struct norn_computation *computation, const struct norn_lattice_model *model,
        const struct norn_property *property, const struct norn_loop_rules *rules, const struct norn_loop_options *options,
        struct norn_loop_result *ret_result)
{
	struct norn_loop_result result = {0};
	struct search s = {.c = computation,
	        .model = model,
	        .rules = rules,
	        .max_cuts = options && options->max_cuts ? options->max_cuts : CUTS_MAX,
	        .max_work = options && options->max_work ? options->max_work : WORK_MAX,
	        .result = &result};
	norn_map_init(&s.tables, sizeof(void *));
	norn_map_init(&s.index, sizeof(uint32_t));
	norn_map_init(&s.seen, 1);
	int r = norn_tableau_init(&s.tableau, property);
	if (r == -E2BIG) {
		result.limit = NORN_LOOP_FORMULA;
		r = 0;
	} else if (r == 0) {
		r = build(&s);
		if (r == 0)
			r = search_pairs(&s);
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

const char *norn_loop_limit_text(enum norn_loop_limit limit)
{
	static const char *const texts[] = {"", "there are too many cuts", "there are too many pairs of cuts",
	        "some values are not known", "the formula has more than 8 temporal operators"};
	return texts[limit];
}
