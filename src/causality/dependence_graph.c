#include "causality/dependence_graph.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "causality/graph_state.h"
#include "causality/last_writers.h"
#include "effects/effects.h"
#include "trace/record.h"
#include "trace/site.h"

#define MARK_EVENTS 4096u /* between marks, at least */

/* An object of synchronization, as the run goes on. Its state is *known* from its beginning on, until an event shows that it was
 * another: a semaphore's value; who sleeps on a condition, if each signal wakes the thread that has slept longest; the round of a
 * barrier that no more threads use than make a round. */
struct object {
	uint32_t last; /* event */
	uint32_t life; /* the last create or destroy */
	uint32_t holders;
	uint32_t last_acquire;
	uint32_t bytes; /* of it, that are known to be its own */
	uint32_t value; /* of a semaphore */
	bool begun; /* the same: how much it had at first is known */
	uint32_t sleeper, last_sleeper; /* of a condition: thread + 1 that has slept longest, and shortest, of those not woken */
	uint32_t size, arrived; /* of a barrier: arrivals that make a round, those of the round that fills */
	uint32_t users; /* threads that have arrived at it */
	uint32_t full; /* the arrival that completed the last round; of a once: its end */
	uint32_t open; /* of a resource: calls under way that change it */
	bool known;
};

struct norn_graph_builder {
	struct norn_graph *graph;
	struct norn_last_writers *writers;
	struct norn_map numbers; /* address → number of the object */
	struct object *objects; /* [0] is none */
	uint32_t object_room;
	struct norn_graph_limits limits;
	uint32_t last_call, last_io, last_submit;
	bool aliases; /* some memory has two addresses */
	struct norn_map calls; /* of frames that are open: (thread << 32 | ENTER) + 1 → the last CALL in it */
	bool sites; /* something is known of them */
	struct norn_map users; /* object << 32 | thread, for barriers */
	uint64_t *frees; /* a bit per event: it is a free. Events themselves are far apart in memory */
	uint32_t free_room; /* in words */
};

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

static int prepare(struct norn_graph_builder *builder, norn_graph_lookup *lookup, void *context)
{
	struct norn_graph *graph = builder->graph = calloc(1, sizeof *graph);
	if (!graph)
		return -ENOMEM;
	norn_map_init(&graph->words, 0);
	norn_map_init(&graph->noticed, sizeof(uint32_t));
	norn_map_init(&builder->numbers, sizeof(uint32_t));
	norn_map_init(&builder->users, 0);
	norn_map_init(&builder->calls, sizeof(uint32_t));
	int r = norn_value_flow_new(lookup, context, &graph->flow);
	if (r == 0)
		r = norn_last_writers_new(&builder->writers);
	if (r == 0)
		r = norn_grow(&graph->events, 256, &graph->room, sizeof *graph->events);
	if (r == 0)
		r = norn_grow(&graph->helds, 16, &graph->held_room, sizeof *graph->helds);
	if (r == 0)
		r = norn_grow(&builder->objects, 16, &builder->object_room, sizeof *builder->objects);
	if (r < 0)
		return r;
	graph->events[0] = (struct norn_graph_event){0};
	graph->helds[graph->held_count++] = (struct held){0};
	return 0;
}

int norn_graph_builder_new(
        norn_graph_lookup *lookup, void *context, const struct norn_graph_limits *limits, struct norn_graph_builder **ret_builder)
{
	struct norn_graph_builder *builder = calloc(1, sizeof *builder);
	if (!builder)
		return -ENOMEM;
	if (limits)
		builder->limits = *limits;
	builder->sites = lookup;
	int r = prepare(builder, lookup, context);
	if (r < 0) {
		norn_graph_builder_free(builder);
		return r;
	}
	*ret_builder = builder;
	return 0;
}

/* ---- what a run consists of ---- */

static struct thread *get_thread(struct norn_graph *graph, uint32_t thread)
{
	if (norn_grow(&graph->threads, thread + UINT64_C(1), &graph->thread_room, sizeof *graph->threads) < 0)
		return NULL;
	while (thread >= graph->thread_count)
		graph->threads[graph->thread_count++] = (struct thread){0};
	return graph->threads + thread;
}

static int get_object(struct norn_graph_builder *builder, uint64_t addr, uint32_t *ret_number)
{
	uint32_t *number;
	int r = norn_map_put(&builder->numbers, addr, (void **)&number);
	if (r < 0)
		return r;
	if (*number == 0) {
		r = norn_grow(&builder->objects, builder->graph->object_count + UINT64_C(2), &builder->object_room,
		        sizeof *builder->objects);
		if (r < 0)
			return r;
		*number = ++builder->graph->object_count;
		builder->objects[*number] = (struct object){.known = builder->graph->before == 0};
	}
	*ret_number = *number;
	return 0;
}

