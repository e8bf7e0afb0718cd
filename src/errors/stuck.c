#include "errors/stuck.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "base/sort.h"
#include "trace/record.h"

/* These grow with the effort. */
#define STEPS UINT64_C(4000000) /* of the search for candidates */
#define ATTEMPTS 32u /* per place at which a thread is stuck */
#define FIRST 2u /* instances of a request that are tried: so many of the first, and of the last */
#define LAST 6u
#define CHOSEN 3u /* stops that no other one needs, but that are tried in addition */

enum stuck_wait { WAIT_NONE, WAIT_LOCK, WAIT_CONDITION, WAIT_SEMAPHORE, WAIT_BARRIER, WAIT_ONCE, WAIT_END, WAIT_PIPE };

/* Events of one thread at one place that wait for one object. */
struct stuck_request {
	uint32_t thread, place, object;
	enum stuck_wait wait;
	struct norn_numbers instances;
};

struct stuck_thread {
	struct norn_numbers requests; /* numbers of requests */
	struct norn_numbers cross; /* joins, woken waits, passes, leaves and uses of pipes, in order */
	struct norn_numbers kept; /* acquires without a release */
	bool forked; /* by a fork that did not fail */
	bool ends; /* its last event is its end, and it is not known to have ended the process */
};

struct stuck_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	uint32_t thread_count;
	struct stuck_thread *threads;
	NORN_VECTOR(struct stuck_request) requests;
	struct norn_map by_place; /* hash of thread, place, object and wait → 1 + request */
	uint32_t *last; /* per object: its last event */
	struct norn_map frees; /* alloc → its free */
	NORN_VECTOR(struct norn_attempt) attempts;
	struct norn_map tried; /* hash of stops */
	struct norn_map groups; /* place of the first stop → 1 + group */
	struct norn_numbers group_attempts, group_left; /* per group; whether some were left out */
	uint64_t steps, max_steps, max_attempts;
	uint32_t group; /* of the kernel that is being followed */
	uint32_t kernel; /* event */
	bool pipes; /* what pipes hold is known (S23) */
};

/* The stops of threads. */
struct set {
	uint32_t stops[NORN_ATTEMPT_RUNNER_STOPS];
	bool asleep[NORN_ATTEMPT_RUNNER_STOPS]; /* the thread sleeps; else it was woken */
	uint32_t count;
	uint32_t chosen; /* how many of them are such additional stops */
};

/* ---- what waits ---- */

static bool is_sync(const struct norn_graph_event *e, unsigned op)
{
	return e->kind == NORN_EVENT_SYNC && e->op == op;
}

static bool is_thread_op(const struct norn_graph_event *e, unsigned op)
{
	return e->kind == NORN_EVENT_THREAD && e->op == op;
}

/* The end of a wait whose sleepers are known; 0: it is none, or they are unknown. */
static uint32_t wait_end(const struct stuck_search *s, uint32_t acquire)
{
	uint32_t end = s->events[acquire].flags & NORN_GRAPH_WAKES ? norn_rule_wait_end(s->graph, acquire) : 0;
	return end && s->events[end].op == NORN_SYNC_WAIT_END && s->events[end].flags & NORN_GRAPH_COUNTED ? end : 0;
}

static bool is_shared(const struct stuck_search *s, uint32_t life)
{
	while (life && s->events[life].kind != NORN_EVENT_ALLOC)
		life = s->events[life].life < life ? s->events[life].life : 0;
	return life && (s->events[life].op == NORN_ALLOC_SHARED || s->events[life].op == NORN_ALLOC_ALIAS);
}

/* A pipe of which it is known how much was read from it, or written to it (S23). */
static bool uses_pipe(const struct norn_graph_event *e)
{
	return is_sync(e, NORN_SYNC_RECEIVE) && norn_receive_bytes(e->value) >= 0;
}

static bool takes_from_pipe(const struct norn_graph_event *e)
{
	return uses_pipe(e) && norn_receive_kind(e->value) == NORN_RECEIVE_INPUT && norn_receive_bytes(e->value) > 0;
}

