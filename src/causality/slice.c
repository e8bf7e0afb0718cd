#include "causality/slice.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "causality/flow.h"
#include "causality/lists.h"
#include "causality/writers.h"
#include "trace/record.h"
#include "trace/site.h"

/* One lock of a set, and the rest of the set. */
struct held {
	uint32_t acquire, rest;
};

struct thread {
	uint32_t first, last; /* events */
	uint32_t fork;
	uint32_t held;
	bool outside; /* its last event was the end of a callback: it is in code that nobody sees */
	uint32_t call; /* its last event was this CALL, which may turn out to enter an instrumented function */
	uint32_t unseen, unseen_in; /* the last CALL of code that nobody sees, which may be going on, and the ENTER around it */
	uint64_t stack; /* what its first STACK record said */
	uint64_t waits; /* it waits for a condition: address of the mutex, 0: it does not */
	bool asleep; /* it has released that */
};

struct object {
	uint32_t last; /* event */
	uint32_t life; /* the last create or destroy */
	uint32_t holders;
	uint32_t bytes; /* of it, that are known to be its own */
};

/* How far all threads were after an event. */
struct mark {
	uint32_t event, threads;
	uint32_t *last; /* per thread, 0: none yet */
};
#define MARK_EVENTS 65536u /* between marks, at least */

struct norn_slice {
	struct norn_slice_event *events;
	uint32_t count, room;
	struct thread *threads;
	uint32_t thread_count, thread_room;
	struct held *helds; /* [0] is the empty set */
	uint32_t held_count, held_room;
	struct mark *marks;
	uint32_t mark_count, mark_room;
	struct norn_lists lists;
	struct norn_flow *flow;
	struct norn_map words; /* of objects of synchronization: address / 8 → nothing */
	uint32_t object_count;
	uint32_t carried; /* the first events stand for … */
	uint64_t before; /* … so many of the run */
	uint64_t *numbers; /* of those that are carried, from 0 */
	uint64_t *masked_words;
	uint32_t masked_count;
	bool cut, lost;
};

struct norn_slice_builder {
	struct norn_slice *slice;
	struct norn_writers *writers;
	struct norn_map numbers; /* address → number of the object */
	struct object *objects; /* [0] is none */
	uint32_t object_room;
	struct norn_slice_limits limits;
	uint32_t last_call, last_io;
	bool sites; /* something is known of them */
	uint64_t *frees; /* a bit per event: it is a free. Events themselves are far apart in memory */
	uint32_t free_room; /* in words */
};

/* ---- making and freeing ---- */

static int reserve(void *array, uint32_t *room, uint64_t wanted, size_t bytes)
{
	if (wanted <= *room)
		return 0;
	uint64_t more = *room ? *room + (uint64_t)*room / 2 : 256;
	if (more < wanted)
		more = wanted;
	if (more > NORN_SLICE_EVENTS_MAX)
		more = NORN_SLICE_EVENTS_MAX + UINT64_C(1);
	if (more < wanted)
		return -ENOMEM;
	void **place = array;
	void *bigger = realloc(*place, more * bytes);
	if (!bigger)
		return -ENOMEM;
	*place = bigger;
	*room = (uint32_t)more;
	return 0;
}

void norn_slice_free(struct norn_slice *slice)
{
	if (!slice)
		return;
	free(slice->events);
	free(slice->threads);
	free(slice->helds);
	free(slice->numbers);
	for (uint32_t i = 0; i < slice->mark_count; i++)
		free(slice->marks[i].last);
	free(slice->marks);
	norn_lists_done(&slice->lists);
	norn_flow_free(slice->flow);
	norn_map_done(&slice->words);
	free(slice->masked_words);
	free(slice);
}

void norn_slice_builder_free(struct norn_slice_builder *builder)
{
	if (!builder)
		return;
	norn_slice_free(builder->slice);
	norn_writers_free(builder->writers);
	norn_map_done(&builder->numbers);
	free(builder->objects);
	free(builder->frees);
	free(builder);
}