static int note_object(struct norn_graph *graph, struct object *object, const struct norn_event *e)
{
	uint32_t bytes = norn_graph_object_bytes(e);
	int r = 0;
	if (bytes <= object->bytes)
		return 0;
	for (uint64_t word = e->addr / 8; word <= (e->addr + bytes - 1) / 8 && r == 0; word++) {
		void *nothing;
		r = norn_map_put(&graph->words, word, &nothing);
	}
	object->bytes = bytes;
	return r;
}

/* ---- locks ---- */

static int push_held(struct norn_graph *graph, struct thread *t, uint32_t acquire)
{
	int r = norn_grow(&graph->helds, graph->held_count + UINT64_C(1), &graph->held_room, sizeof *graph->helds);
	if (r < 0)
		return r;
	graph->helds[graph->held_count] = (struct held){acquire, t->held};
	t->held = graph->held_count++;
	return 0;
}

/* Takes the innermost acquire of this object by the thread out of its set; 0: it holds none. */
static int pop_held(struct norn_graph *graph, struct thread *t, uint32_t object, uint32_t *ret_acquire)
{
	uint32_t at = t->held, depth = 0;
	while (at && graph->events[graph->helds[at].acquire].size != object) {
		at = graph->helds[at].rest;
		depth++;
	}
	*ret_acquire = at ? graph->helds[at].acquire : 0;
	if (at == 0)
		return 0;
	/* Sets are shared: those above it are made anew. */
	uint32_t old = t->held;
	t->held = graph->helds[at].rest;
	for (; depth; depth--) {
		uint32_t from = old;
		for (uint32_t i = 1; i < depth; i++)
			from = graph->helds[from].rest;
		int r = push_held(graph, t, graph->helds[from].acquire);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool exclusive(unsigned op)
{
	return op == NORN_SYNC_ACQUIRE || op == NORN_SYNC_RELEASE;
}

static int add_release(struct norn_graph *graph, struct thread *t, struct object *object, uint32_t number)
{
	struct norn_graph_event *event = graph->events + number;
	uint32_t acquire;
	int r = pop_held(graph, t, event->size, &acquire);
	if (r < 0)
		return r;
	if (acquire && exclusive(graph->events[acquire].op) == exclusive(event->op)) {
		event->link = acquire;
		graph->events[acquire].link = number;
	} else {
		event->flags |= NORN_GRAPH_ODD;
	}
	if (acquire && object->holders)
		object->holders--;
	return 0;
}

/* ---- states of other objects ---- */

/* Others than threads of this process that were seen may post it, too: its value is not known any more where somebody took what was
 * not there. */
static void add_semaphore(struct object *object, struct norn_graph_event *event, const struct norn_event *e)
{
	switch (e->op) {
	case NORN_SYNC_SEM_INIT:
		object->begun = object->known = e->argument < INT32_MAX;
		object->value = (uint32_t)e->argument;
		break;
	case NORN_SYNC_SEM_POST:
		object->value++;
		break;
	case NORN_SYNC_SEM_WAIT:
		object->known &= object->value > 0;
		object->value--;
		break;
	case NORN_SYNC_SEM_TRY_FAILED:
		/* A post is recorded before it is done: it came too late for this one. */
		if (object->known && object->begun && object->value) {
			event->flags |= NORN_GRAPH_ODD;
			return;
		}
	}
	object->known &= object->begun;
	if (!object->known)
		return;
	event->flags |= NORN_GRAPH_COUNTED;
	event->link = object->value;
}

static void leave_sleepers(struct norn_graph *graph, struct object *object, uint32_t thread)
{
	uint32_t *at = &object->sleeper, before = 0;
	while (*at && *at != thread + 1) {
		before = *at;
		at = &graph->threads[*at - 1].next_sleeper;
	}
	if (*at == 0)
		return;
	*at = graph->threads[thread].next_sleeper;
	if (object->last_sleeper == thread + 1)
		object->last_sleeper = before;
	graph->threads[thread].next_sleeper = 0;
}

/* The thread has given up its mutex: it sleeps. */
static void add_sleeper(struct norn_graph_builder *builder, struct thread *t, uint32_t number)
{
	struct norn_graph *graph = builder->graph;
	struct object *condition = builder->objects + graph->events[t->wait].size;
	uint32_t self = (uint32_t)(t - graph->threads) + 1;
	graph->events[number].flags |= NORN_GRAPH_WAKES;
	graph->events[number].life = t->wait;
	if (condition->sleeper)
		graph->threads[condition->last_sleeper - 1].next_sleeper = self;
	else
		condition->sleeper = self;
	condition->last_sleeper = self;
	t->next_sleeper = 0;
	t->woken = false;
}

static void wake_sleeper(struct norn_graph *graph, struct object *condition, uint32_t notify)
{
	struct thread *t = graph->threads + condition->sleeper - 1;
	condition->sleeper = t->next_sleeper;
	if (condition->sleeper == 0)
		condition->last_sleeper = 0;
	t->next_sleeper = 0;
	t->woken = true;
	graph->events[t->wait].link = notify;
}

static void add_condition(
        struct norn_graph *graph, struct object *object, struct thread *t, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = graph->events + number;
	switch (e->op) {
	case NORN_SYNC_WAIT_BEGIN:
		t->waits = e->argument;
		t->asleep = false;
		t->wait = number;
		break;
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
		event->link = t->wait;
		object->known &= t->asleep && t->woken == (e->op == NORN_SYNC_WAIT_END);
		t->waits = t->wait = 0;
		t->asleep = false;
		break;
	case NORN_SYNC_SIGNAL:
		if (object->sleeper)
			wake_sleeper(graph, object, number);
		break;
	case NORN_SYNC_BROADCAST:
		while (object->sleeper)
			wake_sleeper(graph, object, number);
	}
	if (object->known)
		event->flags |= NORN_GRAPH_COUNTED;
}

static int add_barrier(
        struct norn_graph_builder *builder, struct object *object, struct thread *t, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	void *nothing;
	uint64_t key = (uint64_t)event->size << 32 | e->thread;
	switch (e->op) {
	case NORN_SYNC_BARRIER_INIT:
		object->size = (uint32_t)e->argument;
		object->known = e->argument > 0 && e->argument <= UINT32_MAX;
		object->arrived = object->full = object->users = 0;
		break;
	case NORN_SYNC_BARRIER_ARRIVE:
		if (!norn_map_get(&builder->users, key)) {
			object->users++;
			if (norn_map_put(&builder->users, key, &nothing) < 0)
				return -ENOMEM;
		}
		object->known &= object->size && object->users <= object->size;
		event->link = object->full;
		t->round = object->full;
		if (object->size && ++object->arrived == object->size) {
			object->arrived = 0;
			object->full = number;
			event->link = event->other; /* it came last, and must again: all before it */
		}
		break;
	case NORN_SYNC_BARRIER_LEAVE:
		/* The round that it arrived for is full, or another one was since. */
		object->known &= object->full != t->round;
		event->link = object->full;
	}
	if (object->known)
		event->flags |= NORN_GRAPH_COUNTED;
	return 0;
}

static bool acquires(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED);
}

/* Whose region is a failed try in? One of its own thread explains it alone. */
static void add_try(struct norn_graph *graph, const struct thread *t, const struct object *object, struct norn_graph_event *event)
{
	uint32_t own = t->held;
	while (own && graph->events[graph->helds[own].acquire].size != event->size)
		own = graph->helds[own].rest;
	if (own) {
		event->link = graph->helds[own].acquire;
		return;
	}
	uint32_t holder = object->holders ? object->last_acquire : 0;
	while (holder && (!acquires(&graph->events[holder]) || graph->events[holder].link))
		holder = graph->events[holder].other;
	event->link = holder;
	if (holder == 0)
		event->flags |= NORN_GRAPH_ODD;
}

/* Who looks at a resource while the call of another thread changes it may see what that did, or not. */
static void add_resource(struct object *object, struct norn_graph_event *event)
{
	if (event->op == NORN_SYNC_SEND) {
		object->open += event->value == NORN_SEND_CHANGES;
		return;
	}
	if (event->value == NORN_RECEIVE_CHANGED && object->open)
		object->open--;
	if (event->value >= NORN_RECEIVE_CHANGED && object->open)
		event->flags |= NORN_GRAPH_ORDERED;
}

static int add_sync(struct norn_graph_builder *builder, struct thread *t, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	struct norn_graph_event *event = graph->events + number;
	int r = get_object(builder, e->addr, &event->size);
	struct object *object = builder->objects + event->size;
	if (r == 0)
		r = note_object(graph, object, e);
	if (r < 0)
		return r;
	event->value = e->argument;
	event->other = object->last;
	if (e->op != NORN_SYNC_RECEIVE || e->argument != NORN_RECEIVE_LOOKED)
		object->last = number;
	uint32_t life = norn_last_writers_life(builder->writers, e->addr);
	event->life = life > object->life ? life : object->life;
	if (!norn_value_flow_site(graph->flow, e->site))
		return -ENOMEM;
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
		if (t->asleep && t->waits == e->addr) {
			event->flags |= NORN_GRAPH_WAKES;
			if (!t->woken)
				leave_sleepers(graph, builder->objects + graph->events[t->wait].size, e->thread);
		}
		/* fall through */
	case NORN_SYNC_ACQUIRE_SHARED:
		object->holders++;
		object->last_acquire = number;
		return push_held(graph, t, number);
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_RELEASE_SHARED:
		t->asleep = t->waits && t->waits == e->addr;
		if (t->asleep)
			add_sleeper(builder, t, number);
		return add_release(graph, t, object, number);
	case NORN_SYNC_WAIT_BEGIN:
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
		add_condition(graph, object, t, number, e);
		break;
	case NORN_SYNC_TRY_FAILED:
		add_try(graph, t, object, event);
		break;
	case NORN_SYNC_SEM_INIT:
	case NORN_SYNC_SEM_POST:
	case NORN_SYNC_SEM_WAIT:
	case NORN_SYNC_SEM_TRY_FAILED:
		add_semaphore(object, event, e);
		if (e->op == NORN_SYNC_SEM_INIT)
			object->life = number;
		break;
	case NORN_SYNC_BARRIER_INIT:
	case NORN_SYNC_BARRIER_ARRIVE:
	case NORN_SYNC_BARRIER_LEAVE:
		return add_barrier(builder, object, t, number, e);
	case NORN_SYNC_ONCE_END:
		object->full = number;
		break;
	case NORN_SYNC_ONCE_PASS:
		event->link = object->full;
		break;
	case NORN_SYNC_CREATE:
	case NORN_SYNC_DESTROY:
		object->life = number;
		object->begun = false;
		object->known = e->argument == NORN_LOCK_COND && e->op == NORN_SYNC_CREATE && object->sleeper == 0;
		break;
	case NORN_SYNC_SEND:
	case NORN_SYNC_RECEIVE:
		event->life = builder->last_call;
		event->link = builder->last_io;
		builder->last_io = number;
		add_resource(object, event);
	}
	return 0;
}

