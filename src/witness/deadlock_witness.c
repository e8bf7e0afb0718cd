#include "witness/deadlock_witness.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

enum claimed_wait { WAIT_NONE, WAIT_LOCK, WAIT_CONDITION, WAIT_SEMAPHORE, WAIT_BARRIER, WAIT_ONCE, WAIT_END, WAIT_PIPE };

struct deadlock {
	const struct norn_graph *graph;
	const struct norn_replay_state *state;
	const uint32_t *stops;
	uint32_t count;
	enum claimed_wait *waits; /* per stop: what for; NONE: it is not in D */
	bool *inside; /* per thread: it is in D */
	bool alone; /* whether only threads of the program wake others has been found out: */
	bool others;
};

#define NO(...) return norn_error_set(err, -EINVAL, __VA_ARGS__)

static const struct norn_graph_event *event_of(const struct deadlock *d, uint32_t number)
{
	return norn_graph_event(d->graph, number);
}

static bool happened(const struct deadlock *d, uint32_t number)
{
	return norn_replay_state_happened(d->state, number);
}

static bool is_thread_op(const struct norn_graph_event *e, unsigned op)
{
	return e->kind == NORN_EVENT_THREAD && e->op == op;
}

/* ---- threads ---- */

static bool has_ended(const struct deadlock *d, uint32_t thread)
{
	uint32_t last = d->state->last[thread];
	return last && is_thread_op(event_of(d, last), NORN_THREAD_END);
}

/* A thread without events is there if it was forked, and nothing says that this failed. */
static bool was_forked(const struct deadlock *d, uint32_t thread)
{
	bool forked = false;
	for (uint32_t i = 1; i <= norn_graph_count(d->graph); i++) {
		const struct norn_graph_event *e = event_of(d, i);
		if (e->kind != NORN_EVENT_THREAD || e->value != thread || !happened(d, i))
			continue;
		forked |= e->op == NORN_THREAD_FORK;
		if (e->op == NORN_THREAD_FORK_FAILED)
			return false;
	}
	return forked;
}

static bool exists(const struct deadlock *d, uint32_t thread)
{
	uint32_t first = norn_graph_first(d->graph, thread);
	if (first == 0)
		return was_forked(d, thread);
	const struct norn_graph_event *e = event_of(d, first);
	return !is_thread_op(e, NORN_THREAD_BEGIN) || !e->link || happened(d, e->link);
}

/* ---- other threads that could wake ---- */

/* Handlers, timers, and what came before the part of the run that is known. */
static bool others_wake(struct deadlock *d)
{
	if (d->alone)
		return d->others;
	d->alone = true;
	d->others = norn_graph_carried(d->graph) != 0;
	for (uint32_t i = 1; i <= norn_graph_count(d->graph) && !d->others; i++) {
		const struct norn_graph_event *e = event_of(d, i);
		struct norn_graph_site site = {0};
		if (e->kind == NORN_EVENT_SYNC || e->kind == NORN_EVENT_THREAD)
			norn_graph_site(d->graph, e->site, &site);
		d->others = is_thread_op(e, NORN_THREAD_SIGNAL) || site.interrupts;
	}
	return d->others;
}

/* Does the object lie in memory that other processes, or this one at other addresses, may use? life: of an event of it. */
static bool is_shared(const struct deadlock *d, uint32_t life)
{
	for (; life; life = event_of(d, life)->life) {
		const struct norn_graph_event *e = event_of(d, life);
		if (e->kind == NORN_EVENT_ALLOC)
			return e->op == NORN_ALLOC_SHARED || e->op == NORN_ALLOC_ALIAS;
		if (e->life >= life)
			return true;
	}
	return false;
}

/* ---- what a stop waits for (S16) ---- */

bool norn_witness_gives_up(const char *function)
{
	static const char *const parts[] = {"timed", "clock", "try", "until", "timeout"};
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (strstr(function, parts[i]))
			return true;
	return false;
}

static bool waits_long(const struct deadlock *d, const struct norn_graph_event *e, bool timed)
{
	struct norn_graph_site site;
	norn_graph_site(d->graph, e->site, &site);
	if (!site.waits || (site.timed && !timed))
		return false;
	return timed || !site.name || !norn_witness_gives_up(site.name);
}

/* The acquire at the end of a wait whose thread sleeps, and has not been woken; how the wait ended is said by the event after. */
static bool sleeps(const struct deadlock *d, const struct norn_graph_event *e)
{
	const struct norn_graph_event *end = event_of(d, e->next);
	return d->state->slept[e->thread] && e->next && end->kind == NORN_EVENT_SYNC && end->size == d->state->asleep[e->thread];
}

/* A wait whose sleepers are not known: what ended it then has happened, or it is not known whether it sleeps. */
static bool was_woken(const struct deadlock *d, const struct norn_graph_event *e)
{
	const struct norn_graph_event *end = event_of(d, e->next);
	if (!e->next || end->kind != NORN_EVENT_SYNC || end->size != d->state->asleep[e->thread])
		return false;
	if (end->flags & NORN_GRAPH_COUNTED || end->op != NORN_SYNC_WAIT_END)
		return true;
	return !end->other || happened(d, end->other);
}