static int prepare(struct norn_slice_builder *builder, norn_slice_lookup *lookup, void *context)
{
	struct norn_slice *slice = builder->slice = calloc(1, sizeof *slice);
	if (!slice)
		return -ENOMEM;
	norn_map_init(&slice->words, 0);
	norn_map_init(&builder->numbers, sizeof(uint32_t));
	int r = norn_flow_new(lookup, context, &slice->flow);
	if (r == 0)
		r = norn_writers_new(&builder->writers);
	if (r == 0)
		r = reserve(&slice->events, &slice->room, 256, sizeof *slice->events);
	if (r == 0)
		r = reserve(&slice->helds, &slice->held_room, 16, sizeof *slice->helds);
	if (r == 0)
		r = reserve(&builder->objects, &builder->object_room, 16, sizeof *builder->objects);
	if (r < 0)
		return r;
	slice->events[0] = (struct norn_slice_event){0};
	slice->helds[slice->held_count++] = (struct held){0};
	return 0;
}

int norn_slice_builder_new(
        norn_slice_lookup *lookup, void *context, const struct norn_slice_limits *limits, struct norn_slice_builder **ret_builder)
{
	struct norn_slice_builder *builder = calloc(1, sizeof *builder);
	if (!builder)
		return -ENOMEM;
	if (limits)
		builder->limits = *limits;
	builder->sites = lookup;
	int r = prepare(builder, lookup, context);
	if (r < 0) {
		norn_slice_builder_free(builder);
		return r;
	}
	*ret_builder = builder;
	return 0;
}

/* ---- what a run consists of ---- */

static struct thread *get_thread(struct norn_slice *slice, uint32_t thread)
{
	if (reserve(&slice->threads, &slice->thread_room, thread + UINT64_C(1), sizeof *slice->threads) < 0)
		return NULL;
	while (thread >= slice->thread_count)
		slice->threads[slice->thread_count++] = (struct thread){0};
	return slice->threads + thread;
}

static int get_object(struct norn_slice_builder *builder, uint64_t addr, uint32_t *ret_number)
{
	uint32_t *number;
	int r = norn_map_put(&builder->numbers, addr, (void **)&number);
	if (r < 0)
		return r;
	if (*number == 0) {
		r = reserve(&builder->objects, &builder->object_room, builder->slice->object_count + UINT64_C(2),
		        sizeof *builder->objects);
		if (r < 0)
			return r;
		*number = ++builder->slice->object_count;
		builder->objects[*number] = (struct object){0};
	}
	*ret_number = *number;
	return 0;
}

unsigned norn_slice_object_bytes(const struct norn_event *e)
{
	static const unsigned bytes[] = {
	        [NORN_LOCK_MUTEX] = 40,
	        [NORN_LOCK_RWLOCK] = 56,
	        [NORN_LOCK_SPIN] = 4,
	        [NORN_LOCK_COND] = 48,
	        [NORN_LOCK_SEM] = 32,
	        [NORN_LOCK_BARRIER] = 32,
	        [NORN_LOCK_ONCE] = 4,
	};
	uint64_t kind = NORN_LOCK_MUTEX;
	if (e->op <= NORN_SYNC_TRY_FAILED || e->op == NORN_SYNC_CREATE || e->op == NORN_SYNC_DESTROY)
		kind = e->argument;
	else if (e->op <= NORN_SYNC_BROADCAST)
		kind = NORN_LOCK_COND;
	else if (e->op <= NORN_SYNC_SEM_TRY_FAILED)
		kind = NORN_LOCK_SEM;
	else if (e->op <= NORN_SYNC_BARRIER_LEAVE)
		kind = NORN_LOCK_BARRIER;
	else if (e->op <= NORN_SYNC_ONCE_PASS)
		kind = NORN_LOCK_ONCE;
	return kind < sizeof bytes / sizeof *bytes ? bytes[kind] : 4;
}

static int note_object(struct norn_slice *slice, struct object *object, const struct norn_event *e)
{
	uint32_t bytes = norn_slice_object_bytes(e);
	int r = 0;
	if (bytes <= object->bytes)
		return 0;
	for (uint64_t word = e->addr / 8; word <= (e->addr + bytes - 1) / 8 && r == 0; word++) {
		void *nothing;
		r = norn_map_put(&slice->words, word, &nothing);
	}
	object->bytes = bytes;
	return r;
}

/* ---- locks ---- */

static int push_held(struct norn_slice *slice, struct thread *t, uint32_t acquire)
{
	int r = reserve(&slice->helds, &slice->held_room, slice->held_count + UINT64_C(1), sizeof *slice->helds);
	if (r < 0)
		return r;
	slice->helds[slice->held_count] = (struct held){acquire, t->held};
	t->held = slice->held_count++;
	return 0;
}

