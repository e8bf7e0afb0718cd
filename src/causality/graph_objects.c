/* Objects of synchronization in the dependence graph: locks, semaphores, conditions, barriers, once, channels and resources. Each
 * event of an object is linked to the object's history, and says if the object's state was known (NORN_GRAPH_COUNTED). */
#include "causality/dependence_graph.h"

#include <assert.h>

#include "base/must.h"
#include "causality/graph_builder_state.h"
#include "trace/record.h"

/* An object is told by its address and the life of its memory. */
static uint32_t get_object(struct norn_graph_builder *builder, uint64_t addr, uint32_t memory)
{
	uint32_t *number = norn_must_map_put(&builder->numbers, addr);
	if (*number == 0 || builder->objects[*number].memory != memory) {
		norn_must_grow(&builder->objects, builder->graph->object_count + UINT64_C(2), &builder->object_room,
		        sizeof *builder->objects);
		*number = ++builder->graph->object_count;
		builder->objects[*number] = (struct graph_object){.memory = memory, .known = builder->graph->before == 0};
	}
	return *number;
}

static void note_object(struct norn_graph *graph, struct graph_object *object, const struct norn_event *e)
{
	uint32_t bytes = norn_graph_object_bytes(e);
	if (bytes <= object->bytes)
		return;
	for (uint64_t word = e->addr / 8; word <= (e->addr + bytes - 1) / 8; word++)
		norn_must_map_put(&graph->words, word);
	object->bytes = bytes;
}

/* ---- locks ---- */

static void push_held(struct norn_graph *graph, struct graph_thread *t, uint32_t acquire)
{
	norn_must_push(&graph->helds, (struct held_lock){acquire, t->held});
	t->held = graph->helds.count - 1;
}

/* Removes the thread's innermost acquire of this object from its set of held locks, and returns it; 0: there is none. */
static uint32_t pop_held(struct norn_graph *graph, struct graph_thread *t, uint32_t object)
{
	uint32_t at = t->held, depth = 0;
	while (at && graph->events[graph->helds.items[at].acquire].size != object) {
		at = graph->helds.items[at].rest;
		depth++;
	}
	if (at == 0)
		return 0;
	/* Sets are shared: those above it are made anew. */
	uint32_t old = t->held;
	t->held = graph->helds.items[at].rest;
	for (; depth; depth--) {
		uint32_t from = old;
		for (uint32_t i = 1; i < depth; i++)
			from = graph->helds.items[from].rest;
		push_held(graph, t, graph->helds.items[from].acquire);
	}
	return graph->helds.items[at].acquire;
}

static bool exclusive(unsigned op)
{
	return op == NORN_SYNC_ACQUIRE || op == NORN_SYNC_RELEASE;
}

static void add_release(struct norn_graph *graph, struct graph_thread *t, struct graph_object *object, uint32_t number)
{
	struct norn_graph_event *event = graph->events + number;
	uint32_t acquire = pop_held(graph, t, event->size);
	if (acquire && exclusive(graph->events[acquire].op) == exclusive(event->op)) {
		event->link = acquire;
		graph->events[acquire].link = number;
	} else {
		event->flags |= NORN_GRAPH_ODD;
	}
	if (acquire && object->holders)
		object->holders--;
}

/* ---- states of other objects ---- */

/* Code outside the recorded threads may post, too: once a wait succeeds at value 0 the semaphore's value is unknown. */
static void add_semaphore(struct graph_object *object, struct norn_graph_event *event, const struct norn_event *e)
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
		/* A post is recorded before it is performed: this failed try may precede it. */
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

static void leave_sleepers(struct norn_graph *graph, struct graph_object *object, uint32_t thread)
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

/* The thread has released the mutex of its wait: it sleeps from here on. */
static void add_sleeper(struct norn_graph_builder *builder, struct graph_thread *t, uint32_t number)
{
	struct norn_graph *graph = builder->graph;
	struct graph_object *condition = builder->objects + graph->events[t->wait].size;
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
	assert(condition->sleeper && condition->last_sleeper);
}

