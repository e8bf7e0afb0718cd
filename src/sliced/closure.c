#include "sliced/closure.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "sliced/closure_state.h"
#include "trace/record.h"

/* ---- making and freeing ---- */

void norn_closure_free(struct norn_closure *closure)
{
	if (!closure)
		return;
	free(closure->threads);
	free(closure->objects);
	norn_vector_done(&closure->readers);
	free(closure->read_stamps);
	free(closure->node_stamps);
	free(closure->kept_stamps);
	free(closure->examined_stamps);
	free(closure->value_stamps);
	free(closure->examined_nodes);
	free(closure->queue);
	free(closure->active);
	norn_vector_done(&closure->to_fix);
	norn_vector_done(&closure->to_keep);
	norn_vector_done(&closure->window);
	norn_vector_done(&closure->examined);
	norn_vector_done(&closure->to_examine);
	free(closure->masked);
	norn_vector_done(&closure->pending);
	norn_vector_done(&closure->semaphores);
	norn_vector_done(&closure->uses);
	norn_vector_done(&closure->conditions);
	norn_vector_done(&closure->sleeping);
	free(closure->queue_of_sleepers);
	norn_memory_contents_done(&closure->contents);
	norn_map_done(&closure->seen);
	norn_map_done(&closure->others);
	free(closure);
}

struct norn_closure *norn_closure_new(const struct norn_graph *graph, unsigned without)
{
	struct norn_closure *closure = norn_must_calloc(1, sizeof *closure);
	norn_memory_contents_init(&closure->contents);
	norn_map_init(&closure->seen, 8 * sizeof(uint32_t));
	norn_map_init(&closure->others, 2 * sizeof(uint64_t));
	uint32_t threads = norn_graph_threads(graph) + 1, nodes = norn_graph_nodes(graph);
	closure->graph = graph;
	closure->events = norn_graph_events(graph);
	closure->without = without;
	closure->needs = (struct norn_rule_walk){.graph = graph, .without = without};
	closure->queue_of_sleepers = norn_must_calloc(threads, sizeof *closure->queue_of_sleepers);
	closure->threads = norn_must_calloc(threads, sizeof *closure->threads);
	closure->queue = norn_must_calloc(threads, sizeof *closure->queue);
	closure->active = norn_must_calloc(threads, sizeof *closure->active);
	closure->objects = norn_must_calloc(norn_graph_objects(graph) + UINT64_C(1), sizeof *closure->objects);
	/* Fresh zero pages: only those that are written take memory. */
	closure->read_stamps = norn_must_calloc(norn_graph_count(graph) + UINT64_C(1), sizeof *closure->read_stamps);
	closure->node_stamps = norn_must_calloc(nodes + UINT64_C(1), sizeof *closure->node_stamps);
	closure->kept_stamps = norn_must_calloc(norn_graph_count(graph) + UINT64_C(1) + nodes, sizeof *closure->kept_stamps);
	norn_must_add(&closure->readers);
	norn_must_add(&closure->pending);
	closure->words = norn_graph_masked_words(graph, &closure->word_count);
	closure->masked = norn_must_calloc(closure->word_count + UINT64_C(1), sizeof *closure->masked);
	return closure;
}

void norn_closure_equal_values(struct norn_closure *closure)
{
	assert(closure->base == 0);
	closure->equal_values = true;
	closure->examined_stamps =
	        norn_must_calloc(norn_graph_count(closure->graph) + UINT64_C(1), sizeof *closure->examined_stamps);
	closure->value_stamps = norn_must_calloc(norn_graph_count(closure->graph) + UINT64_C(1), sizeof *closure->value_stamps);
	closure->examined_nodes = norn_must_calloc(norn_graph_nodes(closure->graph) + UINT64_C(1), sizeof *closure->examined_nodes);
}

bool norn_closure_too_equal(const struct norn_closure *closure)
{
	return closure->too_equal;
}

void norn_closure_stale(struct norn_closure *closure, uint32_t alloc)
{
	closure->stale = alloc;
}

