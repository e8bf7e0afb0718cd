#include "observer/causal_delivery.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/priority_queue.h"
#include "trace/live_trace.h"

#define WAITING_MORE 32u /* bytes that the allocator and the queue take for a message */

struct held_message {
	char *bytes;
	size_t length;
	uint32_t next; /* free ones: 1 + the next */
};

struct delivery_thread {
	uint32_t delivered;
	struct norn_priority_queue waiting; /* number of the event -> message */
	uint32_t blocked_on, blocked_for; /* 1 + the thread that it waits for, and how many of its events; 0: none */
	uint32_t next_blocked; /* 1 + the next one that waits for the same thread */
	uint32_t blocked; /* 1 + the first one that waits for this */
	uint64_t end; /* events when it ended, UINT64_MAX: not told */
	uint64_t wait_at; /* events after which it waits for joined */
	uint32_t joined; /* 1 + which, 0: none */
	bool seen, ended;
};

struct norn_delivery {
	struct norn_delivery_sink sink;
	uint64_t room;
	struct delivery_thread *threads;
	uint32_t count;
	NORN_VECTOR(struct held_message) messages;
	uint32_t free_messages; /* 1 + the first */
	uint32_t *clock, width; /* of the event at hand: all zero otherwise */
	uint32_t *stack, stack_count; /* threads that may have become able to go on */
	struct norn_delivery_counts counts;
};

struct norn_delivery *norn_delivery_new(const struct norn_delivery_sink *sink, uint64_t room)
{
	struct norn_delivery *d = norn_must_calloc(1, sizeof *d);
	d->sink = *sink;
	d->room = room;
	return d;
}

void norn_delivery_free(struct norn_delivery *d)
{
	if (!d)
		return;
	for (uint32_t t = 0; t < d->count; t++)
		norn_priority_queue_done(&d->threads[t].waiting);
	for (uint32_t i = 0; i < d->messages.count; i++)
		free(d->messages.items[i].bytes);
	free(d->threads);
	norn_vector_done(&d->messages);
	free(d->clock);
	free(d->stack);
	free(d);
}

static int reserve(struct norn_delivery *d, uint32_t thread)
{
	if (thread >= NORN_LIVE_THREADS)
		return -EOVERFLOW;
	if (thread < d->count)
		return 0;
	uint32_t count = d->count ? d->count : 8;
	while (count <= thread)
		count *= 2;
	d->threads = norn_must_realloc(d->threads, count, sizeof *d->threads);
	d->clock = norn_must_realloc(d->clock, count, sizeof *d->clock);
	d->stack = norn_must_realloc(d->stack, count, sizeof *d->stack);
	memset(d->clock + d->count, 0, (count - d->count) * sizeof *d->clock);
	for (uint32_t t = d->count; t < count; t++)
		d->threads[t] = (struct delivery_thread){.end = UINT64_MAX};
	d->count = count;
	return 0;
}

/* ---- messages ---- */

/* What a message of this length takes while it waits, allocated. */
static uint64_t waiting_bytes(uint64_t length)
{
	return length + sizeof(struct held_message) + WAITING_MORE;
}

static int hold_message(struct norn_delivery *d, struct norn_wire_text payload, uint32_t *ret_message)
{
	if (d->counts.waiting_bytes + waiting_bytes(payload.length) > d->room)
		return -ENOBUFS;
	if (!d->free_messages) {
		norn_must_add(&d->messages);
		d->free_messages = d->messages.count;
	}
	struct held_message *message = &d->messages.items[d->free_messages - 1];
	message->bytes = norn_must_copy(payload.bytes, payload.length, 1);
	message->length = payload.length;
	*ret_message = d->free_messages - 1;
	d->free_messages = message->next;
	d->counts.waiting++;
	d->counts.waiting_bytes += waiting_bytes(payload.length);
	return 0;
}

static void drop_message(struct norn_delivery *d, uint32_t at)
{
	struct held_message *message = &d->messages.items[at];
	assert(d->counts.waiting && d->counts.waiting_bytes >= waiting_bytes(message->length) && message->bytes);
	d->counts.waiting--;
	d->counts.waiting_bytes -= waiting_bytes(message->length);
	free(message->bytes);
	message->bytes = NULL;
	message->next = d->free_messages;
	d->free_messages = at + 1;
}