/* ---- memory ---- */

static int link_list(struct norn_graph *graph, uint32_t *events, uint32_t count, uint32_t number)
{
	if (count == 1) {
		graph->events[number].link = events[0];
		return 0;
	}
	uint32_t link;
	int r = norn_event_lists_add(&graph->lists, events, count, &link);
	if (r == 0)
		graph->events[number].link = link;
	return r;
}

static bool is_free(const struct norn_graph_builder *builder, uint32_t number)
{
	return number / 64 < builder->free_room && builder->frees[number / 64] >> number % 64 & 1;
}

static int note_free(struct norn_graph_builder *builder, uint32_t number)
{
	uint32_t old = builder->free_room;
	int r = norn_grow(&builder->frees, number / 64 + UINT64_C(1), &builder->free_room, sizeof *builder->frees);
	if (r < 0)
		return r;
	memset(builder->frees + old, 0, (builder->free_room - old) * sizeof *builder->frees);
	builder->frees[number / 64] |= UINT64_C(1) << number % 64;
	return 0;
}

static int link_writers(struct norn_graph_builder *builder, uint32_t number, uint64_t addr, uint64_t size)
{
	struct norn_graph_event *slots = builder->graph->events;
	uint32_t *events, count;
	int r = norn_last_writers_read(builder->writers, addr, size, &events, &count);
	for (uint32_t i = 0; i < count && r == 0; i++)
		if (is_free(builder, events[i]))
			slots[number].flags |= NORN_GRAPH_ODD;
	return r < 0 ? r : link_list(builder->graph, events, count, number);
}

