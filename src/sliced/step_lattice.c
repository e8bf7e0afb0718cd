#include "sliced/step_lattice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BEAM_LEAST 64u
#define BEAM_MOST 65536u

/* Nodes of one level: each is `words` numbers: a cursor per thread, contents, locks, world, belief. */
struct level {
	uint32_t *nodes;
	uint32_t *ways; /* per node: number of the way to it */
	uint32_t count, room;
	uint32_t *table; /* 1 + node, by hash; mask + 1 entries */
	uint32_t mask;
};

struct way {
	uint32_t before; /* number of the way to the node before */
	uint32_t thread;
};

struct explorer {
	const struct norn_step_model *plan;
	const struct norn_step_lattice_options *options;
	struct norn_step_lattice_result_result *result;
	uint32_t words, beam;
	struct level now, next;
	struct way *ways; /* [0]: the start */
	uint32_t way_count, way_room;
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

static int level_grow(struct level *l, uint32_t words)
{
	if (l->count < l->room)
		return 0;
	uint32_t room = l->room ? 2 * l->room : 256;
	uint32_t *nodes = realloc(l->nodes, (uint64_t)room * words * sizeof *nodes);
	if (nodes)
		l->nodes = nodes;
	uint32_t *ways = realloc(l->ways, room * sizeof *ways);
	if (ways)
		l->ways = ways;
	uint32_t *table = calloc(4ul * room, sizeof *table);
	if (!nodes || !ways || !table) {
		free(table);
		return -ENOMEM;
	}
	free(l->table);
	l->table = table;
	l->mask = 4 * room - 1;
	l->room = room;
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t slot = hash_of(l->nodes + (uint64_t)i * words, words) & l->mask;
		while (l->table[slot])
			slot = (slot + 1) & l->mask;
		l->table[slot] = i + 1;
	}
	return 0;
}

/* Adds it unless it is there. 1: it is new, 0, or -ENOMEM. */
static int level_add(struct level *l, const uint32_t *node, uint32_t words)
{
	if (level_grow(l, words) != 0)
		return -ENOMEM;
	uint32_t slot = hash_of(node, words) & l->mask;
	for (; l->table[slot]; slot = (slot + 1) & l->mask)
		if (memcmp(l->nodes + (uint64_t)(l->table[slot] - 1) * words, node, words * sizeof *node) == 0)
			return 0;
	l->table[slot] = l->count + 1;
	memcpy(l->nodes + (uint64_t)l->count++ * words, node, words * sizeof *node);
	return 1;
}

static void level_clear(struct level *l)
{
	l->count = 0;
	if (l->table)
		memset(l->table, 0, (l->mask + 1ul) * sizeof *l->table);
}

static void level_done(struct level *l)
{
	free(l->nodes);
	free(l->ways);
	free(l->table);
}

/* ---- steps ---- */

static int note_way(struct explorer *x, uint32_t before, uint32_t thread)
{
	if (x->way_count == x->way_room) {
		uint32_t room = x->way_room ? 2 * x->way_room : 1024;
		struct way *ways = realloc(x->ways, room * sizeof *ways);
		if (!ways)
			return -ENOMEM;
		x->ways = ways;
		x->way_room = room;
	}
	x->ways[x->way_count++] = (struct way){.before = before, .thread = thread};
	return 0;
}

/* The next step of the thread from that node, if it can be made. */
static int try_step(struct explorer *x, uint32_t from, uint32_t thread)
{
	const struct norn_step_model *p = x->plan;
	const uint32_t *node = x->now.nodes + (uint64_t)from * x->words;
	const struct norn_step_model_step *s = &p->steps[p->first[thread] + node[thread]];
	enum norn_step_lattice_result what = NORN_STEP_LATTICE_RESULT_ON;
	if (node[thread] == p->first[thread + 1] - p->first[thread] || !norn_step_model_enabled(p, s, thread, node))
		return 0;
	memcpy(x->scratch, node, x->words * sizeof *node);
	norn_step_model_make(p, s, thread, x->scratch);
	int r = 0;
	if (s->relevant != NORN_STEP_MODEL_NONE)
		r = x->options->happens(
		        x->options->context, s->relevant, &x->scratch[x->words - 2], &x->scratch[x->words - 1], &what);
	if (r != 0 || what == NORN_STEP_LATTICE_RESULT_STOP)
		return r;
	if (what == NORN_STEP_LATTICE_RESULT_FOUND) {
		x->found = true;
		return note_way(x, x->now.ways[from], thread);
	}
	r = level_add(&x->next, x->scratch, x->words);
	if (r <= 0)
		return r;
	x->next.ways[x->next.count - 1] = x->way_count;
	return note_way(x, x->now.ways[from], thread);
}

/* ---- the beam ---- */