static int put_aside(struct norn_delivery *d, struct delivery_thread *t, struct norn_wire_text payload, uint32_t number)
{
	uint32_t message;
	int r = hold_message(d, payload, &message);
	if (r != 0)
		return r;
	norn_priority_queue_push(&t->waiting, number, message);
	return 0;
}

/* ---- what can be delivered ---- */

/* Is the clock all zero, as it is between events? */
static __attribute__((unused)) bool is_clear(const struct norn_delivery *d)
{
	for (uint32_t t = 0; t < d->count; t++)
		if (d->clock[t])
			return false;
	return true;
}

/* The event's clock into d->clock. 1 if all its causes were delivered, 0 if not: then its thread is blocked. -errno. */
static int take_clock(struct norn_delivery *d, const struct norn_wire_event *e)
{
	struct norn_wire_text rest = e->clock_bytes;
	struct norn_wire_clock entry = {0, 0};
	uint32_t own = e->event.thread;
	assert(is_clear(d));
	d->width = 0;
	while (norn_wire_next_clock(&rest, &entry)) {
		int r = reserve(d, entry.thread);
		if (r != 0)
			return r;
		d->clock[entry.thread] = entry.count;
		d->width = entry.thread + 1;
	}
	for (uint32_t j = 0; j < d->width; j++)
		if (j != own && d->clock[j] > d->threads[j].delivered) {
			struct delivery_thread *t = &d->threads[own];
			t->blocked_on = j + 1;
			t->blocked_for = d->clock[j];
			t->next_blocked = d->threads[j].blocked;
			d->threads[j].blocked = own + 1;
			return 0;
		}
	return 1;
}

static void clear_clock(struct norn_delivery *d)
{
	memset(d->clock, 0, d->width * sizeof *d->clock);
}

/* Those that wait for this thread, and need no more of it than it has delivered, may go on. */
static void wake(struct norn_delivery *d, uint32_t thread)
{
	uint32_t *link = &d->threads[thread].blocked;
	while (*link) {
		struct delivery_thread *t = &d->threads[*link - 1];
		if (t->blocked_for > d->threads[thread].delivered) {
			link = &t->next_blocked;
			continue;
		}
		assert(t->blocked_on == thread + 1 &&
		        d->stack_count < d->count); /* it waits for one thread only: it is there once */
		d->stack[d->stack_count++] = *link - 1;
		*link = t->next_blocked;
		t->blocked_on = t->next_blocked = 0;
	}
}

/* 1 if it was delivered, 0 if it cannot be yet. */
static int try_event(struct norn_delivery *d, const struct norn_wire_event *e)
{
	uint32_t own = e->event.thread;
	if (!d->sink.ready(d->sink.context, own))
		return 0;
	int r = take_clock(d, e);
	if (r == 1) {
		assert(d->clock[own] == d->threads[own].delivered + 1); /* the next event of its thread */
		d->threads[own].delivered++;
		d->counts.delivered++;
		r = d->sink.event(d->sink.context, e, d->clock, d->width);
		r = r == 0 ? 1 : r;
	}
	clear_clock(d);
	return r;
}

static int tell_wait(struct norn_delivery *d, uint32_t thread)
{
	struct delivery_thread *t = &d->threads[thread];
	if (!t->joined || t->wait_at > t->delivered)
		return 0;
	uint32_t joined = t->joined - 1;
	t->joined = 0;
	return t->wait_at == t->delivered ? d->sink.wait(d->sink.context, thread, joined) : 0;
}

