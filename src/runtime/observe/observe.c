#include "runtime/observe/observe.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "causality/mvc_events.h"
#include "runtime/record/access.h"
#include "runtime/observe/observer_link.h"
#include "runtime/sys.h"
#include "trace/decode.h"
#include "trace/site.h"

#define THREADS (1u << 20) /* of the process; what more there are is not watched */
#define FRAMES 512u /* relevant functions on a stack; deeper ones, left by longjmp, leave no event */
#define WAIT_MS 30000u /* that the program waits for the observer in all, unless it says otherwise */
#define FLUSH_MS 5000u /* that it waits at its end, likewise */
#define STALE_NS 50000000u
#define FRAME_BYTES (NORN_WIRE_SMALL + NORN_WIRE_OVERHEAD) /* of a message about an event */

/* A thread, by number. All under the lock. */
struct observed_thread {
	uint64_t index; /* of its next event */
	uint64_t result; /* of the function that it leaves next */
	uint32_t made; /* relevant events */
	uint32_t lost_first, lost_count; /* of them, not yet said */
	uint32_t parent, ordinal, entered;
	bool has_result, begun, ended, end_told;
};

/* The state of a slot. An ENTER waits for its arguments, which are records of their own, until the thread's next record. */
struct slot_state {
	bool open;
	uint64_t since;
	struct norn_wire_event enter; /* event.args is args below, also while it is being filled */
	uint64_t args[NORN_DECODE_ARGS];
	uint32_t frame_count;
	struct {
		uint32_t depth, site;
	} frames[FRAMES]; /* relevant functions that it is in */
};

bool norn_observing;

static struct {
	_Atomic uint32_t lock; /* 0 free, 1 held, 2 held and waited for */
	_Atomic(void *) owner; /* the slot whose thread holds it; watch itself for threads without a slot */
	_Atomic uint32_t over; /* the observer is gone */
	_Atomic uint32_t modules; /* announced */
	_Atomic uint32_t unready; /* modules for which no READY was said */
	_Atomic uint32_t open_slots;
	bool recorded; /* a recorder is there, too: records stay in their buffers */
	bool told; /* READY was said at least once */
	uint64_t start; /* nanoseconds */

	/* Under the lock. */
	struct norn_slot *held_back; /* whose records wait for the first filter */
	struct norn_mvc *mvc;
	struct norn_filter *filter;
	struct norn_decode decode;
	struct observed_thread *threads;
	struct slot_state *slot_states; /* by slot */
	uint64_t seen, events, lost, late;
	uint32_t thread_count;
	uint32_t columns; /* of clocks, in order[] */
	uint32_t order[NORN_WIRE_CLOCK_MAX]; /* columns by ascending thread */
	struct norn_wire_clock clock[NORN_WIRE_CLOCK_MAX];
	struct norn_wire_event message;
	uint8_t bytes[NORN_RANGE_BYTES + 8];
	uint8_t frame[FRAME_BYTES];
	bool stuck[NORN_WIRE_LANES];
	unsigned waited, wait_limit, flush_limit; /* milliseconds */
	unsigned stall_limit; /* likewise: without progress for so long, the observer counts as stuck */
	bool broken; /* out of memory or of numbers: clocks mean nothing any more */
} watch;

/* ---- the lock ---- */

static void lock_as(void *owner)
{
	uint32_t free = 0;
	for (unsigned spins = 0; spins < 100; spins++) {
		free = 0;
		if (atomic_compare_exchange_strong(&watch.lock, &free, 1))
			goto locked;
		__builtin_ia32_pause();
	}
	while (atomic_exchange(&watch.lock, 2))
		norn_syscall(SYS_futex, (long)&watch.lock, FUTEX_WAIT_PRIVATE, 2, 0, 0, 0);
locked:
	atomic_store_explicit(&watch.owner, owner, memory_order_relaxed);
}

static bool try_lock_as(void *owner)
{
	uint32_t free = 0;
	if (!atomic_compare_exchange_strong(&watch.lock, &free, 1))
		return false;
	atomic_store_explicit(&watch.owner, owner, memory_order_relaxed);
	return true;
}

