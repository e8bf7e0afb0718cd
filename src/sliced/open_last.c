#include "sliced/open_last.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"
#include "base/priority_queue.h"
#include "trace/record.h"

#define QUAD UINT64_C(4)
#define LONG (UINT64_C(1) << 14) /* allocs and frees of more bytes are not noted byte by byte */

struct open_edge {
	uint32_t from, to;
};

/* A chain of places in the window, the newest first. */
struct link {
	uint32_t place, next;
};

struct open_object {
	uint32_t fence; /* the last event that keeps its order with all others of the object */
	uint32_t since; /* links: all its events since then */
	uint32_t writer; /* the last release of a writer */
	uint32_t readers; /* links: releases of readers since then */
	uint32_t releases, reader_releases; /* links: of writers, of readers */
	uint32_t open; /* links: acquires that are held at a stop */
};

/* Four bytes of memory. */
struct quad {
	uint32_t writer; /* the last one, or alloc or free */
	uint32_t readers; /* links: fixed reads since then */
	uint32_t users; /* links: all accesses since the last alloc or free */
	uint32_t life;
	uint32_t fixed; /* it has fixed reads: writes keep their order */
};

/* Places in the window count from 1; 0 is none. */
struct open_order {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	const struct norn_closure *closure;
	uint32_t base;
	const uint32_t *window;
	uint32_t count;
	struct norn_map places; /* event → place */
	struct norn_map threads; /* thread → place of its last event */
	struct norn_map objects, quads;
	NORN_VECTOR(struct open_edge) edges;
	NORN_VECTOR(struct link) links; /* [0] is none */
	uint32_t world; /* the last call, external write, input or output */
	uint32_t last_placed; /* the last alloc or free that those after it keep their order with */
	struct norn_numbers longs; /* allocs and frees of many bytes */
	const struct norn_rule
	        *inexact; /* of an object that keeps its observed order though its rule does not ask for it; NULL: none */
};

/* ---- edges ---- */

static void put_edge(struct open_order *o, uint32_t from, uint32_t to)
{
	if (from && from != to)
		norn_must_push(&o->edges, (struct open_edge){from, to});
}

static void push(struct open_order *o, uint32_t *list, uint32_t place)
{
	norn_must_push(&o->links, (struct link){place, *list});
	*list = o->links.count - 1;
}

static void put_edges(struct open_order *o, uint32_t list, uint32_t to)
{
	for (; list; list = o->links.items[list].next)
		put_edge(o, o->links.items[list].place, to);
}

static uint32_t place_of(const struct open_order *o, uint32_t event)
{
	const uint32_t *place = event > o->base ? norn_map_get(&o->places, event) : NULL;
	return place ? *place : 0;
}

/* ---- memory ---- */

static bool reads(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL;
}

static bool accesses(const struct norn_graph_event *e)
{
	return reads(e) || e->kind == NORN_EVENT_WRITE;
}

static bool lives(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
	       (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK && e->size);
}

static bool keeps(const struct open_order *o, uint32_t event)
{
	const struct norn_graph_event *e = o->events + event;
	return reads(e) && (e->kind == NORN_EVENT_EXTERNAL || norn_closure_fixed(o->closure, event));
}

/* The bytes that fixed reads read. Only there writes keep their order. */
static void find_kept(struct open_order *o)
{
	for (uint32_t i = 0; i < o->count; i++) {
		const struct norn_graph_event *e = o->events + o->window[i];
		if (!keeps(o, o->window[i]))
			continue;
		for (uint64_t a = e->addr / QUAD; a <= (e->addr + e->size - 1) / QUAD; a++) {
			struct quad *quad = norn_must_map_put(&o->quads, a);
			quad->fixed = 1;
		}
	}
}

static void begin_life(struct open_order *o, struct quad *quad, uint32_t place)
{
	put_edge(o, quad->life, place);
	put_edges(o, quad->users, place);
	quad->users = quad->readers = 0;
	quad->life = quad->writer = place;
}

