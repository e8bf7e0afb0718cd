#include "witness/interchange_witness.h"

#include <stdlib.h>

#include "base/must.h"

struct open_frame {
	uint32_t entry, call; /* sites */
};

/* A thread, of either run: what it is in the middle of. */
struct checked_thread {
	struct witness_frames NORN_VECTOR_OF(struct open_frame) frames;
	uint32_t locks; /* held */
	uint32_t last; /* the last event, of the run that it is of */
	/* Of the other run: the recorded thread that did its last event, and what that was about to do when it left; of the
	 * recorded run: the thread that it did its last event as */
	uint32_t by, left;
	uint32_t fork;
	bool ended;
};

struct interchange_checker {
	const struct norn_graph *graph;
	struct checked_thread *recorded, *other; /* by thread */
	uint32_t threads;
};

static bool is_thread_event(const struct norn_graph_event *e, unsigned op)
{
	return e->kind == NORN_EVENT_THREAD && e->op == op;
}

static void step(struct checked_thread *s, const struct norn_graph_event *e, uint32_t number)
{
	bool sync = e->kind == NORN_EVENT_SYNC;
	if (e->kind == NORN_EVENT_ENTER)
		norn_must_push(&s->frames, (struct open_frame){e->site, e->link});
	else if (e->kind == NORN_EVENT_LEAVE && s->frames.count)
		s->frames.count--;
	if (sync && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED))
		s->locks++;
	else if (sync && (e->op == NORN_SYNC_RELEASE || e->op == NORN_SYNC_RELEASE_SHARED) && s->locks)
		s->locks--;
	s->ended |= is_thread_event(e, NORN_THREAD_END);
	s->last = number;
}

/* A call that needs nothing that its frame has computed. */
struct forgetting {
	bool is_one, given; /* given: it needs what the frame was given */
	uint32_t table, origin;
};

static struct forgetting forgetting(const struct norn_graph *graph, uint32_t call)
{
	struct norn_graph_site site;
	uint32_t kind, count, item, items[2] = {0};
	struct forgetting found = {0};
	norn_graph_site(graph, call, &site);
	for (struct norn_facts facts = site.facts; facts.p && !found.is_one && norn_facts_next(&facts, &kind, &count);) {
		for (uint32_t i = 0; i < count; i++)
			if (norn_facts_number(&facts, &item) && i < 2)
				items[i] = item;
		if (kind == NORN_FACT_FORGETS && count == 2)
			found = (struct forgetting){true, items[0], site.base, items[1]};
	}
	return found;
}

static bool same_call(const struct norn_graph *graph, uint32_t call, uint32_t other)
{
	struct forgetting a = forgetting(graph, call), b = forgetting(graph, other);
	return call == other || (a.is_one && b.is_one && a.origin && a.origin == b.origin && a.table == b.table);
}

/* May a thread in this state, whose next event this is, be any thread in this state? */
static bool is_memoryless(
        const struct interchange_checker *c, const struct checked_thread *s, const struct norn_graph_event *next, bool *ret_given)
{
	bool lock = next->kind == NORN_EVENT_SYNC &&
	            (next->op == NORN_SYNC_ACQUIRE || next->op == NORN_SYNC_ACQUIRE_SHARED || next->op == NORN_SYNC_SEM_WAIT);
	if (!lock || s->locks || !s->frames.count || next->flags & NORN_GRAPH_WAKES)
		return false;
	for (uint32_t i = 0; i < s->frames.count; i++) {
		uint32_t call = i + 1 < s->frames.count ? s->frames.items[i + 1].call : next->site;
		struct forgetting f = forgetting(c->graph, call);
		if (!f.is_one)
			return false;
		if (i == 0)
			*ret_given = f.given;
	}
	return true;
}

static bool same_frames(const struct norn_graph *graph, const struct checked_thread *a, const struct checked_thread *b)
{
	bool same = a->frames.count == b->frames.count;
	for (uint32_t i = 0; same && i < a->frames.count; i++)
		same = a->frames.items[i].entry == b->frames.items[i].entry &&
		       (i == 0 || same_call(graph, a->frames.items[i].call, b->frames.items[i].call));
	return same;
}