void norn_closure_sees(struct norn_closure *closure, uint32_t stop, uint64_t bytes)
{
	closure->sees = stop;
	closure->sees_bytes = bytes;
}

const struct norn_rule *norn_closure_inexact(const struct norn_closure *closure)
{
	return closure->inexact;
}

const struct norn_rule *norn_closure_stricter(const struct norn_closure *closure)
{
	return closure->stricter;
}

uint64_t norn_closure_steps(const struct norn_closure *closure)
{
	return closure->steps;
}

/* ---- the base ---- */

static uint32_t new_reader(struct norn_closure *closure, uint32_t acquire, uint32_t next)
{
	norn_must_push(&closure->readers, (struct closure_reader){acquire, next});
	return closure->readers.count - 1;
}

static void base_reader_begins(struct norn_closure *closure, struct closure_object *object, uint32_t acquire)
{
	uint32_t i = closure->base_spare;
	if (i) {
		closure->base_spare = closure->readers.items[i].next;
		closure->readers.items[i] = (struct closure_reader){acquire, object->base_readers};
	} else {
		i = new_reader(closure, acquire, object->base_readers);
	}
	object->base_readers = i;
}

static void base_reader_ends(struct norn_closure *closure, struct closure_object *object, uint32_t acquire)
{
	uint32_t *place = &object->base_readers;
	while (*place && closure->readers.items[*place].acquire != acquire)
		place = &closure->readers.items[*place].next;
	uint32_t i = *place;
	if (i == 0)
		return;
	*place = closure->readers.items[i].next;
	closure->readers.items[i].next = closure->base_spare;
	closure->base_spare = i;
	assert(i < closure->readers.count);
}

void norn_closure_base(struct norn_closure *closure, uint32_t base)
{
	assert(base >= closure->base);
	while (closure->base < base) {
		uint32_t number = ++closure->base;
		const struct norn_graph_event *e = closure->events + number;
		struct closure_thread *t = closure->threads + e->thread;
		t->base = number;
		if (closure->equal_values)
			norn_memory_contents_event(&closure->contents, e);
		if (e->kind != NORN_EVENT_SYNC)
			continue;
		struct closure_object *object = closure->objects + e->size;
		switch (e->op) {
		case NORN_SYNC_ACQUIRE:
		case NORN_SYNC_DESTROY: /* a region that is closed */
			object->base_last = object->base_writer = number;
			break;
		case NORN_SYNC_ACQUIRE_SHARED:
			object->base_last = number;
			base_reader_begins(closure, object, number);
			break;
		case NORN_SYNC_RELEASE_SHARED:
			base_reader_ends(closure, object, e->link);
		}
	}
}

/* ---- needs ---- */

static bool rule(const struct norn_closure *closure, unsigned which)
{
	return !(closure->without & which);
}

struct closure_thread *norn_closure_thread(struct norn_closure *closure, uint32_t thread)
{
	struct closure_thread *t = closure->threads + thread;
	if (t->epoch != closure->epoch) {
		t->epoch = closure->epoch;
		t->cursor = t->wanted = t->base;
		t->stop = 0;
		t->fixed = t->base;
		t->queued = false;
		assert(closure->actives < norn_graph_threads(closure->graph));
		closure->active[closure->actives++] = thread;
	}
	assert(t->base <= t->cursor && t->cursor <= t->wanted && (t->stop == 0 || t->wanted < t->stop));
	return t;
}

struct closure_object *norn_closure_object(struct norn_closure *closure, uint32_t number)
{
	assert(number <= norn_graph_objects(closure->graph));
	struct closure_object *object = closure->objects + number;
	if (object->epoch != closure->epoch) {
		object->epoch = closure->epoch;
		object->last = object->base_last;
		object->writer = object->base_writer;
		object->readers = 0;
		object->took_base = false;
		object->open = 0;
		object->waited = 0;
	}
	return object;
}