/* Of long ones (a thread's stack) only what the window has accessed so far, and will access, matters. */
static void order_long_life(struct open_order *o, uint32_t place, const struct norn_graph_event *e)
{
	size_t cursor = 0;
	uint64_t at;
	for (struct quad *quad; (quad = norn_map_next(&o->quads, &cursor, &at));)
		if (at >= e->addr / QUAD && at <= (e->addr + e->size - 1) / QUAD)
			begin_life(o, quad, place);
	norn_must_push(&o->longs, place);
}

/* A quad that is accessed for the first time: which long life is it in? */
static void find_life(struct open_order *o, struct quad *quad, uint64_t at)
{
	for (uint32_t i = o->longs.count; i > 0 && quad->life == 0; i--) {
		const struct norn_graph_event *e = o->events + o->window[o->longs.items[i - 1] - 1];
		if (at >= e->addr / QUAD && at <= (e->addr + e->size - 1) / QUAD)
			quad->life = quad->writer = o->longs.items[i - 1];
	}
}

/* It comes in the life of the memory that it was in. */
static struct quad *order_use(struct open_order *o, uint32_t place, uint64_t at)
{
	struct quad *quad = norn_must_map_put(&o->quads, at);
	if (quad->life == 0 && quad->users == 0)
		find_life(o, quad, at);
	put_edge(o, quad->life, place);
	push(o, &quad->users, place);
	return quad;
}

/* An address that is used as a number: what places it comes first (V4). */
static void order_number(struct open_order *o, uint32_t place, uint32_t event)
{
	const struct norn_graph_event *e = o->events + event;
	if (norn_closure_placed(o->closure) > o->base && e->kind != NORN_EVENT_EXTERNAL && e->flags & NORN_GRAPH_NUMBER)
		put_edge(o, place_of(o, norn_graph_placed_by(o->graph, o->base, event)), place);
}

static void order_access(struct open_order *o, uint32_t place, uint32_t event)
{
	const struct norn_graph_event *e = o->events + event;
	bool fixed = keeps(o, event), writes = e->kind != NORN_EVENT_READ;
	if (fixed)
		order_number(o, place, event);
	for (uint64_t a = e->addr / QUAD; e->size && a <= (e->addr + e->size - 1) / QUAD; a++) {
		struct quad *quad = order_use(o, place, a);
		if (!quad->fixed)
			continue;
		if (fixed || writes)
			put_edge(o, quad->writer, place);
		if (writes) {
			put_edges(o, quad->readers, place);
			quad->readers = 0;
			quad->writer = place;
		} else if (fixed) {
			push(o, &quad->readers, place);
		}
	}
}

static void order_life(struct open_order *o, uint32_t place, const struct norn_graph_event *e)
{
	put_edge(o, o->last_placed, place);
	if (o->window[place - 1] <= norn_closure_placed(o->closure))
		o->last_placed = place;
	if (e->size >= LONG) {
		order_long_life(o, place, e);
		return;
	}
	for (uint64_t a = e->addr / QUAD; e->size && a <= (e->addr + e->size - 1) / QUAD; a++) {
		struct quad *quad = norn_must_map_put(&o->quads, a);
		find_life(o, quad, a);
		begin_life(o, quad, place);
	}
}

/* ---- objects of synchronization ---- */

static void fence_object(struct open_order *o, struct open_object *object, uint32_t place)
{
	put_edge(o, object->fence, place);
	put_edges(o, object->since, place);
	object->since = 0;
	object->fence = place;
}

static void order_acquire(struct open_order *o, struct open_object *object, uint32_t place, uint32_t event)
{
	if (norn_closure_open(o->closure, event)) {
		push(o, &object->open, place);
		return;
	}
	put_edge(o, object->writer, place);
	if (o->events[event].op == NORN_SYNC_ACQUIRE)
		put_edges(o, object->readers, place);
}

