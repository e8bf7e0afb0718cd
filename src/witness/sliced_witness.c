#include "witness/sliced_witness.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "witness/sliced_witness_state.h"
#include "trace/record.h"
#include "trace/site.h"

struct norn_sliced_checker *norn_sliced_checker_new(const struct norn_graph *graph)
{
	struct norn_sliced_checker *c = norn_must_calloc(1, sizeof(*c));
	c->graph = graph;
	norn_replay_state_init(&c->beginning, graph, NULL);
	return c;
}

void norn_sliced_checker_free(struct norn_sliced_checker *checker)
{
	if (!checker)
		return;
	norn_replay_state_done(&checker->beginning);
	free(checker);
}

static void go_to(struct norn_sliced_checker *c, uint32_t base)
{
	if (base < c->base) {
		norn_replay_state_done(&c->beginning);
		c->base = 0;
		norn_replay_state_init(&c->beginning, c->graph, NULL);
	}
	while (c->base < base)
		norn_replay_state_step(&c->beginning, ++c->base);
	assert(c->base == base);
}

/* The next listed event of each thread, in the beginning and after each listed event: what lies before it is not listed. */
struct listed {
	uint32_t *first; /* by thread; 0: nothing */
	uint32_t *after; /* by place in the list; the same */
};

static struct listed find_listed(const struct norn_sliced_checker *c, const struct norn_sliced_claim *claim, bool stops)
{
	uint32_t threads = norn_graph_threads(c->graph), events = norn_graph_count(c->graph);
	struct listed listed = {norn_must_calloc(threads + UINT64_C(1), sizeof(uint32_t)),
	        norn_must_calloc(claim->count + UINT64_C(1), sizeof(uint32_t))};
	for (uint32_t i = 0; stops && i < claim->stop_count; i++)
		if (claim->stops[i] <= events)
			listed.first[event_of(c, claim->stops[i])->thread] = claim->stops[i];
	for (uint32_t i = claim->count; i > 0; i--) {
		uint32_t event = claim->events[i - 1], *first = listed.first + (event <= events ? event_of(c, event)->thread : 0);
		if (event > events)
			continue;
		listed.after[i - 1] = *first;
		*first = event;
	}
	return listed;
}

/* From now on a thread may come to this event, past accesses that reads control, and the external writes that these noticed. */
static void pass_to(const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t event)
{
	uint32_t *next = &s->next[event_of(c, event)->thread];
	while (*next && *next < event) {
		const struct norn_graph_event *e = event_of(c, *next);
		bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_EXTERNAL;
		bool decides = (e->flags & (NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED)) == NORN_GRAPH_DECIDES;
		if (!access || decides || !norn_graph_control(c->graph, *next))
			return;
		norn_replay_state_pass(s, *next);
	}
}

static void note_call(struct norn_sliced_checker *c, uint32_t number)
{
	const struct norn_graph_event *e = event_of(c, number);
	bool call = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && !(e->flags & NORN_GRAPH_CALLED);
	if (call && number > c->call && !norn_sliced_is_assumed(c, number))
		c->call = number;
}

/* The event happens, as the claim assumes it to (X9). */
static void perform(struct norn_sliced_checker *c, uint32_t number)
{
	const struct norn_graph_event *e = event_of(c, number);
	bool call = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL;
	bool back = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_BACK;
	if (call ? norn_sliced_is_assumed(c, number) : back && norn_sliced_returns_harmless(c, number))
		norn_replay_state_step_harmless(&c->window, number);
	else
		norn_replay_state_step(&c->window, number);
	note_call(c, number);
}

/* How far each thread comes: what it reads may decide otherwise after that. The thread of an assertion goes on to it. */
static uint32_t *find_last(const struct norn_sliced_checker *c, const struct norn_sliced_claim *claim)
{
	uint32_t *last = norn_must_calloc(norn_graph_threads(c->graph) + UINT64_C(1), sizeof *last);
	for (uint32_t i = 0; i < claim->count + claim->stop_count; i++) {
		uint32_t event = i < claim->count ? claim->events[i] : claim->stops[i - claim->count];
		uint32_t *its = event <= norn_graph_count(c->graph) ? last + event_of(c, event)->thread : NULL;
		if (its && *its < event)
			*its = event;
	}
	return last;
}

