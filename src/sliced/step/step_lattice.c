#include "sliced/step/step_lattice.h"

#include <stdlib.h>
#include <string.h>

#include "base/interrupt.h"
#include "base/map.h"
#include "base/must.h"

#define BEAM_LEAST 64u
#define BEAM_MOST 65536u

/* Nodes of one level: each is `words` numbers: a cursor per thread, contents, locks, world, belief. */
struct lattice_level {
	uint32_t *nodes;
	uint32_t *ways; /* per node: number of the way to it */
	uint32_t count, room;
	uint32_t *table; /* 1 + node, by hash; mask + 1 entries */
	uint32_t mask;
};

struct lattice_way {
	uint32_t before; /* number of the way to the node before */
	uint32_t thread;
};

struct explorer {
	const struct norn_step_model *model;
	const struct norn_step_lattice_options *options;
	struct norn_step_lattice_result *result;
	uint32_t words, beam;
	uint64_t spare; /* nodes beyond the beam that levels may have together */
	struct lattice_level now, next;
	NORN_VECTOR(struct lattice_way) ways; /* [0]: the start */
	uint32_t *scratch, *observed;
	bool found;
};

/* ---- levels ---- */

static uint32_t hash_of(const uint32_t *node, uint32_t words)
{
	uint64_t h = 0;
	for (uint32_t i = 0; i < words; i++)
		h = (h ^ node[i]) * UINT64_C(0x9e3779b97f4a7c15) + (h >> 29);
	return (uint32_t)(h ^ h >> 32);
}

static void level_grow(struct lattice_level *l, uint32_t words)
{
	if (l->count < l->room)
		return;
	l->room = l->room ? 2 * l->room : 256;
	l->nodes = norn_must_realloc(l->nodes, (size_t)l->room * words, sizeof *l->nodes);
	l->ways = norn_must_realloc(l->ways, l->room, sizeof *l->ways);
	free(l->table);
	l->table = norn_must_calloc(4ul * l->room, sizeof *l->table);
	l->mask = 4 * l->room - 1;
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t slot = hash_of(l->nodes + (uint64_t)i * words, words) & l->mask;
		while (l->table[slot])
			slot = (slot + 1) & l->mask;
		l->table[slot] = i + 1;
	}
}

/* Adds it unless it is there. True: it is new. */
static bool level_add(struct lattice_level *l, const uint32_t *node, uint32_t words)
{
	level_grow(l, words);
	uint32_t slot = hash_of(node, words) & l->mask;
	for (; l->table[slot]; slot = (slot + 1) & l->mask)
		if (memcmp(l->nodes + (uint64_t)(l->table[slot] - 1) * words, node, words * sizeof *node) == 0)
			return false;
	l->table[slot] = l->count + 1;
	memcpy(l->nodes + (uint64_t)l->count++ * words, node, words * sizeof *node);
	return true;
}

static void level_clear(struct lattice_level *l)
{
	l->count = 0;
	if (l->table)
		memset(l->table, 0, (l->mask + 1ul) * sizeof *l->table);
}

static void level_done(struct lattice_level *l)
{
	free(l->nodes);
	free(l->ways);
	free(l->table);
}

/* ---- steps ---- */

static void note_way(struct explorer *x, uint32_t before, uint32_t thread)
{
	norn_must_push(&x->ways, (struct lattice_way){.before = before, .thread = thread});
}

static bool is_reached(const struct explorer *x, const uint32_t *node)
{
	return x->options->reached && x->options->reached(x->options->context, node);
}

/* The next step of the thread from that node, if it can be made. */
static void try_step(struct explorer *x, uint32_t from, uint32_t thread)
{
	const struct norn_step_model *p = x->model;
	const uint32_t *node = x->now.nodes + (uint64_t)from * x->words;
	const struct norn_step_model_step *s = &p->steps[p->first[thread] + node[thread]];
	enum norn_step_lattice_answer what = NORN_STEP_LATTICE_ON;
	if (node[thread] == p->first[thread + 1] - p->first[thread] || !norn_step_model_enabled(p, s, thread, node))
		return;
	memcpy(x->scratch, node, x->words * sizeof *node);
	norn_step_model_make(p, s, thread, x->scratch);
	if (s->relevant != NORN_STEP_MODEL_NONE)
		what = x->options->happens(x->options->context, s->relevant, &x->scratch[x->words - 2], &x->scratch[x->words - 1]);
	if (what == NORN_STEP_LATTICE_STOP)
		return;
	x->found = what == NORN_STEP_LATTICE_FOUND || is_reached(x, x->scratch);
	if (!x->found) {
		if (!level_add(&x->next, x->scratch, x->words))
			return;
		x->next.ways[x->next.count - 1] = x->ways.count;
	}
	note_way(x, x->now.ways[from], thread);
}