/* Takes the innermost acquire of this object by the thread out of its set; 0: it holds none. */
static int pop_held(struct norn_slice *slice, struct thread *t, uint32_t object, uint32_t *ret_acquire)
{
	uint32_t at = t->held, depth = 0;
	while (at && slice->events[slice->helds[at].acquire].size != object) {
		at = slice->helds[at].rest;
		depth++;
	}
	*ret_acquire = at ? slice->helds[at].acquire : 0;
	if (at == 0)
		return 0;
	/* Sets are shared: those above it are made anew. */
	uint32_t old = t->held;
	t->held = slice->helds[at].rest;
	for (; depth; depth--) {
		uint32_t from = old;
		for (uint32_t i = 1; i < depth; i++)
			from = slice->helds[from].rest;
		int r = push_held(slice, t, slice->helds[from].acquire);
		if (r < 0)
			return r;
	}
	return 0;
}

static bool exclusive(unsigned op)
{
	return op == NORN_SYNC_ACQUIRE || op == NORN_SYNC_RELEASE;
}

static int add_release(struct norn_slice *slice, struct thread *t, struct object *object, uint32_t number)
{
	struct norn_slice_event *event = slice->events + number;
	uint32_t acquire;
	int r = pop_held(slice, t, event->size, &acquire);
	if (r < 0)
		return r;
	if (acquire && exclusive(slice->events[acquire].op) == exclusive(event->op)) {
		event->link = acquire;
		slice->events[acquire].link = number;
	} else {
		event->flags |= NORN_SLICE_ODD;
	}
	if (acquire && object->holders)
		object->holders--;
	return 0;
}

static int add_sync(struct norn_slice_builder *builder, struct thread *t, uint32_t number, const struct norn_event *e)
{
	struct norn_slice *slice = builder->slice;
	struct norn_slice_event *event = slice->events + number;
	int r = get_object(builder, e->addr, &event->size);
	struct object *object = builder->objects + event->size;
	if (r == 0)
		r = note_object(slice, object, e);
	if (r < 0)
		return r;
	event->value = e->argument;
	event->other = object->last;
	object->last = number;
	uint32_t life = norn_writers_life(builder->writers, e->addr);
	event->life = life > object->life ? life : object->life;
	if (!norn_flow_site(slice->flow, e->site))
		return -ENOMEM;
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
		if (t->asleep && t->waits == e->addr)
			event->flags |= NORN_SLICE_WAKES;
		/* fall through */
	case NORN_SYNC_ACQUIRE_SHARED:
		object->holders++;
		return push_held(slice, t, number);
	case NORN_SYNC_RELEASE:
		t->asleep = t->waits && t->waits == e->addr;
		/* fall through */
	case NORN_SYNC_RELEASE_SHARED:
		return add_release(slice, t, object, number);
	case NORN_SYNC_WAIT_BEGIN:
		t->waits = e->argument;
		t->asleep = false;
		break;
	case NORN_SYNC_WAIT_END:
	case NORN_SYNC_WAIT_TIMEOUT:
		t->waits = 0;
		t->asleep = false;
		break;
	case NORN_SYNC_TRY_FAILED:
		if (object->holders == 0)
			event->flags |= NORN_SLICE_ODD;
		break;
	case NORN_SYNC_CREATE:
	case NORN_SYNC_DESTROY:
		object->life = number;
		break;
	case NORN_SYNC_SEND:
	case NORN_SYNC_RECEIVE:
		event->life = builder->last_call;
		event->link = builder->last_io;
		builder->last_io = number;
	}
	return 0;
}

/* ---- memory ---- */

static int link_list(struct norn_slice *slice, uint32_t *events, uint32_t count, uint32_t number)
{
	if (count == 1) {
		slice->events[number].link = events[0];
		return 0;
	}
	uint32_t link;
	int r = norn_lists_add(&slice->lists, events, count, &link);
	if (r == 0)
		slice->events[number].link = link;
	return r;
}

static bool is_free(const struct norn_slice_builder *builder, uint32_t number)
{
	return number / 64 < builder->free_room && builder->frees[number / 64] >> number % 64 & 1;
}