/* The object that the event waits for, without a bound. */
static enum stuck_wait wait_of(const struct stuck_search *s, uint32_t number, bool asleep)
{
	const struct norn_graph_event *e = s->events + number;
	struct norn_graph_site site;
	norn_graph_site(s->graph, e->site, &site);
	if (!site.waits)
		return WAIT_NONE;
	if (norn_graph_is_acquire(e))
		return !asleep                                                                        ? WAIT_LOCK
		       : wait_end(s, number) && !site.timed && !is_shared(s, s->events[e->next].life) ? WAIT_CONDITION
		                                                                                      : WAIT_NONE;
	if (site.timed)
		return WAIT_NONE;
	if (is_thread_op(e, NORN_THREAD_JOIN))
		return e->link ? WAIT_END : WAIT_NONE;
	if (is_sync(e, NORN_SYNC_ONCE_PASS))
		return e->link && s->events[e->link].thread != e->thread ? WAIT_ONCE : WAIT_NONE;
	if (takes_from_pipe(e))
		return s->pipes ? WAIT_PIPE : WAIT_NONE;
	if (e->kind != NORN_EVENT_SYNC || !(e->flags & NORN_GRAPH_COUNTED) || e->flags & NORN_GRAPH_ODD || is_shared(s, e->life))
		return WAIT_NONE;
	return e->op == NORN_SYNC_SEM_WAIT ? WAIT_SEMAPHORE : e->op == NORN_SYNC_BARRIER_LEAVE ? WAIT_BARRIER : WAIT_NONE;
}

static bool asks_for_all(enum stuck_wait wait)
{
	return wait == WAIT_CONDITION || wait == WAIT_SEMAPHORE || wait == WAIT_BARRIER || wait == WAIT_PIPE;
}

static uint32_t object_of(const struct stuck_search *s, uint32_t number, enum stuck_wait wait)
{
	const struct norn_graph_event *e = s->events + number;
	return wait == WAIT_END ? (uint32_t)e->value : wait == WAIT_CONDITION ? s->events[e->next].size : e->size;
}

static void add_request(struct stuck_search *s, uint32_t number, enum stuck_wait wait)
{
	const struct norn_graph_event *e = s->events + number;
	uint32_t place = norn_graph_place(s->graph, e->site), object = object_of(s, number, wait);
	uint64_t key = norn_hash_mix(norn_hash_mix(norn_hash_mix(norn_hash_mix(1, e->thread), place), object), wait);
	uint32_t *index = norn_must_map_put(&s->by_place, key);
	if (*index == 0) {
		norn_must_push(&s->requests, (struct stuck_request){e->thread, place, object, wait, {0}});
		*index = s->requests.count;
		norn_must_push(&s->threads[e->thread].requests, *index - 1);
	}
	norn_must_push(&s->requests.items[*index - 1].instances, number);
}

static bool is_cross(const struct stuck_search *s, uint32_t number)
{
	const struct norn_graph_event *e = s->events + number;
	return is_thread_op(e, NORN_THREAD_JOIN) || is_sync(e, NORN_SYNC_ONCE_PASS) || is_sync(e, NORN_SYNC_BARRIER_LEAVE) ||
	       uses_pipe(e) || (norn_graph_is_acquire(e) && wait_end(s, number));
}

static void find_events(struct stuck_search *s)
{
	for (uint32_t i = 1; i <= norn_graph_count(s->graph); i++) {
		const struct norn_graph_event *e = s->events + i;
		if (e->kind == NORN_EVENT_FREE && e->life)
			*(uint32_t *)norn_must_map_put(&s->frees, e->life) = i;
		if (e->kind != NORN_EVENT_SYNC && e->kind != NORN_EVENT_THREAD)
			continue;
		if (e->kind == NORN_EVENT_SYNC)
			s->last[e->size] = i;
		if ((is_thread_op(e, NORN_THREAD_FORK) || is_thread_op(e, NORN_THREAD_FORK_FAILED)) && e->value < s->thread_count)
			s->threads[e->value].forked = e->op == NORN_THREAD_FORK;
		if (is_cross(s, i))
			norn_must_push(&s->threads[e->thread].cross, i);
		if (norn_graph_is_acquire(e) && !e->link)
			norn_must_push(&s->threads[e->thread].kept, i);
		for (unsigned asleep = 0; asleep < 2; asleep++) {
			enum stuck_wait wait = asleep && !norn_graph_is_acquire(e) ? WAIT_NONE : wait_of(s, i, asleep);
			if (wait != WAIT_NONE)
				add_request(s, i, wait);
		}
	}
	for (uint32_t t = 0; t < s->thread_count; t++) {
		uint32_t last = norn_graph_last(s->graph, t);
		s->threads[t].ends = last && is_thread_op(s->events + last, NORN_THREAD_END);
	}
}