/* ---- the beam ---- */

/* The distance of the node from the observed order at this level: steps made too early. */
static uint32_t distance_of(const struct explorer *x, const uint32_t *node)
{
	uint32_t distance = 0;
	for (uint32_t t = 0; t < x->model->threads; t++)
		distance += node[t] > x->observed[t] ? node[t] - x->observed[t] : 0;
	return distance;
}

/* Keeps the nodes that are nearest, as many as the beam is wide. */
static void narrow(struct explorer *x)
{
	struct lattice_level *l = &x->now;
	if (l->count <= x->beam + x->spare) {
		x->spare -= l->count > x->beam ? l->count - x->beam : 0;
		return;
	}
	x->result->complete = false;
	uint32_t most = norn_step_model_total(x->model) + 1, limit = 0, within = 0, kept = 0;
	uint32_t *counts = norn_must_calloc(most + 1ul, sizeof *counts);
	for (uint32_t i = 0; i < l->count; i++)
		counts[distance_of(x, l->nodes + (uint64_t)i * x->words)]++;
	while (within + counts[limit] <= x->beam)
		within += counts[limit++];
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t *node = l->nodes + (uint64_t)i * x->words, d = distance_of(x, node);
		if (d > limit || (d == limit && within++ >= x->beam))
			continue;
		memmove(l->nodes + (uint64_t)kept * x->words, node, x->words * sizeof *node);
		l->ways[kept++] = l->ways[i];
	}
	l->count = kept;
	free(counts);
}

/* ---- the search ---- */

static void explore_level(struct explorer *x)
{
	for (uint32_t i = 0; !x->found && i < x->now.count; i++)
		for (uint32_t t = 0; !x->found && t < x->model->threads; t++)
			try_step(x, i, t);
	x->result->nodes += x->next.count;
	struct lattice_level former = x->now;
	x->now = x->next;
	x->next = former;
	level_clear(&x->next);
}

static bool has_room(struct explorer *x)
{
	const struct norn_step_lattice_options *o = x->options;
	size_t bytes =
	        (x->now.room + (size_t)x->next.room) * (x->words + 5) * sizeof(uint32_t) + x->ways.room * sizeof *x->ways.items;
	if (bytes > x->result->memory)
		x->result->memory = bytes;
	return (!o->max_nodes || x->result->nodes < o->max_nodes) && (!o->max_memory || bytes < o->max_memory) &&
	       x->ways.count < UINT32_MAX / 4 && !norn_interrupted();
}

static void start(struct explorer *x)
{
	const struct norn_step_model *p = x->model;
	const struct norn_step_lattice_options *o = x->options;
	x->words = norn_step_model_words(p) + 2;
	x->spare = o->reached ? o->max_nodes / 2 : 0;
	uint64_t share = (o->max_nodes - x->spare) / (norn_step_model_total(p) + 1u);
	x->beam = o->beam                              ? o->beam
	          : !o->max_nodes || share > BEAM_MOST ? BEAM_MOST
	          : share < BEAM_LEAST                 ? BEAM_LEAST
	                                               : (uint32_t)share;
	x->scratch = norn_must_calloc(x->words, sizeof *x->scratch);
	x->observed = norn_must_calloc(p->threads + 1ul, sizeof *x->observed);
	note_way(x, 0, 0);
	norn_step_model_start(p, x->scratch);
	x->scratch[x->words - 2] = o->world;
	x->scratch[x->words - 1] = o->belief;
	level_add(&x->now, x->scratch, x->words);
	x->now.ways[0] = 0;
	x->found = is_reached(x, x->scratch);
}

/* The way that was noted last, from its beginning. */
static void tell_way(const struct explorer *x)
{
	struct norn_step_lattice_result *result = x->result;
	for (uint32_t w = x->ways.count - 1; w; w = x->ways.items[w].before)
		result->length++;
	result->threads = norn_must_alloc(result->length, sizeof *result->threads);
	uint32_t i = result->length;
	for (uint32_t w = x->ways.count - 1; w; w = x->ways.items[w].before)
		result->threads[--i] = x->ways.items[w].thread;
	result->found = true;
}

