#include "base/bisect.h"
#include "witness/mvc_witness.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "witness/access_labels.h"
#include "trace/record.h"

#define MISSING UINT32_MAX /* above all places */
#define OBJECT_BYTES 4u /* an object of synchronization is its first bytes */
#define JOBS 8u /* address of what stands for all jobs; nothing else lies there */
#define UNKNOWN_MAX 16 /* bits of a letter that are tried */
#define STATES_MAX 65536u

struct mvc_place {
	uint64_t number;
	uint32_t place; /* in the sequence, from 1 */
};

struct mvc_barrier_round {
	uint32_t size, arrived; /* size 0: not known */
	uint32_t full; /* label when the last round became full */
};

enum fault { FAULT_NONE, FAULT_TWICE, FAULT_IRRELEVANT, FAULT_ORDER, FAULT_MISSING };

struct norn_witness {
	struct mvc_place *places; /* by number */
	uint32_t count, met;
	uint64_t number; /* of the last event that was shown */
	uint64_t relevant; /* events that were */
	struct norn_map threads; /* number to the label of its last event */
	struct norn_access_labels labels;
	struct norn_map barriers;
	uint32_t everything; /* the largest label so far */
	uint32_t floor; /* of a fence: no event after it has less */
	enum fault fault; /* the first, and where */
	struct mvc_place at;
	uint32_t label;
};

static int by_number(const void *a, const void *b)
{
	const struct mvc_place *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->place < y->place ? -1 : x->place > y->place;
}

static void set_fault(struct norn_witness *w, enum fault fault, struct mvc_place at, uint32_t label)
{
	if (w->fault == FAULT_NONE) {
		w->fault = fault;
		w->at = at;
		w->label = label;
	}
}

struct norn_witness *norn_witness_new(const uint64_t *numbers, uint32_t count)
{
	struct norn_witness *w = norn_must_calloc(1, sizeof *w);
	w->places = norn_must_calloc((size_t)count + 1, sizeof *w->places);
	w->count = count;
	for (uint32_t i = 0; i < count; i++)
		w->places[i] = (struct mvc_place){numbers[i], i + 1};
	qsort(w->places, count, sizeof *w->places, by_number);
	for (uint32_t i = 1; i < count; i++)
		if (w->places[i].number == w->places[i - 1].number)
			set_fault(w, FAULT_TWICE, w->places[i], 0);
	norn_map_init(&w->threads, sizeof(uint32_t));
	norn_map_init(&w->barriers, sizeof(struct mvc_barrier_round));
	norn_access_labels_init(&w->labels);
	return w;
}

void norn_witness_free(struct norn_witness *witness)
{
	if (!witness)
		return;
	norn_map_done(&witness->threads);
	norn_map_done(&witness->barriers);
	norn_access_labels_done(&witness->labels);
	free(witness->places);
	free(witness);
}

/* ---- What an event touches ---- */

enum effect { NOTHING, READS, WRITES, FORKS, JOINS, AFTER_ALL, FENCE, BARRIER_BEGINS, ARRIVES, LEAVES };

struct mvc_touch {
	enum effect effect;
	uint64_t address, size; /* FORKS, JOINS: address is the thread */
};

static struct mvc_touch sync_touch(const struct norn_event *e)
{
	bool barrier = e->op == NORN_SYNC_BARRIER_INIT ||
	               ((e->op == NORN_SYNC_CREATE || e->op == NORN_SYNC_DESTROY) && e->argument == NORN_LOCK_BARRIER);
	struct mvc_touch touch = {WRITES, e->addr, OBJECT_BYTES};
	if (barrier)
		touch.effect = BARRIER_BEGINS;
	else if (e->op == NORN_SYNC_BARRIER_ARRIVE)
		touch.effect = ARRIVES;
	else if (e->op == NORN_SYNC_BARRIER_LEAVE)
		touch.effect = LEAVES;
	/* All that passes through the kernel may depend on all that passed before; a look at a resource changes nothing. */
	else if (e->op == NORN_SYNC_SEND || e->op == NORN_SYNC_RECEIVE)
		touch.effect = e->op == NORN_SYNC_RECEIVE && e->argument == NORN_RECEIVE_LOOKED ? READS : WRITES;
	/* Events that only look, or share: others of that kind may come before or after. A reader that was in the way of a failed
	 * try for a readers-writer lock shares, too; so that try counts as a write. */
	else if (e->op == NORN_SYNC_ACQUIRE_SHARED || e->op == NORN_SYNC_RELEASE_SHARED || e->op == NORN_SYNC_SEM_TRY_FAILED ||
	         e->op == NORN_SYNC_ONCE_PASS || (e->op == NORN_SYNC_TRY_FAILED && e->argument != NORN_LOCK_RWLOCK))
		touch.effect = READS;
	return touch;
}