/* ---- what happens, where threads stop ---- */

static uint32_t stop_of(const struct stuck_search *s, const struct set *d, uint32_t thread)
{
	for (uint32_t i = 0; i < d->count; i++)
		if (s->events[d->stops[i]].thread == thread)
			return d->stops[i];
	return 0;
}

/* Is the thread there? One whose fork is not known is. */
static bool exists(const struct stuck_search *s, const struct set *d, uint32_t thread)
{
	for (uint32_t steps = 0; thread && steps <= s->thread_count; steps++) {
		uint32_t first = norn_graph_first(s->graph, thread), fork = first ? s->events[first].link : 0;
		if (!first)
			return s->threads[thread].forked;
		if (!is_thread_op(s->events + first, NORN_THREAD_BEGIN) || !fork)
			return true;
		uint32_t stop = stop_of(s, d, s->events[fork].thread);
		if (stop && fork >= stop)
			return false;
		thread = s->events[fork].thread;
	}
	return true;
}

static bool is_included(struct stuck_search *s, const struct set *d, uint32_t event)
{
	uint32_t thread = s->events[event].thread, stop = stop_of(s, d, thread);
	s->steps++;
	return stop ? event < stop : exists(s, d, thread);
}

/* The value of a semaphore at the end: -1 if unknown. */
static int64_t value_of(struct stuck_search *s, const struct set *d, uint32_t object)
{
	int64_t value = 0;
	for (uint32_t i = s->last[object]; i; i = s->events[i].other) {
		const struct norn_graph_event *e = s->events + i;
		if (!is_included(s, d, i))
			continue;
		if (e->op == NORN_SYNC_SEM_INIT)
			return value + (int64_t)e->value;
		if (!(e->flags & NORN_GRAPH_COUNTED))
			return -1;
		value += (e->op == NORN_SYNC_SEM_POST) - (e->op == NORN_SYNC_SEM_WAIT);
	}
	return -1;
}

/* How much the pipe holds at the end: -1 if unknown. A write that was begun is over; an end that was closed may have been the last
 * to write, so that readers wait for nothing. */
static int64_t contents_of(struct stuck_search *s, const struct set *d, uint32_t pipe)
{
	int64_t bytes = 0, writes = 0;
	for (uint32_t i = s->last[pipe]; i; i = s->events[i].other) {
		const struct norn_graph_event *e = s->events + i;
		enum norn_receive kind = norn_receive_kind(e->value);
		if (!is_included(s, d, i) || (e->op == NORN_SYNC_RECEIVE && !uses_pipe(e) && kind != NORN_RECEIVE_INPUT))
			continue;
		struct norn_graph_site site;
		norn_graph_site(s->graph, e->site, &site);
		bool wrote = site.name && strcmp(site.name, "write") == 0;
		if ((!wrote && (!site.name || strcmp(site.name, "read") != 0)) || (e->op == NORN_SYNC_RECEIVE && !uses_pipe(e)))
			return -1;
		writes += e->op == NORN_SYNC_SEND ? wrote : -wrote;
		if (e->op == NORN_SYNC_RECEIVE)
			bytes += wrote ? norn_receive_bytes(e->value) : -norn_receive_bytes(e->value);
	}
	return writes == 0 ? bytes : -1;
}

static bool conflicts(const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	return a->size == b->size && (a->op == NORN_SYNC_ACQUIRE || b->op == NORN_SYNC_ACQUIRE);
}

/* Does the thread of this event hold what the other wants, when it begins? */
static bool holds(const struct stuck_search *s, uint32_t event, uint32_t wanted)
{
	for (uint32_t held = s->events[event].held; held;)
		if (conflicts(s->events + wanted, s->events + norn_graph_held(s->graph, held, &held)))
			return true;
	return false;
}