static int note_free(struct norn_slice_builder *builder, uint32_t number)
{
	uint32_t old = builder->free_room;
	int r = reserve(&builder->frees, &builder->free_room, number / 64 + UINT64_C(1), sizeof *builder->frees);
	if (r < 0)
		return r;
	memset(builder->frees + old, 0, (builder->free_room - old) * sizeof *builder->frees);
	builder->frees[number / 64] |= UINT64_C(1) << number % 64;
	return 0;
}

static int link_writers(struct norn_slice_builder *builder, uint32_t number, uint64_t addr, uint64_t size)
{
	struct norn_slice_event *slots = builder->slice->events;
	uint32_t *events, count;
	int r = norn_writers_read(builder->writers, addr, size, &events, &count);
	for (uint32_t i = 0; i < count && r == 0; i++)
		if (is_free(builder, events[i]))
			slots[number].flags |= NORN_SLICE_ODD;
	return r < 0 ? r : link_list(builder->slice, events, count, number);
}

static int add_access(struct norn_slice_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_slice *slice = builder->slice;
	struct norn_slice_event *event = slice->events + number;
	int r = 0;
	if (e->known && e->size <= 8) {
		event->value = e->value;
		event->flags |= NORN_SLICE_VALUED;
	}
	if (e->pieces & 2)
		event->flags |= NORN_SLICE_PIECE;
	if (e->kind == NORN_EVENT_RMW)
		event->flags |= NORN_SLICE_ATOMIC;
	if (e->kind != NORN_EVENT_WRITE)
		r = link_writers(builder, number, e->addr, e->size);
	if (r == 0)
		event->life = norn_writers_life(builder->writers, e->addr);
	if (r == 0 && e->kind != NORN_EVENT_READ)
		r = norn_writers_write(builder->writers, e->addr, e->size, number);
	return r < 0 ? r : norn_flow_access(slice->flow, slice->events, number, e);
}

static int add_external(struct norn_slice_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_slice_event *event = builder->slice->events + number;
	uint64_t word = e->addr & ~UINT64_C(7);
	int r = link_writers(builder, number, word, 8);
	event->addr = word;
	event->size = 8;
	event->other = builder->last_call;
	event->life = builder->last_io;
	/* It may have been written by what is seen, under another address, or by another process that waited for anything. */
	const struct norn_slice_event *alloc = builder->slice->events + norn_writers_life(builder->writers, word);
	if (alloc->kind == NORN_EVENT_ALLOC && alloc->op == NORN_ALLOC_SHARED)
		event->flags |= NORN_SLICE_AFTER;
	if (e->known) {
		event->value = e->value;
		event->flags |= NORN_SLICE_VALUED;
	}
	return r < 0 ? r : norn_writers_write(builder->writers, word, 8, number);
}

/* Memory that begins to be something else. */
static int add_alloc(struct norn_slice_builder *builder, uint32_t number, uint64_t addr, uint64_t size)
{
	struct norn_slice_event *event = builder->slice->events + number;
	event->addr = addr;
	event->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	if (event->kind == NORN_EVENT_ALLOC && event->op == NORN_ALLOC_UNMAP)
		event->life = norn_writers_life(builder->writers, addr);
	uint32_t *events, count;
	int r = norn_writers_lives(builder->writers, addr, size, &events, &count);
	if (r == 0)
		r = link_list(builder->slice, events, count, number);
	return r < 0 ? r : norn_writers_live(builder->writers, addr, size, number);
}

static int add_free(struct norn_slice_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_slice_event *event = builder->slice->events + number;
	if (e->pieces & 2) {
		event->flags |= NORN_SLICE_PIECE;
		return 0;
	}
	event->life = norn_writers_life(builder->writers, e->addr);
	int r = note_free(builder, number);
	return r < 0 ? r : norn_writers_live(builder->writers, e->addr, e->size, number);
}

/* ---- threads and calls ---- */

/* FORK_FAILED: the thread that was announced never was. */
static void add_fork(struct norn_slice *slice, struct thread *child, uint32_t number)
{
	struct norn_slice_event *event = slice->events + number;
	if (event->op == NORN_THREAD_FORK)
		child->fork = number;
	else if (child->first == 0)
		child->fork = 0;
}

