#include "base/bisect.h"
#include "base/hash.h"
#include "base/sort.h"
#include "errors/deadlock.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

/* These grow with the effort. */
#define STEPS UINT64_C(4000000) /* of the search for cycles */
#define ATTEMPTS 256u /* per set of positions, beside those that are tried in any case (add_latest) */
#define ATTEMPTS_MOST (1u << 20) /* of all */

/* An acquire, or a join. The same thread, position, lock or child, and locks held. */
struct lock_request {
	struct norn_numbers instances; /* events, ascending */
};

/* A request whose thread holds a lock, or is joined. */
struct holder {
	uint32_t request;
	uint32_t next; /* 0: none */
};

struct deadlock_group {
	uint32_t others; /* attempts by add_others */
	uint64_t seen;
	bool left_out; /* it met more often than there are attempts */
};

struct deadlock_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	NORN_VECTOR(struct lock_request) requests;
	struct norn_map by_hash; /* of a request → 1 + index */
	NORN_VECTOR(struct holder) holders; /* [0] is none */
	uint32_t *held_by; /* per lock: its holders */
	uint32_t *of_thread; /* per thread that is joined: its requests, as holders */
	bool *joined; /* per thread */
	NORN_VECTOR(struct norn_attempt) attempts;
	struct norn_map by_places; /* hash of a set of positions → 1 + group */
	NORN_VECTOR(struct deadlock_group) groups;
	uint32_t path[NORN_ATTEMPT_RUNNER_STOPS];
	uint64_t steps, max_steps, max_others, max_attempts;
};

static bool conflicts(const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	return a->size == b->size && (a->op == NORN_SYNC_ACQUIRE || b->op == NORN_SYNC_ACQUIRE);
}

static bool is_join(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN && e->link;
}

/* The thread whose end a join waits for. */
static uint32_t child(const struct norn_graph_event *join)
{
	return (uint32_t)join->value;
}

/* ---- requests ---- */

static uint64_t request_hash(const struct deadlock_search *s, const struct norn_graph_event *e)
{
	uint64_t hash = norn_hash_mix(norn_hash_mix(1, e->thread), norn_graph_place(s->graph, e->site));
	hash = is_join(e) ? norn_hash_mix(hash, ~(uint64_t)child(e)) : norn_hash_mix(hash, (uint64_t)e->size << 8 | e->op);
	for (uint32_t held = e->held; held;) {
		const struct norn_graph_event *h = s->events + norn_graph_held(s->graph, held, &held);
		hash = norn_hash_mix(hash, (uint64_t)h->size << 8 | h->op);
	}
	return hash;
}

/* Of two whose hashes agree by chance one is missed, which is no error. */
static struct lock_request *get_request(struct deadlock_search *s, const struct norn_graph_event *e)
{
	uint32_t *index = norn_must_map_put(&s->by_hash, request_hash(s, e));
	if (*index == 0) {
		norn_must_add(&s->requests);
		*index = s->requests.count;
	}
	return s->requests.items + *index - 1;
}

static void add_request(struct deadlock_search *s, uint32_t acquire)
{
	struct lock_request *request = get_request(s, s->events + acquire);
	norn_must_push(&request->instances, acquire);
}

/* The end of a wait takes its mutex back, whatever else its thread holds. */
static bool waits(const struct deadlock_search *s, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	norn_graph_site(s->graph, e->site, &site);
	return (norn_graph_is_acquire(e) || is_join(e)) && site.waits;
}

/* Finds threads that are joined while locks are held. */
static bool find_joined(struct deadlock_search *s)
{
	bool locked = false;
	for (uint32_t i = 1; i <= norn_graph_count(s->graph); i++)
		if (is_join(s->events + i) && waits(s, s->events + i)) {
			s->joined[child(s->events + i)] = true;
			locked |= s->events[i].held;
		}
	return locked;
}

/* A thread without locks waits in a circle only if another one waits for its end. */
static void find_requests(struct deadlock_search *s)
{
	uint32_t count = norn_graph_count(s->graph);
	bool joins = find_joined(s);
	for (uint32_t i = 1; i <= count; i++) {
		const struct norn_graph_event *e = s->events + i;
		bool may = e->held ? joins || !is_join(e) : joins && s->joined[e->thread];
		if (may && (norn_graph_is_acquire(e) || is_join(e)) && waits(s, e))
			add_request(s, i);
	}
}

static const struct norn_graph_event *sample(const struct deadlock_search *s, uint32_t request)
{
	return s->events + s->requests.items[request].instances.items[0];
}

static void add_holder(struct deadlock_search *s, uint32_t request, uint32_t *list)
{
	norn_must_push(&s->holders, (struct holder){request, *list});
	*list = s->holders.count - 1;
}