/* Does the first wait to write, and so keep the second from reading? */
static bool is_queued(const struct stuck_search *s, uint32_t writer, uint32_t reader)
{
	const struct norn_graph_event *w = s->events + writer, *r = s->events + reader;
	return is_sync(w, NORN_SYNC_ACQUIRE) && is_sync(r, NORN_SYNC_ACQUIRE_SHARED) && w->size == r->size &&
	       w->thread != r->thread && w->value == NORN_LOCK_WRITERS && r->value == NORN_LOCK_WRITERS;
}

/* A thread that ends with the lock; its end, 0: none. */
static uint32_t end_with(const struct stuck_search *s, const struct set *d, uint32_t wanted)
{
	for (uint32_t t = 0; t < s->thread_count; t++)
		for (uint32_t i = 0; i < s->threads[t].kept.count && s->threads[t].ends && !stop_of(s, d, t); i++) {
			uint32_t acquire = s->threads[t].kept.items[i];
			if (t != s->events[wanted].thread && conflicts(s->events + wanted, s->events + acquire) &&
			        s->events[acquire].value != NORN_LOCK_ROBUST && exists(s, d, t))
				return norn_graph_last(s->graph, t);
		}
	return 0;
}

static uint32_t once_begin(const struct stuck_search *s, uint32_t pass)
{
	uint32_t begin = s->events[pass].link;
	while (begin && s->events[begin].op != NORN_SYNC_ONCE_BEGIN)
		begin = s->events[begin].other;
	return begin;
}

/* Does a thread not come to the barrier in the round of this leave? */
static bool is_round_open(struct stuck_search *s, const struct set *d, uint32_t leave)
{
	uint32_t full = s->events[leave].link;
	for (uint32_t i = full; i; i = s->events[i].other) {
		const struct norn_graph_event *e = s->events + i;
		if (e->op == NORN_SYNC_BARRIER_INIT || (i != full && e->op == NORN_SYNC_BARRIER_ARRIVE && e->link == e->other))
			return false;
		if (e->op == NORN_SYNC_BARRIER_ARRIVE && !is_included(s, d, i))
			return true;
	}
	return false;
}

/* Is the object still there in the end, neither destroyed nor freed? life: of an event of it. */
static bool is_alive(struct stuck_search *s, const struct set *d, uint32_t object, uint32_t life)
{
	for (uint32_t i = s->last[object]; i; i = s->events[i].other) {
		unsigned op = s->events[i].op;
		bool begins = op == NORN_SYNC_CREATE || op == NORN_SYNC_SEM_INIT || op == NORN_SYNC_BARRIER_INIT;
		if ((op == NORN_SYNC_DESTROY || begins) && is_included(s, d, i)) {
			if (op == NORN_SYNC_DESTROY)
				return false;
			break;
		}
	}
	while (life && s->events[life].kind != NORN_EVENT_ALLOC)
		life = s->events[life].life < life ? s->events[life].life : 0;
	const uint32_t *freed = life ? norn_map_get(&s->frees, life) : NULL;
	return !freed || !is_included(s, d, *freed);
}

/* Are there what the stop waits for, and, if it is the end of a wait, the condition and the mutex? */
static bool has_objects(struct stuck_search *s, const struct set *d, uint32_t stop)
{
	const struct norn_graph_event *e = s->events + stop;
	uint32_t end = norn_graph_is_acquire(e) ? wait_end(s, stop) : 0;
	if (e->kind != NORN_EVENT_SYNC || e->op == NORN_SYNC_RECEIVE)
		return true;
	return is_alive(s, d, e->size, e->life) && (!end || is_alive(s, d, s->events[end].size, s->events[end].life));
}