static struct mvc_touch thread_touch(const struct norn_event *e)
{
	struct mvc_touch touch = {NOTHING, e->value, 0};
	if (e->op == NORN_THREAD_FORK)
		touch.effect = FORKS;
	else if (e->op == NORN_THREAD_JOIN)
		touch.effect = JOINS;
	else if (e->op == NORN_THREAD_EXIT || e->op == NORN_THREAD_SIGNAL ||
	         (e->op == NORN_THREAD_BEGIN && e->argument == NORN_NO_THREAD && e->thread != 0))
		touch.effect = AFTER_ALL;
	/* A return from unseen code comes after all earlier events; a job of a known library comes after the submissions before
	 * it. */
	if (e->op == NORN_THREAD_BACK && e->argument != NORN_BACK_JOB)
		touch.effect = AFTER_ALL;
	else if (e->op == NORN_THREAD_BACK || (e->op == NORN_THREAD_CALL && e->argument == NORN_CALL_SUBMITS))
		touch = (struct mvc_touch){e->op == NORN_THREAD_BACK ? READS : WRITES, JOBS, OBJECT_BYTES};
	return touch;
}

static struct mvc_touch touch_of(const struct norn_event *e)
{
	switch (e->kind) {
	case NORN_EVENT_READ:
		return (struct mvc_touch){READS, e->addr, e->size};
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_FREE:
		return (struct mvc_touch){WRITES, e->addr, e->size};
	case NORN_EVENT_EXTERNAL: /* of any byte of the word */
		return (struct mvc_touch){WRITES, e->addr - e->addr % 8, 8};
	case NORN_EVENT_SYNC:
		return sync_touch(e);
	case NORN_EVENT_THREAD:
		return thread_touch(e);
	case NORN_EVENT_LOST:
		return (struct mvc_touch){FENCE, 0, 0};
	default:
		return (struct mvc_touch){NOTHING, 0, 0};
	}
}

/* ---- Labels ---- */

static uint32_t larger(uint32_t a, uint32_t b)
{
	return a > b ? a : b;
}

static uint32_t thread_label(const struct norn_witness *w, uint64_t thread)
{
	const uint32_t *label = norn_map_get(&w->threads, thread);
	return label ? *label : 0;
}

static void raise_thread(struct norn_witness *w, uint64_t thread, uint32_t label)
{
	uint32_t *last = norn_must_map_put(&w->threads, thread);
	*last = larger(*last, label);
}

/* The largest label of a direct predecessor. */
static uint32_t meet(const struct norn_witness *w, const struct norn_event *event, struct mvc_touch touch)
{
	uint32_t label = larger(w->floor, thread_label(w, event->thread));
	const struct mvc_barrier_round *barrier;
	switch (touch.effect) {
	case NOTHING:
	case FORKS:
		return label;
	case READS:
	case WRITES:
		return larger(label, norn_access_labels_meet(&w->labels, touch.address, touch.size, touch.effect == WRITES));
	case BARRIER_BEGINS:
	case ARRIVES:
		return larger(label, norn_access_labels_meet(&w->labels, touch.address, OBJECT_BYTES, true));
	case LEAVES: /* after the arrivals that made its round full, but not after those for the next one */
		barrier = norn_map_get(&w->barriers, touch.address);
		return barrier ? larger(label, barrier->full) : label;
	case JOINS:
		return larger(label, thread_label(w, touch.address));
	case AFTER_ALL:
	case FENCE:
		break;
	}
	return w->everything;
}

static void touch_barrier(struct norn_witness *w, struct mvc_touch touch, uint64_t size, uint32_t label)
{
	struct mvc_barrier_round *barrier = norn_must_map_put(&w->barriers, touch.address);
	if (touch.effect == BARRIER_BEGINS)
		*barrier = (struct mvc_barrier_round){(uint32_t)size, 0, label};
	else if (++barrier->arrived >= barrier->size) {
		barrier->arrived = 0;
		barrier->full = label;
	}
}

