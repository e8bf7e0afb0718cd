#include "causality/dependence_graph.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "base/must.h"
#include "causality/graph_builder_state.h"
#include "trace/record.h"
#include "trace/site.h"

#define MARK_EVENTS 4096u /* between marks, at least */

/* ---- making and freeing ---- */

void norn_graph_builder_free(struct norn_graph_builder *builder)
{
	if (!builder)
		return;
	norn_graph_free(builder->graph);
	norn_last_writers_free(builder->writers);
	norn_map_done(&builder->numbers);
	norn_map_done(&builder->users);
	norn_map_done(&builder->calls);
	free(builder->objects);
	free(builder->frees);
	free(builder);
}

struct norn_graph_builder *norn_graph_builder_new(norn_graph_lookup *lookup, void *context, const struct norn_graph_limits *limits)
{
	struct norn_graph_builder *builder = norn_must_calloc(1, sizeof *builder);
	struct norn_graph *graph = builder->graph = norn_must_calloc(1, sizeof *graph);
	if (limits)
		builder->limits = *limits;
	builder->sites = lookup;
	norn_map_init(&graph->words, 0);
	norn_map_init(&graph->noticed, sizeof(uint32_t));
	norn_map_init(&builder->numbers, sizeof(uint32_t));
	norn_map_init(&builder->users, 0);
	norn_map_init(&builder->calls, sizeof(uint32_t));
	graph->flow = norn_value_flow_new(lookup, context);
	builder->writers = norn_last_writers_new();
	norn_must_grow(&graph->events, 256, &graph->room, sizeof *graph->events);
	graph->events[0] = (struct norn_graph_event){0};
	norn_must_add(&graph->helds);
	norn_must_grow(&builder->objects, 16, &builder->object_room, sizeof *builder->objects);
	return builder;
}

struct norn_graph *norn_graph_builder_graph(struct norn_graph_builder *builder)
{
	return builder->graph;
}

struct graph_thread *norn_graph_builder_thread(struct norn_graph *graph, uint32_t thread)
{
	norn_must_grow(&graph->threads, thread + UINT64_C(1), &graph->thread_room, sizeof *graph->threads);
	while (thread >= graph->thread_count)
		graph->threads[graph->thread_count++] = (struct graph_thread){0};
	return graph->threads + thread;
}

/* ---- memory ---- */

static void link_list(struct norn_graph *graph, uint32_t *events, uint32_t count, uint32_t number)
{
	graph->events[number].link = count == 1 ? events[0] : norn_event_lists_add(&graph->lists, events, count);
}

static bool is_free(const struct norn_graph_builder *builder, uint32_t number)
{
	return number / 64 < builder->free_room && builder->frees[number / 64] >> number % 64 & 1;
}

static void set_bit(uint64_t **bits, uint32_t *room, uint32_t number)
{
	uint32_t old = *room;
	norn_must_grow(bits, number / 64 + UINT64_C(1), room, sizeof **bits);
	memset(*bits + old, 0, (*room - old) * sizeof **bits);
	(*bits)[number / 64] |= UINT64_C(1) << number % 64;
}

static void link_writers(struct norn_graph_builder *builder, uint32_t number, uint64_t addr, uint64_t size)
{
	struct norn_graph_event *slots = builder->graph->events;
	uint32_t *events, count = norn_last_writers_read(builder->writers, addr, size, &events);
	for (uint32_t i = 0; i < count; i++)
		if (is_free(builder, events[i]))
			slots[number].flags |= NORN_GRAPH_ODD;
	link_list(builder->graph, events, count, number);
}

/* A use of this block may be by a pointer from before its allocation. So it, and all blocks that had its memory before, must keep
 * their addresses: they become STRAY. */
