#include "witness/order_witness.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"
#include "trace/record.h"
#include "trace/site.h"

/* Of a thread, whether its events from now on come after the one in question. */
struct order_thread {
	bool after;
	bool fence_after; /* its last release fence does */
	bool read_after; /* it has read from a sequence whose head does, without an acquire */
};

struct order_object {
	bool released, released_shared; /* by an event that comes after */
	uint32_t arrival; /* the first one that does, 0: none */
};

/* A byte of an atomic object: the threads whose sequences it is the last of, as far as their heads come after. */
struct order_byte {
	uint32_t *threads;
	uint32_t count, room;
};

struct order_state {
	const struct norn_graph *graph;
	struct order_thread *threads;
	struct norn_map objects; /* number → struct order_object; key 0: all jobs of libraries */
	struct norn_map bytes; /* address → struct order_byte */
	struct norn_map freed; /* events: frees that come after */
	struct norn_map foreign; /* address / 8: code without hooks has written there, in an unknown order */
};

static bool is_acquire(unsigned order)
{
	return order == NORN_ORDER_ACQUIRE || order == NORN_ORDER_ACQ_REL || order == NORN_ORDER_SEQ_CST;
}

static bool is_release(unsigned order)
{
	return order == NORN_ORDER_RELEASE || order == NORN_ORDER_ACQ_REL || order == NORN_ORDER_SEQ_CST;
}

/* ---- atomics ---- */

static void read_bytes(struct order_state *s, const struct norn_graph_event *e, bool acquires)
{
	struct order_thread *t = s->threads + e->thread;
	bool after = false;
	for (uint64_t at = e->addr; at < e->addr + e->size; at++) {
		const struct order_byte *b = norn_map_get(&s->bytes, at);
		after |= b && b->count;
		t->after |= norn_map_get(&s->foreign, at / 8) != NULL;
	}
	if (after && acquires)
		t->after = true;
	t->read_after |= after;
}

static void head_byte(struct order_byte *b, uint32_t thread)
{
	for (uint32_t i = 0; i < b->count; i++)
		if (b->threads[i] == thread)
			return;
	norn_must_grow(&b->threads, b->count + UINT64_C(1), &b->room, sizeof *b->threads);
	b->threads[b->count++] = thread;
}

/* A store ends the sequences of other threads. */
static void store_byte(struct order_byte *b, uint32_t thread)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < b->count; i++)
		if (b->threads[i] == thread)
			b->threads[kept++] = thread;
	b->count = kept;
}

static void write_bytes(struct order_state *s, const struct norn_graph_event *e, bool releases)
{
	const struct order_thread *t = s->threads + e->thread;
	bool head = (releases && t->after) || t->fence_after;
	for (uint64_t at = e->addr; at < e->addr + e->size; at++) {
		struct order_byte *b = head ? norn_must_map_put(&s->bytes, at) : norn_map_get(&s->bytes, at);
		if (b && e->kind == NORN_EVENT_WRITE)
			store_byte(b, e->thread);
		if (head)
			head_byte(b, e->thread);
	}
}

static void access_memory(struct order_state *s, uint32_t number, bool reads_only)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	unsigned order = norn_graph_order(s->graph, number);
	if (order == NORN_ORDER_NONE)
		return;
	if (e->kind != NORN_EVENT_WRITE)
		read_bytes(s, e, is_acquire(order));
	if (e->kind != NORN_EVENT_READ && !reads_only)
		write_bytes(s, e, is_release(order));
}

/* ---- all else that orders ---- */

static void use_object(struct order_state *s, const struct norn_graph_event *e, uint32_t number)
{
	struct order_thread *t = s->threads + e->thread;
	struct order_object *o = norn_must_map_put(&s->objects, e->size);
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_SEM_WAIT:
	case NORN_SYNC_ONCE_PASS:
	case NORN_SYNC_RECEIVE:
		t->after |= o->released || o->released_shared;
		break;
	case NORN_SYNC_ACQUIRE_SHARED:
		t->after |= o->released;
		break;
	case NORN_SYNC_RELEASE_SHARED:
		o->released_shared |= t->after;
		break;
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
	case NORN_SYNC_SEM_INIT:
	case NORN_SYNC_SEM_POST:
	case NORN_SYNC_ONCE_END:
	case NORN_SYNC_SEND:
		o->released |= t->after;
		break;
	case NORN_SYNC_BARRIER_INIT:
	case NORN_SYNC_BARRIER_ARRIVE:
		if (t->after && !o->arrival)
			o->arrival = number;
		break;
	case NORN_SYNC_BARRIER_LEAVE: /* link: the arrival that was the last of its round, where rounds are known */
		t->after |= o->arrival && (!(e->flags & NORN_GRAPH_COUNTED) || o->arrival <= e->link);
		break;
	default:
		break;
	}
}