/* Delivers what waits of one thread, as far as it goes. */
static int go_on(struct norn_delivery *d, uint32_t thread)
{
	int r = 1;
	while (r == 1) {
		struct delivery_thread *t = &d->threads[thread];
		if (t->blocked_on || !t->waiting.count || t->waiting.items[0].key > t->delivered + 1ull)
			break;
		struct norn_priority_queue_entry top = t->waiting.items[0];
		if (top.key <= t->delivered) {
			d->counts.twice++;
		} else {
			struct held_message message = d->messages.items[top.item];
			struct norn_wire_event e;
			if (norn_wire_get_event((struct norn_wire_text){message.bytes, message.length}, &e) != 0)
				return -EBADMSG;
			r = try_event(d, &e);
			if (r != 1)
				break;
			wake(d, thread);
		}
		norn_priority_queue_pop(&d->threads[thread].waiting);
		drop_message(d, top.item);
	}
	if (r < 0)
		return r;
	r = tell_wait(d, thread);
	struct delivery_thread *t = &d->threads[thread];
	if (r == 0 && !t->ended && t->delivered >= t->end) {
		t->ended = true;
		r = d->sink.end(d->sink.context, thread);
	}
	return r;
}

static int go_on_all(struct norn_delivery *d, uint32_t thread)
{
	int r = go_on(d, thread);
	while (r == 0 && d->stack_count)
		r = go_on(d, d->stack[--d->stack_count]);
	return r;
}

/* ---- what comes ---- */

static uint32_t own_number(const struct norn_wire_event *e)
{
	struct norn_wire_text rest = e->clock_bytes;
	struct norn_wire_clock entry = {0, 0};
	while (norn_wire_next_clock(&rest, &entry) && entry.thread != e->event.thread)
		;
	return entry.count;
}

int norn_delivery_event(struct norn_delivery *d, struct norn_wire_text payload)
{
	struct norn_wire_event e;
	if (norn_wire_get_event(payload, &e) != 0)
		return -EBADMSG;
	uint32_t thread = e.event.thread, number = own_number(&e);
	int r = reserve(d, thread);
	if (r != 0)
		return r;
	struct delivery_thread *t = &d->threads[thread];
	t->seen = true;
	if (number <= t->delivered) {
		d->counts.twice++;
		return 0;
	}
	if (t->ended)
		return -EBADMSG;
	if (number > t->delivered + 1 || t->blocked_on || t->waiting.count)
		r = put_aside(d, t, payload, number);
	else {
		r = try_event(d, &e);
		if (r == 1) {
			wake(d, thread);
			r = 0;
		} else if (r == 0) {
			return put_aside(d, &d->threads[thread], payload, number);
		}
	}
	return r == 0 ? go_on_all(d, thread) : r;
}

int norn_delivery_lost(struct norn_delivery *d, const struct norn_wire_lost *lost)
{
	int r = reserve(d, lost->thread);
	if (r == 0) {
		d->threads[lost->thread].seen = true;
		d->counts.lost += lost->count;
	}
	return r;
}

int norn_delivery_end(struct norn_delivery *d, const struct norn_wire_end *end)
{
	int r = reserve(d, end->thread);
	if (r != 0)
		return r;
	struct delivery_thread *t = &d->threads[end->thread];
	t->seen = true;
	if (t->end != UINT64_MAX || end->count < t->delivered)
		return t->end == end->count ? 0 : -EBADMSG;
	t->end = end->count;
	return go_on_all(d, end->thread);
}

int norn_delivery_wait(struct norn_delivery *d, uint32_t thread, uint32_t joined, uint64_t count)
{
	int r = reserve(d, thread);
	if (r == 0)
		r = reserve(d, joined);
	if (r != 0)
		return r;
	struct delivery_thread *t = &d->threads[thread];
	if (count < t->delivered || (t->joined && count < t->wait_at))
		return 0;
	t->joined = joined + 1;
	t->wait_at = count;
	return tell_wait(d, thread);
}

int norn_delivery_retry(struct norn_delivery *d, uint32_t thread)
{
	return thread < d->count ? go_on_all(d, thread) : 0;
}

void norn_delivery_count(const struct norn_delivery *d, struct norn_delivery_counts *ret_counts)
{
	*ret_counts = d->counts;
	for (uint32_t t = 0; t < d->count; t++)
		ret_counts->unfinished += d->threads[t].seen && !d->threads[t].ended;
}