/* The event's label passes on to what it touches. */
static void leave(struct norn_witness *w, const struct norn_event *event, struct mvc_touch touch, uint32_t label)
{
	w->everything = larger(w->everything, label);
	raise_thread(w, event->thread, label);
	switch (touch.effect) {
	case READS:
	case WRITES:
		norn_access_labels_leave(&w->labels, touch.address, touch.size, touch.effect == WRITES, label);
		break;
	case BARRIER_BEGINS:
	case ARRIVES:
		touch_barrier(w, touch, event->op == NORN_SYNC_BARRIER_INIT ? event->argument : 0, label);
		norn_access_labels_leave(&w->labels, touch.address, OBJECT_BYTES, true, label);
		break;
	case LEAVES: /* the destruction of the barrier comes after this */
		norn_access_labels_leave(&w->labels, touch.address, OBJECT_BYTES, false, label);
		break;
	case FORKS:
		raise_thread(w, touch.address, label);
		break;
	case FENCE:
		w->floor = label;
		break;
	case NOTHING:
	case JOINS:
	case AFTER_ALL:
		break;
	}
}

static const struct mvc_place *place_of(const struct norn_witness *w, uint64_t number)
{
	uint32_t low = NORN_BISECT(0, w->count, i, w->places[i].number < number);
	return low < w->count && w->places[low].number == number ? &w->places[low] : NULL;
}

/* The objects that the event touches, and the largest label of the events that come before it. */
static uint32_t meet_event(const struct norn_witness *w, const struct norn_event *event, struct mvc_touch *ret_touch)
{
	*ret_touch = touch_of(event);
	bool broken_free = event->kind == NORN_EVENT_FREE && event->pieces == 1;
	if (broken_free)
		ret_touch->size = event->count * UINT64_C(8) - event->addr % 8;
	uint32_t label = meet(w, event, *ret_touch);
	if (broken_free && event->size > NORN_RANGE_BYTES)
		label = larger(label,
		        norn_access_labels_meet(&w->labels, event->addr + NORN_RANGE_BYTES, event->size - NORN_RANGE_BYTES, true));
	return label;
}

static void leave_event(struct norn_witness *w, const struct norn_event *event, struct mvc_touch touch, uint32_t label)
{
	leave(w, event, touch, label);
	/* A free in pieces: the first has the bytes that it got to, and all beyond those with versions. */
	if (event->kind == NORN_EVENT_FREE && event->pieces == 1 && event->size > NORN_RANGE_BYTES)
		norn_access_labels_leave(&w->labels, event->addr + NORN_RANGE_BYTES, event->size - NORN_RANGE_BYTES, true, label);
}

void norn_witness_event(struct norn_witness *w, const struct norn_event *event, bool relevant)
{
	struct mvc_touch touch;
	const struct mvc_place *place = place_of(w, ++w->number);
	uint32_t label = meet_event(w, event, &touch);
	w->relevant += relevant;
	if (place) {
		w->met++;
		if (!relevant)
			set_fault(w, FAULT_IRRELEVANT, *place, 0);
		if (label >= place->place)
			set_fault(w, label == MISSING ? FAULT_MISSING : FAULT_ORDER, *place, label);
		label = larger(label, place->place);
	} else if (relevant) {
		label = MISSING;
	}
	leave_event(w, event, touch, label);
}

void norn_witness_part(struct norn_witness *w, const struct norn_event *event, uint32_t part)
{
	struct mvc_touch touch;
	uint32_t label = meet_event(w, event, &touch);
	w->number++;
	if (label > part)
		set_fault(w, FAULT_ORDER, (struct mvc_place){w->number, part}, label);
	leave_event(w, event, touch, larger(label, part));
}

uint32_t norn_witness_step(const struct norn_witness *w, uint64_t number)
{
	const struct mvc_place *place = place_of(w, number);
	return place ? place->place : 0;
}

int norn_witness_check_order(struct norn_witness *w, bool ended, struct norn_error *err)
{
	switch (w->fault) {
	case FAULT_TWICE:
		return norn_error_set(err, -EINVAL, "event %" PRIu64 " is there twice", w->at.number);
	case FAULT_IRRELEVANT:
		return norn_error_set(err, -EINVAL, "event %" PRIu64 " is not relevant", w->at.number);
	case FAULT_ORDER:
		return norn_error_set(err, -EINVAL,
		        w->count ? "step %" PRIu32 ", event %" PRIu64 ", must come after step %" PRIu32
		                 : "part %" PRIu32 " has event %" PRIu64 ", which must come after one of part %" PRIu32,
		        w->at.place, w->at.number, w->label);
	case FAULT_MISSING:
		return norn_error_set(err, -EINVAL, "step %" PRIu32 ", event %" PRIu64 ", must come after an event that is missing",
		        w->at.place, w->at.number);
	case FAULT_NONE:
		break;
	}
	if (w->met < w->count)
		return norn_error_set(
		        err, -EINVAL, "%" PRIu32 " of %" PRIu32 " events were not in the run", w->count - w->met, w->count);
	if (ended && w->relevant > w->count)
		return norn_error_set(err, -EINVAL, "%" PRIu64 " events of the run are missing at its end", w->relevant - w->count);
	return 0;
}