static bool given_the_same(const struct interchange_checker *c, const struct checked_thread *a, const struct checked_thread *b)
{
	uint64_t given = a->fork ? norn_graph_event(c->graph, a->fork)->addr : NORN_GRAPH_GIVEN_NOT_KNOWN;
	return given != NORN_GRAPH_GIVEN_NOT_KNOWN && b->fork && norn_graph_event(c->graph, b->fork)->addr == given;
}

static uint32_t due(const struct interchange_checker *c, uint32_t thread)
{
	const struct checked_thread *s = c->recorded + thread;
	return s->last ? norn_graph_event(c->graph, s->last)->next : norn_graph_first(c->graph, thread);
}

/* Another recorded thread goes on for this one, with the event. */
static bool may_go_on(const struct interchange_checker *c, const struct checked_thread *recorded,
        const struct checked_thread *other, uint32_t event)
{
	uint32_t left = other->left ? other->left : due(c, other->by);
	const struct norn_graph_event *next = norn_graph_event(c->graph, event), *instead = norn_graph_event(c->graph, left);
	bool given = false;
	return left && instead->op == next->op && same_call(c->graph, instead->site, next->site) && recorded->locks == 0 &&
	       other->locks == 0 && same_frames(c->graph, recorded, other) && is_memoryless(c, recorded, next, &given) &&
	       is_memoryless(c, other, instead, &given) && (!given || given_the_same(c, recorded, other));
}

/* Is what the thread returns written where the program wants it? It is another thread's if that went on for it at last. */
static bool gives_result(const struct interchange_checker *c, const struct norn_graph_event *join)
{
	const struct norn_graph_event *next = norn_graph_event(c->graph, join->next);
	struct norn_graph_site a, b;
	norn_graph_site(c->graph, join->site, &a);
	norn_graph_site(c->graph, next->site, &b);
	return join->next && next->kind == NORN_EVENT_WRITE && (!a.place || a.place == b.place);
}

static bool check_event(struct interchange_checker *c, const struct norn_graph_event *e, uint32_t number, uint32_t event)
{
	const struct norn_graph_event *r = norn_graph_event(c->graph, event);
	struct checked_thread *recorded = c->recorded + r->thread, *other = c->other + e->thread;
	if (event != due(c, r->thread) || r->kind != e->kind || r->op != e->op || r->site != e->site || other->ended)
		return false;
	if (other->by != r->thread && !may_go_on(c, recorded, other, event))
		return false;
	if (is_thread_event(e, NORN_THREAD_JOIN) && !(e->value < c->threads && c->other[e->value].ended))
		return false;
	if (is_thread_event(e, NORN_THREAD_JOIN) && c->other[e->value].by != e->value && gives_result(c, r))
		return false;
	if (is_thread_event(e, NORN_THREAD_BEGIN) && r->thread != e->thread)
		return false;
	if (is_thread_event(e, NORN_THREAD_FORK) && e->value < c->threads)
		c->recorded[e->value].fork = c->other[e->value].fork = event;
	/* The one that it went on as stands there, unless another has gone on as that since. */
	if (recorded->by != e->thread && c->other[recorded->by].by == r->thread)
		c->other[recorded->by].left = event;
	recorded->by = e->thread;
	other->by = r->thread;
	other->left = 0;
	step(recorded, r, event);
	step(other, e, number);
	return true;
}

bool norn_interchange_check(const struct norn_graph *graph, const struct norn_graph *other, const uint32_t *recorded)
{
	uint32_t threads = norn_graph_threads(graph), count = norn_graph_count(other);
	struct interchange_checker c = {.graph = graph,
	        .recorded = norn_must_calloc(threads + UINT64_C(1), sizeof *c.recorded),
	        .other = norn_must_calloc(threads + UINT64_C(1), sizeof *c.other),
	        .threads = threads};
	bool right = norn_graph_threads(other) <= threads;
	for (uint32_t t = 0; t < threads; t++)
		c.recorded[t].by = c.other[t].by = t;
	for (uint32_t i = 1; i <= count && right; i++)
		right = norn_graph_event(other, i)->thread < threads && recorded[i] <= norn_graph_count(graph) &&
		        check_event(&c, norn_graph_event(other, i), i, recorded[i]);
	for (uint32_t t = 0; t < threads; t++) {
		norn_vector_done(&c.recorded[t].frames);
		norn_vector_done(&c.other[t].frames);
	}
	free(c.recorded);
	free(c.other);
	return right;
}
