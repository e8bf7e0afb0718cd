#include "errors/deadlock.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

/* These grow with the effort. */
#define STEPS UINT64_C(4000000) /* of the search for cycles */
#define ATTEMPTS 32u /* per set of positions */
#define INSTANCES 8u /* of a request that are kept, then ever fewer */

/* An acquire, or a join. The same thread, position, lock or child, and locks held. */
struct request {
	uint32_t *instances;
	uint32_t count, room;
	uint64_t seen;
};

/* A request whose thread holds a lock, or is joined. */
struct holder {
	uint32_t request;
	uint32_t next; /* 0: none */
};

struct group {
	uint32_t attempts;
	uint64_t seen;
	bool left_out; /* it met more often than there are attempts */
};

struct search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	struct request *requests;
	uint32_t request_count, request_room;
	struct norn_map by_hash; /* of a request → 1 + index */
	struct holder *holders; /* [0] is none */
	uint32_t holder_count, holder_room;
	uint32_t *held_by; /* per lock: its holders */
	uint32_t *of_thread; /* per thread that is joined: its requests, as holders */
	bool *joined; /* per thread */
	struct norn_attempt *attempts;
	uint32_t attempt_count, attempt_room;
	struct norn_map by_places; /* hash of a set of positions → 1 + group */
	struct group *groups;
	uint32_t group_count, group_room;
	uint32_t path[NORN_ATTEMPT_RUNNER_STOPS];
	uint64_t steps, max_steps, max_attempts, max_instances;
	int error;
};

static bool is_acquire(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED);
}

static bool conflicts(const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	return a->size == b->size && (a->op == NORN_SYNC_ACQUIRE || b->op == NORN_SYNC_ACQUIRE);
}

static bool grow(struct search *s, void *array, uint32_t count, uint32_t *room, size_t bytes)
{
	int r = norn_grow(array, count + UINT64_C(1), room, bytes);
	if (r < 0)
		s->error = r;
	return r == 0;
}

static bool is_join(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN && e->link;
}

/* Whose end a join waits for. */
static uint32_t child(const struct norn_graph_event *join)
{
	return (uint32_t)join->value;
}

/* ---- requests ---- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t request_hash(const struct search *s, const struct norn_graph_event *e)
{
	uint64_t hash = mix(mix(1, e->thread), norn_graph_place(s->graph, e->site));
	hash = is_join(e) ? mix(hash, ~(uint64_t)child(e)) : mix(hash, (uint64_t)e->size << 8 | e->op);
	for (uint32_t held = e->held; held;) {
		const struct norn_graph_event *h = s->events + norn_graph_held(s->graph, held, &held);
		hash = mix(hash, (uint64_t)h->size << 8 | h->op);
	}
	return hash;
}

/* Where hashes agree by chance one of both is missed, which is no error. */
static struct request *get_request(struct search *s, const struct norn_graph_event *e)
{
	uint32_t *index;
	if (norn_map_put(&s->by_hash, request_hash(s, e), (void **)&index) < 0) {
		s->error = -ENOMEM;
		return NULL;
	}
	if (*index == 0) {
		if (!grow(s, &s->requests, s->request_count, &s->request_room, sizeof *s->requests))
			return NULL;
		s->requests[s->request_count++] = (struct request){0};
		*index = s->request_count;
	}
	return s->requests + *index - 1;
}

static void add_request(struct search *s, uint32_t acquire)
{
	struct request *request = get_request(s, s->events + acquire);
	if (!request)
		return;
	uint64_t seen = ++request->seen;
	if ((seen <= s->max_instances || (seen & (seen - 1)) == 0) &&
	        grow(s, &request->instances, request->count, &request->room, sizeof *request->instances))
		request->instances[request->count++] = acquire;
}

/* The end of a wait takes its mutex back, whatever else its thread holds. */
static bool waits(const struct search *s, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	norn_graph_site(s->graph, e->site, &site);
	return (is_acquire(e) || is_join(e)) && site.waits;
}

/* Who is joined, by whom ever, while locks are held somewhere? */
static bool find_joined(struct search *s)
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
static void find_requests(struct search *s)
{
	uint32_t count = norn_graph_count(s->graph);
	bool joins = find_joined(s);
	for (uint32_t i = 1; i <= count && s->error == 0; i++) {
		const struct norn_graph_event *e = s->events + i;
		bool may = e->held ? joins || !is_join(e) : joins && s->joined[e->thread];
		if (may && (is_acquire(e) || is_join(e)) && waits(s, e))
			add_request(s, i);
	}
}