/* ---- The verdict ---- */

/* All states that a monitor may have come to, without those that have violated; doubles do no harm. */
struct mvc_way {
	uint64_t state, last; /* last: letter of the last position */
};
struct mvc_ways NORN_VECTOR_OF(struct mvc_way);

static void add_way(struct mvc_ways *ways, uint64_t state, uint64_t last)
{
	for (uint32_t i = 0; i < ways->count; i++)
		if (ways->items[i].state == state && ways->items[i].last == last)
			return;
	norn_must_push(ways, (struct mvc_way){state, last});
}

/* Every way, with every letter that agrees with what is known. */
static void step_all(
        const struct norn_stepper *stepper, const struct mvc_ways *from, uint64_t letter, uint64_t unknown, struct mvc_ways *to)
{
	for (uint64_t subset = unknown;; subset = (subset - 1) & unknown) {
		uint64_t full = (letter & ~unknown) | subset;
		if (!unknown || !stepper->possible || stepper->possible(stepper->context, full))
			for (uint32_t i = 0; i < from->count; i++) {
				uint64_t state = stepper->step(stepper->context, from->items[i].state, full);
				if (!stepper->violated(stepper->context, state))
					add_way(to, state, full);
			}
		if (subset == 0)
			return;
	}
}

static bool all_end_in_violation(const struct norn_stepper *stepper, const struct mvc_ways *ways)
{
	for (uint32_t i = 0; i < ways->count; i++)
		if (!stepper->final || !stepper->final(stepper->context, ways->items[i].state, ways->items[i].last))
			return false;
	return true;
}

static int step_once(const struct norn_stepper *stepper, struct mvc_ways *ways, enum norn_witness_position position,
        uint64_t letter, uint64_t unknown, struct norn_error *err)
{
	struct mvc_ways next = {0};
	if (position == NORN_WITNESS_NO_POSITION)
		return 0;
	if (letter & NORN_STEPPER_ENDS) {
		if (!all_end_in_violation(stepper, ways))
			return norn_error_set(err, -EINVAL, "what the property is about is freed before it is violated");
		norn_vector_done(ways);
		*ways = next;
		return 0;
	}
	if (__builtin_popcountll(unknown) > UNKNOWN_MAX || ways->count > STATES_MAX)
		return norn_error_set(err, -EINVAL, "too much is unknown");
	for (uint32_t i = 0; position == NORN_WITNESS_MAYBE && i < ways->count; i++)
		add_way(&next, ways->items[i].state, ways->items[i].last);
	step_all(stepper, ways, letter, unknown, &next);
	norn_vector_done(ways);
	*ways = next;
	return 0;
}

int norn_witness_check_verdict(const struct norn_stepper *stepper, uint32_t count, bool ended, norn_witness_letter *letter,
        void *context, struct norn_error *err)
{
	struct mvc_ways ways = {0};
	uint64_t start = stepper->start(stepper->context);
	int r = 0;
	if (!stepper->violated(stepper->context, start))
		add_way(&ways, start, 0);
	for (uint32_t i = 0; i <= count && r == 0; i++) {
		uint64_t bits = 0, unknown = 0;
		if (i > 0 && ways.count == 0) {
			r = norn_error_set(err, -EINVAL, "the property is violated before step %" PRIu32 " of %" PRIu32, i, count);
			break;
		}
		enum norn_witness_position position = letter(context, i, &bits, &unknown);
		r = step_once(stepper, &ways, position, bits, unknown, err);
	}
	if (r == 0 && ended && ways.count == 0)
		r = norn_error_set(err, -EINVAL, "the property is violated before the run ends");
	else if (r == 0 && (ended ? !all_end_in_violation(stepper, &ways) : ways.count > 0))
		r = norn_error_set(err, -EINVAL, "the property is not violated at the end");
	norn_vector_done(&ways);
	return r;
}