/* All events of this thread up to number. */
static void need_up_to(struct norn_closure *closure, uint32_t thread, uint32_t number)
{
	struct closure_thread *t = norn_closure_thread(closure, thread);
	if (number <= t->wanted)
		return;
	if (t->stop && number >= t->stop) {
		closure->failed = true;
		return;
	}
	t->wanted = number;
	if (!t->queued) {
		t->queued = true;
		closure->queue[closure->queued++] = thread;
	}
}

void norn_closure_need(struct norn_closure *closure, uint32_t event)
{
	if (event > closure->base)
		need_up_to(closure, closure->events[event].thread, event);
}

static void need_event(void *context, uint32_t event)
{
	norn_closure_need(context, event);
}

bool norn_closure_includes(struct norn_closure *closure, uint32_t event)
{
	return event <= closure->base || event <= norn_closure_thread(closure, closure->events[event].thread)->cursor;
}

bool norn_closure_spare(struct norn_closure *closure, uint32_t event)
{
	if (norn_closure_includes(closure, event))
		return false;
	const struct closure_thread *t = norn_closure_thread(closure, closure->events[event].thread);
	return t->wanted < event && (t->stop == 0 || event < t->stop);
}

void norn_closure_note_object(struct norn_closure *closure, uint32_t number, uint32_t event, struct norn_numbers *list)
{
	struct closure_object *object = norn_closure_object(closure, number);
	if (object->waited == 0)
		norn_must_push(list, number);
	if (event > object->waited)
		object->waited = event;
}

/* ---- locks ---- */

static bool shared(const struct norn_closure *closure, uint32_t acquire)
{
	return closure->events[acquire].op == NORN_SYNC_ACQUIRE_SHARED;
}

static void need_release(struct norn_closure *closure, uint32_t acquire)
{
	uint32_t release = closure->events[acquire].link;
	if (closure->events[acquire].op == NORN_SYNC_DESTROY)
		return;
	if (release == 0)
		closure->failed = true;
	else
		norn_closure_need(closure, release);
}

/* The readers that began before this number are closed. */
static void close_readers(struct norn_closure *closure, struct closure_object *object, uint32_t before)
{
	uint32_t *place = &object->readers;
	while (*place) {
		struct closure_reader *reader = closure->readers.items + *place;
		if (reader->acquire < before) {
			need_release(closure, reader->acquire);
			*place = reader->next;
		} else {
			place = &reader->next;
		}
	}
	if (object->took_base)
		return;
	object->took_base = true; /* they all began before */
	for (uint32_t i = object->base_readers; i; i = closure->readers.items[i].next)
		need_release(closure, closure->readers.items[i].acquire);
}

static void include_writer(struct norn_closure *closure, struct closure_object *object, uint32_t acquire, bool last)
{
	if (last && object->last == object->writer && object->writer)
		need_release(closure, object->writer);
	else if (!last)
		need_release(closure, acquire);
	close_readers(closure, object, acquire);
}

static void include_acquire(struct norn_closure *closure, uint32_t acquire)
{
	struct closure_object *object = norn_closure_object(closure, closure->events[acquire].size);
	bool reads = shared(closure, acquire);
	if (norn_closure_open(closure, acquire)) {
		/* It comes after all others. */
		if (object->last && object->last == object->writer)
			need_release(closure, object->writer);
		if (!reads)
			close_readers(closure, object, UINT32_MAX);
		return;
	}
	bool last = acquire > object->last;
	if (object->open && !(reads && shared(closure, object->open)))
		need_release(closure, acquire);
	if (!reads) {
		include_writer(closure, object, acquire, last);
		if (acquire > object->writer)
			object->writer = acquire;
	} else if (acquire < object->writer) {
		need_release(closure, acquire);
	} else {
		if (last && object->last && object->last == object->writer)
			need_release(closure, object->writer);
		object->readers = new_reader(closure, acquire, object->readers);
	}
	if (last)
		object->last = acquire;
	assert(object->writer <= object->last);
}

/* A lock is destroyed while it is free: as if it were acquired and released at once. */
static void include_destroy(struct norn_closure *closure, uint32_t destroy)
{
	struct closure_object *object = norn_closure_object(closure, closure->events[destroy].size);
	if (object->open && object->open < destroy)
		closure->failed = true;
	include_writer(closure, object, destroy, destroy > object->last);
	if (destroy > object->writer)
		object->writer = destroy;
	if (destroy > object->last)
		object->last = destroy;
	assert(object->writer <= object->last);
}