static int add_call(struct norn_slice_builder *builder, struct thread *t, uint32_t number)
{
	struct norn_slice_event *event = builder->slice->events + number;
	const struct norn_slice_site *site = norn_flow_site(builder->slice->flow, event->site);
	if (!site)
		return -ENOMEM;
	event->link = builder->last_io;
	event->other = builder->last_call;
	/* Where a result comes from that no frame gives, only the call's arguments can tell. */
	if (site->call != NORN_CALL_OPAQUE) {
		int r = norn_flow_passed(builder->slice->flow, builder->slice->events, number);
		if (r < 0)
			return r;
	}
	if (site->call == NORN_CALL_HARMLESS) {
		event->flags |= NORN_SLICE_CALLED;
		return 0;
	}
	if (site->call == NORN_CALL_ORDERED)
		event->flags |= NORN_SLICE_ORDERED;
	builder->last_call = number;
	t->call = number;
	t->unseen = site->call == NORN_CALL_OPAQUE ? number : 0;
	t->unseen_in = norn_flow_entered(builder->slice->flow, event->thread);
	return 0;
}

/* What came about without instrumented code needs whatever calls may have brought it about. */
static void not_seen(struct norn_slice_builder *builder, uint32_t number)
{
	struct norn_slice_event *event = builder->slice->events + number;
	event->flags |= NORN_SLICE_UNSEEN;
	event->life = builder->last_call > builder->last_io ? builder->last_call : builder->last_io;
}

static int add_thread(struct norn_slice_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_slice *slice = builder->slice;
	struct norn_slice_event *event = slice->events + number;
	struct thread *t;
	event->value = e->value;
	switch (e->op) {
	case NORN_THREAD_FORK:
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
		if (e->value >= NORN_SLICE_THREADS_MAX)
			return e->value == NORN_NO_THREAD ? 0 : -EOVERFLOW;
		t = get_thread(slice, (uint32_t)e->value);
		if (!t || !norn_flow_site(slice->flow, e->site))
			return -ENOMEM;
		if (e->op == NORN_THREAD_JOIN)
			event->link = t->last;
		else
			add_fork(slice, t, number);
		return 0;
	case NORN_THREAD_BEGIN:
		event->link = slice->threads[e->thread].fork;
		return 0;
	case NORN_THREAD_STACK:
		t = slice->threads + e->thread;
		if (t->stack) {
			uint64_t low = t->stack;
			t->stack = 0;
			return add_alloc(builder, number, low, e->argument);
		}
		t->stack = e->argument;
		return 0;
	case NORN_THREAD_END:
		if (norn_flow_entered(slice->flow, e->thread))
			not_seen(builder, number);
		return 0;
	case NORN_THREAD_CALL:
		return add_call(builder, slice->threads + e->thread, number);
	}
	return 0;
}

/* Did the call at this site enter the function? A call through a pointer that was recorded did not, or it would not have been; code that it called back
 * goes by the same site. */
static bool is_direct(struct norn_slice *slice, const struct thread *t, uint32_t around, const struct norn_event *e)
{
	if (!norn_flow_fits(slice->flow, e->call_site, e->site))
		return false;
	const struct norn_slice_site *site = norn_flow_known(slice->flow, e->call_site);
	/* A call that stands elsewhere than where the thread is was the last one that is known, not the one that got here. */
	if (around && site->entry && site->entry != slice->events[around].site)
		return false;
	return !(site->indirect && t->unseen && t->unseen_in == around && slice->events[t->unseen].site == e->call_site);
}

/* Does the function at this site call back what has hooks, and do nothing else that is not known? Then its call is not recorded. */
static bool is_called_back(struct norn_slice *slice, const struct thread *t, uint32_t around, const struct norn_event *e)
{
	const struct norn_slice_site *site = norn_flow_known(slice->flow, e->call_site);
	bool recorded = t->unseen && t->unseen_in == around && slice->events[t->unseen].site == e->call_site;
	return site && site->kind == NORN_SITE_CALL && !site->indirect && site->name && !recorded &&
	       (strcmp(site->name, "qsort") == 0 || strcmp(site->name, "bsearch") == 0);
}