static const struct norn_graph_event *sample(const struct search *s, uint32_t request)
{
	return s->events + s->requests[request].instances[0];
}

static void add_holder(struct search *s, uint32_t request, uint32_t *list)
{
	if (!grow(s, &s->holders, s->holder_count, &s->holder_room, sizeof *s->holders))
		return;
	s->holders[s->holder_count] = (struct holder){request, *list};
	*list = s->holder_count++;
}

static void find_holders(struct search *s)
{
	for (uint32_t i = 0; i < s->request_count && s->error == 0; i++) {
		for (uint32_t held = sample(s, i)->held; held && s->error == 0;)
			add_holder(s, i, &s->held_by[s->events[norn_graph_held(s->graph, held, &held)].size]);
		if (s->joined[sample(s, i)->thread] && s->error == 0)
			add_holder(s, i, &s->of_thread[sample(s, i)->thread]);
	}
}

/* Requests of threads that this one may wait for. */
static uint32_t candidates(const struct search *s, uint32_t request)
{
	const struct norn_graph_event *e = sample(s, request);
	return is_join(e) ? s->of_thread[child(e)] : s->held_by[e->size];
}

/* ---- cycles ---- */

/* Does a wait for b: for a lock that b holds, and not both may have, or for its end? */
static bool blocks(const struct search *s, uint32_t a, uint32_t b)
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

/* Can both stand there at once, as far as the locks they hold say? */
static bool together(const struct search *s, uint32_t a, uint32_t b)
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

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return (x > y) - (x < y);
}

static struct group *get_group(struct search *s, unsigned length, uint32_t *ret_number)
{
	uint32_t places[NORN_ATTEMPT_RUNNER_STOPS];
	for (unsigned i = 0; i < length; i++)
		places[i] = norn_graph_place(s->graph, sample(s, s->path[i])->site);
	qsort(places, length, sizeof *places, by_number);
	uint64_t hash = length;
	for (unsigned i = 0; i < length; i++)
		hash = mix(hash, places[i]);
	uint32_t *index;
	if (norn_map_put(&s->by_places, hash, (void **)&index) < 0) {
		s->error = -ENOMEM;
		return NULL;
	}
	if (*index == 0) {
		if (!grow(s, &s->groups, s->group_count, &s->group_room, sizeof *s->groups))
			return NULL;
		s->groups[s->group_count++] = (struct group){0};
		*index = s->group_count;
	}
	*ret_number = *index - 1;
	return s->groups + *index - 1;
}

/* The instance of a request that is nearest to an event. */
static uint32_t nearest(const struct request *request, uint32_t event)
{
	uint32_t best = request->instances[0];
	for (uint32_t i = 1; i < request->count; i++) {
		uint32_t x = request->instances[i];
		if ((x > event ? x - event : event - x) < (best > event ? best - event : event - best))
			best = x;
	}
	return best;
}

static void add_attempt(struct search *s, struct group *group, uint32_t number, const uint32_t *stops, unsigned length)
{
	if (!grow(s, &s->attempts, s->attempt_count, &s->attempt_room, sizeof *s->attempts))
		return;
	struct norn_attempt attempt = {.count = length, .group = number, .open_last_only = true};
	memcpy(attempt.stops, stops, length * sizeof *stops);
	s->attempts[s->attempt_count++] = attempt;
	group->attempts++;
}

/* Those in which another instance than the nearest one takes part. */
static void add_others(struct search *s, struct group *group, uint32_t number, unsigned length)
{
	uint32_t at[NORN_ATTEMPT_RUNNER_STOPS] = {0}, stops[NORN_ATTEMPT_RUNNER_STOPS];
	for (unsigned k = 0; k < length && group->attempts < s->max_attempts && s->error == 0;) {
		bool near = true;
		for (unsigned i = 0; i < length; i++) {
			stops[i] = s->requests[s->path[i]].instances[at[i]];
			near &= i == 0 || stops[i] == nearest(s->requests + s->path[i], stops[0]);
		}
		if (!near)
			add_attempt(s, group, number, stops, length);
		for (k = 0; k < length && ++at[k] == s->requests[s->path[k]].count; k++)
			at[k] = 0;
	}
}

