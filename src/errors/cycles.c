#include "errors/cycles.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/must.h"
#include "errors/conflict.h"
#include "trace/record.h"

/* These grow with the effort. */
#define EDGES 64u /* of a block */
#define MEETINGS 256u /* of two places, before only some blocks are looked at */
#define TRIES 8u /* of the same places */
#define GROUP_TRIES 256u /* of a block, or pair of places, that may break another */

#define ALIKE 2u /* edges of a block with the same memory, foreign thread and place */
#define AHEAD 48u /* events of a thread that are looked through for one that another thread's access may conflict with */
#define BACK 512u /* the same backwards, among those of all threads */

struct cycle_edge {
	uint32_t own, foreign, foreign_begin;
	uint32_t next; /* 1 + number of the block's next one, 0: none */
};

struct cycle_block {
	uint32_t begin, edges, count; /* edges: 1 + number of the first */
};

struct cycle_extent {
	uint32_t first, last; /* accesses */
};

struct cycle_group {
	uint64_t seen;
	bool left_out; /* not all of these are tried */
};

/* An attempt's cycle, and what names its group. */
struct cycle_made {
	struct norn_cycle cycle;
	uint32_t begin;
	uint32_t places[3]; /* of two foreign accesses, and of the block that both are in, or 0 */
};

struct norn_cycles {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_builtin_options *options;
	NORN_VECTOR(struct cycle_edge) edges;
	NORN_VECTOR(struct cycle_block) blocks;
	NORN_VECTOR(struct cycle_group) groups;
	NORN_VECTOR(struct norn_attempt) attempts;
	NORN_VECTOR(struct cycle_made) made; /* by the attempts' numbers */
	struct norn_map extents; /* begin of a block → its first and last access */
	struct norn_map by_begin; /* → 1 + number of a block */
	struct norn_map meetings; /* of two places → how many */
	struct norn_map by_places; /* → 1 + number of a group */
	struct norn_map tries; /* of all places of a cycle → how many */
	struct norn_map broken; /* a block's place, and that of an access or block that breaks it */
	uint64_t passed_over; /* blocks */
	uint64_t forgotten; /* edges */
};

/* ---- making ---- */

struct norn_cycles *norn_cycles_new(const struct norn_graph *graph, const struct norn_builtin_options *options)
{
	struct norn_cycles *c = norn_must_calloc(1, sizeof *c);
	c->graph = graph;
	c->events = norn_graph_events(graph);
	c->options = options;
	struct norn_map *maps[] = {&c->by_begin, &c->meetings, &c->by_places, &c->tries, &c->broken};
	for (unsigned i = 0; i < sizeof maps / sizeof *maps; i++)
		norn_map_init(maps[i], sizeof(uint32_t));
	norn_map_init(&c->extents, sizeof(struct cycle_extent));
	return c;
}

void norn_cycles_free(struct norn_cycles *c)
{
	if (!c)
		return;
	struct norn_map *maps[] = {&c->by_begin, &c->meetings, &c->by_places, &c->tries, &c->broken};
	for (unsigned i = 0; i < sizeof maps / sizeof *maps; i++)
		norn_map_done(maps[i]);
	norn_map_done(&c->extents);
	norn_vector_done(&c->edges);
	norn_vector_done(&c->blocks);
	norn_vector_done(&c->groups);
	norn_vector_done(&c->attempts);
	norn_vector_done(&c->made);
	free(c);
}

static uint32_t place_of(const struct norn_cycles *c, uint32_t event)
{
	return event ? norn_graph_place(c->graph, c->events[event].site) : 0;
}

/* ---- conflicts ---- */

static bool conflict(const struct norn_cycles *c, uint32_t a, uint32_t b)
{
	const struct norn_graph_event *x = c->events + a, *y = c->events + b;
	uint64_t addr, size = 0;
	if (norn_graph_is_access(x) && norn_graph_is_access(y) && (x->kind != NORN_EVENT_READ || y->kind != NORN_EVENT_READ) &&
	        x->life == y->life)
		norn_conflict_bytes(c->graph, a, b, &addr, &size);
	return size;
}