/* A stop that waits to write, which keeps this one from reading, as the lock prefers writers; 0: none. */
static uint32_t queued_writer(const struct deadlock *d, const struct norn_graph_event *e)
{
	for (uint32_t i = 0; i < d->count && e->op == NORN_SYNC_ACQUIRE_SHARED && e->value == NORN_LOCK_WRITERS; i++) {
		const struct norn_graph_event *other = event_of(d, d->stops[i]);
		if (other->kind == NORN_EVENT_SYNC && other->op == NORN_SYNC_ACQUIRE && other->size == e->size &&
		        other->thread != e->thread && other->value == NORN_LOCK_WRITERS)
			return d->stops[i];
	}
	return 0;
}

static enum claimed_wait acquire_wait(const struct deadlock *d, const struct norn_graph_event *e)
{
	const struct norn_replay_state_object *object = norn_replay_state_object(d->state, e->size);
	if (d->state->asleep[e->thread]) {
		const struct norn_graph_event *end = event_of(d, e->next);
		if (sleeps(d, e) && end->flags & NORN_GRAPH_COUNTED)
			return waits_long(d, e, false) && !is_shared(d, end->life) ? WAIT_CONDITION : WAIT_NONE;
		if (!was_woken(d, e))
			return WAIT_NONE;
	}
	bool taken = object && !object->destroyed &&
	             (object->owner || (e->op == NORN_SYNC_ACQUIRE && object->shared) || queued_writer(d, e));
	return taken && waits_long(d, e, e->flags & NORN_GRAPH_WAKES) ? WAIT_LOCK : WAIT_NONE;
}

/* The beginning of the routine that this pass waits for the end of; 0: it has not begun, or is over. */
static uint32_t running_once(const struct deadlock *d, const struct norn_graph_event *pass)
{
	uint32_t begin = pass->link;
	if (!begin || happened(d, begin))
		return 0;
	while (begin && event_of(d, begin)->op != NORN_SYNC_ONCE_BEGIN)
		begin = event_of(d, begin)->other;
	return begin && happened(d, begin) ? begin : 0;
}

/* Has a thread not arrived at the barrier for the round of this leave? link is the arrival that made it full; those of the round
 * lie between it and the one that made the round before full. */
static bool is_round_open(const struct deadlock *d, const struct norn_graph_event *leave)
{
	bool open = false, before = false;
	for (uint32_t i = leave->link; i && !before && !open; i = event_of(d, i)->other) {
		const struct norn_graph_event *e = event_of(d, i);
		bool arrives = e->op == NORN_SYNC_BARRIER_ARRIVE;
		before = e->op == NORN_SYNC_BARRIER_INIT || (arrives && i != leave->link && e->link == e->other);
		open = arrives && !before && !happened(d, i);
	}
	return open;
}

/* ---- pipes (S23) ---- */

/* Has only read and write touched what pipes hold? */
static bool others_use_pipes(const struct deadlock *d)
{
	for (uint32_t i = 1; i <= norn_graph_count(d->graph); i++) {
		const struct norn_graph_event *e = event_of(d, i);
		bool code = is_thread_op(e, NORN_THREAD_CALL) || is_thread_op(e, NORN_THREAD_BACK);
		struct norn_graph_site site = {0};
		if (code && !(e->flags & NORN_GRAPH_CALLED))
			return true;
		if (code || e->kind == NORN_EVENT_SYNC)
			norn_graph_site(d->graph, e->site, &site);
		if (site.spreads)
			return true;
	}
	return false;
}

/* Is every byte read that was written, and no end closed? What was done with the pipe up to the last thing that happened counts;
 * a call makes two records, and that of its end says how much. */
static bool is_empty(const struct deadlock *d, uint32_t last)
{
	int64_t held = 0, begun = 0;
	for (uint32_t i = last; i; i = event_of(d, i)->other) {
		const struct norn_graph_event *e = event_of(d, i);
		struct norn_graph_site site;
		norn_graph_site(d->graph, e->site, &site);
		bool reads = site.name && strcmp(site.name, "read") == 0, writes = site.name && strcmp(site.name, "write") == 0;
		int64_t bytes = e->op == NORN_SYNC_RECEIVE ? norn_receive_bytes(e->value) : 0;
		bool looks = e->op == NORN_SYNC_RECEIVE && bytes < 0 && norn_receive_kind(e->value) != NORN_RECEIVE_INPUT;
		if (!happened(d, i) || looks)
			continue;
		if ((!reads && !writes) || bytes < 0)
			return false;
		held += reads ? -bytes : bytes;
		begun += writes && e->op == NORN_SYNC_SEND;
		begun -= writes && e->op == NORN_SYNC_RECEIVE;
	}
	return held == 0 && begun == 0;
}