static void find_holders(struct deadlock_search *s)
{
	for (uint32_t i = 0; i < s->requests.count; i++) {
		for (uint32_t held = sample(s, i)->held; held;)
			add_holder(s, i, &s->held_by[s->events[norn_graph_held(s->graph, held, &held)].size]);
		if (s->joined[sample(s, i)->thread])
			add_holder(s, i, &s->of_thread[sample(s, i)->thread]);
	}
}

/* Requests of threads that this one may wait for. */
static uint32_t candidates(const struct deadlock_search *s, uint32_t request)
{
	const struct norn_graph_event *e = sample(s, request);
	return is_join(e) ? s->of_thread[child(e)] : s->held_by[e->size];
}

/* ---- cycles ---- */

/* Does a wait for b: for a lock that b holds and the two cannot share, or for the end of b's thread? */
static bool blocks(const struct deadlock_search *s, uint32_t a, uint32_t b)
{
	const struct norn_graph_event *wanted = sample(s, a);
	if (is_join(wanted))
		return child(wanted) == sample(s, b)->thread;
	for (uint32_t held = sample(s, b)->held; held;) {
		uint32_t acquire = norn_graph_held(s->graph, held, &held);
		if (conflicts(wanted, s->events + acquire))
			return true;
	}
	return false;
}

/* Do the locks that both hold allow them to be there at once? */
static bool together(const struct deadlock_search *s, uint32_t a, uint32_t b)
{
	if (sample(s, a)->thread == sample(s, b)->thread)
		return false;
	for (uint32_t held = sample(s, a)->held; held;) {
		const struct norn_graph_event *x = s->events + norn_graph_held(s->graph, held, &held);
		for (uint32_t others = sample(s, b)->held; others;)
			if (conflicts(x, s->events + norn_graph_held(s->graph, others, &others)))
				return false;
	}
	return true;
}

static uint32_t get_group(struct deadlock_search *s, unsigned length)
{
	uint32_t places[NORN_ATTEMPT_RUNNER_STOPS];
	for (unsigned i = 0; i < length; i++)
		places[i] = norn_graph_place(s->graph, sample(s, s->path[i])->site);
	norn_sort_numbers(places, length);
	uint64_t hash = length;
	for (unsigned i = 0; i < length; i++)
		hash = norn_hash_mix(hash, places[i]);
	uint32_t *index = norn_must_map_put(&s->by_places, hash);
	if (*index == 0) {
		norn_must_add(&s->groups);
		*index = s->groups.count;
	}
	return *index - 1;
}

/* The number of instances of a request before an event. */
static uint32_t instances_before(const struct lock_request *request, uint32_t event)
{
	return NORN_BISECT(0, request->instances.count, i, request->instances.items[i] < event);
}

static bool add_attempt(
        struct deadlock_search *s, struct deadlock_group *group, uint32_t number, const uint32_t *stops, unsigned length)
{
	if (s->attempts.count >= s->max_attempts) {
		group->left_out = true;
		return false;
	}
	struct norn_attempt attempt = {.count = length, .group = number, .open_last_only = true};
	memcpy(attempt.stops, stops, length * sizeof *stops);
	norn_must_push(&s->attempts, attempt);
	return true;
}

/* Each instance with the latest ones of the other requests before it. If threads can wait at any instances at all as long as the
 * rest keeps its order, they can at such: let e be the last of them. A thread that waits before e can go on to its latest instance
 * before e, as all that this needs came before e, too; and e's thread can stop at the first instance after all others. */
static void add_latest(struct deadlock_search *s, struct deadlock_group *group, uint32_t number, unsigned length)
{
	uint32_t stops[NORN_ATTEMPT_RUNNER_STOPS];
	for (unsigned k = 0; k < length; k++) {
		const struct lock_request *last = s->requests.items + s->path[k];
		for (uint32_t i = 0; i < last->instances.count; i++) {
			bool all = true;
			for (unsigned o = 0; o < length && all; o++) {
				const struct lock_request *request = s->requests.items + s->path[o];
				uint32_t before = instances_before(request, last->instances.items[i]);
				all = o == k || before;
				stops[o] = o == k ? last->instances.items[i] : all ? request->instances.items[before - 1] : 0;
			}
			if (all && !add_attempt(s, group, number, stops, length))
				return;
		}
	}
}

/* Is it one that add_latest adds? */
static bool is_latest(const struct deadlock_search *s, const uint32_t *stops, unsigned length)
{
	uint32_t last = 0;
	for (unsigned i = 0; i < length; i++)
		last = stops[i] > last ? stops[i] : last;
	for (unsigned i = 0; i < length; i++) {
		const struct lock_request *request = s->requests.items + s->path[i];
		if (stops[i] != last && stops[i] != request->instances.items[instances_before(request, last) - 1])
			return false;
	}
	return true;
}