static int add_access(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	struct norn_graph_event *event = graph->events + number;
	int r = 0;
	if (e->known && e->size <= 8) {
		event->value = e->value;
		event->flags |= NORN_GRAPH_VALUED;
	}
	if (e->pieces & 2)
		event->flags |= NORN_GRAPH_PIECE;
	if (e->kind == NORN_EVENT_RMW)
		event->flags |= NORN_GRAPH_ATOMIC;
	if (e->kind != NORN_EVENT_WRITE)
		r = link_writers(builder, number, e->addr, e->size);
	if (r == 0)
		event->life = norn_last_writers_life(builder->writers, e->addr);
	/* Who accesses the same bytes by their other address is not known. */
	const struct norn_graph_event *alloc = graph->events + event->life;
	if (builder->aliases && alloc->kind == NORN_EVENT_ALLOC &&
	        (alloc->op == NORN_ALLOC_SHARED || alloc->op == NORN_ALLOC_ALIAS))
		event->flags |= NORN_GRAPH_AFTER;
	if (r == 0 && e->kind != NORN_EVENT_READ)
		r = norn_last_writers_write(builder->writers, e->addr, e->size, number);
	return r < 0 ? r : norn_value_flow_access(graph->flow, graph->events, number, e);
}

static int add_external(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	uint64_t word = e->addr & ~UINT64_C(7);
	int r = link_writers(builder, number, word, 8);
	event->addr = word;
	event->size = 8;
	event->other = builder->last_call;
	event->life = builder->last_io;
	const struct norn_graph_site *site = norn_value_flow_site(builder->graph->flow, e->site);
	if (!site)
		return -ENOMEM;
	if (site->own)
		event->flags |= NORN_GRAPH_ORDERED;
	/* It may have been written by what is seen, under another address, or by another process that waited for anything. */
	const struct norn_graph_event *alloc = builder->graph->events + norn_last_writers_life(builder->writers, word);
	if (alloc->kind == NORN_EVENT_ALLOC && (alloc->op == NORN_ALLOC_SHARED || alloc->op == NORN_ALLOC_ALIAS))
		event->flags |= NORN_GRAPH_AFTER;
	if (e->known) {
		event->value = e->value;
		event->flags |= NORN_GRAPH_VALUED;
	}
	return r < 0 ? r : norn_last_writers_write(builder->writers, word, 8, number);
}