static void thread_event(struct order_state *s, const struct norn_graph_event *e, uint32_t number)
{
	struct order_thread *t = s->threads + e->thread;
	bool known = e->value < norn_graph_threads(s->graph);
	struct order_object *jobs;
	switch (e->op) {
	case NORN_THREAD_FORK:
		if (known)
			s->threads[e->value].after |= t->after;
		break;
	case NORN_THREAD_JOIN:
		t->after |= known && s->threads[e->value].after;
		break;
	case NORN_THREAD_BEGIN:
		t->after |= e->thread && !e->link;
		break;
	case NORN_THREAD_FENCE:
		t->after |= is_acquire(norn_graph_order(s->graph, number)) && t->read_after;
		if (is_release(norn_graph_order(s->graph, number)))
			t->fence_after = t->after;
		break;
	case NORN_THREAD_CALL:
	case NORN_THREAD_BACK:
		jobs = norn_must_map_put(&s->objects, 0);
		if (e->op == NORN_THREAD_CALL)
			jobs->released |= e->value == NORN_CALL_SUBMITS && t->after;
		else
			t->after |= e->value != NORN_BACK_JOB || jobs->released;
		break;
	case NORN_THREAD_EXIT:
	case NORN_THREAD_SIGNAL:
		t->after = true;
		break;
	default:
		break;
	}
}

/* A free synchronises with the allocation that gets the memory. */
static void use_heap(struct order_state *s, const struct norn_graph_event *e, uint32_t number)
{
	struct order_thread *t = s->threads + e->thread;
	const uint32_t *earlier;
	if (e->kind == NORN_EVENT_FREE && t->after)
		norn_must_map_put(&s->freed, number);
	uint32_t count = e->kind == NORN_EVENT_ALLOC ? norn_graph_list(s->graph, &e->link, &earlier) : 0;
	while (count > 0)
		t->after |= norn_map_get(&s->freed, earlier[--count]) != NULL;
}

static void step(struct order_state *s, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	bool begins = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BEGIN;
	bool from_nowhere = number == norn_graph_first(s->graph, e->thread) && e->thread && !begins;
	bool written_unseen = e->kind == NORN_EVENT_EXTERNAL && !(e->flags & NORN_GRAPH_ORDERED);
	s->threads[e->thread].after |= from_nowhere || written_unseen || e->flags & NORN_GRAPH_AFTER;
	if (written_unseen)
		norn_must_map_put(&s->foreign, e->addr / 8);
	if (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW)
		access_memory(s, number, false);
	else if (e->kind == NORN_EVENT_SYNC)
		use_object(s, e, number);
	else if (e->kind == NORN_EVENT_THREAD)
		thread_event(s, e, number);
	else
		use_heap(s, e, number);
}

static void done(struct order_state *s)
{
	const struct order_byte *b;
	uint64_t key;
	for (size_t cursor = 0; (b = norn_map_next(&s->bytes, &cursor, &key));)
		free(b->threads);
	norn_map_done(&s->bytes);
	norn_map_done(&s->foreign);
	norn_map_done(&s->freed);
	norn_map_done(&s->objects);
	free(s->threads);
}

bool norn_order_witness(
        const struct norn_graph *graph, uint32_t base, const uint32_t *events, uint32_t count, uint32_t first, uint32_t last)
{
	struct order_state s = {.graph = graph, .threads = norn_must_calloc(norn_graph_threads(graph) + 1ul, sizeof *s.threads)};
	norn_map_init(&s.objects, sizeof(struct order_object));
	norn_map_init(&s.bytes, sizeof(struct order_byte));
	norn_map_init(&s.foreign, 1);
	norn_map_init(&s.freed, 1);
	uint32_t at = 0;
	while (first > base && at < count && events[at] != first)
		at++;
	s.threads[norn_graph_event(graph, first)->thread].after = true;
	step(&s, first);
	for (uint32_t i = first + 1; i <= base; i++)
		step(&s, i);
	for (at += first > base; at < count; at++)
		step(&s, events[at]);
	const struct norn_graph_event *e = norn_graph_event(graph, last);
	s.threads[e->thread].after |= e->flags & NORN_GRAPH_AFTER;
	if (e->kind != NORN_EVENT_FREE)
		access_memory(&s, last, true);
	bool ordered = s.threads[e->thread].after;
	done(&s);
	return ordered;
}

static bool orders(const struct norn_graph *graph, uint32_t number)
{
	return norn_graph_order(graph, number) != NORN_ORDER_NONE;
}

uint32_t norn_order_witness_misses(
        const struct norn_graph *graph, uint32_t base, const uint32_t *events, uint32_t count, uint32_t last)
{
	uint32_t *next = norn_must_calloc(norn_graph_threads(graph) + 1ul, sizeof *next), missed = 0;
	for (uint32_t t = 0; t < norn_graph_threads(graph); t++)
		next[t] = norn_graph_after(graph, t, base);
	for (uint32_t i = 0; i <= count && !missed; i++) {
		uint32_t event = i < count ? events[i] : last, *at = next + norn_graph_event(graph, event)->thread;
		for (; *at && *at < event; *at = norn_graph_event(graph, *at)->next)
			if (orders(graph, *at))
				missed = *at;
		*at = norn_graph_event(graph, event)->next;
	}
	free(next);
	return missed;
}
