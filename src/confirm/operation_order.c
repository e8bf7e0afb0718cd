#include "confirm/operation_order.h"

#include <assert.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/must.h"

#define FREED_MAX (64u << 10) /* bytes of a block whose uses are waited for before it is freed */
#define SNAPSHOT_WORDS (128u << 20) /* of all clocks that are kept; beyond, more orders are listed than are needed */

/* ---- clocks ---- */

const struct norn_operation_snapshot *norn_operation_order_known(const struct norn_operation_thread *t, uint32_t event)
{
	uint32_t low = NORN_BISECT(0, t->snapshots.count, i, t->snapshots.items[i].event <= event);
	return low ? &t->snapshots.items[low - 1] : NULL;
}

/* From event on, thread knows of what event from knows, and of from itself. */
static void learn(struct norn_operation_order *w, uint32_t event, uint32_t from)
{
	uint32_t t = norn_graph_event(w->graph, event)->thread, u = norn_graph_event(w->graph, from)->thread;
	struct norn_operation_thread *own = &w->thread[t];
	struct norn_operation_snapshot *latest = own->snapshots.count ? &own->snapshots.items[own->snapshots.count - 1] : NULL;
	if (!latest || latest->event != event) {
		if (w->snapshot_words + w->threads > SNAPSHOT_WORDS)
			return;
		assert(!latest || latest->event < event);
		uint32_t *clock = latest ? norn_must_copy(latest->clock, w->threads, sizeof *clock)
		                         : norn_must_calloc(w->threads, sizeof *clock);
		w->snapshot_words += w->threads;
		latest = norn_must_add(&own->snapshots);
		*latest = (struct norn_operation_snapshot){event, clock};
	}
	const struct norn_operation_snapshot *theirs = norn_operation_order_known(&w->thread[u], from);
	for (uint32_t i = 0; theirs && i < w->threads; i++)
		if (theirs->clock[i] > latest->clock[i])
			latest->clock[i] = theirs->clock[i];
	if (latest->clock[u] < from)
		latest->clock[u] = from;
}

static bool knows(const struct norn_operation_order *w, uint32_t event, uint32_t of)
{
	const struct norn_operation_thread *own = &w->thread[norn_graph_event(w->graph, event)->thread];
	const struct norn_operation_snapshot *s = norn_operation_order_known(own, event);
	return s && s->clock[norn_graph_event(w->graph, of)->thread] >= of;
}

uint32_t norn_operation_order_begun(const struct norn_operation_order *w, uint32_t event)
{
	const uint32_t *begun = norn_map_get(&w->begun, event);
	return begun ? *begun : event;
}

void norn_operation_order_follow(struct norn_operation_order *w, uint32_t event, uint32_t from)
{
	const struct norn_graph_event *a = norn_graph_event(w->graph, from), *b = norn_graph_event(w->graph, event);
	if (!from || a->thread == b->thread || knows(w, event, from))
		return;
	uint32_t source = norn_operation_order_begun(w, from), target = norn_operation_order_begun(w, event);
	/* Of a range that others broke into, only the beginning can be waited at: what came in between cannot come before that. */
	if (target != event && knows(w, from, target))
		return;
	norn_must_push(&w->edges, (struct norn_order_edge){source, target});
	learn(w, event, from);
}

/* ---- conflicts ---- */

static void add_touch(struct norn_operation_order *w, uint32_t *word, uint32_t event, uint8_t mask, bool writes)
{
	uint32_t place = w->touch_free;
	if (place) {
		w->touch_free = w->touches.items[place - 1].next;
	} else {
		norn_must_add(&w->touches);
		place = w->touches.count;
	}
	w->touches.items[place - 1] = (struct norn_operation_touch){event, *word, mask, writes};
	*word = place;
}

static void drop_touch(struct norn_operation_order *w, uint32_t *link)
{
	uint32_t place = *link;
	*link = w->touches.items[place - 1].next;
	w->touches.items[place - 1].next = w->touch_free;
	w->touch_free = place;
}

