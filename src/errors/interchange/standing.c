#include "errors/interchange/standing.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/must.h"

/* What is known of a call that makes events (trace/facts.h: FORGETS). */
struct call {
	enum { NEED_NOT_KNOWN, NEED_LOCALS, NEED_NOTHING, NEED_PARAMETERS } need;
	uint32_t table, origin; /* copies of one call of the source have the same */
};

struct standing_place {
	uint32_t frame; /* ENTER of the innermost one */
	bool parameters; /* the outermost one needs its own */
};

struct norn_standing {
	const struct norn_graph *graph;
	struct norn_map places; /* event → struct standing_place */
	struct norn_map calls; /* site → struct call */
	uint32_t *at_start, *forks; /* by thread */
};

static const struct norn_graph_event *event_of(const struct norn_standing *s, uint32_t number)
{
	return norn_graph_event(s->graph, number);
}

static struct call find_call(const struct norn_standing *s, uint32_t site)
{
	struct norn_graph_site known;
	uint32_t kind, count, items[2];
	norn_graph_site(s->graph, site, &known);
	struct norn_facts facts = known.facts;
	while (facts.p && norn_facts_next(&facts, &kind, &count)) {
		uint32_t item, n = 0;
		for (uint32_t i = 0; i < count; i++)
			if (norn_facts_number(&facts, &item) && n < 2)
				items[n++] = item;
		if (kind == NORN_FACT_FORGETS && n == 2)
			return (struct call){items[0] ? NEED_PARAMETERS : NEED_NOTHING, known.base, items[1]};
	}
	return (struct call){.need = NEED_LOCALS};
}

static struct call call_of(struct norn_standing *s, uint32_t site)
{
	struct call *call = norn_must_map_put(&s->calls, site);
	if (call->need == NEED_NOT_KNOWN)
		*call = find_call(s, site);
	return *call;
}

/* Both sites are of calls that forget. */
static bool same_call(const struct norn_standing *s, uint32_t site, uint32_t other)
{
	const struct call *a = norn_map_get(&s->calls, site), *b = norn_map_get(&s->calls, other);
	return site == other || (a && b && a->origin && a->origin == b->origin && a->table == b->table);
}

static bool asks(const struct norn_graph_event *e)
{
	return norn_graph_is_acquire(e) ? !(e->flags & NORN_GRAPH_WAKES)
	                                : e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_SEM_WAIT;
}

/* Do the calls of all frames forget, from the innermost one out? */
static bool forgets(struct norn_standing *s, uint32_t event, uint32_t frame, bool *ret_parameters)
{
	uint32_t site = event_of(s, event)->site;
	for (;;) {
		struct call call = call_of(s, site);
		const struct norn_graph_event *enter = event_of(s, frame);
		if (call.need == NEED_LOCALS)
			return false;
		*ret_parameters = call.need == NEED_PARAMETERS;
		if (!enter->other)
			return true;
		if (enter->flags & NORN_GRAPH_UNSEEN)
			return false;
		site = enter->link;
		frame = enter->other;
	}
}

static void note_place(struct norn_standing *s, uint32_t event, uint32_t frame)
{
	const struct norn_graph_event *e = event_of(s, event);
	struct standing_place place = {.frame = frame};
	if (frame && asks(e) && !e->held && forgets(s, event, frame, &place.parameters))
		*(struct standing_place *)norn_must_map_put(&s->places, event) = place;
}

/* Is the event of no concern to other threads? */
static bool is_private(const struct norn_standing *s, const struct norn_graph_event *e)
{
	if (e->kind == NORN_EVENT_THREAD)
		return e->op == NORN_THREAD_BEGIN || e->op == NORN_THREAD_STACK || e->op == NORN_THREAD_NAME;
	return e->kind == NORN_EVENT_ENTER;
}

static void note_thread(struct norn_standing *s, uint32_t thread)
{
	uint32_t frame = 0;
	bool private = true;
	for (uint32_t i = norn_graph_first(s->graph, thread); i; i = event_of(s, i)->next) {
		const struct norn_graph_event *e = event_of(s, i);
		note_place(s, i, frame);
		if (private && norn_standing_is_place(s, i))
			s->at_start[thread] = i;
		private &= is_private(s, e);
		if (e->kind == NORN_EVENT_ENTER)
			frame = i;
		else if (e->kind == NORN_EVENT_LEAVE)
			frame = e->link ? event_of(s, e->link)->other : 0;
	}
}

struct norn_standing *norn_standing_new(const struct norn_graph *graph)
{
	struct norn_standing *s = norn_must_calloc(1, sizeof *s);
	uint32_t threads = norn_graph_threads(graph);
	s->graph = graph;
	s->at_start = norn_must_calloc(threads + UINT64_C(1), sizeof *s->at_start);
	s->forks = norn_must_calloc(threads + UINT64_C(1), sizeof *s->forks);
	norn_map_init(&s->places, sizeof(struct standing_place));
	norn_map_init(&s->calls, sizeof(struct call));
	for (uint32_t t = 0; t < threads; t++) {
		uint32_t first = norn_graph_first(graph, t);
		if (first && event_of(s, first)->kind == NORN_EVENT_THREAD && event_of(s, first)->op == NORN_THREAD_BEGIN)
			s->forks[t] = event_of(s, first)->link;
		if (s->forks[t])
			note_thread(s, t);
	}
	return s;
}

void norn_standing_free(struct norn_standing *s)
{
	if (!s)
		return;
	norn_map_done(&s->places);
	norn_map_done(&s->calls);
	free(s->at_start);
	free(s->forks);
	free(s);
}

bool norn_standing_is_place(const struct norn_standing *s, uint32_t event)
{
	return norn_map_get(&s->places, event);
}

uint32_t norn_standing_at_start(const struct norn_standing *s, uint32_t thread)
{
	return s->at_start[thread];
}

static bool same_frames(const struct norn_standing *s, uint32_t frame, uint32_t other)
{
	while (frame && other) {
		const struct norn_graph_event *a = event_of(s, frame), *b = event_of(s, other);
		if (a->site != b->site || !a->other != !b->other || (a->other && !same_call(s, a->link, b->link)))
			return false;
		frame = a->other;
		other = b->other;
	}
	return !frame && !other;
}

/* What the two threads were created with. */
static bool same_arguments(const struct norn_standing *s, uint32_t thread, uint32_t other)
{
	uint64_t given = event_of(s, s->forks[thread])->addr;
	return given != NORN_GRAPH_GIVEN_NOT_KNOWN && given == event_of(s, s->forks[other])->addr;
}

bool norn_standing_same(const struct norn_standing *s, uint32_t place, uint32_t other)
{
	const struct standing_place *a = norn_map_get(&s->places, place), *b = norn_map_get(&s->places, other);
	const struct norn_graph_event *x = event_of(s, place), *y = event_of(s, other);
	return a && b && x->op == y->op && same_call(s, x->site, y->site) && x->addr == y->addr &&
	       same_frames(s, a->frame, b->frame) && (!a->parameters || same_arguments(s, x->thread, y->thread));
}