/* Memory that begins to be something else. */
static int add_alloc(struct norn_graph_builder *builder, uint32_t number, uint64_t addr, uint64_t size)
{
	struct norn_graph *graph = builder->graph;
	struct norn_graph_event *event = graph->events + number;
	if (norn_grow(&graph->blocks, graph->block_count + UINT64_C(1), &graph->block_room, sizeof *graph->blocks) < 0)
		return -ENOMEM;
	builder->aliases |= event->kind == NORN_EVENT_ALLOC && event->op == NORN_ALLOC_ALIAS;
	graph->blocks[graph->block_count++] = (struct block){.addr = addr, .end = addr + size, .event = number};
	event->addr = addr;
	event->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	if (event->kind == NORN_EVENT_ALLOC && event->op == NORN_ALLOC_UNMAP)
		event->life = norn_last_writers_life(builder->writers, addr);
	uint32_t *events, count;
	int r = norn_last_writers_lives(builder->writers, addr, size, &events, &count);
	if (r == 0)
		r = link_list(builder->graph, events, count, number);
	return r < 0 ? r : norn_last_writers_live(builder->writers, addr, size, number);
}

static int add_free(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	if (e->pieces & 2) {
		event->flags |= NORN_GRAPH_PIECE;
		return 0;
	}
	event->life = norn_last_writers_life(builder->writers, e->addr);
	int r = note_free(builder, number);
	return r < 0 ? r : norn_last_writers_live(builder->writers, e->addr, e->size, number);
}

/* ---- threads and calls ---- */

/* FORK_FAILED: the thread that was announced never was. */
static void add_fork(struct norn_graph *graph, struct thread *child, uint32_t number)
{
	struct norn_graph_event *event = graph->events + number;
	if (event->op == NORN_THREAD_FORK)
		child->fork = number;
	else if (child->first == 0)
		child->fork = 0;
}

static uint64_t frame_key(const struct norn_graph_builder *builder, uint32_t thread)
{
	return ((uint64_t)thread << 32 | norn_value_flow_entered(builder->graph->flow, thread)) + 1;
}