static int add_enter(struct norn_slice_builder *builder, uint32_t number, const struct norn_event *e, uint32_t call)
{
	struct norn_slice *slice = builder->slice;
	struct thread *t = slice->threads + e->thread;
	uint32_t around = norn_flow_entered(slice->flow, e->thread);
	slice->events[number].link = e->call_site;
	slice->events[number].other = around;
	struct norn_event entered = *e;
	if (!is_direct(slice, t, around, e))
		entered.call_site = 0;
	else if (call && slice->events[call].site == e->call_site)
		slice->events[call].flags |= NORN_SLICE_CALLED;
	if (entered.call_site == 0 && around && !is_called_back(slice, t, around, e))
		not_seen(builder, number);
	else if (t->unseen_in == around)
		t->unseen = 0;
	return norn_flow_enter(slice->flow, slice->events, number, &entered);
}

static int add_leave(struct norn_slice_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_slice *slice = builder->slice;
	uint32_t enter = 0;
	int r = norn_flow_leave(slice->flow, slice->events, number, e, &enter);
	slice->events[number].link = enter;
	if (e->argument & NORN_LEAVE_UNWOUND)
		not_seen(builder, number);
	struct thread *t = slice->threads + e->thread;
	t->outside = enter && slice->events[enter].flags & NORN_SLICE_UNSEEN;
	if (enter && enter == t->unseen_in)
		t->unseen = 0;
	return r;
}

/* ---- events ---- */

/* Instrumented code goes on, so what it called has returned. (What the runtime does for libc's functions, unseen code may have asked for.) */
static void see_access(struct norn_slice *slice, struct thread *t, const struct norn_event *e)
{
	if (t->unseen == 0 || t->unseen_in != norn_flow_entered(slice->flow, e->thread))
		return;
	const struct norn_slice_site *site = norn_flow_site(slice->flow, e->site);
	if (site && site->kind != NORN_SITE_CALL)
		t->unseen = 0;
}

static int add_kind(struct norn_slice_builder *builder, uint32_t number, const struct norn_event *e)
{
	struct norn_slice *slice = builder->slice;
	struct thread *t = slice->threads + e->thread;
	uint32_t call = t->call;
	t->call = 0;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		see_access(slice, t, e);
		return add_access(builder, number, e);
	case NORN_EVENT_EXTERNAL:
		return add_external(builder, number, e);
	case NORN_EVENT_SYNC:
		return add_sync(builder, t, number, e);
	case NORN_EVENT_THREAD:
		return add_thread(builder, number, e);
	case NORN_EVENT_ENTER:
		return add_enter(builder, number, e, call);
	case NORN_EVENT_LEAVE:
		return add_leave(builder, number, e);
	case NORN_EVENT_ALLOC:
		return add_alloc(builder, number, e->addr, e->size);
	case NORN_EVENT_FREE:
		return add_free(builder, number, e);
	case NORN_EVENT_MARK:
		slice->events[number].value = e->argument;
		return 0;
	case NORN_EVENT_LOST:
		slice->lost = true;
	}
	return 0;
}

static int add_mark(struct norn_slice *slice)
{
	struct mark mark = {slice->count, slice->thread_count, malloc((slice->thread_count + UINT64_C(1)) * sizeof *mark.last)};
	if (!mark.last || reserve(&slice->marks, &slice->mark_room, slice->mark_count + UINT64_C(1), sizeof *slice->marks) < 0) {
		free(mark.last);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < slice->thread_count; i++)
		mark.last[i] = slice->threads[i].last;
	slice->marks[slice->mark_count++] = mark;
	return 0;
}

static bool marks_due(const struct norn_slice *slice)
{
	uint32_t since = slice->count - (slice->mark_count ? slice->marks[slice->mark_count - 1].event : 0);
	return since >= MARK_EVENTS && since >= slice->thread_count;
}

static bool beyond_limits(const struct norn_slice_builder *builder)
{
	const struct norn_slice *slice = builder->slice;
	if (slice->count >= NORN_SLICE_EVENTS_MAX - 1 || (builder->limits.max_events && slice->count >= builder->limits.max_events))
		return true;
	/* Asking costs; a few thousand events take little. */
	return builder->limits.max_bytes && slice->count % 4096 == 0 &&
	       norn_slice_bytes(slice) + norn_writers_bytes(builder->writers) >= builder->limits.max_bytes;
}