static int go_on(struct norn_sliced_checker *c, const struct norn_sliced_claim *claim, bool error, struct norn_error *err)
{
	struct listed listed = find_listed(c, claim, error);
	bool ends = error && claim->kind != NORN_SLICED_ASSERTION && claim->kind != NORN_SLICED_NULL;
	c->last = ends ? find_last(c, claim) : NULL;
	norn_replay_state_init(&c->window, c->graph, &c->beginning);
	c->window.base = c->window.placed = claim->base;
	for (uint32_t t = 0; t < norn_graph_threads(c->graph); t++)
		if (listed.first[t])
			pass_to(c, &c->window, listed.first[t]);
	int r = 0;
	for (uint32_t i = 0; i < claim->count && r == 0; i++) {
		c->ends = error && !listed.after[i];
		r = norn_sliced_check_event(c, &c->window, claim->events[i], err);
		if (r < 0)
			break;
		perform(c, claim->events[i]);
		/* Events after the last one of a thread are not decided yet, and the one that fails is looked at in the end. */
		bool failing = claim->kind == NORN_SLICED_ASSERTION && claim->events[i] == claim->first;
		if (listed.after[i] && !failing && !norn_sliced_passes(c, &c->window, claim->events[i]))
			r = norn_error_set(err, -EINVAL, "an assertion after event %u may fail, or a branch come out otherwise",
			        claim->events[i]);
		if (listed.after[i])
			pass_to(c, &c->window, listed.after[i]);
	}
	free(listed.first);
	free(listed.after);
	free(c->last);
	c->last = NULL;
	return r;
}

static int check_values(const struct norn_replay_state *s, const struct norn_sliced_claim *claim, struct norn_error *err)
{
	for (uint32_t i = 0; i < claim->stop_count; i++)
		if (!happened(s, claim->stops[i]) || !norn_replay_state_carries(s, claim->stops[i]))
			NO("event %u does not happen, or not with the value that it had", claim->stops[i]);
	return 0;
}

/* Events that may happen or not, besides the list, are none that the property sees. */
static int check_watched(const struct norn_replay_state *s, const struct norn_sliced_claim *claim, struct norn_error *err)
{
	for (uint32_t i = 0; i < claim->watched_count; i++)
		if (norn_replay_state_unsettled(s, claim->watched[i].addr, claim->watched[i].size))
			NO("memory that the property speaks of may be written besides (%#llx)",
			        (unsigned long long)claim->watched[i].addr);
	if (claim->watches_reads && s->loose > claim->base)
		NO("memory that the property speaks of may be read besides, as event %u sees something else", s->loose);
	return 0;
}

static int check(struct norn_sliced_checker *c, const struct norn_sliced_claim *claim, bool error, struct norn_error *err)
{
	if (claim->base > norn_graph_count(c->graph))
		NO("the run has no %u events", claim->base);
	go_to(c, claim->base);
	c->claim = claim;
	c->call = 0;
	int r = go_on(c, claim, error, err);
	if (r == 0 && !error)
		r = check_values(&c->window, claim, err);
	if (r == 0 && !error)
		r = check_watched(&c->window, claim, err);
	if (r == 0 && error)
		r = norn_sliced_check_stops(c, &c->window, claim, err);
	if (r == 0 && error)
		r = norn_sliced_check_error(c, &c->window, claim, err);
	norn_replay_state_done(&c->window);
	return r;
}

int norn_sliced_check_sequence(struct norn_sliced_checker *checker, const struct norn_sliced_claim *claim, struct norn_error *err)
{
	return check(checker, claim, false, err);
}

int norn_sliced_check(struct norn_sliced_checker *checker, const struct norn_sliced_claim *claim, struct norn_error *err)
{
	return check(checker, claim, true, err);
}