static int add_call(struct norn_graph_builder *builder, struct thread *t, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	const struct norn_graph_site *site = norn_value_flow_site(builder->graph->flow, event->site);
	void *last;
	if (!site || norn_map_put(&builder->calls, frame_key(builder, e->thread), &last) < 0)
		return -ENOMEM;
	*(uint32_t *)last = number;
	event->value = e->argument;
	event->link = builder->last_io;
	if (norn_graph_submits(event)) {
		event->flags |= NORN_GRAPH_ORDERED;
		event->other = builder->last_submit;
		builder->last_submit = number;
		return 0;
	}
	event->other = builder->last_call;
	bool harmless = site->call == NORN_CALL_HARMLESS || e->value == NORN_CALL_RECORDED;
	/* Where a result comes from that no frame gives, only the call's arguments can tell. */
	if (site->call != NORN_CALL_OPAQUE || harmless) {
		int r = norn_value_flow_passed(builder->graph->flow, builder->graph->events, number);
		if (r < 0)
			return r;
	}
	if (harmless) {
		event->flags |= NORN_GRAPH_CALLED;
		return 0;
	}
	if (site->call == NORN_CALL_ORDERED)
		event->flags |= NORN_GRAPH_ORDERED;
	builder->last_call = number;
	t->call = number;
	t->unseen = site->call == NORN_CALL_OPAQUE ? number : 0;
	t->unseen_in = norn_value_flow_entered(builder->graph->flow, event->thread);
	return 0;
}

/* The thread is in instrumented code again. Where its call is known to have waited for nothing, that means nothing. */
static void add_back(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
	event->value = e->argument;
	if (e->argument == NORN_BACK_JOB)
		event->life = builder->last_submit;
	if (e->argument != NORN_BACK_RETURNED)
		return;
	const uint32_t *call = norn_map_get(&builder->calls, frame_key(builder, e->thread));
	if (call && builder->graph->events[*call].flags & (NORN_GRAPH_CALLED | NORN_GRAPH_ORDERED))
		event->flags |= NORN_GRAPH_CALLED;
	else
		event->flags |= NORN_GRAPH_AFTER;
}

/* What came about without instrumented code needs whatever calls may have brought it about. */
static void not_seen(struct norn_graph_builder *builder, uint32_t number)
{
	struct norn_graph_event *event = builder->graph->events + number;
	event->flags |= NORN_GRAPH_UNSEEN;
	event->life = builder->last_call > builder->last_io ? builder->last_call : builder->last_io;
}

static int add_thread(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	struct norn_graph_event *event = graph->events + number;
	struct thread *t;
	event->value = e->value;
	switch (e->op) {
	case NORN_THREAD_FORK:
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
		if (e->value >= NORN_GRAPH_THREADS_MAX)
			return e->value == NORN_NO_THREAD ? 0 : -EOVERFLOW;
		t = get_thread(graph, (uint32_t)e->value);
		if (!t || !norn_value_flow_site(graph->flow, e->site))
			return -ENOMEM;
		if (e->op == NORN_THREAD_JOIN)
			event->link = t->last ? t->last : t->fork; /* a child that did nothing ended after its fork (S13) */
		else
			add_fork(graph, t, number);
		return 0;
	case NORN_THREAD_BEGIN:
		event->link = graph->threads[e->thread].fork;
		return 0;
	case NORN_THREAD_STACK:
		t = graph->threads + e->thread;
		if (t->stack) {
			uint64_t low = t->stack;
			t->stack = 0;
			return add_alloc(builder, number, low, e->argument);
		}
		t->stack = e->argument;
		return 0;
	case NORN_THREAD_END:
		if (norn_value_flow_entered(graph->flow, e->thread))
			not_seen(builder, number);
		return 0;
	case NORN_THREAD_CALL:
		return add_call(builder, graph->threads + e->thread, number, e);
	case NORN_THREAD_BACK:
		add_back(builder, number, e);
		return 0;
	}
	return 0;
}

/* Did the call at this site enter the function? A call through a pointer that was recorded did not, or it would not have been; code
 * that it called back goes by the same site. */
static bool is_direct(struct norn_graph *graph, const struct thread *t, uint32_t around, const struct norn_event *e)
{
	if (!norn_value_flow_fits(graph->flow, e->call_site, e->site))
		return false;
	const struct norn_graph_site *site = norn_value_flow_known(graph->flow, e->call_site);
	/* A call that stands elsewhere than where the thread is was the last one that is known, not the one that got here. */
	if (around && site->entry && site->entry != graph->events[around].site)
		return false;
	return !(site->indirect && t->unseen && t->unseen_in == around && graph->events[t->unseen].site == e->call_site);
}

/* Does the function at this site call back what has hooks, and do nothing else that is not known? Then its call is not recorded. */
static bool is_called_back(struct norn_graph *graph, const struct thread *t, uint32_t around, const struct norn_event *e)
{
	const struct norn_graph_site *site = norn_value_flow_known(graph->flow, e->call_site);
	bool recorded = t->unseen && t->unseen_in == around && graph->events[t->unseen].site == e->call_site;
	const struct norn_effects *effects = site ? norn_effects_find(site->name, NULL) : NULL;
	return effects && effects->calls && site->kind == NORN_SITE_CALL && !site->indirect && !recorded;
}