/* ---- values ---- */

void norn_closure_push(struct norn_closure *closure, uint32_t item)
{
	norn_must_push(&closure->to_fix, item);
}

void norn_closure_keep(struct norn_closure *closure, uint32_t item)
{
	norn_must_push(&closure->to_keep, item);
}

void norn_closure_control(struct norn_closure *closure, uint32_t event)
{
	uint32_t node = event > closure->base && rule(closure, NORN_RULE_CERTAIN) ? norn_graph_control(closure->graph, event) : 0;
	if (node)
		norn_closure_keep(closure, node);
}

/* The value that this event wrote is known. */
void norn_closure_know(struct norn_closure *closure, uint32_t writer)
{
	const struct norn_graph_event *w = closure->events + writer;
	norn_closure_control(closure, writer);
	if (!rule(closure, NORN_RULE_KNOWN))
		return;
	if ((w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW) && w->other)
		norn_closure_push(closure, w->other);
	if (w->kind == NORN_EVENT_RMW)
		norn_closure_push(closure, writer);
}

/* The address that this event means is the number that it was: all is allocated as it was until then (V4). */
static void need_place(struct norn_closure *closure, uint32_t event)
{
	uint32_t last = norn_graph_placed_by(closure->graph, closure->base, event), count;
	if (last <= closure->placed || !rule(closure, NORN_RULE_KNOWN) || !rule(closure, NORN_RULE_REUSE))
		return;
	const uint32_t *places = norn_graph_places(closure->graph, &count);
	for (uint32_t i = norn_graph_places_until(closure->graph, last); i-- > 0 && places[i] > closure->placed;)
		norn_closure_need(closure, places[i]);
	closure->placed = last;
	closure->stricter = &norn_rule_reused_memory;
}

uint32_t norn_closure_placed(const struct norn_closure *closure)
{
	return closure->placed;
}

static void fix_writers(struct norn_closure *closure, uint32_t event)
{
	norn_closure_control(closure, event);
	if (norn_closure_unwritten(closure, event))
		return;
	norn_closure_look(closure, closure->events[event].addr, closure->events[event].size);
	if (closure->events[event].flags & NORN_GRAPH_NUMBER && closure->events[event].kind != NORN_EVENT_EXTERNAL)
		need_place(closure, event);
	if (!closure->equal_values || !norn_closure_examine(closure, event))
		norn_closure_need_writers(closure, event, UINT64_MAX);
}

static void fix_read(struct norn_closure *closure, uint32_t read)
{
	assert(closure->events[read].kind == NORN_EVENT_READ || closure->events[read].kind == NORN_EVENT_RMW);
	if (read <= closure->base || closure->read_stamps[read] == closure->epoch ||
	        (norn_closure_decides(closure, read) && !norn_closure_tested(closure, read)))
		return; /* those that decide are fixed when they are included */
	closure->read_stamps[read] = closure->epoch;
	closure->steps++;
	closure->fixed_count++;
	fix_writers(closure, read);
}

/* All that the thread of this event has read before it. */
static void fix_before(struct norn_closure *closure, uint32_t event)
{
	struct closure_thread *t = norn_closure_thread(closure, closure->events[event].thread);
	uint32_t i = t->fixed ? closure->events[t->fixed].next : norn_graph_first(closure->graph, closure->events[event].thread);
	for (; i && i < event; i = closure->events[i].next) {
		t->fixed = i;
		if (closure->events[i].kind == NORN_EVENT_READ || closure->events[i].kind == NORN_EVENT_RMW)
			fix_read(closure, i);
	}
}

void norn_closure_decide(struct norn_closure *closure, uint32_t read)
{
	if (read <= closure->base || norn_closure_is_fixed(closure, read))
		return;
	closure->failed |= norn_closure_is_freed(closure, read);
	closure->kept_stamps[read] = closure->epoch;
	closure->steps++;
	closure->fixed_count++;
	fix_writers(closure, read);
}