static void order_release(struct open_order *o, struct open_object *object, uint32_t place, const struct norn_graph_event *e)
{
	if (e->op == NORN_SYNC_RELEASE) {
		object->writer = place;
		object->readers = 0;
		push(o, &object->releases, place);
	} else {
		push(o, &object->readers, place);
		push(o, &object->reader_releases, place);
	}
}

/* The release and the acquire of a mutex by a wait are part of what happens to the condition. */
static void order_wait(struct open_order *o, uint32_t place, uint32_t event, uint32_t previous)
{
	const struct norn_graph_event *e = o->events + event, *wait = NULL;
	if (e->op == NORN_SYNC_RELEASE && o->events[previous].kind == NORN_EVENT_SYNC &&
	        o->events[previous].op == NORN_SYNC_WAIT_BEGIN)
		wait = o->events + previous;
	else if (e->op == NORN_SYNC_ACQUIRE && e->flags & NORN_GRAPH_WAKES && e->next)
		wait = o->events + e->next;
	if (wait)
		fence_object(o, norn_must_map_put(&o->objects, wait->size), place);
}

/* previous: the event of its thread before it. */
static void order_sync(struct open_order *o, uint32_t place, uint32_t event, uint32_t previous)
{
	const struct norn_graph_event *e = o->events + event;
	order_wait(o, place, event, previous);
	struct open_object *object = norn_must_map_put(&o->objects, e->size);
	if (e->op != NORN_SYNC_SEND && e->op != NORN_SYNC_RECEIVE)
		put_edge(o, place_of(o, e->life), place);
	if (norn_graph_uses_object(e) && norn_graph_memory(o->graph, event))
		order_use(o, place, e->addr / QUAD);
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_RELEASE_SHARED:
		put_edge(o, object->fence, place);
		push(o, &object->since, place);
		break;
	case NORN_SYNC_SEND:
	case NORN_SYNC_RECEIVE:
		put_edge(o, o->world, place);
		o->world = place;
		/* fall through */
	default:
		if (object->fence || object->since)
			o->inexact = &norn_rule_observed_order;
		fence_object(o, object, place);
	}
	if (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED)
		order_acquire(o, object, place, event);
	else if (e->op == NORN_SYNC_RELEASE || e->op == NORN_SYNC_RELEASE_SHARED)
		order_release(o, object, place, e);
}

static void order_open(struct open_order *o)
{
	size_t cursor = 0;
	uint64_t number;
	for (const struct open_object *object; (object = norn_map_next(&o->objects, &cursor, &number));)
		for (uint32_t i = object->open; i; i = o->links.items[i].next) {
			uint32_t place = o->links.items[i].place;
			put_edges(o, object->releases, place);
			if (o->events[o->window[place - 1]].op == NORN_SYNC_ACQUIRE)
				put_edges(o, object->reader_releases, place);
		}
}

/* ---- all events ---- */

static void order_thread(struct open_order *o, uint32_t place, const struct norn_graph_event *e)
{
	if (e->op == NORN_THREAD_BEGIN || e->op == NORN_THREAD_JOIN)
		put_edge(o, place_of(o, e->link), place);
	if (e->op == NORN_THREAD_CALL && !(e->flags & NORN_GRAPH_CALLED)) {
		put_edge(o, o->world, place);
		o->world = place;
	}
}

static void order_event(struct open_order *o, uint32_t place, uint32_t event)
{
	const struct norn_graph_event *e = o->events + event;
	uint32_t *last = norn_must_map_put(&o->threads, e->thread);
	uint32_t previous = *last ? o->window[*last - 1] : norn_closure_before(o->closure, e->thread);
	put_edge(o, *last, place);
	*last = place;
	if (e->kind == NORN_EVENT_EXTERNAL || (e->kind != NORN_EVENT_READ && e->flags & NORN_GRAPH_UNSEEN)) {
		put_edge(o, o->world, place);
		o->world = place;
	}
	if (accesses(e))
		order_access(o, place, event);
	else if (lives(e))
		order_life(o, place, e);
	else if (e->kind == NORN_EVENT_SYNC)
		order_sync(o, place, event, previous);
	else if (e->kind == NORN_EVENT_THREAD)
		order_thread(o, place, e);
}