static int add_enter(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e, uint32_t call, uint32_t back)
{
	struct norn_graph *graph = builder->graph;
	struct thread *t = graph->threads + e->thread;
	uint32_t around = norn_value_flow_entered(graph->flow, e->thread);
	graph->events[number].link = e->call_site;
	graph->events[number].other = around;
	struct norn_event entered = *e;
	if (!is_direct(graph, t, around, e))
		entered.call_site = 0;
	else if (call && graph->events[call].site == e->call_site)
		graph->events[call].flags |= NORN_GRAPH_CALLED, graph->events[back].flags |= back ? NORN_GRAPH_CALLED : 0;
	if (entered.call_site == 0 && around && !is_called_back(graph, t, around, e))
		not_seen(builder, number);
	else if (t->unseen_in == around)
		t->unseen = 0;
	return norn_value_flow_enter(graph->flow, graph->events, number, &entered);
}

static int add_leave(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	uint32_t enter = 0;
	norn_map_remove(&builder->calls, frame_key(builder, e->thread));
	int r = norn_value_flow_leave(graph->flow, graph->events, number, e, &enter);
	graph->events[number].link = enter;
	if ((e->argument & (NORN_LEAVE_UNWOUND | NORN_LEAVE_EXITED)) == NORN_LEAVE_UNWOUND)
		not_seen(builder, number);
	struct thread *t = graph->threads + e->thread;
	t->outside = enter && graph->events[enter].flags & NORN_GRAPH_UNSEEN;
	if (enter && enter == t->unseen_in)
		t->unseen = 0;
	return r;
}

/* ---- events ---- */

/* What noticed external writes has come, or nothing more will: a range may notice thousands of them, and their control is its
 * (norn_graph_control). */
static int note_noticed(struct norn_graph *graph, struct thread *t, uint32_t number)
{
	for (uint32_t i = t->externals; i && i != number; i = graph->events[i].next) {
		uint32_t *noticed;
		if (i % NORN_GRAPH_SKIP)
			continue;
		if (norn_map_put(&graph->noticed, i, (void **)&noticed) < 0)
			return -ENOMEM;
		*noticed = number;
	}
	t->externals = 0;
	return 0;
}

/* Instrumented code goes on, so what it called has returned. (What the runtime does for libc's functions, unseen code may have
 * asked for.) */
static void see_access(struct norn_graph *graph, struct thread *t, const struct norn_event *e)
{
	if (t->unseen == 0 || t->unseen_in != norn_value_flow_entered(graph->flow, e->thread))
		return;
	const struct norn_graph_site *site = norn_value_flow_site(graph->flow, e->site);
	if (site && site->kind != NORN_SITE_CALL)
		t->unseen = 0;
}

static int add_kind(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	struct thread *t = graph->threads + e->thread;
	uint32_t call = t->call, back = t->back;
	bool enters = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BACK && e->argument == NORN_BACK_ENTERED;
	t->call = enters ? call : 0;
	t->back = enters && call ? number : 0;
	if (e->kind == NORN_EVENT_EXTERNAL)
		t->externals = t->externals ? t->externals : number;
	else if (t->externals && note_noticed(graph, t, number) < 0)
		return -ENOMEM;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		see_access(graph, t, e);
		return add_access(builder, number, e);
	case NORN_EVENT_EXTERNAL:
		return add_external(builder, number, e);
	case NORN_EVENT_SYNC:
		return add_sync(builder, t, number, e);
	case NORN_EVENT_THREAD:
		return add_thread(builder, number, e);
	case NORN_EVENT_ENTER:
		return add_enter(builder, number, e, call, back);
	case NORN_EVENT_LEAVE:
		return add_leave(builder, number, e);
	case NORN_EVENT_ALLOC:
		return add_alloc(builder, number, e->addr, e->size);
	case NORN_EVENT_FREE:
		return add_free(builder, number, e);
	case NORN_EVENT_MARK:
		graph->events[number].value = e->argument;
		return 0;
	case NORN_EVENT_LOST:
		graph->lost = true;
	}
	return 0;
}