static void note_stray(struct norn_graph *graph, uint32_t alloc)
{
	struct norn_numbers work = {0};
	norn_must_push(&work, alloc);
	while (work.count) {
		struct norn_graph_event *e = graph->events + work.items[--work.count];
		const uint32_t *before;
		uint32_t count =
		        norn_graph_given_again(e) && !(e->flags & NORN_GRAPH_STRAY) ? norn_graph_list(graph, &e->link, &before) : 0;
		if (count)
			e->flags |= NORN_GRAPH_STRAY;
		for (uint32_t i = 0; i < count; i++) {
			const struct norn_graph_event *b = graph->events + before[i];
			norn_must_push(&work, b->kind == NORN_EVENT_FREE ? b->life : before[i]);
		}
	}
	norn_vector_done(&work);
}

/* Notes how the event uses memory whose life, not 0, is known: a stack is LENT once something other than an access of a local by
 * its own frame uses it; a block is used by a pointer from its allocation (norn_graph_is_own), or becomes STRAY. */
void norn_graph_note_use(struct norn_graph *graph, uint32_t number, uint32_t life)
{
	struct norn_graph_event *begin = graph->events + life;
	if (begin->kind == NORN_EVENT_THREAD &&
	        !(begin->thread == graph->events[number].thread && norn_graph_local_end(graph, number)))
		begin->flags |= NORN_GRAPH_LENT;
	uint32_t alloc = begin->kind == NORN_EVENT_FREE ? begin->life : life;
	if (!norn_graph_given_again(graph->events + alloc))
		return;
	if (norn_value_flow_from(graph->flow, graph->events, number, alloc))
		set_bit(&graph->own, &graph->own_room, number);
	else if (!(graph->events[alloc].flags & NORN_GRAPH_STRAY))
		note_stray(graph, alloc);
}

static void add_access(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	struct norn_graph_event *event = graph->events + number;
	if (e->known && e->size <= 8) {
		event->value = e->value;
		event->flags |= NORN_GRAPH_VALUED;
	}
	if (e->known && e->kind == NORN_EVENT_WRITE && e->size > 8 && e->size <= NORN_GRAPH_LONG && e->data) {
		norn_must_push(&graph->long_writes, (struct long_write){.event = number});
		memcpy(graph->long_writes.items[graph->long_writes.count - 1].bytes, e->data, e->size);
	}
	if (e->pieces & 2)
		event->flags |= NORN_GRAPH_PIECE;
	if (e->kind == NORN_EVENT_RMW)
		event->flags |= NORN_GRAPH_ATOMIC;
	if (e->kind != NORN_EVENT_WRITE)
		link_writers(builder, number, e->addr, e->size);
	event->life = norn_last_writers_life(builder->writers, e->addr);
	/* The same bytes may have been accessed by their other address, unseen. */
	const struct norn_graph_event *alloc = graph->events + event->life;
	if (builder->aliases && alloc->kind == NORN_EVENT_ALLOC &&
	        (alloc->op == NORN_ALLOC_SHARED || alloc->op == NORN_ALLOC_ALIAS))
		event->flags |= NORN_GRAPH_AFTER;
	if (e->kind != NORN_EVENT_READ)
		norn_last_writers_write(builder->writers, e->addr, e->size, number);
	norn_graph_note_use(graph, number, event->life);
	norn_value_flow_access(graph->flow, graph->events, number, e);
}

/* Does the word hold what static memory began with, but for bytes that are as their last writers left them? */
static bool is_untouched(const struct norn_graph *graph, const struct norn_graph_event *event, uint64_t word, uint64_t value)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(graph, &event->link, &writers);
	uint64_t expected;
	if (!norn_graph_initial(graph, word, &expected))
		return false;
	for (uint32_t i = 0; i < count; i++) { /* the later ones come later */
		const struct norn_graph_event *w = graph->events + writers[i];
		bool writes = w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW;
		if (!writes || !(w->flags & NORN_GRAPH_VALUED) || w->size > 8 || w->addr < word || w->addr + w->size > word + 8)
			return false;
		uint64_t bytes = (w->size == 8 ? UINT64_MAX : (UINT64_C(1) << w->size * 8) - 1) << (w->addr - word) * 8;
		expected = (expected & ~bytes) | (w->value << (w->addr - word) * 8 & bytes);
	}
	return expected == value;
}