/* Further combinations: some are reachable only with critical sections in another order. */
static void add_others(struct deadlock_search *s, struct deadlock_group *group, uint32_t number, unsigned length)
{
	uint32_t at[NORN_ATTEMPT_RUNNER_STOPS] = {0}, stops[NORN_ATTEMPT_RUNNER_STOPS];
	for (unsigned k = 0; k < length;) {
		for (unsigned i = 0; i < length; i++)
			stops[i] = s->requests.items[s->path[i]].instances.items[at[i]];
		if (!is_latest(s, stops, length)) {
			if (group->others == s->max_others || !add_attempt(s, group, number, stops, length)) {
				group->left_out = true;
				return;
			}
			group->others++;
		}
		for (k = 0; k < length && ++at[k] == s->requests.items[s->path[k]].instances.count; k++)
			at[k] = 0;
	}
}

static void add_cycle(struct deadlock_search *s, unsigned length)
{
	uint32_t number = get_group(s, length);
	struct deadlock_group *group = s->groups.items + number;
	group->seen += s->requests.items[s->path[0]].instances.count;
	add_latest(s, group, number, length);
	add_others(s, group, number, length);
}

static bool joins_path(const struct deadlock_search *s, unsigned length, uint32_t request)
{
	for (unsigned i = 0; i < length; i++)
		if (!together(s, s->path[i], request))
			return false;
	return true;
}

/* Goes through all paths that begin with path[0], the request with the lowest number of its cycle. Depth is at most
 * NORN_ATTEMPT_RUNNER_STOPS. */
static void search_from(struct deadlock_search *s, uint32_t start)
{
	uint32_t at[NORN_ATTEMPT_RUNNER_STOPS];
	unsigned length = 1;
	s->path[0] = start;
	at[0] = candidates(s, start);
	while (length && s->steps < s->max_steps) {
		uint32_t i = at[length - 1];
		if (i == 0) {
			length--;
			continue;
		}
		uint32_t next = s->holders.items[i].request;
		at[length - 1] = s->holders.items[i].next;
		s->steps++;
		if (next <= start || !blocks(s, s->path[length - 1], next) || !joins_path(s, length, next))
			continue;
		s->path[length] = next;
		if (blocks(s, next, start))
			add_cycle(s, length + 1);
		else if (length + 1 < NORN_ATTEMPT_RUNNER_STOPS)
			at[length++] = candidates(s, next);
	}
}

/* ---- all ---- */

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct deadlock_search *s = context;
	predicted->kind = NORN_PREDICTED_DEADLOCK;
	predicted->addr = s->events[attempt->stops[0]].addr;
	predicted->pairs = s->groups.items[attempt->group].seen;
}

static void try_cycles(struct norn_attempt_runner *attempt_runner, struct deadlock_search *s)
{
	bool *found = norn_must_calloc(s->groups.count, sizeof *found);
	norn_attempt_runner_try(attempt_runner, s->attempts.items, s->attempts.count, found, fill, s);
	norn_attempt_runner_suspect(attempt_runner, s->attempts.items, s->attempts.count, found, fill, s);
	for (uint32_t i = 0; i < s->groups.count; i++)
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_MEETINGS] += s->groups.items[i].left_out && !found[i];
	free(found);
}

void norn_deadlocks_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options)
{
	struct deadlock_search s = {.graph = graph,
	        .events = norn_graph_events(graph),
	        .max_steps = norn_builtin_bound(options, STEPS),
	        .max_others = norn_builtin_bound(options, ATTEMPTS),
	        .max_attempts = norn_builtin_bound(options, ATTEMPTS_MOST)};
	norn_map_init(&s.by_hash, sizeof(uint32_t));
	norn_map_init(&s.by_places, sizeof(uint32_t));
	s.held_by = norn_must_calloc(norn_graph_objects(graph) + UINT64_C(1), sizeof *s.held_by);
	s.of_thread = norn_must_calloc(norn_graph_threads(graph), sizeof *s.of_thread);
	s.joined = norn_must_calloc(norn_graph_threads(graph), sizeof *s.joined);
	norn_must_add(&s.holders);
	find_requests(&s);
	find_holders(&s);
	for (uint32_t i = 0; i < s.requests.count; i++) {
		search_from(&s, i);
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_CIRCLES] += s.steps >= s.max_steps;
	}
	if (s.attempts.count)
		try_cycles(attempt_runner, &s);
	norn_map_done(&s.by_hash);
	norn_map_done(&s.by_places);
	for (uint32_t i = 0; i < s.requests.count; i++)
		norn_vector_done(&s.requests.items[i].instances);
	norn_vector_done(&s.requests);
	norn_vector_done(&s.holders);
	free(s.held_by);
	free(s.of_thread);
	free(s.joined);
	norn_vector_done(&s.attempts);
	norn_vector_done(&s.groups);
}