/* Is the cycle one of writes of the same bytes alone? */
static bool only_overwrites(const struct norn_cycles *c, const struct norn_cycle *cycle)
{
	uint64_t low = 0, high = UINT64_MAX;
	for (uint32_t i = 0; i < cycle->count; i++) {
		const struct norn_graph_event *e = c->events + cycle->events[i];
		if (e->kind != NORN_EVENT_WRITE)
			return false;
		low = e->addr > low ? e->addr : low;
		high = e->addr + e->size < high ? e->addr + e->size : high;
	}
	return low < high;
}

/* Does the block hold a lock from a1 to a2 that one of these, which come between, needs? */
static bool locked_throughout(const struct norn_cycles *c, uint32_t a1, uint32_t a2, const uint32_t *between, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t guard = norn_conflict_keeps_out(c->graph, a2, between[i]);
		if (guard && norn_conflict_holds(c->graph, a1, guard))
			return true;
	}
	return false;
}

/* Which stop must see what it saw, so that all that follow each other in the cycle are in conflict? A compare-and-swap writes only
 * then. False: more than one. */
static bool find_sees(const struct norn_cycles *c, const struct norn_cycle *cycle, struct norn_attempt *attempt)
{
	for (uint32_t i = 0; i + 1 < cycle->count; i++) {
		bool sure = c->events[cycle->events[i]].thread == c->events[cycle->events[i + 1]].thread;
		uint32_t compares = 0;
		for (uint32_t k = i; k < i + 2 && !sure; k++) {
			uint32_t e = cycle->events[k];
			bool stop = e == attempt->stops[0] || e == attempt->stops[attempt->count - 1];
			sure = stop ? norn_conflict_writes(c->graph, e) : c->events[e].kind != NORN_EVENT_READ;
			if (!sure && c->events[e].kind != NORN_EVENT_READ)
				compares = e;
		}
		if (sure)
			continue;
		if (attempt->sees && attempt->sees != compares)
			return false;
		attempt->sees = compares;
	}
	return true;
}

/* ---- attempts ---- */

/* May a cycle of these places be tried again? *ret_group: the group of the block's and the foreign places. */
static bool wants(struct norn_cycles *c, const struct cycle_made *made, uint32_t *ret_group)
{
	uint64_t h = norn_hash_mix(1, place_of(c, made->begin));
	for (unsigned i = 0; i < 3; i++)
		h = norn_hash_mix(h, made->places[2] && i < 2 ? 0 : made->places[i]);
	uint32_t *index = norn_must_map_put(&c->by_places, h);
	if (*index == 0) {
		norn_must_add(&c->groups);
		*index = c->groups.count;
	}
	*ret_group = *index - 1;
	struct cycle_group *group = c->groups.items + *ret_group;
	for (uint32_t i = 0; i < made->cycle.count; i++)
		h = norn_hash_mix(h, place_of(c, made->cycle.events[i]));
	uint32_t *tried = norn_must_map_put(&c->tries, h);
	uint64_t seen = ++*tried, all = ++group->seen;
	bool few = seen <= norn_builtin_bound(c->options, TRIES) && all <= norn_builtin_bound(c->options, GROUP_TRIES);
	group->left_out |= !few;
	return few || (seen & (seen - 1)) == 0;
}