/* Will stop i wait for ever, as far as counting tells? */
static bool is_stuck(struct stuck_search *s, const struct set *d, uint32_t i)
{
	uint32_t stop = d->stops[i];
	const struct norn_graph_event *e = s->events + stop;
	switch (wait_of(s, stop, d->asleep[i])) {
	case WAIT_CONDITION:
		return true;
	case WAIT_SEMAPHORE:
		return value_of(s, d, e->size) == 0;
	case WAIT_PIPE:
		return contents_of(s, d, e->size) == 0;
	case WAIT_BARRIER:
		return is_round_open(s, d, stop);
	case WAIT_ONCE: {
		uint32_t begin = once_begin(s, stop);
		return !is_included(s, d, e->link) && begin && is_included(s, d, begin) && stop_of(s, d, s->events[begin].thread);
	}
	case WAIT_END:
		return stop_of(s, d, (uint32_t)e->value);
	case WAIT_LOCK:
		for (uint32_t k = 0; k < d->count; k++)
			if (k != i && (holds(s, d->stops[k], stop) || (!d->asleep[k] && is_queued(s, d->stops[k], stop))))
				return true;
		return end_with(s, d, stop);
	default:
		return false;
	}
}

/* ---- stops that follow from others ---- */

/* Is there a notify by which it might be woken? */
static bool has_notify(struct stuck_search *s, const struct set *d, uint32_t acquire)
{
	uint32_t end = wait_end(s, acquire);
	for (uint32_t i = s->last[s->events[end].size]; i; i = s->events[i].other) {
		bool notify = s->events[i].op == NORN_SYNC_SIGNAL || s->events[i].op == NORN_SYNC_BROADCAST;
		if (notify && s->events[i].thread != s->events[acquire].thread && is_included(s, d, i))
			return true;
	}
	return false;
}

/* Do all earlier uses of the pipe happen, as a use needs (X4)? */
static bool has_history(struct stuck_search *s, const struct set *d, uint32_t use)
{
	for (uint32_t i = s->events[use].other; i; i = s->events[i].other)
		if (!is_included(s, d, i))
			return false;
		else if (uses_pipe(s->events + i))
			return true; /* it was asked the same question before */
	return true;
}

/* Does the event, which is one of those that depend on other threads, need what does not happen? *ret_asleep: it is a wait. */
static bool is_cut(struct stuck_search *s, const struct set *d, uint32_t event, bool *ret_asleep)
{
	const struct norn_graph_event *e = s->events + event;
	*ret_asleep = norn_graph_is_acquire(e);
	if (norn_graph_is_acquire(e))
		return !has_notify(s, d, event);
	if (is_sync(e, NORN_SYNC_BARRIER_LEAVE) && e->flags & NORN_GRAPH_COUNTED)
		return is_round_open(s, d, event);
	if (uses_pipe(e))
		return !has_history(s, d, event);
	if (e->kind == NORN_EVENT_THREAD && !e->link)
		return true;
	return e->link && !is_included(s, d, e->link);
}

static bool add_stop(struct set *d, uint32_t stop, bool asleep)
{
	if (d->count == NORN_ATTEMPT_RUNNER_STOPS)
		return false;
	d->asleep[d->count] = asleep;
	d->stops[d->count++] = stop;
	return true;
}

/* The first event of the thread that cannot happen, if the others stop where they do. False: it does not wait there. */
static bool cut_thread(struct stuck_search *s, struct set *d, uint32_t thread, bool *ret_changed)
{
	const struct norn_numbers *cross = &s->threads[thread].cross;
	for (uint32_t i = 0; i < cross->count; i++) {
		bool asleep;
		if (!is_cut(s, d, cross->items[i], &asleep))
			continue;
		*ret_changed = true;
		return wait_of(s, cross->items[i], asleep) != WAIT_NONE && add_stop(d, cross->items[i], asleep);
	}
	return true;
}

/* False: some thread neither ends nor waits. */
static bool follow_stops(struct stuck_search *s, struct set *d)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t t = 0; t < s->thread_count; t++)
			if (!stop_of(s, d, t) && exists(s, d, t) && !cut_thread(s, d, t, &changed))
				return false;
	}
	for (uint32_t t = 0; t < s->thread_count; t++)
		if (!s->threads[t].ends && !stop_of(s, d, t) && exists(s, d, t))
			return false;
	return true;
}

/* ---- candidates ---- */