static void add_external(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	uint64_t word = e->addr & ~UINT64_C(7);
	link_writers(builder, number, word, 8);
	event->addr = word;
	event->size = 8;
	event->other = builder->last_call;
	event->life = builder->last_io;
	bool is_initial = e->known && is_untouched(builder->graph, event, word, e->value);
	if (is_initial || norn_value_flow_site(builder->graph->flow, e->site)->own)
		event->flags |= NORN_GRAPH_ORDERED;
	if (is_initial) { /* it wrote nothing */
		event->other = event->link;
		event->link = 0;
		event->value = e->value;
		event->flags |= NORN_GRAPH_VALUED;
		event->size = 0;
		return;
	}
	/* The writer may be an event that is recorded under another address, or another process, which may have waited for any
	 * event. */
	uint32_t life = norn_last_writers_life(builder->writers, word);
	const struct norn_graph_event *alloc = builder->graph->events + life;
	if (norn_graph_given_again(alloc))
		note_stray(builder->graph, life);
	if (alloc->kind == NORN_EVENT_ALLOC && (alloc->op == NORN_ALLOC_SHARED || alloc->op == NORN_ALLOC_ALIAS))
		event->flags |= NORN_GRAPH_AFTER;
	if (e->known) {
		event->value = e->value;
		event->flags |= NORN_GRAPH_VALUED;
	}
	norn_last_writers_write(builder->writers, word, 8, number);
}

/* A mapping of the same range, by the thread of the unmapping right after it: the unmapping failed, or mremap left the memory in
 * place. */
static void note_unmapping(struct norn_graph *graph, struct graph_thread *t, uint32_t number)
{
	const struct norn_graph_event *event = graph->events + number;
	struct norn_graph_event *unmap = graph->events + t->unmap;
	if (unmap->next == number && unmap->addr == event->addr && unmap->site == event->site)
		unmap->flags |= NORN_GRAPH_ODD;
	t->unmap = event->op == NORN_ALLOC_UNMAP ? number : 0;
}

/* Memory that is protected from now on, or no longer, is mapped as it was. */
static void keep_mapping(struct norn_graph_builder *builder, struct norn_graph_event *event, uint64_t addr)
{
	const struct norn_graph_event *before = builder->graph->events + norn_last_writers_life(builder->writers, addr);
	bool shared = before->kind == NORN_EVENT_ALLOC && (before->op == NORN_ALLOC_SHARED || before->op == NORN_ALLOC_ALIAS);
	event->op = shared ? before->op : NORN_ALLOC_MAP;
	event->flags |= NORN_GRAPH_FRESH; /* its contents are those of the memory before */
}

/* An allocation: the life of the memory begins. */
void norn_graph_add_alloc(struct norn_graph_builder *builder, uint32_t number, uint64_t addr, uint64_t size)
{
	struct norn_graph *graph = builder->graph;
	struct norn_graph_event *event = graph->events + number;
	if (event->kind == NORN_EVENT_ALLOC && event->op == NORN_ALLOC_PROTECT)
		keep_mapping(builder, event, addr);
	builder->aliases |= event->kind == NORN_EVENT_ALLOC && event->op == NORN_ALLOC_ALIAS;
	norn_must_push(&graph->blocks, (struct graph_block){.addr = addr, .end = addr + size, .event = number});
	norn_must_push(&graph->places, number);
	event->addr = addr;
	event->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	if (event->kind == NORN_EVENT_ALLOC && event->op == NORN_ALLOC_UNMAP)
		event->life = norn_last_writers_life(builder->writers, addr);
	uint32_t *events, count = norn_last_writers_lives(builder->writers, addr, size, &events);
	link_list(builder->graph, events, count, number);
	if (event->kind == NORN_EVENT_ALLOC)
		norn_value_flow_allocated(graph->flow, graph->events, number);
	if (norn_graph_given_again(event) && event->flags & NORN_GRAPH_STRAY) {
		event->flags &= ~(unsigned)NORN_GRAPH_STRAY; /* so are those before */
		note_stray(graph, number);
	}
	norn_last_writers_live(builder->writers, addr, size, number);
}

