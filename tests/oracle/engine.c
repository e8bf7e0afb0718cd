#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include "errors/builtin_search.h"
#include "sliced/closure.h"
#include "sliced/open_last.h"
#include "trace/record.h"
#include "trace/site.h"

struct driver {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	struct norn_closure *closure;
	unsigned without;
	engine_claim *claim;
	void *context;
	uint32_t base;
};

static bool is_access(const struct norn_graph_event *e)
{
	return e->kind >= NORN_EVENT_READ && e->kind <= NORN_EVENT_RMW;
}

static bool overlap(const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	return a->addr < b->addr + b->size && b->addr < a->addr + a->size;
}

/* A compare-and-swap that wrote may not write at a stop, where nothing keeps what it reads. */
static bool writes(const struct driver *d, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	norn_graph_site(d->graph, e->site, &site);
	return e->kind == NORN_EVENT_WRITE || (e->kind == NORN_EVENT_RMW && site.kind != NORN_SITE_CMPXCHG);
}

/* What the stops are about must be there: the memory, the lock. A closure can be told of two such events. */
static void life_of(const struct driver *d, const struct norn_sliced_claim *claim, uint32_t includes[NORN_CLOSURE_INCLUDES])
{
	includes[0] = d->events[claim->stops[0]].life;
	includes[1] = d->events[claim->stops[1]].life;
	if (claim->stop_count > 2 && d->events[claim->stops[2]].life > includes[0])
		includes[0] = d->events[claim->stops[2]].life;
	if (claim->kind == NORN_SLICED_ATOMICITY)
		includes[1] = claim->cycle[0]; /* their memory is the same */
}

static void in_observed_order(struct driver *d, struct norn_sliced_claim *claim)
{
	uint32_t includes[NORN_CLOSURE_INCLUDES] = {0};
	life_of(d, claim, includes);
	if (norn_closure_try(d->closure, claim->stops, claim->stop_count, includes, false, UINT32_MAX) != NORN_CLOSURE_YES)
		return;
	claim->base = d->base;
	claim->events = norn_closure_window(d->closure, &claim->count);
	d->claim(d->context, claim, NULL);
}

/* From before the first lock that is held at a stop. */
static void with_open_last(struct driver *d, struct norn_sliced_claim *claim)
{
	uint32_t first = UINT32_MAX, includes[NORN_CLOSURE_INCLUDES] = {0};
	life_of(d, claim, includes);
	for (uint32_t i = 0; i < claim->stop_count; i++)
		for (uint32_t held = d->events[claim->stops[i]].held; held;) {
			uint32_t acquire = norn_graph_held(d->graph, held, &held);
			first = acquire < first ? acquire : first;
		}
	if (first == UINT32_MAX)
		return;
	claim->base = first - 1 < d->base ? first - 1 : d->base;
	const struct norn_rule *inexact;
	struct norn_closure *closure = norn_closure_new(d->graph, d->without);
	if (!d->without)
		norn_closure_equal_values(closure);
	norn_closure_base(closure, claim->base);
	if (norn_closure_try(closure, claim->stops, claim->stop_count, includes, true, UINT32_MAX) == NORN_CLOSURE_YES) {
		uint32_t *ordered = norn_open_last(d->graph, closure, claim->base, &claim->count, &inexact);
		claim->events = ordered;
		if (ordered)
			d->claim(d->context, claim, NULL);
		free(ordered);
	}
	norn_closure_free(closure);
}

static int attempt(struct driver *d, struct norn_sliced_claim *claim)
{
	in_observed_order(d, claim);
	with_open_last(d, claim);
	return 0;
}

static int races(struct driver *d, uint32_t e1)
{
	const struct norn_graph_event *a = d->events + e1;
	int r = 0;
	for (uint32_t e2 = e1 + 1; e2 <= norn_graph_count(d->graph) && r == 0 && is_access(a); e2++) {
		const struct norn_graph_event *b = d->events + e2;
		if (!is_access(b) || a->thread == b->thread || !overlap(a, b) || (!writes(d, a) && !writes(d, b)) ||
		        a->life != b->life || a->flags & b->flags & NORN_GRAPH_ATOMIC)
			continue;
		uint32_t stops[] = {e1, e2};
		struct norn_sliced_claim claim = {.kind = NORN_SLICED_RACE, .stops = stops, .stop_count = 2};
		r = attempt(d, &claim);
	}
	return r;
}