/* Of a read that has masks. */
static void keep_read(struct norn_closure *closure, uint32_t read)
{
	bool tested = closure->events[read].flags & NORN_GRAPH_TESTED && closure->events[read].kind == NORN_EVENT_READ;
	(tested ? norn_closure_decide : fix_read)(closure, read);
}

/* Of to_fix; of to_keep. */
static void fix_one(struct norn_closure *closure, bool keeps)
{
	struct norn_numbers *list = keeps ? &closure->to_keep : &closure->to_fix;
	uint32_t item = list->items[--list->count], a, b;
	if (item & NORN_GRAPH_LIST) {
		uint32_t *stamps = keeps ? closure->kept_stamps + norn_graph_count(closure->graph) + 1 : closure->node_stamps;
		uint32_t *stamp = stamps + (item & ~NORN_GRAPH_LIST);
		if (*stamp == closure->epoch)
			return;
		*stamp = closure->epoch;
	}
	switch (norn_graph_node(closure->graph, item, &a, &b)) {
	case NORN_NODE_NONE:
		return;
	case NORN_NODE_READ:
		(keeps ? keep_read : fix_read)(closure, a);
		return;
	case NORN_NODE_UNION:
		norn_must_push(list, a);
		norn_must_push(list, b);
		return;
	case NORN_NODE_BEFORE:
		fix_before(closure, a);
	}
}

/* ---- including ---- */

static void include_state(struct norn_closure *closure, uint32_t number, const struct norn_rule *r)
{
	bool lock = rule(closure, NORN_RULE_LOCK);
	if (lock && (r->effect == NORN_EFFECT_LOCK || r->effect == NORN_EFFECT_SHARE))
		include_acquire(closure, number);
	else if (lock && r->effect == NORN_EFFECT_DESTROY)
		include_destroy(closure, number);
	if ((r->guard == NORN_GUARD_POSITIVE || r->guard == NORN_GUARD_ZERO) && rule(closure, NORN_RULE_ORDERED))
		norn_closure_note_semaphore_wait(closure, number);
	if (r->wait == NORN_WAIT_WOKEN && rule(closure, NORN_RULE_ORDERED))
		norn_closure_wakes(closure, number);
}

/* A read that is freed is to skip it. */
static bool is_skipped(const struct norn_closure *closure, uint32_t number)
{
	uint32_t reads[NORN_SKIPPERS], count = closure->freed_count ? norn_graph_skippers(closure->graph, number, reads) : 0;
	while (count && !norn_closure_is_freed(closure, reads[count - 1]))
		count--;
	return count;
}

static void include_read(struct norn_closure *closure, uint32_t number, const struct norn_graph_event *e)
{
	if (is_skipped(closure, number))
		return;
	if (e->flags & NORN_GRAPH_MASKED && closure->strict && !norn_closure_is_freed(closure, number))
		keep_read(closure, number);
	else if (e->flags & NORN_GRAPH_MASKED && rule(closure, NORN_RULE_MASK))
		norn_closure_mask(closure, number);
	else if (norn_closure_decides(closure, number) && rule(closure, NORN_RULE_FIXED))
		fix_writers(closure, number);
}

static bool needs_freed(const struct norn_closure *closure, const struct norn_graph_event *alloc)
{
	const uint32_t *list;
	uint32_t count = norn_graph_list(closure->graph, &alloc->link, &list);
	for (uint32_t i = 0; i < count; i++)
		if (list[i] > closure->base)
			return true;
	return false;
}