static bool is_new(struct stuck_search *s, const struct set *d)
{
	uint32_t stops[NORN_ATTEMPT_RUNNER_STOPS];
	for (uint32_t i = 0; i < d->count; i++)
		stops[i] = d->stops[i] << 1 | d->asleep[i];
	norn_sort_numbers(stops, d->count);
	uint64_t hash = norn_hash_mix(d->count, s->group);
	for (uint32_t i = 0; i < d->count; i++)
		hash = norn_hash_mix(hash, stops[i]);
	uint8_t *seen = norn_must_map_put(&s->tried, hash);
	return !(*seen)++;
}

static void add_attempt(struct stuck_search *s, const struct set *d, bool all)
{
	struct norn_attempt attempt = {.count = d->count, .group = s->group, .search_only = true, .all_end = all};
	memcpy(attempt.stops, d->stops, d->count * sizeof *d->stops);
	for (uint32_t i = 0; i < d->count; i++) {
		attempt.asleep |= (uint32_t)d->asleep[i] << i;
		if (!all && wait_of(s, d->stops[i], d->asleep[i]) == WAIT_LOCK && !attempt.includes[0])
			attempt.includes[0] = end_with(s, d, d->stops[i]);
	}
	if (s->group_attempts.items[s->group] >= s->max_attempts) {
		s->group_left.items[s->group] = 1;
		return;
	}
	s->group_attempts.items[s->group]++;
	norn_must_push(&s->attempts, attempt);
}

static void follow(struct stuck_search *s, const struct set *d);

/* The thread stops there, too. */
static void also(struct stuck_search *s, const struct set *d, uint32_t stop, bool asleep, bool chosen)
{
	struct set more = *d;
	if (stop_of(s, d, s->events[stop].thread) || !add_stop(&more, stop, asleep))
		return;
	more.chosen += chosen;
	if (is_new(s, &more))
		follow(s, &more);
}

/* Of a request, the instances next to the event that all began with; limit: before this event, 0: none. */
static void also_at(struct stuck_search *s, const struct set *d, const struct stuck_request *request, uint32_t limit, bool chosen)
{
	const struct norn_numbers *at = &request->instances;
	uint32_t low = 0;
	while (low < at->count && at->items[low] < s->kernel)
		low++;
	for (uint32_t i = low > 1 ? low - 2 : 0; i < at->count && i < low + 2; i++)
		if (!limit || at->items[i] < limit)
			also(s, d, at->items[i], request->wait == WAIT_CONDITION, chosen);
}

static void also_in(struct stuck_search *s, const struct set *d, uint32_t thread, uint32_t limit)
{
	for (uint32_t i = 0; i < s->threads[thread].requests.count; i++)
		also_at(s, d, &s->requests.items[s->threads[thread].requests.items[i]], limit, false);
}

/* The last event of each other thread that would let this stop go on: it must not come. */
static void stop_providers(struct stuck_search *s, const struct set *d, uint32_t object, unsigned op)
{
	uint32_t *last = norn_must_calloc(s->thread_count + 1ul, sizeof *last);
	for (uint32_t i = s->last[object]; i; i = s->events[i].other)
		if (s->events[i].op == op && !last[s->events[i].thread] && is_included(s, d, i))
			last[s->events[i].thread] = i;
	for (uint32_t t = 0; t < s->thread_count && s->steps < s->max_steps; t++)
		if (last[t] && !stop_of(s, d, t))
			also_in(s, d, t, last[t]);
	free(last);
}

static void stop_holders(struct stuck_search *s, const struct set *d, uint32_t wanted)
{
	for (uint32_t i = 0; i < s->requests.count && s->steps < s->max_steps; i++) {
		const struct stuck_request *request = &s->requests.items[i];
		s->steps++;
		for (uint32_t k = request->instances.count; k-- > 0;)
			if (request->thread != s->events[wanted].thread &&
			        (holds(s, request->instances.items[k], wanted) ||
			                is_queued(s, request->instances.items[k], wanted))) {
				also(s, d, request->instances.items[k], request->wait == WAIT_CONDITION, false);
				break;
			}
	}
}