static void unlock(void)
{
	atomic_store_explicit(&watch.owner, NULL, memory_order_relaxed);
	if (atomic_exchange(&watch.lock, 0) == 2)
		norn_syscall(SYS_futex, (long)&watch.lock, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec - watch.start;
}

/* ---- sending ---- */

static unsigned lane_of(uint32_t thread)
{
	return thread % NORN_WIRE_LANES;
}

/* Waits for room, unless the observer has been found stuck or the program has waited enough. */
static bool push_patiently(unsigned lane, size_t bytes)
{
	if (norn_link_push(lane, watch.frame, bytes))
		return true;
	if (watch.stuck[lane] && !norn_link_half_empty(lane))
		return false;
	watch.stuck[lane] = false;
	uint64_t start = now_ns(), moved = start, now = start;
	unsigned waited = watch.waited;
	while (!norn_link_dead() && watch.waited < watch.wait_limit && now - moved < watch.stall_limit * UINT64_C(1000000)) {
		bool progress = norn_link_await_progress(watch.stall_limit / 20);
		now = now_ns();
		watch.waited = waited + (unsigned)((now - start) / 1000000);
		if (norn_link_push(lane, watch.frame, bytes))
			return true;
		if (progress)
			moved = now;
	}
	watch.stuck[lane] = true;
	return false;
}

static bool push(uint32_t thread, size_t bytes, bool patiently)
{
	if (!bytes)
		return false;
	if (patiently ? !push_patiently(lane_of(thread), bytes) : !norn_link_push(lane_of(thread), watch.frame, bytes))
		return false;
	norn_link_ring();
	return true;
}

static bool tell_lost(uint32_t number, struct observed_thread *t, bool patiently)
{
	const struct norn_wire_lost lost = {number, t->lost_first, t->lost_count};
	if (!t->lost_count)
		return true;
	if (!push(number, norn_wire_put_lost(watch.frame, sizeof watch.frame, &lost), patiently))
		return false;
	t->lost_count = 0;
	return true;
}

static void tell_thread(uint32_t number, const struct observed_thread *t, const char *name, size_t length)
{
	const struct norn_wire_thread m = {number, t->parent, t->ordinal, t->entered, {name, length}};
	push(number, norn_wire_put_thread(watch.frame, sizeof watch.frame, &m), true);
}

static void tell_end(uint32_t number, struct observed_thread *t)
{
	const struct norn_wire_end end = {number, t->made, t->entered};
	if (tell_lost(number, t, true))
		t->end_told = push(number, norn_wire_put_end(watch.frame, sizeof watch.frame, &end), true);
}

/* Columns of the clocks are in the order in which threads had their first relevant event; messages have them by number. */
static void sort_columns(void)
{
	uint32_t columns = norn_mvc_columns(watch.mvc);
	for (; watch.columns < columns && watch.columns < NORN_WIRE_CLOCK_MAX; watch.columns++) {
		uint32_t thread = norn_mvc_column_thread(watch.mvc, watch.columns), at = watch.columns;
		for (; at && norn_mvc_column_thread(watch.mvc, watch.order[at - 1]) > thread; at--)
			watch.order[at] = watch.order[at - 1];
		watch.order[at] = watch.columns;
	}
}

static void fill_clock(struct norn_wire_event *m)
{
	uint32_t width;
	sort_columns();
	const uint32_t *clock = norn_mvc_clock(watch.mvc, m->event.thread, &width);
	m->clock = watch.clock;
	m->entries = 0;
	for (uint32_t i = 0; i < watch.columns; i++) {
		uint32_t column = watch.order[i];
		if (column < width && clock[column])
			watch.clock[m->entries++] =
			        (struct norn_wire_clock){norn_mvc_column_thread(watch.mvc, column), clock[column]};
	}
}

static void count_lost(struct observed_thread *t, uint32_t own)
{
	if (!t->lost_count++)
		t->lost_first = own;
	watch.lost++;
}

/* The thread's clock is still that of the event, which was its own-th. */
static bool tell_event(struct norn_wire_event *m, uint32_t own, bool patiently)
{
	struct observed_thread *t = &watch.threads[m->event.thread];
	fill_clock(m);
	if (!tell_lost(m->event.thread, t, patiently) ||
	        !push(m->event.thread, norn_wire_put_event(watch.frame, sizeof watch.frame, m), patiently)) {
		if (patiently)
			count_lost(t, own);
		return false;
	}
	return true;
}

/* ---- what a read read: its value is what the shadow holds, since no other thread can have written through a hook meanwhile
 * ---- */

static void copy_shadow(struct norn_slot *self, uint64_t from, uint64_t bytes)
{
	for (uint64_t done = 0; done < bytes;) {
		uint64_t at = from + done, part = 8 - (at & 7) < bytes - done ? 8 - (at & 7) : bytes - done;
		const struct norn_cell *cell = norn_cell_claim(self, (const void *)at);
		if (cell)
			memcpy(watch.bytes + done, (const char *)&cell->value + (at & 7), part);
		else
			memset(watch.bytes + done, 0, part);
		done += part;
	}
}

/* The present place of the bytes of a copy's first half; its second half follows it. */
static uint64_t source_of(const struct norn_event *e, const uint64_t *next, const uint64_t *end)
{
	if (e->op == NORN_RANGE_COPY_FROM && next < end && norn_record_tag(*next) == NORN_TAG_RANGE &&
	        norn_record_sub(*next) == NORN_RANGE_COPY_TO)
		return norn_record_addr(*next);
	return e->addr;
}

static void fill_value(struct norn_slot *self, struct norn_event *e, const uint64_t *next, const uint64_t *end)
{
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	if (!access || (e->known && (e->size <= 8 || e->data)))
		return;
	copy_shadow(self, source_of(e, next, end), e->size);
	e->known = true;
	e->value = norn_decode_value(watch.bytes, e->size);
	e->data = e->size > 8 ? watch.bytes : NULL;
}

/* ---- functions ---- */

static struct slot_state *slot_state_of(const struct norn_slot *self)
{
	return &watch.slot_states[self - norn_session->slot];
}

static bool close_slot(struct slot_state *slot_state, bool patiently)
{
	if (!slot_state->open)
		return true;
	if (!tell_event(&slot_state->enter, watch.threads[slot_state->enter.event.thread].made, patiently) && !patiently)
		return false;
	slot_state->open = false;
	atomic_fetch_sub(&watch.open_slots, 1);
	return true;
}

static void open_slot(struct slot_state *slot_state, const struct norn_wire_event *m)
{
	slot_state->enter = *m;
	slot_state->enter.event.args = slot_state->args;
	slot_state->since = m->event.time;
	slot_state->open = true;
	atomic_fetch_add(&watch.open_slots, 1);
}

static void take_argument(struct slot_state *slot_state, const uint64_t *r)
{
	unsigned index = norn_record_sub(r[0]);
	struct norn_event *e = &slot_state->enter.event;
	if (!slot_state->open || index >= NORN_DECODE_ARGS)
		return;
	for (; e->count < index; e->count++)
		slot_state->args[e->count] = 0;
	slot_state->args[index] = r[1];
	e->argument |= UINT64_C(1) << index;
	if (e->count <= index)
		e->count = index + 1;
}

static void enter_frame(struct slot_state *slot_state, uint32_t depth, uint32_t site)
{
	if (slot_state->frame_count < FRAMES) {
		slot_state->frames[slot_state->frame_count].depth = depth;
		slot_state->frames[slot_state->frame_count].site = site;
		slot_state->frame_count++;
	}
}

/* True if the function left is one that was relevant when it was entered; one left by longjmp does not say which it is. */
static bool leave_frame(struct slot_state *slot_state, uint32_t depth, struct norn_event *e)
{
	while (slot_state->frame_count && slot_state->frames[slot_state->frame_count - 1].depth > depth)
		slot_state->frame_count--;
	if (!slot_state->frame_count || slot_state->frames[slot_state->frame_count - 1].depth != depth)
		return false;
	slot_state->frame_count--;
	if (!e->site)
		e->site = slot_state->frames[slot_state->frame_count].site;
	return true;
}

/* ---- taking note ---- */

static uint64_t unrecorded(void)
{
	uint64_t lost = atomic_load(&norn_session->lost_events) + atomic_load(&norn_session->lost_threads);
	for (uint32_t i = 0; i < atomic_load(&norn_session->used_slots); i++)
		lost += norn_session->slot[i].lost;
	return lost + watch.broken;
}

/* Children that were forked, and are not observed; shared with them. NULL: no memory. */
static _Atomic uint32_t *forked;

static void say_goodbye(int status)
{
	struct norn_link_message *letter = norn_link_message_new(128);
	const struct norn_wire_bye bye = {watch.events, watch.lost, watch.seen, watch.late, unrecorded(), watch.thread_count,
	        status, forked ? atomic_load(forked) : 0};
	if (!letter)
		return;
	letter->length = norn_wire_put_bye(letter->frame, 128, &bye);
	norn_link_message_post(letter);
}

/* Clocks mean nothing any more, or there are more threads in them than a message can tell: from here on nothing is known. */
static void break_off(void)
{
	if (watch.broken)
		return;
	watch.broken = true;
	atomic_store(&watch.over, 1);
	say_goodbye(-1);
}

/* An event of self's thread: its place in the clocks, and its message. */
static void note_event(struct norn_slot *self, struct norn_event *e, const uint64_t *next, const uint64_t *end)
{
	struct observed_thread *t = &watch.threads[e->thread];
	struct slot_state *slot_state = slot_state_of(self);
	uint32_t depth = self->depth + 1; /* hooks count a frame after its ENTER, and no longer before its LEAVE */
	bool relevant = watch.filter && norn_filter_wants(watch.filter, e);
	if (e->kind == NORN_EVENT_LEAVE)
		relevant |= leave_frame(slot_state, depth, e);
	if (e->kind == NORN_EVENT_ENTER && relevant)
		enter_frame(slot_state, depth, e->site);
	watch.seen++;
	if (watch.broken)
		return;
	if (norn_mvc_follow(watch.mvc, e, relevant) < 0 || norn_mvc_columns(watch.mvc) > NORN_WIRE_CLOCK_MAX) {
		break_off();
		return;
	}
	if (!relevant)
		return;
	fill_value(self, e, next, end);
	struct norn_wire_event *m = &watch.message;
	t->made++;
	e->time = now_ns();
	m->event = *e;
	m->number = ++watch.events;
	m->depth = e->kind == NORN_EVENT_ENTER || e->kind == NORN_EVENT_LEAVE ? depth : 0;
	m->name = (struct norn_wire_text){0};
	if (e->kind == NORN_EVENT_MARK)
		m->name.bytes = norn_name_text((uint32_t)e->argument, &m->name.length);
	if (e->kind == NORN_EVENT_ENTER)
		open_slot(slot_state, m);
	else
		tell_event(m, t->made, true);
}

static void thread_begins(struct norn_slot *self, struct observed_thread *t)
{
	struct slot_state *slot_state = slot_state_of(self);
	slot_state->frame_count = 0;
	*t = (struct observed_thread){.begun = true, .parent = self->parent, .ordinal = self->ordinal};
	if (self->thread >= watch.thread_count)
		watch.thread_count = self->thread + 1;
	tell_thread(self->thread, t, NULL, 0);
}

static void note_decoded(struct norn_slot *self, struct norn_event *e, const uint64_t *next, const uint64_t *end)
{
	struct observed_thread *t = &watch.threads[self->thread];
	bool of_thread = e->kind == NORN_EVENT_THREAD;
	if (of_thread && e->op == NORN_THREAD_BEGIN)
		thread_begins(self, t);
	if (e->kind == NORN_EVENT_ENTER && !t->entered) {
		t->entered = e->site;
		tell_thread(self->thread, t, NULL, 0);
	}
	e->index = t->index++;
	note_event(self, e, next, end);
	if (of_thread && e->op == NORN_THREAD_END) {
		t->ended = true;
		tell_end(self->thread, t);
	}
}

/* Loads and stores are what there is most of: the same as the decoder makes of them. */
static void note_access(struct norn_slot *self, const uint64_t *r, unsigned units, const uint64_t *end)
{
	bool write = norn_record_tag(r[0]) == NORN_TAG_WRITE;
	struct norn_event e = {
	        .kind = write ? NORN_EVENT_WRITE : NORN_EVENT_READ,
	        .known = write,
	        .thread = self->thread,
	        .site = (uint32_t)r[1],
	        .addr = norn_record_addr(r[0]),
	        .size = UINT64_C(1) << norn_record_sub(r[0]),
	        .value = write ? r[2] : 0,
	        .index = watch.threads[self->thread].index++,
	};
	close_slot(slot_state_of(self), true);
	note_event(self, &e, r + units, end);
}

static void note_record(struct norn_slot *self, const uint64_t *r, unsigned units, const uint64_t *end)
{
	struct observed_thread *t = &watch.threads[self->thread];
	struct norn_decode *d = &watch.decode;
	struct norn_event e;
	unsigned tag = norn_record_tag(r[0]);
	if (tag == NORN_TAG_TIME)
		return;
	if (tag == NORN_TAG_VALUE && norn_record_sub(r[0]) != NORN_VALUE_RESULT) {
		take_argument(slot_state_of(self), r);
		return;
	}
	close_slot(slot_state_of(self), true);
	d->thread = self->thread;
	d->has_result = t->has_result;
	d->result = t->result;
	int found = norn_decode_record(d, r, units, &e);
	t->has_result = d->has_result;
	t->result = d->result;
	if (found == 1)
		note_decoded(self, &e, r + units, end);
}

/* All records of self that were not taken note of. */
static void take_note(struct norn_slot *self)
{
	const uint64_t *end = self->pos, *r = self->base + self->seen;
	unsigned units;
	if (watch.held_back == self)
		watch.held_back = NULL;
	bool ignored = atomic_load_explicit(&watch.over, memory_order_relaxed) || self->thread >= THREADS;
	for (; r < end && !ignored; r += units) {
		unsigned tag = norn_record_tag(r[0]);
		bool access = (tag == NORN_TAG_READ || tag == NORN_TAG_WRITE) && !norn_record_spans(r[0]);
		units = access ? tag + 1 /* 2 and 3 */ : norn_record_units(r, (unsigned)(end - r));
		if (access)
			note_access(self, r, units, end);
		else if (units)
			note_record(self, r, units, end);
		else
			break;
	}
	if (!watch.recorded)
		self->pos = self->base;
	self->seen = (uint32_t)(self->pos - self->base);
}

/* ---- hooks ---- */

/* Modules have come since the last READY: the observer must know them before what they do can be relevant. */
static void announce(void)
{
	struct norn_link_message *letter = norn_link_message_new(64);
	const struct norn_wire_ready ready = {atomic_load(&watch.modules)};
	atomic_store(&watch.unready, 0);
	watch.told = true;
	if (letter) {
		letter->length = norn_wire_put_ready(letter->frame, 64, &ready);
		norn_link_message_post(letter);
	}
	if (!letter || !norn_link_await_filter(ready.modules))
		watch.late++;
}

static void adopt_filter(void)
{
	struct norn_filter *filter = norn_link_filter();
	if (!filter)
		return;
	norn_filter_free(watch.filter);
	watch.filter = filter;
}

bool norn_observe_enter(struct norn_slot *self)
{
	if (atomic_load_explicit(&watch.owner, memory_order_relaxed) == self) {
		take_note(self);
		return true;
	}
	if (atomic_load_explicit(&watch.over, memory_order_relaxed))
		return false;
	lock_as(self);
	self->pending.observer = 1;
	if (norn_link_dead())
		atomic_store(&watch.over, 1);
	if (__builtin_expect(atomic_load_explicit(&watch.unready, memory_order_relaxed), 0))
		announce();
	adopt_filter();
	if (watch.held_back)
		take_note(watch.held_back);
	return true;
}

void norn_observe_leave(struct norn_slot *self)
{
	if (!self->pending.observer)
		return;
	/* Nothing is relevant yet: what the first thread does before there are modules waits for the filter. */
	if (!watch.told && self->pos < self->base + NORN_SHORT_UNITS / 2)
		watch.held_back = self;
	else
		take_note(self);
	self->pending.observer = 0;
	unlock();
}

void norn_observe_tick(void)
{
	if (!atomic_load(&watch.open_slots) || !try_lock_as(&watch))
		return;
	uint64_t now = now_ns();
	for (uint32_t i = 0; i < atomic_load(&norn_session->used_slots); i++)
		if (watch.slot_states[i].open && now - watch.slot_states[i].since > STALE_NS)
			close_slot(&watch.slot_states[i], false);
	unlock();
}

/* ---- modules and names ---- */

void norn_observe_module(uint32_t base, uintptr_t load, const char *path, const struct norn_site_table *table, size_t table_bytes)
{
	const struct norn_wire_module m = {base, load, {path, strlen(path)}, {(const char *)table, table_bytes}};
	size_t room = NORN_WIRE_OVERHEAD + 64 + m.path.length + table_bytes;
	struct norn_link_message *letter = norn_link_message_new(room);
	if (letter && (letter->length = norn_wire_put_module(letter->frame, room, &m))) {
		norn_link_message_post(letter);
		atomic_fetch_add(&watch.modules, 1);
		atomic_store(&watch.unready, 1);
	} else if (letter) {
		norn_sys_unmap(letter, letter->bytes);
	}
}

void norn_observe_name(struct norn_slot *self, const char *name, size_t length)
{
	if (!norn_room(self, NORN_ROOM) || atomic_load(&watch.over) || self->thread >= THREADS)
		return;
	take_note(self);
	tell_thread(self->thread, &watch.threads[self->thread], name, length);
}

void norn_observe_wait(uint32_t joined)
{
	struct norn_slot *self = norn_busy();
	/* A thread that joins itself does not wait: the call fails. */
	if (self && joined != NORN_NO_THREAD && joined != self->thread && self->thread < THREADS && norn_observe_enter(self) &&
	        watch.told) {
		take_note(self);
		close_slot(slot_state_of(self), true);
		const struct norn_wire_wait m = {self->thread, joined, watch.threads[self->thread].made};
		push(self->thread, norn_wire_put_wait(watch.frame, sizeof watch.frame, &m), false);
	}
	norn_idle(self);
}

/* ---- the end ---- */

/* Waiting for room now is part of the final flush; an observer that is stuck is given up at once. */
static void end_threads(void)
{
	watch.wait_limit = watch.waited + watch.flush_limit;
	memset(watch.stuck, 0, sizeof watch.stuck);
	for (uint32_t i = 0; i < atomic_load(&norn_session->used_slots); i++)
		close_slot(&watch.slot_states[i], true);
	for (uint32_t i = 0; i < watch.thread_count; i++) {
		if (!watch.threads[i].begun || watch.threads[i].end_told)
			continue;
		tell_end(i, &watch.threads[i]);
		if (!watch.threads[i].end_told)
			return;
	}
}

static void leave_observer(int status)
{
	if (atomic_exchange(&watch.over, 1))
		return;
	end_threads();
	say_goodbye(status);
	norn_link_drain(watch.stall_limit, watch.flush_limit);
}

/* The last thread of a process whose main thread has ended comes here when it is no longer recorded. */
static void exit_unrecorded(int status)
{
	if (norn_link_dead() || atomic_load(&watch.over))
		return;
	lock_as(&watch);
	leave_observer(status);
	unlock();
}

void norn_observe_exit(int status)
{
	struct norn_slot *self = norn_busy();
	if (!self) {
		exit_unrecorded(status);
		return;
	}
	if (norn_observe_enter(self)) {
		take_note(self);
		leave_observer(status);
	}
	norn_idle(self);
}

void norn_observe_flush(void)
{
	if (!atomic_load(&watch.over))
		norn_link_drain(watch.stall_limit, watch.flush_limit);
}

static void count_children(void)
{
	long at = norn_syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (at > 0)
		forked = (_Atomic uint32_t *)at;
}

void norn_observe_fork_child(void)
{
	if (forked && norn_observing)
		norn_child_counts(forked);
	norn_observing = false;
	atomic_store(&watch.over, 1);
	atomic_store(&watch.lock, 0);
	atomic_store(&watch.owner, NULL);
	norn_link_forget();
}

/* ---- the beginning ---- */

/* The value of name=value among the options, which commas separate, in to; false if it is not there or does not fit. */
static bool find_option(const char *options, const char *name, char *to, size_t room)
{
	size_t length = strlen(name);
	for (const char *at = options; at && *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
		size_t whole = strcspn(at, ",");
		if (whole <= length || strncmp(at, name, length) != 0 || at[length] != '=' || whole - length - 1 >= room)
			continue;
		memcpy(to, at + length + 1, whole - length - 1);
		to[whole - length - 1] = 0;
		return true;
	}
	return false;
}

static unsigned find_limit(const char *options, const char *name, unsigned otherwise)
{
	char number[16];
	return find_option(options, name, number, sizeof number) ? (unsigned)strtoul(number, NULL, 10) : otherwise;
}

static bool make_memory(void)
{
	watch.threads = norn_sys_memory(THREADS * sizeof *watch.threads);
	watch.slot_states = norn_sys_memory(NORN_SLOTS * sizeof *watch.slot_states);
	return watch.threads && watch.slot_states && norn_mvc_new(NORN_CAUSALITY_MVC, &watch.mvc) == 0;
}

/* There is no observer: the program may need what was taken, if it has a limit. */
static void give_memory_back(void)
{
	if (watch.threads)
		norn_sys_unmap(watch.threads, THREADS * sizeof *watch.threads);
	if (watch.slot_states)
		norn_sys_unmap(watch.slot_states, NORN_SLOTS * sizeof *watch.slot_states);
	norn_mvc_free(watch.mvc);
	watch.threads = NULL;
	watch.slot_states = NULL;
	watch.mvc = NULL;
}

static bool complain(const char *where, const char *why)
{
	char sentence[1024];
	int length = snprintf(sentence, sizeof sentence, "norn: %s: %s; the program runs unwatched\n", where, why);
	norn_syscall(SYS_write, STDERR_FILENO, (long)sentence, length < 1024 ? length : 1023, 0, 0, 0);
	return false;
}

bool norn_observe_start(bool recorded)
{
	static char token[NORN_WIRE_TOKEN + 2];
	char where[512], why[512];
	const char *options = secure_getenv("NORN_OPTIONS"), *given = secure_getenv("NORN_TOKEN");
	if (!options || !find_option(options, "observer", where, sizeof where))
		return false;
	if (!find_option(options, "token", token, sizeof token))
		snprintf(token, sizeof token, "%s", given ? given : "");
	watch.wait_limit = find_limit(options, "wait", WAIT_MS);
	watch.flush_limit = find_limit(options, "flush", FLUSH_MS);
	unsigned patience = find_limit(options, "patience", NORN_WIRE_PATIENCE);
	watch.stall_limit = patience / 2;
	if (!make_memory()) {
		give_memory_back();
		return complain(where, "there is not enough memory");
	}
	watch.recorded = recorded;
	watch.start = now_ns();
	if (norn_link_open(where, token, patience, why, sizeof why) < 0) {
		give_memory_back();
		return complain(where, why);
	}
	norn_shadow_share();
	count_children();
	norn_observing = true;
	return true;
}