int norn_slice_add(struct norn_slice_builder *builder, const struct norn_event *event)
{
	struct norn_slice *slice = builder->slice;
	assert(slice);
	if (slice->cut || beyond_limits(builder) || event->thread >= NORN_SLICE_THREADS_MAX) {
		slice->cut = true;
		return -EOVERFLOW;
	}
	uint32_t number = slice->count + 1;
	struct thread *t = get_thread(slice, event->thread);
	if (!t || reserve(&slice->events, &slice->room, number + UINT64_C(1), sizeof *slice->events) < 0)
		return -ENOMEM;
	slice->events[number] = (struct norn_slice_event){
	        .addr = event->addr,
	        .op = event->op,
	        .kind = event->kind,
	        .thread = event->thread,
	        .site = event->site,
	        .size = event->size > UINT32_MAX ? UINT32_MAX : (uint32_t)event->size,
	        .held = t->held,
	};
	if (t->last)
		slice->events[t->last].next = number;
	else
		t->first = number;
	t->last = number;
	slice->count = number;
	uint32_t call = t->call;
	bool outside = t->outside;
	t->outside = false;
	int r = add_kind(builder, number, event);
	if (r == 0 && marks_due(slice))
		r = add_mark(slice);
	if (outside || (call && !(slice->events[call].flags & (NORN_SLICE_CALLED | NORN_SLICE_ORDERED))))
		slice->events[number].flags |= NORN_SLICE_AFTER;
	return r;
}

int norn_slice_carry(struct norn_slice_builder *builder, uint64_t before, const uint64_t *numbers)
{
	struct norn_slice *slice = builder->slice;
	slice->numbers = malloc((slice->count + UINT64_C(1)) * sizeof *slice->numbers);
	if (!slice->numbers)
		return -ENOMEM;
	if (slice->count)
		memcpy(slice->numbers, numbers, slice->count * sizeof *slice->numbers);
	slice->carried = slice->count;
	slice->before = before;
	return 0;
}

int norn_slice_inherit(struct norn_slice_builder *builder, const struct norn_slice_builder *other)
{
	size_t cursor = 0;
	uint64_t word;
	int r = 0;
	while (r == 0 && norn_map_next(&other->slice->words, &cursor, &word)) {
		void *nothing;
		r = norn_map_put(&builder->slice->words, word, &nothing);
	}
	return r;
}

void norn_slice_odd(struct norn_slice_builder *builder)
{
	builder->slice->events[builder->slice->count].flags |= NORN_SLICE_ODD;
}

int norn_slice_finish(struct norn_slice_builder *builder, struct norn_slice **ret_slice)
{
	struct norn_slice *slice = builder->slice;
	assert(slice);
	norn_writers_free(builder->writers);
	builder->writers = NULL;
	int r = norn_flow_masked_words(slice->flow, &slice->masked_words, &slice->masked_count);
	if (r < 0)
		return r;
	norn_lists_seal(&slice->lists);
	norn_flow_seal(slice->flow);
	struct norn_slice_event *events = realloc(slice->events, (slice->count + UINT64_C(1)) * sizeof *events);
	if (events) {
		slice->events = events;
		slice->room = slice->count + 1;
	}
	builder->slice = NULL;
	*ret_slice = slice;
	return 0;
}

bool norn_slice_waits(const char *callee)
{
	/* Waits for a condition with a limit get their mutex back without one. */
	static const char *const functions[] = {"pthread_mutex_lock", "pthread_rwlock_rdlock", "pthread_rwlock_wrlock",
	        "pthread_spin_lock", "mtx_lock", "pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait",
	        "cnd_wait", "cnd_timedwait", "pthread_join", "thrd_join"};
	for (unsigned i = 0; callee && i < sizeof functions / sizeof *functions; i++)
		if (strcmp(callee, functions[i]) == 0)
			return true;
	return false;
}

/* ---- looking ---- */

uint32_t norn_slice_count(const struct norn_slice *slice)
{
	return slice->count;
}

uint32_t norn_slice_carried(const struct norn_slice *slice)
{
	return slice->carried;
}

uint64_t norn_slice_number(const struct norn_slice *slice, uint32_t event)
{
	return event > slice->carried ? event - slice->carried + slice->before : event ? slice->numbers[event - 1] : 0;
}

uint64_t norn_slice_until(const struct norn_slice *slice, uint32_t base)
{
	return base - slice->carried + slice->before;
}

uint32_t norn_slice_threads(const struct norn_slice *slice)
{
	return slice->thread_count;
}