struct norn_step_lattice_result norn_step_lattice(
        const struct norn_step_model *model, const struct norn_step_lattice_options *options)
{
	struct norn_step_lattice_result result = {.complete = true};
	struct explorer x = {.model = model, .options = options, .result = &result};
	start(&x);
	uint32_t total = norn_step_model_total(model);
	for (uint32_t level = 0; level < total && x.now.count && !x.found; level++) {
		if (!has_room(&x)) {
			result.complete = false;
			break;
		}
		narrow(&x);
		explore_level(&x);
		x.observed[model->order[level]]++;
	}
	if (x.found)
		tell_way(&x);
	level_done(&x.now);
	level_done(&x.next);
	norn_vector_done(&x.ways);
	free(x.scratch);
	free(x.observed);
	return result;
}

/* ---- the run that was found ---- */

/* A place in the run, and the reads that saw something else, by which events may happen or not. */
struct step_listing {
	const struct norn_step_model *model;
	const struct norn_graph *graph;
	uint32_t *node, *next; /* per thread: its next event */
	bool *wrong; /* per thread: a read of it saw something else, be it known */
	struct norn_map broken;
};

/* Is a read broken that the node has? */
static bool has_broken(const struct step_listing *l, uint32_t thread, uint32_t node)
{
	struct norn_numbers nodes = {0};
	bool found = false;
	uint32_t a, b;
	norn_must_push(&nodes, node);
	while (nodes.count && !found)
		switch (norn_graph_node(l->graph, nodes.items[--nodes.count], &a, &b)) {
		case NORN_NODE_READ:
			found = norn_map_get(&l->broken, a) != NULL;
			break;
		case NORN_NODE_UNION:
			norn_must_push(&nodes, a);
			norn_must_push(&nodes, b);
			break;
		case NORN_NODE_BEFORE:
			found = l->wrong[thread];
			break;
		default:
			break;
		}
	norn_vector_done(&nodes);
	return found;
}

static bool is_passed(const struct step_listing *l, uint32_t thread, uint32_t event)
{
	uint32_t node = l->wrong[thread] ? norn_graph_control(l->graph, event) : 0;
	return node && has_broken(l, thread, node);
}

static uint32_t list_step(struct step_listing *l, uint32_t thread, uint32_t *list)
{
	const struct norn_step_model *p = l->model;
	const struct norn_step_model_step *s = &p->steps[p->first[thread] + l->node[thread]];
	enum norn_step_way way = norn_step_model_make(p, s, thread, l->node);
	uint32_t count = 0, *next = &l->next[thread];
	for (; *next && *next < s->event; *next = norn_graph_event(l->graph, *next)->next)
		if (!is_passed(l, thread, *next))
			list[count++] = *next;
	if (way != NORN_STEP_PASSED)
		list[count++] = s->event;
	l->wrong[thread] |= way != NORN_STEP_AS_RECORDED;
	if (way == NORN_STEP_BROKEN || way == NORN_STEP_PASSED)
		norn_must_map_put(&l->broken, s->event);
	*next = norn_graph_event(l->graph, s->event)->next;
	return count;
}

uint32_t norn_step_lattice_events(const struct norn_step_model *model, const struct norn_graph *graph,
        const struct norn_step_lattice_result *result, uint32_t *list)
{
	struct step_listing l = {.model = model,
	        .graph = graph,
	        .node = norn_must_calloc(norn_step_model_words(model) + 1ul, sizeof(uint32_t)),
	        .next = norn_must_calloc(model->threads + 1ul, sizeof(uint32_t)),
	        .wrong = norn_must_calloc(model->threads + 1ul, sizeof(bool))};
	uint32_t count = 0;
	norn_map_init(&l.broken, 1);
	norn_step_model_start(model, l.node);
	for (uint32_t t = 0; t < model->threads; t++)
		l.next[t] = norn_graph_after(graph, model->numbers[t], model->base);
	for (uint32_t i = 0; i < result->length; i++)
		count += list_step(&l, result->threads[i], list + count);
	norn_map_done(&l.broken);
	free(l.node);
	free(l.next);
	free(l.wrong);
	return count;
}