/* ---- the order ---- */

/* Edges by where they come from: those of place p are targets[first[p] … first[p + 1] - 1]. */
static void by_source(const struct open_order *o, uint32_t *first, uint32_t *targets, uint32_t *needs)
{
	for (uint32_t i = 0; i < o->edges.count; i++) {
		first[o->edges.items[i].from + 1]++;
		needs[o->edges.items[i].to]++;
	}
	for (uint32_t p = 1; p <= o->count + 1; p++)
		first[p] += first[p - 1];
	for (uint32_t i = o->edges.count; i-- > 0;)
		targets[--first[o->edges.items[i].from + 1]] = o->edges.items[i].to;
}

/* False: the edges have a cycle. */
static bool sort(struct open_order *o, uint32_t *ret_events)
{
	/* first is shifted by one while it is filled, and right afterwards. */
	uint32_t *first = norn_must_calloc(o->count + UINT64_C(3), sizeof *first);
	uint32_t *needs = norn_must_calloc(o->count + UINT64_C(1), sizeof *needs);
	uint32_t *targets = norn_must_alloc(o->edges.count + UINT64_C(1), sizeof *targets);
	struct norn_priority_queue heap = {0};
	uint32_t done = 0;
	by_source(o, first, targets, needs);
	for (uint32_t p = 1; p <= o->count; p++)
		if (needs[p] == 0)
			norn_priority_queue_push(&heap, p, p);
	while (heap.count) {
		uint32_t p = norn_priority_queue_pop(&heap).item;
		assert(done < o->count);
		ret_events[done++] = o->window[p - 1];
		for (uint32_t i = first[p + 1]; i < (p < o->count ? first[p + 2] : o->edges.count); i++)
			if (--needs[targets[i]] == 0)
				norn_priority_queue_push(&heap, targets[i], targets[i]);
	}
	norn_priority_queue_done(&heap);
	free(first);
	free(needs);
	free(targets);
	return done == o->count;
}

/* The events in the new order, to be freed; NULL: there is none. */
static uint32_t *make(struct open_order *o)
{
	for (uint32_t i = 0; i < o->count; i++) {
		uint32_t *place = norn_must_map_put(&o->places, o->window[i]);
		*place = i + 1;
	}
	find_kept(o);
	for (uint32_t i = 0; i < o->count; i++)
		order_event(o, i + 1, o->window[i]);
	order_open(o);
	uint32_t *events = norn_must_alloc(o->count + UINT64_C(1), sizeof *events);
	if (sort(o, events))
		return events;
	free(events);
	return NULL;
}

uint32_t *norn_open_last(const struct norn_graph *graph, struct norn_closure *closure, uint32_t base, uint32_t *ret_count,
        const struct norn_rule **ret_inexact)
{
	struct open_order o = {.graph = graph, .events = norn_graph_events(graph), .closure = closure, .base = base};
	o.window = norn_closure_window(closure, &o.count);
	norn_map_init(&o.places, sizeof(uint32_t));
	norn_map_init(&o.threads, sizeof(uint32_t));
	norn_map_init(&o.objects, sizeof(struct open_object));
	norn_map_init(&o.quads, sizeof(struct quad));
	norn_must_add(&o.links);
	uint32_t *events = make(&o);
	*ret_count = o.count;
	*ret_inexact = o.inexact;
	norn_map_done(&o.places);
	norn_map_done(&o.threads);
	norn_map_done(&o.objects);
	norn_map_done(&o.quads);
	norn_vector_done(&o.edges);
	norn_vector_done(&o.links);
	norn_vector_done(&o.longs);
	return events;
}