static void include(struct norn_closure *closure, uint32_t number, const struct norn_graph_event *e)
{
	norn_closure_fix_late(closure, number);
	if (closure->strict && !is_skipped(closure, number))
		norn_closure_control(closure, number);
	else if (!closure->strict && e->kind == NORN_EVENT_WRITE && e->link && rule(closure, NORN_RULE_CERTAIN))
		norn_closure_may_write(closure, number);
	const struct norn_rule *r = norn_rule_without(closure->graph, number, closure->without);
	if (e->kind == NORN_EVENT_EXTERNAL && !rule(closure, NORN_RULE_EXTERNAL))
		return;
	if (!norn_rule_needs_each(&closure->needs, number, r, need_event, closure))
		closure->failed = true;
	if (!r->exact)
		closure->inexact = r;
	if (r->needs & NORN_NEED_MEMORY && needs_freed(closure, e))
		closure->stricter = &norn_rule_reused_memory;
	else if (norn_rule_is_look(r))
		closure->stricter = &norn_rule_any_look;
	else if (norn_rule_is_ignored(closure->graph, number))
		closure->stricter = &norn_rule_any_result;
	if (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW)
		include_read(closure, number, e);
	else if (e->kind == NORN_EVENT_EXTERNAL)
		fix_writers(closure, number);
	else if (e->kind == NORN_EVENT_SYNC)
		include_state(closure, number, r);
	else if (e->kind == NORN_EVENT_ALLOC && e->flags & NORN_GRAPH_NUMBER)
		need_place(closure, number);
}

static void advance(struct norn_closure *closure, uint32_t thread)
{
	struct closure_thread *t = closure->threads + thread;
	while (!closure->failed) {
		uint32_t next = t->cursor ? closure->events[t->cursor].next : norn_graph_first(closure->graph, thread);
		if (next == 0 || next > t->wanted)
			return;
		if (++closure->included > closure->limit)
			return;
		if (t->cursor == 0 && rule(closure, NORN_RULE_BEGIN) && norn_rule_from_nowhere(closure->graph, next))
			closure->failed = true;
		t->cursor = next;
		include(closure, next, closure->events + next);
	}
}

void norn_closure_frees(struct norn_closure *closure, const uint32_t *reads, uint32_t count)
{
	closure->freed = reads;
	closure->freed_count = count;
	closure->certain = true;
}

/* ---- closing ---- */

static void begin(struct norn_closure *closure, bool open_last, uint32_t limit)
{
	if (++closure->epoch == 0) {
		/* Stamps of four billion epochs ago must not be taken for this one's. */
		memset(closure->read_stamps, 0, (norn_graph_count(closure->graph) + UINT64_C(1)) * sizeof *closure->read_stamps);
		if (closure->equal_values) {
			memset(closure->examined_stamps, 0,
			        (norn_graph_count(closure->graph) + UINT64_C(1)) * sizeof *closure->examined_stamps);
			memset(closure->value_stamps, 0,
			        (norn_graph_count(closure->graph) + UINT64_C(1)) * sizeof *closure->value_stamps);
			memset(closure->examined_nodes, 0, norn_graph_nodes(closure->graph) * sizeof *closure->examined_nodes);
		}
		memset(closure->node_stamps, 0, norn_graph_nodes(closure->graph) * sizeof *closure->node_stamps);
		memset(closure->kept_stamps, 0,
		        (norn_graph_count(closure->graph) + UINT64_C(1) + norn_graph_nodes(closure->graph)) *
		                sizeof *closure->kept_stamps);
		for (uint32_t i = 0; i < norn_graph_threads(closure->graph); i++)
			closure->threads[i].epoch = 0;
		for (uint32_t i = 0; i <= norn_graph_objects(closure->graph); i++)
			closure->objects[i].epoch = 0;
		for (uint32_t i = 0; i < closure->word_count; i++)
			closure->masked[i].epoch = 0;
		closure->epoch = 1;
	}
	closure->examined.count = closure->to_examine.count = closure->to_fix.count = closure->to_keep.count =
	        closure->window.count = closure->semaphores.count = closure->conditions.count = 0;
	closure->queued = closure->actives = closure->included = 0;
	closure->needs.base = closure->needs.io_done = closure->placed = closure->base;
	closure->pending.count = 1;
	closure->strict = closure->certain;
	closure->inexact = NULL;
	closure->stricter = NULL;
	closure->failed = closure->too_equal = closure->by_value = false;
	closure->open_last = open_last;
	closure->limit = limit;
}