/* A thread whose event would let the stop, of d or what follows from d, go on stops before. */
static void stop_before(struct stuck_search *s, const struct set *d, uint32_t stop, bool asleep)
{
	const struct norn_graph_event *e = s->events + stop;
	uint32_t begin;
	switch (wait_of(s, stop, asleep)) {
	case WAIT_SEMAPHORE:
		stop_providers(s, d, e->size, NORN_SYNC_SEM_POST);
		return;
	case WAIT_PIPE:
		stop_providers(s, d, e->size, NORN_SYNC_SEND);
		return;
	case WAIT_BARRIER:
		stop_providers(s, d, e->size, NORN_SYNC_BARRIER_ARRIVE);
		return;
	case WAIT_ONCE:
		begin = once_begin(s, stop);
		if (begin)
			also_in(s, d, s->events[begin].thread, e->link);
		return;
	case WAIT_END:
		also_in(s, d, (uint32_t)e->value, 0);
		return;
	case WAIT_LOCK:
		stop_holders(s, d, stop);
		return;
	default:
		return;
	}
}

/* Stops the threads whose notify cannot come before the sleep: by a lock that is held, or asleep themselves. */
static void stop_others(struct stuck_search *s, const struct set *d)
{
	for (uint32_t i = 0; i < s->requests.count && s->steps < s->max_steps && d->chosen < CHOSEN; i++) {
		const struct stuck_request *request = &s->requests.items[i];
		bool held = false;
		for (uint32_t k = 0; k < d->count && request->wait == WAIT_LOCK; k++)
			held |= holds(s, d->stops[k], request->instances.items[0]);
		s->steps++;
		if (held || request->wait == WAIT_CONDITION || request->wait == WAIT_SEMAPHORE)
			also_at(s, d, request, 0, true);
	}
}

static void follow(struct stuck_search *s, const struct set *d)
{
	struct set whole = *d;
	bool all = false;
	if (s->steps >= s->max_steps || s->group_attempts.items[s->group] >= s->max_attempts) {
		s->group_left.items[s->group] = 1;
		return;
	}
	for (uint32_t i = 0; i < d->count; i++)
		all |= asks_for_all(wait_of(s, d->stops[i], d->asleep[i]));
	bool possible = !all || follow_stops(s, &whole);
	for (uint32_t i = 0; i < whole.count; i++)
		possible = possible && has_objects(s, &whole, whole.stops[i]);
	for (uint32_t i = 0; i < whole.count && possible; i++)
		if (!is_stuck(s, &whole, i)) {
			stop_before(s, d, whole.stops[i], whole.asleep[i]);
			return;
		}
	if (possible)
		add_attempt(s, &whole, all);
	if (all)
		stop_others(s, d);
}

static uint32_t group_of(struct stuck_search *s, uint32_t place)
{
	uint32_t *group = norn_must_map_put(&s->groups, place);
	if (*group == 0) {
		norn_must_push(&s->group_attempts, 0);
		norn_must_push(&s->group_left, 0);
		*group = s->group_attempts.count;
	}
	return *group - 1;
}

/* A reader of a lock that prefers writers. */
static bool reads_again(const struct stuck_search *s, uint32_t acquire)
{
	return is_sync(s->events + acquire, NORN_SYNC_ACQUIRE_SHARED) && s->events[acquire].value == NORN_LOCK_WRITERS &&
	       s->events[acquire].held;
}

/* A candidate begins with a lock only if some thread ends while it holds that lock: cycles are found elsewhere (deadlock.h). */
static bool begins(struct stuck_search *s, const struct stuck_request *request)
{
	if (request->wait == WAIT_LOCK && reads_again(s, request->instances.items[0]))
		return true;
	if (request->wait == WAIT_LOCK)
		return end_with(s, &(struct set){.count = 0}, request->instances.items[0]);
	return request->wait != WAIT_END;
}

static void follow_request(struct stuck_search *s, const struct stuck_request *request)
{
	const struct norn_numbers at = request->instances;
	bool asleep = request->wait == WAIT_CONDITION;
	s->group = group_of(s, request->place);
	for (uint32_t k = 0; k < at.count && k < FIRST + LAST; k++) {
		uint32_t i = k < LAST ? at.count - 1 - k : k - LAST;
		if (k >= LAST && i + LAST >= at.count)
			break;
		struct set d = {.stops = {s->kernel = at.items[i]}, .asleep = {asleep}, .count = 1};
		if (is_new(s, &d))
			follow(s, &d);
	}
	if (at.count > FIRST + LAST)
		s->group_left.items[s->group] = 1;
}