/* e1: the use, which the free was recorded after; or the earlier free of two. */
static int frees(struct driver *d, uint32_t e1)
{
	const struct norn_graph_event *use = d->events + e1;
	int r = 0;
	for (uint32_t e2 = e1 + 1; e2 <= norn_graph_count(d->graph) && r == 0 && is_access(use) && use->life; e2++) {
		const struct norn_graph_event *f = d->events + e2;
		if (!norn_graph_frees(f) || f->life != use->life || f->thread == use->thread ||
		        norn_graph_event(d->graph, f->life)->kind == NORN_EVENT_FREE)
			continue;
		uint32_t stops[] = {e2, e1};
		struct norn_sliced_claim claim = {.kind = NORN_SLICED_USE_AFTER_FREE, .stops = stops, .stop_count = 2};
		r = attempt(d, &claim);
	}
	return r;
}

static bool blocking(const struct driver *d, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	norn_graph_site(d->graph, e->site, &site);
	const struct norn_graph_event *end = d->events + e->next;
	if (e->next && end->kind == NORN_EVENT_SYNC && end->op == NORN_SYNC_WAIT_END)
		return false; /* it is asleep before, unless notified */
	return e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED) && site.waits;
}

/* Does b's thread hold what a wants? */
static bool waits(const struct driver *d, uint32_t a, uint32_t b)
{
	for (uint32_t held = d->events[b].held; held;) {
		const struct norn_graph_event *acquire = d->events + norn_graph_held(d->graph, held, &held);
		if (acquire->size == d->events[a].size)
			return d->events[a].op == NORN_SYNC_ACQUIRE || acquire->op == NORN_SYNC_ACQUIRE;
	}
	return false;
}

static int deadlocks(struct driver *d, uint32_t e1)
{
	uint32_t count = norn_graph_count(d->graph);
	int r = 0;
	for (uint32_t e2 = e1 + 1; e2 <= count && r == 0 && blocking(d, d->events + e1); e2++) {
		if (!blocking(d, d->events + e2) || d->events[e1].thread == d->events[e2].thread)
			continue;
		uint32_t stops[] = {e1, e2, 0};
		struct norn_sliced_claim claim = {.kind = NORN_SLICED_DEADLOCK, .stops = stops, .stop_count = 2};
		if (waits(d, e1, e2) && waits(d, e2, e1))
			r = attempt(d, &claim);
		for (uint32_t e3 = e1 + 1; e3 <= count && r == 0; e3++) {
			if (!blocking(d, d->events + e3) || d->events[e3].thread == d->events[e1].thread ||
			        d->events[e3].thread == d->events[e2].thread)
				continue;
			stops[2] = e3;
			claim.stop_count = 3;
			if (waits(d, e1, e2) && waits(d, e2, e3) && waits(d, e3, e1))
				r = attempt(d, &claim);
		}
	}
	return r;
}

/* The block's access before event last to the same memory; 0: none. *ret_block: where the block begins. */
static uint32_t first_of_block(const struct driver *d, uint32_t last, uint32_t *ret_block)
{
	uint32_t block = 0, first = 0;
	for (uint32_t i = norn_graph_first(d->graph, d->events[last].thread); i && i < last; i = d->events[i].next) {
		const struct norn_graph_event *e = d->events + i;
		if (e->kind == NORN_EVENT_MARK && e->op == NORN_MARK_ATOMIC_BEGIN)
			block = i, first = 0;
		else if (e->kind == NORN_EVENT_MARK && e->op == NORN_MARK_ATOMIC_END)
			block = first = 0;
		else if (block && is_access(e) && overlap(e, d->events + last))
			first = i;
	}
	*ret_block = block;
	return first;
}