/* The last event of the object in the recorded run. */
static uint32_t last_of(const struct deadlock *d, uint32_t object)
{
	uint32_t i = norn_graph_count(d->graph);
	while (i && (event_of(d, i)->kind != NORN_EVENT_SYNC || event_of(d, i)->size != object))
		i--;
	return i;
}

static bool waits_for_data(const struct deadlock *d, const struct norn_graph_event *e)
{
	bool takes = norn_receive_kind(e->value) == NORN_RECEIVE_INPUT && norn_receive_bytes(e->value) > 0;
	return takes && waits_long(d, e, false) && is_empty(d, last_of(d, e->size)) && !others_use_pipes(d);
}

static enum claimed_wait sync_wait(const struct deadlock *d, const struct norn_graph_event *e)
{
	bool counted = e->flags & NORN_GRAPH_COUNTED && !(e->flags & NORN_GRAPH_ODD) && waits_long(d, e, false);
	const struct norn_replay_state_object *object = norn_replay_state_object(d->state, e->size);
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
		return acquire_wait(d, e);
	case NORN_SYNC_SEM_WAIT:
		return counted && object && object->value < 1 && !is_shared(d, e->life) ? WAIT_SEMAPHORE : WAIT_NONE;
	case NORN_SYNC_BARRIER_LEAVE:
		return counted && is_round_open(d, e) && !is_shared(d, e->life) ? WAIT_BARRIER : WAIT_NONE;
	case NORN_SYNC_ONCE_PASS:
		return running_once(d, e) && waits_long(d, e, false) ? WAIT_ONCE : WAIT_NONE;
	case NORN_SYNC_RECEIVE:
		return waits_for_data(d, e) ? WAIT_PIPE : WAIT_NONE;
	default:
		return WAIT_NONE;
	}
}

static enum claimed_wait wait_of(const struct deadlock *d, const struct norn_graph_event *e)
{
	if (e->kind == NORN_EVENT_SYNC)
		return sync_wait(d, e);
	bool join = is_thread_op(e, NORN_THREAD_JOIN) && e->link && e->value < d->state->threads;
	return join && !has_ended(d, (uint32_t)e->value) && waits_long(d, e, false) ? WAIT_END : WAIT_NONE;
}

/* ---- D (S17) ---- */

/* Does this thread hold the lock for good? A robust mutex of one that has ended is given to the next. */
static bool keeps(const struct deadlock *d, uint32_t thread, const struct norn_graph_event *e)
{
	uint32_t held = norn_replay_state_holds(d->state, thread, e->size);
	if (!held || (e->op == NORN_SYNC_ACQUIRE_SHARED && event_of(d, held)->op != NORN_SYNC_ACQUIRE))
		return false;
	return d->inside[thread] || (has_ended(d, thread) && event_of(d, held)->value != NORN_LOCK_ROBUST);
}

static bool all_inside(struct deadlock *d)
{
	for (uint32_t t = 0; t < d->state->threads; t++)
		if (!d->inside[t] && !has_ended(d, t) && exists(d, t))
			return false;
	return !others_wake(d);
}

static bool stays(struct deadlock *d, uint32_t stop)
{
	const struct norn_graph_event *e = event_of(d, d->stops[stop]);
	switch (d->waits[stop]) {
	case WAIT_LOCK:
		for (uint32_t t = 0; t < d->state->threads; t++)
			if (t != e->thread && keeps(d, t, e))
				return true;
		return queued_writer(d, e) && d->inside[event_of(d, queued_writer(d, e))->thread];
	case WAIT_ONCE: {
		uint32_t runner = event_of(d, running_once(d, e))->thread;
		return runner != e->thread && d->inside[runner];
	}
	case WAIT_END:
		return d->inside[e->value];
	default:
		return all_inside(d);
	}
}

static int find(struct deadlock *d, struct norn_error *err)
{
	for (uint32_t i = 0; i < d->count; i++) {
		const struct norn_graph_event *e = event_of(d, d->stops[i]);
		d->waits[i] = wait_of(d, e);
		if (d->waits[i] == WAIT_NONE)
			NO("event %u does not wait for anything that is not there", d->stops[i]);
		d->inside[e->thread] = true;
	}
	/* All of them must stay: one that goes on ends the deadlock. */
	for (uint32_t i = 0; i < d->count; i++)
		if (!stays(d, i))
			NO("event %u does not wait for ever: another thread could go on", d->stops[i]);
	return 0;
}

int norn_deadlock_check(const struct norn_graph *graph, const struct norn_replay_state *state, const uint32_t *stops,
        uint32_t stop_count, struct norn_error *err)
{
	struct deadlock d = {.graph = graph,
	        .state = state,
	        .stops = stops,
	        .count = stop_count,
	        .waits = norn_must_calloc(stop_count + 1ul, sizeof *d.waits),
	        .inside = norn_must_calloc(state->threads + 1ul, sizeof *d.inside)};
	int r = find(&d, err);
	free(d.waits);
	free(d.inside);
	return r;
}