static void add_free(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	if (e->pieces & 2) {
		uint32_t life = norn_last_writers_life(builder->writers, e->addr);
		if (norn_graph_given_again(builder->graph->events + life))
			note_stray(builder->graph, life);
		event->flags |= NORN_GRAPH_PIECE;
		return;
	}
	event->life = norn_last_writers_life(builder->writers, e->addr);
	norn_graph_note_use(builder->graph, number, event->life);
	norn_must_push(&builder->graph->places, number);
	set_bit(&builder->frees, &builder->free_room, number);
	norn_last_writers_live(builder->writers, e->addr, e->size, number);
}

/* ---- events ---- */

/* Ends a run of external writes: number is the event that noticed them, or the thread has no more. A range may notice thousands;
 * they are controlled as the event that noticed them (norn_graph_control). */
static void note_noticed(struct norn_graph *graph, struct graph_thread *t, uint32_t number)
{
	for (uint32_t i = t->externals; i && i != number; i = graph->events[i].next) {
		if (i % NORN_GRAPH_SKIP == 0)
			*(uint32_t *)norn_must_map_put(&graph->noticed, i) = number;
	}
	t->externals = 0;
}

/* An access by instrumented code: what it had called has returned. (Accesses that the runtime records for functions of libc do not
 * count: code without hooks may have called these.) */
static void see_access(struct norn_graph *graph, struct graph_thread *t, const struct norn_event *e)
{
	if (t->unseen == 0 || t->unseen_in != norn_value_flow_entered(graph->flow, e->thread))
		return;
	if (norn_value_flow_site(graph->flow, e->site)->kind != NORN_SITE_CALL)
		t->unseen = 0;
}

static int add_kind(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	struct graph_thread *t = graph->threads + e->thread;
	uint32_t call = t->call, back = t->back;
	bool enters = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BACK && e->argument == NORN_BACK_ENTERED;
	t->call = enters ? call : 0;
	t->back = enters && call ? number : 0;
	t->signalled &= e->kind == NORN_EVENT_ENTER;
	if (e->kind == NORN_EVENT_EXTERNAL)
		t->externals = t->externals ? t->externals : number;
	else if (t->externals)
		note_noticed(graph, t, number);
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		see_access(graph, t, e);
		add_access(builder, number, e);
		break;
	case NORN_EVENT_EXTERNAL:
		add_external(builder, number, e);
		break;
	case NORN_EVENT_SYNC:
		norn_graph_add_sync(builder, t, number, e);
		break;
	case NORN_EVENT_THREAD:
		return norn_graph_add_thread(builder, number, e);
	case NORN_EVENT_ENTER:
		norn_graph_add_enter(builder, number, e, call, back);
		break;
	case NORN_EVENT_LEAVE:
		norn_graph_add_leave(builder, number, e);
		break;
	case NORN_EVENT_ALLOC:
		norn_graph_add_alloc(builder, number, e->addr, e->size);
		note_unmapping(graph, t, number);
		break;
	case NORN_EVENT_FREE:
		add_free(builder, number, e);
		break;
	case NORN_EVENT_MARK:
		graph->events[number].value = e->argument;
		break;
	case NORN_EVENT_LOST:
		graph->lost = true;
	}
	return 0;
}

static void add_mark(struct norn_graph *graph)
{
	struct mark mark = {graph->count, graph->thread_count, norn_must_alloc(graph->thread_count, sizeof *mark.last)};
	for (uint32_t i = 0; i < graph->thread_count; i++)
		mark.last[i] = graph->threads[i].last;
	norn_must_push(&graph->marks, mark);
}

static bool marks_due(const struct norn_graph *graph)
{
	uint32_t since = graph->count - (graph->marks.count ? graph->marks.items[graph->marks.count - 1].event : 0);
	return since >= MARK_EVENTS && since >= graph->thread_count;
}