static void wake_sleeper(struct norn_graph *graph, struct graph_object *condition, uint32_t notify)
{
	struct graph_thread *t = graph->threads + condition->sleeper - 1;
	assert(t->wait && !t->woken);
	condition->sleeper = t->next_sleeper;
	if (condition->sleeper == 0)
		condition->last_sleeper = 0;
	t->next_sleeper = 0;
	t->woken = true;
	graph->events[t->wait].link = notify;
}

static void add_condition(
        struct norn_graph *graph, struct graph_object *object, struct graph_thread *t, uint32_t number, const struct norn_event *e)
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

static void add_barrier(struct norn_graph_builder *builder, struct graph_object *object, struct graph_thread *t, uint32_t number,
        const struct norn_event *e)
{
	struct norn_graph_event *event = builder->graph->events + number;
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
			norn_must_map_put(&builder->users, key);
		}
		object->known &= object->size && object->users <= object->size;
		event->link = object->full;
		t->round = object->full;
		assert(!object->size || object->arrived < object->size);
		if (object->size && ++object->arrived == object->size) {
			object->arrived = 0;
			object->full = number;
			event->link = event->other; /* it arrives last in all predicted runs: it needs all others */
		}
		break;
	case NORN_SYNC_BARRIER_LEAVE:
		/* The round that it arrived for is full, or another one was since. */
		object->known &= object->full != t->round;
		event->link = object->full;
	}
	if (object->known)
		event->flags |= NORN_GRAPH_COUNTED;
}

static bool acquires(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED);
}

/* The acquire of the critical section in which a try failed. One of the trying thread itself explains the failure by itself. */
static void add_try(
        struct norn_graph *graph, const struct graph_thread *t, const struct graph_object *object, struct norn_graph_event *event)
{
	uint32_t own = t->held;
	while (own && graph->events[graph->helds.items[own].acquire].size != event->size)
		own = graph->helds.items[own].rest;
	if (own) {
		event->link = graph->helds.items[own].acquire;
		return;
	}
	uint32_t holder = object->holders ? object->last_acquire : 0;
	while (holder && (!acquires(&graph->events[holder]) || graph->events[holder].link))
		holder = graph->events[holder].other;
	event->link = holder;
	if (holder == 0)
		event->flags |= NORN_GRAPH_ODD;
}

/* A call that reads a resource while another thread's call changes it may see the change, or not. */
static void add_resource(struct graph_object *object, struct norn_graph_event *event)
{
	if (event->op == NORN_SYNC_SEND) {
		object->open += event->value == NORN_SEND_CHANGES;
		return;
	}
	if (event->value == NORN_RECEIVE_CHANGED && object->open)
		object->open--;
	if (norn_receive_kind(event->value) >= NORN_RECEIVE_CHANGED && object->open)
		event->flags |= NORN_GRAPH_ORDERED;
}

void norn_graph_add_sync(struct norn_graph_builder *builder, struct graph_thread *t, uint32_t number, const struct norn_event *e)
{
	struct norn_graph *graph = builder->graph;
	struct norn_graph_event *event = graph->events + number;
	uint32_t life = norn_last_writers_life(builder->writers, e->addr);
	event->size = get_object(builder, e->addr, life);
	struct graph_object *object = builder->objects + event->size;
	note_object(graph, object, e);
	event->value = e->argument;
	event->other = object->last;
	if (e->op != NORN_SYNC_RECEIVE || e->argument != NORN_RECEIVE_LOOKED)
		object->last = number;
	event->life = life > object->life ? life : object->life;
	norn_value_flow_synced(graph->flow, graph->events, number, e); /* its site is known from now on */
	norn_graph_note_use(graph, number, life);
	if (norn_value_flow_ignores(graph->flow, e->site))
		event->flags |= NORN_GRAPH_IGNORED;
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
		push_held(graph, t, number);
		break;
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_RELEASE_SHARED:
		t->asleep = t->waits && t->waits == e->addr;
		if (t->asleep)
			add_sleeper(builder, t, number);
		add_release(graph, t, object, number);
		break;
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
		add_barrier(builder, object, t, number, e);
		break;
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
}