/* The last event of the cycle's last foreign thread is a stop, unless a lock keeps it from being next beside the block's. */
static void add(struct norn_cycles *c, struct cycle_made *made, uint32_t f1, uint32_t g, uint32_t h, uint32_t f2)
{
	const struct norn_cycle *cycle = &made->cycle;
	uint32_t a1 = cycle->events[0], a2 = cycle->events[cycle->count - 1];
	uint32_t from = h ? h : f1, last = from > f2 ? from : f2; /* of the last foreign thread */
	uint32_t guard = norn_conflict_keeps_out(c->graph, a2, last);
	struct norn_attempt attempt = {.number = c->attempts.count, .includes = {a1, f1, g, h, f2}};
	if (only_overwrites(c, cycle) || (guard && !c->options->guarded) || !wants(c, made, &attempt.group))
		return;
	if (guard) {
		attempt.open_last_only = true;
		attempt.search_only = last < a2;
	} else {
		attempt.stops[attempt.count++] = last;
	}
	attempt.stops[attempt.count++] = a2;
	for (uint32_t i = 1; i < NORN_CLOSURE_INCLUDES && !guard; i++)
		if (attempt.includes[i] == last)
			attempt.includes[i] = 0;
	if (!find_sees(c, cycle, &attempt))
		return;
	norn_must_push(&c->attempts, attempt);
	norn_must_push(&c->made, *made);
}

static void put(struct norn_cycle *cycle, uint32_t event, uint32_t begin)
{
	if (cycle->count && cycle->events[cycle->count - 1] == event)
		return;
	if (cycle->count && begin)
		cycle->begins[cycle->count - 1] = begin;
	cycle->events[cycle->count++] = event;
}

/* x is earlier in the block: it is the edge to the foreign thread, y the edge back. */
static void combine(struct norn_cycles *c, uint32_t begin, const struct cycle_edge *x, const struct cycle_edge *y)
{
	uint32_t f1 = x->foreign, f2 = y->foreign;
	bool together = x->foreign_begin && x->foreign_begin == y->foreign_begin;
	if (x->own == y->own || (f1 > f2 && !together))
		return;
	const uint32_t between[] = {f1, f2};
	if (locked_throughout(c, x->own, y->own, between, f1 < f2 ? 2 : 1))
		return;
	struct cycle_made made = {
	        .begin = begin, .places = {place_of(c, f1), place_of(c, f2), together ? place_of(c, x->foreign_begin) : 0}};
	put(&made.cycle, x->own, 0);
	put(&made.cycle, f1, 0);
	put(&made.cycle, f2, together ? x->foreign_begin : 0);
	put(&made.cycle, y->own, 0);
	add(c, &made, f1, 0, 0, f2);
}

/* ---- edges ---- */

static bool is_alike(const struct norn_cycles *c, const struct cycle_edge *x, const struct cycle_edge *y)
{
	const struct norn_graph_event *a = c->events + x->own, *b = c->events + y->own;
	const struct norn_graph_event *f = c->events + x->foreign, *g = c->events + y->foreign;
	return a->site == b->site && a->addr == b->addr && f->thread == g->thread && f->site == g->site;
}

/* The block that begins with this event; NULL: it is passed over. */
static struct cycle_block *get_block(struct norn_cycles *c, uint32_t begin, uint32_t own, uint32_t foreign)
{
	uint32_t *met = norn_must_map_put(&c->meetings, norn_hash_mix(norn_hash_mix(2, place_of(c, own)), place_of(c, foreign)));
	uint64_t seen = *met = *met < UINT32_MAX ? *met + 1 : *met;
	bool few = seen <= norn_builtin_bound(c->options, MEETINGS) || (seen & (seen - 1)) == 0;
	uint32_t *index = few ? norn_must_map_put(&c->by_begin, begin) : norn_map_get(&c->by_begin, begin);
	if (!index) {
		c->passed_over++;
		return NULL;
	}
	if (*index == 0) {
		norn_must_push(&c->blocks, (struct cycle_block){.begin = begin});
		*index = c->blocks.count;
	}
	return c->blocks.items + *index - 1;
}

void norn_cycles_access(struct norn_cycles *c, uint32_t begin, uint32_t access)
{
	struct cycle_extent *extent = norn_must_map_put(&c->extents, begin);
	extent->first = extent->first ? extent->first : access;
	extent->last = access;
}

/* Is the lock held at all accesses of the block? */
static bool holds_all_along(const struct norn_cycles *c, uint32_t begin, uint32_t acquire)
{
	const struct cycle_extent *extent = begin ? norn_map_get(&c->extents, begin) : NULL;
	return extent && acquire && norn_conflict_holds(c->graph, extent->first, acquire) &&
	       norn_conflict_holds(c->graph, extent->last, acquire);
}