/* How far the node is from the observed order at this level: steps made too early. */
static uint32_t distance_of(const struct explorer *x, const uint32_t *node)
{
	uint32_t distance = 0;
	for (uint32_t t = 0; t < x->plan->threads; t++)
		distance += node[t] > x->observed[t] ? node[t] - x->observed[t] : 0;
	return distance;
}

/* Keeps the nodes that are nearest, as many as the beam is wide. */
static int narrow(struct explorer *x)
{
	struct level *l = &x->now;
	if (l->count <= x->beam)
		return 0;
	x->result->complete = false;
	uint32_t most = norn_step_model_total(x->plan) + 1, limit = 0, within = 0, fixed = 0;
	uint32_t *counts = calloc(most + 1ul, sizeof *counts);
	if (!counts)
		return -ENOMEM;
	for (uint32_t i = 0; i < l->count; i++)
		counts[distance_of(x, l->nodes + (uint64_t)i * x->words)]++;
	while (within + counts[limit] <= x->beam)
		within += counts[limit++];
	for (uint32_t i = 0; i < l->count; i++) {
		uint32_t *node = l->nodes + (uint64_t)i * x->words, d = distance_of(x, node);
		if (d > limit || (d == limit && within++ >= x->beam))
			continue;
		memmove(l->nodes + (uint64_t)fixed * x->words, node, x->words * sizeof *node);
		l->ways[fixed++] = l->ways[i];
	}
	l->count = fixed;
	free(counts);
	return 0;
}

/* ---- the search ---- */

static int explore_level(struct explorer *x)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && !x->found && i < x->now.count; i++)
		for (uint32_t t = 0; r == 0 && !x->found && t < x->plan->threads; t++)
			r = try_step(x, i, t);
	x->result->nodes += x->next.count;
	struct level former = x->now;
	x->now = x->next;
	x->next = former;
	level_clear(&x->next);
	return r;
}

static bool has_room(struct explorer *x)
{
	const struct norn_step_lattice_options *o = x->options;
	size_t bytes = (x->now.room + (size_t)x->next.room) * (x->words + 5) * sizeof(uint32_t) + x->way_room * sizeof *x->ways;
	if (bytes > x->result->memory)
		x->result->memory = bytes;
	return (!o->max_nodes || x->result->nodes < o->max_nodes) && (!o->max_memory || bytes < o->max_memory) &&
	       x->way_count < UINT32_MAX / 4;
}

static int start(struct explorer *x)
{
	const struct norn_step_model *p = x->plan;
	const struct norn_step_lattice_options *o = x->options;
	x->words = norn_step_model_words(p) + 2;
	uint64_t share = o->max_nodes / (norn_step_model_total(p) + 1u);
	x->beam = o->beam                              ? o->beam
	          : !o->max_nodes || share > BEAM_MOST ? BEAM_MOST
	          : share < BEAM_LEAST                 ? BEAM_LEAST
	                                               : (uint32_t)share;
	x->scratch = calloc(x->words, sizeof *x->scratch);
	x->observed = calloc(p->threads + 1ul, sizeof *x->observed);
	if (!x->scratch || !x->observed || note_way(x, 0, 0) != 0)
		return -ENOMEM;
	norn_step_model_start(p, x->scratch);
	x->scratch[x->words - 2] = o->world;
	x->scratch[x->words - 1] = o->belief;
	int r = level_add(&x->now, x->scratch, x->words);
	if (r == 1)
		x->now.ways[0] = 0;
	return r < 0 ? r : 0;
}

/* The way that was noted last, from its beginning. */
static int tell_way(const struct explorer *x)
{
	struct norn_step_lattice_result_result *result = x->result;
	for (uint32_t w = x->way_count - 1; w; w = x->ways[w].before)
		result->length++;
	result->threads = malloc((result->length + 1ul) * sizeof *result->threads);
	if (!result->threads)
		return -ENOMEM;
	uint32_t i = result->length;
	for (uint32_t w = x->way_count - 1; w; w = x->ways[w].before)
		result->threads[--i] = x->ways[w].thread;
	result->found = true;
	return 0;
}

int norn_step_lattice(const struct norn_step_model *plan, const struct norn_step_lattice_options *options,
        struct norn_step_lattice_result_result *ret_result)
{
	struct explorer x = {.plan = plan, .options = options, .result = ret_result};
	*ret_result = (struct norn_step_lattice_result_result){.complete = true};
	int r = start(&x);
	uint32_t total = norn_step_model_total(plan);
	for (uint32_t level = 0; r == 0 && level < total && x.now.count && !x.found; level++) {
		if (!has_room(&x)) {
			ret_result->complete = false;
			break;
		}
		r = narrow(&x);
		if (r == 0)
			r = explore_level(&x);
		x.observed[plan->order[level]]++;
	}
	if (r == 0 && x.found)
		r = tell_way(&x);
	level_done(&x.now);
	level_done(&x.next);
	free(x.ways);
	free(x.scratch);
	free(x.observed);
	return r;
}