uint32_t norn_slice_objects(const struct norn_slice *slice)
{
	return slice->object_count;
}

uint32_t norn_slice_first(const struct norn_slice *slice, uint32_t thread)
{
	return slice->threads[thread].first;
}

uint32_t norn_slice_last(const struct norn_slice *slice, uint32_t thread)
{
	return slice->threads[thread].last;
}

uint32_t norn_slice_after(const struct norn_slice *slice, uint32_t thread, uint32_t base)
{
	uint32_t low = 0, high = slice->mark_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (slice->marks[middle].event <= base)
			low = middle + 1;
		else
			high = middle;
	}
	const struct mark *mark = low ? &slice->marks[low - 1] : NULL;
	uint32_t event = mark && thread < mark->threads ? mark->last[thread] : 0;
	if (event == 0)
		event = norn_slice_first(slice, thread);
	while (event && event <= base)
		event = slice->events[event].next;
	return event;
}

bool norn_slice_cut(const struct norn_slice *slice)
{
	return slice->cut;
}

bool norn_slice_lost(const struct norn_slice *slice)
{
	return slice->lost;
}

bool norn_slice_object(const struct norn_slice *slice, uint64_t addr)
{
	return norn_map_get(&slice->words, addr / 8);
}

uint64_t norn_slice_bytes(const struct norn_slice *slice)
{
	return sizeof *slice + (uint64_t)slice->room * sizeof *slice->events +
	       (uint64_t)slice->thread_room * sizeof *slice->threads + (uint64_t)slice->held_room * sizeof *slice->helds +
	       norn_lists_bytes(&slice->lists) + norn_flow_bytes(slice->flow) + slice->words.capacity * slice->words.slot_bytes;
}

const struct norn_slice_event *norn_slice_events(const struct norn_slice *slice)
{
	return slice->events;
}

uint32_t norn_slice_list(const struct norn_slice *slice, const uint32_t *link, const uint32_t **ret_events)
{
	return norn_lists_get(&slice->lists, link, ret_events);
}

enum norn_slice_node norn_slice_node(const struct norn_slice *slice, uint32_t node, uint32_t *ret_a, uint32_t *ret_b)
{
	*ret_b = 0;
	if (!(node & NORN_SLICE_LIST)) {
		*ret_a = node;
		return node ? NORN_NODE_READ : NORN_NODE_NONE;
	}
	uint32_t count;
	const struct norn_flow_pair *pair = norn_flow_pairs(slice->flow, &count) + (node & ~NORN_SLICE_LIST);
	*ret_a = pair->a;
	if (pair->b == NORN_FLOW_BEFORE)
		return NORN_NODE_BEFORE;
	*ret_b = pair->b;
	return NORN_NODE_UNION;
}

uint32_t norn_slice_nodes(const struct norn_slice *slice)
{
	uint32_t count;
	norn_flow_pairs(slice->flow, &count);
	return count;
}

uint32_t norn_slice_masks(const struct norn_slice *slice, uint32_t site, const struct norn_slice_range **ret_ranges)
{
	return norn_flow_masks(slice->flow, site, ret_ranges);
}

const uint64_t *norn_slice_masked_words(const struct norn_slice *slice, uint32_t *ret_count)
{
	*ret_count = slice->masked_count;
	return slice->masked_words;
}

uint32_t norn_slice_control(const struct norn_slice *slice, uint32_t event)
{
	const struct norn_slice_event *e = slice->events + event;
	while (e->kind == NORN_EVENT_EXTERNAL && e->next)
		e = slice->events + e->next;
	return e->kind == NORN_EVENT_READ ? e->other : e->kind == NORN_EVENT_WRITE ? e->link : 0;
}

uint32_t norn_slice_held(const struct norn_slice *slice, uint32_t held, uint32_t *ret_rest)
{
	*ret_rest = slice->helds[held].rest;
	return slice->helds[held].acquire;
}

void norn_slice_site(const struct norn_slice *slice, uint32_t site, struct norn_slice_site *ret_site)
{
	const struct norn_slice_site *known = norn_flow_known(slice->flow, site);
	*ret_site = known ? *known : (struct norn_slice_site){0};
}

uint32_t norn_slice_place(const struct norn_slice *slice, uint32_t site)
{
	const struct norn_slice_site *known = norn_flow_known(slice->flow, site);
	return known && known->place ? known->place : site;
}