/* Does one lock keep the block apart from the foreign access, or all of its block? */
static bool kept_apart(const struct norn_cycles *c, uint32_t begin, uint32_t own, uint32_t foreign, uint32_t foreign_begin)
{
	return holds_all_along(c, begin, norn_conflict_keeps_out(c->graph, own, foreign)) &&
	       (!foreign_begin || holds_all_along(c, foreign_begin, norn_conflict_keeps_out(c->graph, foreign, own)));
}

void norn_cycles_edge(struct norn_cycles *c, uint32_t begin, uint32_t own, uint32_t foreign, uint32_t foreign_begin)
{
	if (kept_apart(c, begin, own, foreign, foreign_begin))
		return;
	struct cycle_block *block = get_block(c, begin, own, foreign);
	struct cycle_edge now = {.own = own, .foreign = foreign, .foreign_begin = foreign_begin};
	unsigned alike = 0;
	if (!block)
		return;
	assert(begin <= own && c->events[begin].thread == c->events[own].thread &&
	        c->events[own].thread != c->events[foreign].thread);
	for (uint32_t i = block->edges; i; i = c->edges.items[i - 1].next)
		alike += is_alike(c, &c->edges.items[i - 1], &now);
	if (alike >= ALIKE)
		return;
	if (block->count >= norn_builtin_bound(c->options, EDGES)) {
		c->forgotten++;
		return;
	}
	for (uint32_t i = block->edges; i; i = c->edges.items[i - 1].next) {
		const struct cycle_edge *x = &c->edges.items[i - 1];
		if (c->events[x->foreign].thread == c->events[foreign].thread)
			combine(c, begin, x->own < own ? x : &now, x->own < own ? &now : x);
	}
	now.next = block->edges;
	norn_must_push(&c->edges, now);
	block->edges = c->edges.count;
	block->count++;
}

/* ---- two foreign threads ---- */

/* The accesses of the thread before last and at it; their number, at most room, the latest. */
static uint32_t find_before(const struct norn_cycles *c, uint32_t last, uint32_t *list, uint32_t room)
{
	uint32_t count = 0, thread = c->events[last].thread;
	for (uint32_t i = norn_graph_after(c->graph, thread, last > BACK ? last - BACK : 0); i && i <= last; i = c->events[i].next)
		if (norn_graph_is_access(c->events + i))
			list[count++ % room] = i;
	return count < room ? count : room;
}

/* An access of f1's thread, from it on or in its block, and one of f2's, up to it, that are in conflict. */
static bool find_meeting(
        const struct norn_cycles *c, const struct cycle_edge *x, const struct cycle_edge *y, uint32_t *ret_g, uint32_t *ret_h)
{
	uint32_t before[AHEAD], count = find_before(c, y->foreign, before, AHEAD), g = x->foreign;
	for (unsigned ahead = 0; ahead < AHEAD && g; ahead++, g = c->events[g].next)
		for (uint32_t k = 0; k < count; k++)
			if (conflict(c, g, before[k])) {
				*ret_g = g;
				*ret_h = before[k];
				return true;
			}
	g = x->foreign_begin;
	for (unsigned ahead = 0; ahead < AHEAD && g && g < x->foreign; ahead++, g = c->events[g].next)
		for (uint32_t k = 0; k < count; k++)
			if (conflict(c, g, before[k])) {
				*ret_g = g;
				*ret_h = before[k];
				return true;
			}
	return false;
}