/* An access of the bytes of one word that mask tells. listed: of an operation; what is none cannot wait. */
static void touch_word(struct norn_operation_order *w, uint32_t event, uint64_t addr, uint8_t mask, bool writes, bool adds)
{
	uint32_t *word = norn_must_map_put(&w->words, addr >> 3), thread = norn_graph_event(w->graph, event)->thread;
	for (uint32_t *link = word; *link;) {
		struct norn_operation_touch *t = &w->touches.items[*link - 1];
		bool same = norn_graph_event(w->graph, t->event)->thread == thread;
		if ((t->mask & mask) && (writes || t->writes))
			norn_operation_order_follow(w, event, t->event);
		t = &w->touches.items[*link - 1];
		if (writes || (same && !t->writes))
			t->mask &= (uint8_t)~mask;
		if (t->mask == 0)
			drop_touch(w, link);
		else
			link = &t->next;
	}
	if (adds)
		add_touch(w, word, event, mask, writes);
}

void norn_operation_order_access(
        struct norn_operation_order *w, uint32_t event, uint64_t addr, uint64_t size, bool writes, bool adds)
{
	uint64_t end = addr + size;
	while (addr < end) {
		unsigned from = addr & 7, to = end - (addr - from) < 8 ? (unsigned)(end - (addr - from)) : 8;
		touch_word(w, event, addr, (uint8_t)((0xffu << from) & (0xffu >> (8 - to))), writes, adds);
		addr += to - from;
	}
}

/* Memory begins to be something else: what it was does not matter any more. */
static void forget_bytes(struct norn_operation_order *w, uint64_t addr, uint64_t size)
{
	for (uint64_t at = addr; at < addr + size && size <= FREED_MAX; at += 8) {
		uint32_t *word = norn_map_get(&w->words, at >> 3);
		while (word && *word)
			drop_touch(w, word);
	}
}

static void use_object(struct norn_operation_order *w, uint32_t event, uint32_t object)
{
	norn_operation_order_follow(w, event, w->objects[object]);
	w->objects[object] = event;
}

/* Calls of code without hooks have no exact place in the recorded order, so none is waited for. */
static void take_thread_event(struct norn_operation_order *w, uint32_t event, const struct norn_graph_event *e)
{
	if (e->op == NORN_THREAD_FORK && e->value < w->threads)
		w->thread[e->value].forked = true;
	if ((e->op == NORN_THREAD_BEGIN || e->op == NORN_THREAD_JOIN) && e->link)
		learn(w, event, e->link);
}

void norn_operation_order_take(struct norn_operation_order *w, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(w->graph, event);
	uint32_t begun;
	unsigned operation = norn_operation_of(w->trace, w->graph, event, w->thread[e->thread].operations, &begun);
	if (begun != event)
		*(uint32_t *)norn_must_map_put(&w->begun, event) = begun;
	w->thread[e->thread].last = event;
	if (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW)
		norn_operation_order_access(w, event, e->addr, e->size, e->kind != NORN_EVENT_READ, true);
	else if (operation == NORN_OPERATION_FREE && begun == event)
		norn_operation_order_access(w, event, e->addr, e->size < FREED_MAX ? e->size : FREED_MAX, true, true);
	else if (e->kind == NORN_EVENT_ALLOC)
		forget_bytes(w, e->addr, e->size);
	else if (e->kind == NORN_EVENT_SYNC && operation)
		use_object(w, event, e->size);
	else if (e->kind == NORN_EVENT_THREAD)
		take_thread_event(w, event, e);
}

void norn_operation_order_init(struct norn_operation_order *w, struct norn_trace *trace, const struct norn_graph *graph)
{
	*w = (struct norn_operation_order){.trace = trace, .graph = graph, .threads = norn_graph_threads(graph)};
	norn_map_init(&w->words, sizeof(uint32_t));
	norn_map_init(&w->begun, sizeof(uint32_t));
	w->thread = norn_must_calloc(w->threads, sizeof *w->thread);
	w->objects = norn_must_calloc(norn_graph_objects(graph) + 2ul, sizeof *w->objects);
}

void norn_operation_order_done(struct norn_operation_order *w)
{
	for (uint32_t t = 0; t < w->threads; t++) {
		for (uint32_t i = 0; i < w->thread[t].snapshots.count; i++)
			free(w->thread[t].snapshots.items[i].clock);
		norn_vector_done(&w->thread[t].snapshots);
	}
	norn_map_done(&w->words);
	norn_map_done(&w->begun);
	free(w->thread);
	free(w->objects);
	norn_vector_done(&w->touches);
	norn_vector_done(&w->edges);
}