/* ---- all ---- */

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct stuck_search *s = context;
	predicted->kind = NORN_PREDICTED_DEADLOCK;
	predicted->addr = s->events[attempt->stops[0]].addr;
	predicted->pairs = 1;
	predicted->asleep = attempt->asleep;
}

static void try_all(struct norn_attempt_runner *attempt_runner, struct stuck_search *s)
{
	uint32_t groups = s->group_attempts.count;
	bool *found = norn_must_calloc(groups + 1ul, sizeof *found);
	norn_attempt_runner_try(attempt_runner, s->attempts.items, s->attempts.count, found, fill, s);
	for (uint32_t i = 0; i < groups; i++)
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_CIRCLES] += s->group_left.items[i] && !found[i];
	free(found);
}

/* Could anything but the program's threads wake one of them? */
static bool others_wake(const struct norn_graph *graph)
{
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		struct norn_graph_site site = {0};
		if (e->kind == NORN_EVENT_SYNC || e->kind == NORN_EVENT_THREAD)
			norn_graph_site(graph, e->site, &site);
		if (is_thread_op(e, NORN_THREAD_SIGNAL) || site.interrupts)
			return true;
	}
	return norn_graph_carried(graph);
}

/* Are there pipes, used by reads and writes of recorded threads alone? Code without hooks, or another process, might use them too.
 * */
static bool pipes_known(const struct norn_graph *graph)
{
	uint32_t first = 1;
	while (first <= norn_graph_count(graph) && !takes_from_pipe(norn_graph_event(graph, first)))
		first++;
	if (first > norn_graph_count(graph))
		return false;
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, i);
		bool calls = e->kind == NORN_EVENT_THREAD && (e->op == NORN_THREAD_CALL || e->op == NORN_THREAD_BACK);
		struct norn_graph_site site = {0};
		if (e->kind == NORN_EVENT_SYNC || calls)
			norn_graph_site(graph, e->site, &site);
		if (site.spreads || (calls && !(e->flags & NORN_GRAPH_CALLED)))
			return false;
	}
	return true;
}

static void search_done(struct stuck_search *s)
{
	for (uint32_t i = 0; i < s->requests.count; i++)
		norn_vector_done(&s->requests.items[i].instances);
	for (uint32_t t = 0; t < s->thread_count; t++) {
		norn_vector_done(&s->threads[t].requests);
		norn_vector_done(&s->threads[t].cross);
		norn_vector_done(&s->threads[t].kept);
	}
	norn_vector_done(&s->requests);
	norn_vector_done(&s->attempts);
	norn_vector_done(&s->group_attempts);
	norn_vector_done(&s->group_left);
	norn_map_done(&s->by_place);
	norn_map_done(&s->frees);
	norn_map_done(&s->tried);
	norn_map_done(&s->groups);
	free(s->threads);
	free(s->last);
}

void norn_stuck_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options)
{
	struct stuck_search s = {.graph = graph,
	        .events = norn_graph_events(graph),
	        .thread_count = norn_graph_threads(graph),
	        .max_steps = norn_builtin_bound(options, STEPS),
	        .max_attempts = norn_builtin_bound(options, ATTEMPTS)};
	if (others_wake(graph))
		return;
	norn_map_init(&s.by_place, sizeof(uint32_t));
	norn_map_init(&s.frees, sizeof(uint32_t));
	norn_map_init(&s.tried, 1);
	norn_map_init(&s.groups, sizeof(uint32_t));
	s.threads = norn_must_calloc(s.thread_count + 1ul, sizeof *s.threads);
	s.last = norn_must_calloc(norn_graph_objects(graph) + 1ul, sizeof *s.last);
	s.pipes = pipes_known(graph);
	find_events(&s);
	for (uint32_t i = 0; i < s.requests.count; i++)
		if (begins(&s, &s.requests.items[i]))
			follow_request(&s, &s.requests.items[i]);
	if (s.attempts.count)
		try_all(attempt_runner, &s);
	search_done(&s);
}