/* e1 is the foreign access, or the block's last one. */
static int atomicity(struct driver *d, uint32_t e1)
{
	int r = 0;
	for (uint32_t e2 = e1 + 1; e2 <= norn_graph_count(d->graph) && r == 0 && is_access(d->events + e1); e2++) {
		if (!is_access(d->events + e2) || d->events[e1].thread == d->events[e2].thread)
			continue;
		for (unsigned i = 0; i < 2 && r == 0; i++) {
			uint32_t foreign = i ? e1 : e2, last = i ? e2 : e1, block, first = first_of_block(d, last, &block);
			if (!first || first == foreign || !overlap(d->events + first, d->events + foreign) ||
			        !overlap(d->events + foreign, d->events + last))
				continue;
			unsigned a = d->events[first].kind, b = d->events[foreign].kind, c = d->events[last].kind;
			bool second = writes(d, d->events + foreign), third = writes(d, d->events + last);
			bool bad = (second && c != NORN_EVENT_WRITE) || (second && a != NORN_EVENT_WRITE && third) ||
			           (b != NORN_EVENT_WRITE && a != NORN_EVENT_READ && third);
			uint32_t stops[] = {foreign, last};
			uint32_t cycle[] = {first, foreign, last}, begins[3] = {0};
			struct norn_sliced_claim claim = {.kind = NORN_SLICED_ATOMICITY,
			        .stops = stops,
			        .stop_count = 2,
			        .block = block,
			        .cycle = cycle,
			        .cycle_begins = begins,
			        .cycle_count = 3};
			if (bad && d->events[first].life == d->events[foreign].life &&
			        d->events[first].life == d->events[last].life)
				r = attempt(d, &claim);
		}
	}
	return r;
}

int engine_closures(const struct norn_graph *graph, unsigned without, engine_claim *claim, void *context)
{
	struct driver d = {
	        .graph = graph, .events = norn_graph_events(graph), .without = without, .claim = claim, .context = context};
	d.closure = norn_closure_new(graph, without);
	if (!without) /* otherwise equal values would hide what a rule is good for */
		norn_closure_equal_values(d.closure);
	int r = 0;
	for (uint32_t e1 = 1; e1 <= norn_graph_count(graph) && r == 0; e1++) {
		d.base = e1 - 1;
		norn_closure_base(d.closure, d.base);
		r = races(&d, e1);
		if (r == 0)
			r = frees(&d, e1);
		if (r == 0)
			r = deadlocks(&d, e1);
		if (r == 0)
			r = atomicity(&d, e1);
	}
	norn_closure_free(d.closure);
	return r;
}

static enum norn_sliced_kind kind_of(enum norn_predicted_kind kind)
{
	switch (kind) {
	case NORN_PREDICTED_RACE:
		return NORN_SLICED_RACE;
	case NORN_PREDICTED_DEADLOCK:
		return NORN_SLICED_DEADLOCK;
	case NORN_PREDICTED_USE_AFTER_FREE:
		return NORN_SLICED_USE_AFTER_FREE;
	case NORN_PREDICTED_DOUBLE_FREE:
		return NORN_SLICED_DOUBLE_FREE;
	case NORN_PREDICTED_ASSERTION:
		return NORN_SLICED_ASSERTION;
	default:
		return NORN_SLICED_ATOMICITY;
	}
}

static bool is_meant_atomic(void *context, uint32_t site)
{
	const struct engine_options *options = context;
	return site == options->atomic_site;
}

static bool agreed(const struct norn_graph *graph, const struct norn_sliced_claim *claim)
{
	struct norn_sliced_checker *checker = norn_sliced_checker_new(graph);
	struct norn_error why;
	bool good = norn_sliced_check(checker, claim, &why) == 0;
	norn_sliced_checker_free(checker);
	return good;
}

int engine_builtin(const struct norn_graph *graph, const struct engine_options *wanted, engine_claim *claim, void *context)
{
	struct norn_builtin_options options = {.without = wanted->without,
	        .what = wanted->infer ? NORN_BUILTIN_INFER : 0,
	        .effort = wanted->effort,
	        .guarded = true,
	        .atomic = wanted->atomic_site ? is_meant_atomic : NULL,
	        .context = (void *)wanted};
	struct norn_predictions predictions = {.count = 0};
	norn_builtin_errors(graph, &options, &predictions);
	for (uint32_t i = 0; i < predictions.count; i++) {
		const struct norn_predicted *p = predictions.list + i;
		struct norn_sliced_claim c = {.kind = kind_of(p->kind),
		        .base = p->schedule.base,
		        .events = p->schedule.events,
		        .count = p->schedule.count,
		        .stops = p->stops,
		        .stop_count = p->stop_count,
		        .first = p->assertion ? p->assertion->event : p->first,
		        .cycle = p->cycle.events,
		        .cycle_begins = p->cycle.begins,
		        .cycle_count = p->cycle.count,
		        .block = p->begin,
		        .site = p->assertion ? p->assertion->site : 0,
		        .assumed = p->assumed,
		        .assumed_count = p->assumed_count};
		/* What is only suspected need not come true, but the checker must agree to it. */
		if (p->assumed_count == 0 || !agreed(graph, &c))
			claim(context, &c, p);
	}
	norn_predictions_done(&predictions);
	return 0;
}