static bool beyond_limits(const struct norn_graph_builder *builder)
{
	const struct norn_graph *graph = builder->graph;
	if (graph->count >= NORN_GRAPH_EVENTS_MAX - 1 || (builder->limits.max_events && graph->count >= builder->limits.max_events))
		return true;
	/* The size is asked for only every so often, as that takes time. */
	return builder->limits.max_bytes && graph->count % 4096 == 0 &&
	       norn_graph_bytes(graph) + norn_last_writers_bytes(builder->writers) >= builder->limits.max_bytes;
}

/* Links of an event lead to earlier ones: walks along them end. (Of accesses, link and other may be lists and nodes.) */
__attribute__((unused)) static bool links_back(const struct norn_graph *graph, uint32_t number)
{
	const struct norn_graph_event *e = graph->events + number;
	bool back = e->life <= number && e->held < graph->helds.count && e->next == 0;
	if (e->kind == NORN_EVENT_SYNC)
		back &= e->other < number && (e->flags & NORN_GRAPH_COUNTED || e->link < number);
	if (e->kind == NORN_EVENT_THREAD && e->op != NORN_THREAD_STACK)
		back &= e->other < number && e->link < number;
	return back;
}

int norn_graph_add(struct norn_graph_builder *builder, const struct norn_event *event)
{
	struct norn_graph *graph = builder->graph;
	assert(graph);
	if (graph->cut || beyond_limits(builder) || event->thread >= NORN_GRAPH_THREADS_MAX) {
		graph->cut = true;
		return -EOVERFLOW;
	}
	uint32_t number = graph->count + 1;
	struct graph_thread *t = norn_graph_builder_thread(graph, event->thread);
	norn_must_grow(&graph->events, number + UINT64_C(1), &graph->room, sizeof *graph->events);
	graph->events[number] = (struct norn_graph_event){
	        .addr = event->addr,
	        .op = event->op,
	        .kind = event->kind,
	        .thread = event->thread,
	        .site = event->site,
	        .size = event->size > UINT32_MAX ? UINT32_MAX : (uint32_t)event->size,
	        .held = t->held,
	};
	if (t->last)
		graph->events[t->last].next = number;
	else
		t->first = number;
	t->last = number;
	graph->count = number;
	uint32_t call = t->call;
	bool outside = t->outside;
	t->outside = false;
	norn_value_flow_step(graph->flow, number, event);
	int r = add_kind(builder, number, event);
	if (r == 0 && marks_due(graph))
		add_mark(graph);
	if (outside || (call && !(graph->events[call].flags & (NORN_GRAPH_CALLED | NORN_GRAPH_ORDERED))))
		graph->events[number].flags |= NORN_GRAPH_AFTER;
	assert(r < 0 || links_back(graph, number));
	return r;
}

void norn_graph_carry(struct norn_graph_builder *builder, uint64_t before, const uint64_t *numbers)
{
	struct norn_graph *graph = builder->graph;
	graph->numbers = norn_must_copy(numbers, graph->count, sizeof *graph->numbers);
	graph->carried = graph->count;
	graph->before = before;
	norn_value_flow_carried(graph->flow);
	for (uint32_t i = 1; i <= graph->object_count; i++)
		builder->objects[i].known = false; /* not all that happened to it is here */
}

void norn_graph_inherit(struct norn_graph_builder *builder, const struct norn_graph_builder *other)
{
	size_t cursor = 0;
	uint64_t word;
	while (norn_map_next(&other->graph->words, &cursor, &word))
		norn_must_map_put(&builder->graph->words, word);
}

void norn_graph_odd(struct norn_graph_builder *builder)
{
	builder->graph->events[builder->graph->count].flags |= NORN_GRAPH_ODD;
}

static int by_address(const void *a, const void *b)
{
	const struct graph_block *x = a, *y = b;
	return x->addr != y->addr ? (x->addr < y->addr ? -1 : 1) : (x->event > y->event) - (x->event < y->event);
}

static void sort_blocks(struct norn_graph *graph)
{
	uint64_t reach = 0;
	if (graph->blocks.count)
		qsort(graph->blocks.items, graph->blocks.count, sizeof *graph->blocks.items, by_address);
	for (uint32_t i = 0; i < graph->blocks.count; i++) {
		struct graph_block *block = graph->blocks.items + i;
		reach = block->end > reach ? block->end : reach;
		block->reach = reach;
	}
}