/* Locks that are held at this stop have their open region last: no two stops hold one, unless both as readers. */
static void open_regions(struct norn_closure *closure, uint32_t stop)
{
	uint32_t held = closure->events[stop].held;
	while (held) {
		uint32_t acquire = norn_graph_held(closure->graph, held, &held);
		struct closure_object *object = norn_closure_object(closure, closure->events[acquire].size);
		if (object->open && !(shared(closure, acquire) && shared(closure, object->open)))
			closure->failed = true;
		/* Events of the base stay in place. */
		if (acquire > closure->base)
			object->open = acquire;
	}
}

bool norn_closure_open(const struct norn_closure *closure, uint32_t acquire)
{
	if (!closure->open_last)
		return false;
	const struct closure_thread *t = closure->threads + closure->events[acquire].thread;
	if (t->epoch != closure->epoch || t->stop == 0)
		return false;
	uint32_t release = closure->events[acquire].link;
	return release == 0 || release >= t->stop;
}

void norn_closure_close(struct norn_closure *closure)
{
	while (!closure->failed && closure->included <= closure->limit) {
		if (closure->queued) {
			uint32_t thread = closure->queue[--closure->queued];
			closure->threads[thread].queued = false;
			advance(closure, thread);
		} else if (closure->to_fix.count || closure->to_keep.count) {
			fix_one(closure, !closure->to_fix.count);
		} else if (closure->to_examine.count) {
			norn_closure_examine_one(closure);
		} else if (!norn_closure_semaphores(closure) && !norn_closure_wake(closure)) {
			return;
		}
	}
}

/* A stop that is the acquire at the end of a wait: its thread was woken. */
static void need_awake(struct norn_closure *closure, uint32_t stop)
{
	const struct norn_rule *r = norn_rule_without(closure->graph, stop, closure->without);
	if (!rule(closure, NORN_RULE_ORDERED))
		return;
	if (r->wait == NORN_WAIT_WOKEN)
		norn_closure_wakes(closure, stop);
	bool acquire = closure->events[stop].kind == NORN_EVENT_SYNC && closure->events[stop].op == NORN_SYNC_ACQUIRE;
	if (acquire && closure->events[stop].flags & NORN_GRAPH_WAKES && !norn_rule_wait_end(closure->graph, stop))
		closure->failed = true;
	if (r->needs & NORN_NEED_NOTIFY && !norn_rule_needs_notify(&closure->needs, stop, need_event, closure))
		closure->failed = true;
}

static bool is_stale(const struct norn_closure *closure, uint32_t life)
{
	const struct norn_graph_event *e = closure->events + life;
	return closure->stale && (life == closure->stale || (e->kind == NORN_EVENT_FREE && e->life == closure->stale));
}

static enum norn_closure_result try_once(struct norn_closure *closure, const uint32_t *stops, uint32_t count,
        const uint32_t includes[NORN_CLOSURE_INCLUDES], bool open_last, uint32_t limit)
{
	begin(closure, open_last, limit);
	uint32_t readers = closure->readers.count;
	/* The pattern's own events: nothing uncertain may come between them. */
	for (uint32_t i = 0; i < NORN_CLOSURE_INCLUDES; i++)
		closure->strict |= includes[i] && closure->events[includes[i]].kind <= NORN_EVENT_RMW;
	for (uint32_t i = 0; i < count; i++) {
		struct closure_thread *t = norn_closure_thread(closure, closure->events[stops[i]].thread);
		assert(stops[i] > closure->base && t->stop == 0);
		t->stop = stops[i];
		/* The thread has just returned from code without hooks, which may have waited for any earlier event. */
		if (closure->events[stops[i]].flags & NORN_GRAPH_AFTER && stops[i] != closure->base + 1 &&
		        rule(closure, NORN_RULE_CALL) && rule(closure, NORN_RULE_OPAQUE) && rule(closure, NORN_RULE_AFTER))
			closure->failed = true;
	}
	for (uint32_t i = 0; i < count && open_last; i++)
		open_regions(closure, stops[i]);
	for (uint32_t i = 0; i < count && !closure->failed; i++) {
		need_up_to(closure, closure->events[stops[i]].thread, stops[i] - 1);
		norn_closure_control(closure, stops[i]);
		norn_closure_fix_late(closure, stops[i]);
		if (rule(closure, NORN_RULE_LIFE) && !is_stale(closure, closure->events[stops[i]].life))
			norn_closure_need(closure, closure->events[stops[i]].life);
		need_awake(closure, stops[i]);
	}
	for (uint32_t i = 0; i < NORN_CLOSURE_INCLUDES && !closure->failed; i++) {
		norn_closure_need(closure, includes[i]);
		norn_closure_control(closure, includes[i]);
	}
	if (closure->sees && !closure->failed) {
		norn_closure_look(closure, closure->events[closure->sees].addr, closure->sees_bytes);
		norn_closure_need_writers(closure, closure->sees, closure->sees_bytes);
	}
	norn_closure_close(closure);
	if (closure->equal_values)
		norn_closure_settle(closure);
	closure->readers.count = readers;
	closure->steps += closure->included + 1;
	if (closure->failed)
		return NORN_CLOSURE_NO;
	return closure->included > closure->limit ? NORN_CLOSURE_TOO_LONG : NORN_CLOSURE_YES;
}