static int add_mark(struct norn_graph *graph)
{
	struct mark mark = {graph->count, graph->thread_count, malloc((graph->thread_count + UINT64_C(1)) * sizeof *mark.last)};
	if (!mark.last || norn_grow(&graph->marks, graph->mark_count + UINT64_C(1), &graph->mark_room, sizeof *graph->marks) < 0) {
		free(mark.last);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < graph->thread_count; i++)
		mark.last[i] = graph->threads[i].last;
	graph->marks[graph->mark_count++] = mark;
	return 0;
}

static bool marks_due(const struct norn_graph *graph)
{
	uint32_t since = graph->count - (graph->mark_count ? graph->marks[graph->mark_count - 1].event : 0);
	return since >= MARK_EVENTS && since >= graph->thread_count;
}

static bool beyond_limits(const struct norn_graph_builder *builder)
{
	const struct norn_graph *graph = builder->graph;
	if (graph->count >= NORN_GRAPH_EVENTS_MAX - 1 || (builder->limits.max_events && graph->count >= builder->limits.max_events))
		return true;
	/* Asking costs; a few thousand events take little. */
	return builder->limits.max_bytes && graph->count % 4096 == 0 &&
	       norn_graph_bytes(graph) + norn_last_writers_bytes(builder->writers) >= builder->limits.max_bytes;
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
	struct thread *t = get_thread(graph, event->thread);
	if (!t || norn_grow(&graph->events, number + UINT64_C(1), &graph->room, sizeof *graph->events) < 0)
		return -ENOMEM;
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
	int r = add_kind(builder, number, event);
	if (r == 0 && marks_due(graph))
		r = add_mark(graph);
	if (outside || (call && !(graph->events[call].flags & (NORN_GRAPH_CALLED | NORN_GRAPH_ORDERED))))
		graph->events[number].flags |= NORN_GRAPH_AFTER;
	return r;
}

int norn_graph_carry(struct norn_graph_builder *builder, uint64_t before, const uint64_t *numbers)
{
	struct norn_graph *graph = builder->graph;
	graph->numbers = malloc((graph->count + UINT64_C(1)) * sizeof *graph->numbers);
	if (!graph->numbers)
		return -ENOMEM;
	if (graph->count)
		memcpy(graph->numbers, numbers, graph->count * sizeof *graph->numbers);
	graph->carried = graph->count;
	graph->before = before;
	for (uint32_t i = 1; i <= graph->object_count; i++)
		builder->objects[i].known = false; /* not all that happened to it is here */
	return 0;
}

int norn_graph_inherit(struct norn_graph_builder *builder, const struct norn_graph_builder *other)
{
	size_t cursor = 0;
	uint64_t word;
	int r = 0;
	while (r == 0 && norn_map_next(&other->graph->words, &cursor, &word)) {
		void *nothing;
		r = norn_map_put(&builder->graph->words, word, &nothing);
	}
	return r;
}

void norn_graph_odd(struct norn_graph_builder *builder)
{
	builder->graph->events[builder->graph->count].flags |= NORN_GRAPH_ODD;
}

static int by_address(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	return x->addr != y->addr ? (x->addr < y->addr ? -1 : 1) : (x->event > y->event) - (x->event < y->event);
}

static void sort_blocks(struct norn_graph *graph)
{
	uint64_t reach = 0;
	if (graph->block_count)
		qsort(graph->blocks, graph->block_count, sizeof *graph->blocks, by_address);
	for (uint32_t i = 0; i < graph->block_count; i++) {
		reach = graph->blocks[i].end > reach ? graph->blocks[i].end : reach;
		graph->blocks[i].reach = reach;
	}
}

int norn_graph_finish(struct norn_graph_builder *builder, struct norn_graph **ret_graph)
{
	struct norn_graph *graph = builder->graph;
	assert(graph);
	norn_last_writers_free(builder->writers);
	builder->writers = NULL;
	for (uint32_t i = 0; i < graph->thread_count; i++)
		if (graph->threads[i].externals && note_noticed(graph, graph->threads + i, graph->threads[i].last) < 0)
			return -ENOMEM;
	int r = norn_value_flow_masked_words(graph->flow, &graph->masked_words, &graph->masked_count);
	if (r < 0)
		return r;
	sort_blocks(graph);
	norn_event_lists_seal(&graph->lists);
	norn_value_flow_seal(graph->flow);
	struct norn_graph_event *events = realloc(graph->events, (graph->count + UINT64_C(1)) * sizeof *events);
	if (events) {
		graph->events = events;
		graph->room = graph->count + 1;
	}
	builder->graph = NULL;
	*ret_graph = graph;
	return 0;
}