static void combine_three(struct norn_cycles *c, uint32_t begin, const struct cycle_edge *x, const struct cycle_edge *y)
{
	uint32_t g, h;
	struct cycle_made made = {.begin = begin, .places = {place_of(c, x->foreign), place_of(c, y->foreign)}};
	uint64_t key =
	        norn_hash_mix(norn_hash_mix(norn_hash_mix(norn_hash_mix(3, place_of(c, begin)), made.places[0]), made.places[1]),
	                place_of(c, y->own));
	uint32_t *tried = norn_must_map_put(&c->tries, key);
	if (x->own >= y->own || ++*tried > norn_builtin_bound(c->options, TRIES))
		return;
	if (locked_throughout(c, x->own, y->own, &x->foreign, 1) || !find_meeting(c, x, y, &g, &h))
		return;
	put(&made.cycle, x->own, 0);
	put(&made.cycle, x->foreign, 0);
	put(&made.cycle, g, g < x->foreign ? x->foreign_begin : 0);
	put(&made.cycle, h, 0);
	put(&made.cycle, y->foreign, 0);
	put(&made.cycle, y->own, 0);
	add(c, &made, x->foreign, g, h, y->foreign);
}

static void combine_threads(struct norn_cycles *c)
{
	for (uint32_t b = 0; b < c->blocks.count; b++)
		for (uint32_t i = c->blocks.items[b].edges; i; i = c->edges.items[i - 1].next)
			for (uint32_t k = c->blocks.items[b].edges; k; k = c->edges.items[k - 1].next) {
				const struct cycle_edge *x = &c->edges.items[i - 1], *y = &c->edges.items[k - 1];
				if (c->events[x->foreign].thread != c->events[y->foreign].thread)
					combine_three(c, c->blocks.items[b].begin, x, y);
			}
}

/* ---- trying ---- */

static uint64_t broken_key(const struct norn_cycles *c, uint32_t begin, uint32_t place, bool block)
{
	return norn_hash_mix(norn_hash_mix(block, place_of(c, begin)), place);
}

void norn_cycles_broken(struct norn_cycles *c, uint32_t begin, uint32_t foreign, uint32_t foreign_begin)
{
	norn_must_map_put(&c->broken, broken_key(c, begin, place_of(c, foreign), false));
	if (foreign_begin)
		norn_must_map_put(&c->broken, broken_key(c, begin, place_of(c, foreign_begin), true));
}

/* Drops attempts whose blocks are known to be broken at the same foreign place. */
static void drop_broken(struct norn_cycles *c)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < c->attempts.count; i++) {
		const struct cycle_made *made = c->made.items + c->attempts.items[i].number;
		bool known = false;
		for (unsigned k = 0; k < 3 && !known; k++)
			known = made->places[k] && norn_map_get(&c->broken, broken_key(c, made->begin, made->places[k], k == 2));
		if (!known)
			c->attempts.items[kept++] = c->attempts.items[i];
	}
	c->attempts.count = kept;
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct norn_cycles *c = context;
	const struct cycle_made *made = c->made.items + attempt->number;
	predicted->kind = NORN_PREDICTED_ATOMICITY;
	predicted->cycle = made->cycle;
	predicted->begin = made->begin;
	predicted->pairs = c->groups.items[attempt->group].seen;
	norn_conflict_bytes(c->graph, made->cycle.events[0], made->cycle.events[1], &predicted->addr, &predicted->size);
}

void norn_cycles_try(struct norn_cycles *c, struct norn_attempt_runner *attempt_runner)
{
	combine_threads(c);
	drop_broken(c);
	struct norn_builtin_stats *stats = norn_attempt_runner_stats(attempt_runner);
	bool *found = norn_must_calloc(c->groups.count + 1ul, sizeof *found);
	norn_attempt_runner_try(attempt_runner, c->attempts.items, c->attempts.count, found, fill, c);
	norn_attempt_runner_suspect(attempt_runner, c->attempts.items, c->attempts.count, found, fill, c);
	for (uint32_t i = 0; i < c->groups.count; i++)
		stats->limits[NORN_LIMIT_MEETINGS] += c->groups.items[i].left_out && !found[i];
	stats->limits[NORN_LIMIT_MEETINGS] += c->passed_over > 0;
	stats->limits[NORN_LIMIT_ACCESSES] += c->forgotten;
	free(found);
}