/* ---- blocks that may lie elsewhere ---- */

#define MOVED_GAP 64u /* at least, between two of them */

/* Gives addresses of their own to blocks all of whose uses are known to be by pointers from their allocation. */
static void find_moved(struct norn_graph *graph)
{
	uint64_t to = NORN_GRAPH_MOVED;
	for (uint32_t i = 0; i < graph->places.count; i++) {
		uint32_t number = graph->places.items[i];
		const struct norn_graph_event *e = graph->events + number;
		if (!norn_graph_moves(e))
			continue;
		to += e->addr % MOVED_GAP;
		norn_must_push(&graph->moved, (struct moved_block){.from = e->addr, .to = to, .event = number, .size = e->size});
		to = (to + e->size + UINT64_C(2) * MOVED_GAP) & ~(uint64_t)(MOVED_GAP - 1);
	}
}

static const struct moved_block *moved_by(const struct norn_graph *graph, uint32_t alloc)
{
	return graph->moved.items + NORN_BISECT(0, graph->moved.count, i, graph->moved.items[i].event < alloc);
}

static void move_blocks(struct norn_graph *graph)
{
	find_moved(graph);
	for (uint32_t i = 1; i <= graph->count && graph->moved.count; i++) {
		struct norn_graph_event *e = graph->events + i;
		bool uses = e->kind <= NORN_EVENT_RMW || e->kind == NORN_EVENT_FREE || norn_graph_uses_object(e);
		uint32_t alloc = e->kind == NORN_EVENT_ALLOC ? i : uses ? norn_graph_memory(graph, i) : 0;
		if (graph->events[alloc].kind == NORN_EVENT_FREE)
			alloc = graph->events[alloc].life;
		if (alloc && norn_graph_moves(graph->events + alloc)) {
			const struct moved_block *moved = moved_by(graph, alloc);
			assert(moved->event == alloc);
			if (alloc != i) /* norn_graph_address asks for the place of that one, too */
				e->addr = e->addr - moved->from + moved->to;
		}
	}
	for (uint32_t i = 0; i < graph->moved.count; i++)
		graph->events[graph->moved.items[i].event].addr = graph->moved.items[i].to;
}

static void note_late_reads(struct norn_graph *graph)
{
	uint32_t count;
	const struct norn_graph_decision *all = norn_value_flow_decisions(graph->flow, &count);
	if (!count)
		return;
	graph->late = norn_must_calloc(graph->count / 64 + UINT64_C(1), sizeof *graph->late);
	graph->deciding = norn_must_calloc(graph->count / 64 + UINT64_C(1), sizeof *graph->deciding);
	for (uint32_t i = 0; i < count; i++) {
		assert(all[i].read < all[i].event && graph->events[all[i].read].thread == graph->events[all[i].event].thread);
		graph->late[all[i].read / 64] |= UINT64_C(1) << all[i].read % 64;
		graph->deciding[all[i].event / 64] |= UINT64_C(1) << all[i].event % 64;
	}
}

struct norn_graph *norn_graph_finish(struct norn_graph_builder *builder)
{
	struct norn_graph *graph = builder->graph;
	assert(graph);
	norn_last_writers_free(builder->writers);
	builder->writers = NULL;
	for (uint32_t i = 0; i < graph->thread_count; i++)
		if (graph->threads[i].externals)
			note_noticed(graph, graph->threads + i, graph->threads[i].last);
	graph->masked_words = norn_value_flow_masked_words(graph->flow, &graph->masked_count);
	sort_blocks(graph);
	move_blocks(graph);
	norn_event_lists_seal(&graph->lists);
	norn_value_flow_seal(graph->flow);
	note_late_reads(graph);
	struct norn_graph_event *events = realloc(graph->events, (graph->count + UINT64_C(1)) * sizeof *events);
	if (events) {
		graph->events = events;
		graph->room = graph->count + 1;
	}
	builder->graph = NULL;
	return graph;
}