#define LAZY_WINDOW (1u << 14) /* events of a window that is tried lazily */
#define LAZY_STEPS (UINT64_C(1) << 15) /* of all of them: so many, or an eighth of what all others took */

enum norn_closure_result norn_closure_try(struct norn_closure *closure, const uint32_t *stops, uint32_t count,
        const uint32_t includes[NORN_CLOSURE_INCLUDES], bool open_last, uint32_t limit)
{
	closure->lazy = false;
	enum norn_closure_result result = try_once(closure, stops, count, includes, open_last, limit);
	uint64_t before = closure->steps, others = before - closure->lazy_steps;
	if (result == NORN_CLOSURE_NO && closure->equal_values && closure->by_value &&
	        (closure->lazy_steps < LAZY_STEPS || closure->lazy_steps < others / 8)) {
		const struct norn_rule *inexact = closure->inexact, *stricter = closure->stricter;
		bool too_equal = closure->too_equal;
		closure->lazy = true;
		if (try_once(closure, stops, count, includes, open_last, limit < LAZY_WINDOW ? limit : LAZY_WINDOW) ==
		        NORN_CLOSURE_YES)
			result = NORN_CLOSURE_YES;
		closure->inexact = closure->inexact ? closure->inexact : inexact;
		closure->stricter = closure->stricter ? closure->stricter : stricter;
		closure->too_equal |= too_equal;
		closure->lazy_steps += closure->steps - before;
	}
	closure->sees = closure->stale = closure->freed_count = 0;
	closure->certain = false;
	return result;
}

/* ---- the window ---- */

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

const uint32_t *norn_closure_window(struct norn_closure *closure, uint32_t *ret_count)
{
	struct norn_numbers *window = &closure->window;
	norn_must_reserve(window, closure->included);
	window->count = 0;
	for (uint32_t i = 0; i < closure->actives; i++) {
		const struct closure_thread *t = closure->threads + closure->active[i];
		uint32_t e = t->base;
		while (e != t->cursor) {
			e = e ? closure->events[e].next : norn_graph_first(closure->graph, closure->active[i]);
			if (norn_closure_certain(closure, e) || !rule(closure, NORN_RULE_LIST))
				window->items[window->count++] = e;
		}
	}
	assert(window->count <= closure->included);
	if (window->count)
		qsort(window->items, window->count, sizeof *window->items, ascending);
	*ret_count = window->count;
	return window->items;
}

uint32_t norn_closure_before(const struct norn_closure *closure, uint32_t thread)
{
	return closure->threads[thread].base;
}

bool norn_closure_fixed(const struct norn_closure *closure, uint32_t read)
{
	return norn_closure_is_fixed(closure, read) || (closure->equal_values && closure->examined_stamps[read] == closure->epoch);
}