static void add_cycle(struct search *s, unsigned length)
{
	uint32_t number;
	struct group *group = get_group(s, length, &number);
	if (!group)
		return;
	const struct request *first = s->requests + s->path[0];
	uint32_t before = group->attempts;
	group->seen += first->seen;
	uint32_t stops[NORN_ATTEMPT_RUNNER_STOPS];
	for (uint32_t i = 0; i < first->count && group->attempts < s->max_attempts; i++) {
		stops[0] = first->instances[i];
		for (unsigned k = 1; k < length; k++)
			stops[k] = nearest(s->requests + s->path[k], stops[0]);
		add_attempt(s, group, number, stops, length);
	}
	add_others(s, group, number, length);
	uint64_t meetings = 1;
	for (unsigned k = 0; k < length && meetings <= UINT32_MAX; k++)
		meetings *= s->requests[s->path[k]].seen;
	group->left_out |= meetings > group->attempts - before;
}

static bool joins_path(const struct search *s, unsigned length, uint32_t request)
{
	for (unsigned i = 0; i < length; i++)
		if (!together(s, s->path[i], request))
			return false;
	return true;
}

/* Goes through all paths that begin with path[0], the request with the lowest number of its cycle. Depth is at most
 * NORN_ATTEMPT_RUNNER_STOPS. */
static void search_from(struct search *s, uint32_t start)
{
	uint32_t at[NORN_ATTEMPT_RUNNER_STOPS];
	unsigned length = 1;
	s->path[0] = start;
	at[0] = candidates(s, start);
	while (length && s->error == 0 && s->steps < s->max_steps) {
		uint32_t i = at[length - 1];
		if (i == 0) {
			length--;
			continue;
		}
		uint32_t next = s->holders[i].request;
		at[length - 1] = s->holders[i].next;
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
	const struct search *s = context;
	predicted->kind = NORN_PREDICTED_DEADLOCK;
	predicted->addr = s->events[attempt->stops[0]].addr;
	predicted->pairs = s->groups[attempt->group].seen;
}

static void try_cycles(struct norn_attempt_runner *attempt_runner, struct search *s)
{
	bool *found = norn_must_calloc(s->group_count + UINT64_C(1), sizeof *found);
	norn_attempt_runner_try(attempt_runner, s->attempts, s->attempt_count, found, fill, s);
	norn_attempt_runner_suspect(attempt_runner, s->attempts, s->attempt_count, found, fill, s);
	for (uint32_t i = 0; i < s->group_count; i++)
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_MEETINGS] += s->groups[i].left_out && !found[i];
	free(found);
}

int norn_deadlocks_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options)
{
	struct search s = {.graph = graph,
	        .events = norn_graph_events(graph),
	        .holder_count = 1,
	        .max_steps = norn_builtin_bound(options, STEPS),
	        .max_attempts = norn_builtin_bound(options, ATTEMPTS),
	        .max_instances = norn_builtin_bound(options, INSTANCES)};
	norn_map_init(&s.by_hash, sizeof(uint32_t));
	norn_map_init(&s.by_places, sizeof(uint32_t));
	s.held_by = calloc(norn_graph_objects(graph) + UINT64_C(1), sizeof *s.held_by);
	s.of_thread = calloc(norn_graph_threads(graph) + UINT64_C(1), sizeof *s.of_thread);
	s.joined = calloc(norn_graph_threads(graph) + UINT64_C(1), sizeof *s.joined);
	if (!s.held_by || !s.of_thread || !s.joined || !grow(&s, &s.holders, 0, &s.holder_room, sizeof *s.holders))
		s.error = -ENOMEM;
	if (s.error == 0)
		find_requests(&s);
	if (s.error == 0)
		find_holders(&s);
	for (uint32_t i = 0; i < s.request_count && s.error == 0; i++) {
		search_from(&s, i);
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_CIRCLES] += s.steps >= s.max_steps;
	}
	if (s.error == 0 && s.attempt_count)
		try_cycles(attempt_runner, &s);
	norn_map_done(&s.by_hash);
	norn_map_done(&s.by_places);
	for (uint32_t i = 0; i < s.request_count; i++)
		free(s.requests[i].instances);
	free(s.requests);
	free(s.holders);
	free(s.held_by);
	free(s.of_thread);
	free(s.joined);
	free(s.attempts);
	free(s.groups);
	return s.error;
}
