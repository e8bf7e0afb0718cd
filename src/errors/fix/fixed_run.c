#include "errors/fix/fixed_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "errors/builtin_driver.h"
#include "trace/merge.h"
#include "trace/record.h"
#include "trace/site.h"

struct fixed_thread {
	bool inside; /* it holds the lock by the fix */
	uint32_t own; /* how often it holds it by the program itself */
};

enum visit { VISIT_BEGINS = 1, VISIT_ENDS = 2 };

struct fixed_run {
	struct norn_builtin_driver_sites *sites;
	const struct norn_fix *fix;
	struct norn_graph_builder *builder;
	struct norn_map in_region; /* site → 1: no, 2: yes */
	uint32_t count; /* of events */
	uint8_t *visits; /* of each event: does its thread come to a region with it, does it leave one after it (enum visit) */
	struct norn_map exchanged; /* number of an acquire → uint64_t: the address that is acquired instead */
	struct fixed_thread *threads;
	uint32_t thread_count;
	uint32_t holder; /* 1 + thread, of the fix's lock; 0: free */
	bool impossible;
};

/* ---- sites ---- */

static uint8_t stronger(uint8_t order, bool release)
{
	unsigned wanted = release ? NORN_ORDER_RELEASE : NORN_ORDER_ACQUIRE,
	         other = release ? NORN_ORDER_ACQUIRE : NORN_ORDER_RELEASE;
	if (order == NORN_ORDER_SEQ_CST || order == NORN_ORDER_ACQ_REL)
		return order;
	return order == other ? NORN_ORDER_ACQ_REL : (uint8_t)wanted;
}

static void look_up(void *context, uint32_t number, struct norn_graph_site *ret_site)
{
	const struct fixed_run *f = context;
	norn_builtin_driver_sites_look_up(f->sites, number, ret_site);
	if (number == 0)
		ret_site->waits = true; /* the acquire of a new lock */
	if (number && number == f->fix->store)
		ret_site->order = stronger(ret_site->order, true);
	if (number && number == f->fix->load) {
		ret_site->order = stronger(ret_site->order, false);
		ret_site->order_failure = ret_site->order_failure ? stronger(ret_site->order_failure, false) : 0;
	}
}

static bool is_in(const struct norn_fix_region *r, const struct norn_site_info *info)
{
	return info->line >= r->first && info->line <= r->last && strcmp(info->function, r->function) == 0 &&
	       strcmp(info->file, r->file) == 0;
}

static bool in_region(struct fixed_run *f, uint32_t site)
{
	uint8_t *known = norn_must_map_put(&f->in_region, site);
	if (*known == 0) {
		struct norn_site_info info;
		norn_trace_site(f->sites->trace, site, &info);
		*known = 1;
		for (uint32_t i = 0; i < f->fix->region_count; i++)
			*known |= is_in(&f->fix->regions[i], &info) << 1;
	}
	return *known & 2;
}

static bool is_acquire(unsigned kind, unsigned op)
{
	return kind == NORN_EVENT_SYNC && (op == NORN_SYNC_ACQUIRE || op == NORN_SYNC_ACQUIRE_SHARED);
}

static bool is_release(unsigned kind, unsigned op)
{
	return kind == NORN_EVENT_SYNC && (op == NORN_SYNC_RELEASE || op == NORN_SYNC_RELEASE_SHARED);
}

/* ---- visits to regions ---- */

/* Does the thread wait there for others? It must not hold one more lock then. */
static bool waits(const struct norn_graph_event *e)
{
	bool lock = is_acquire(e->kind, e->op) || is_release(e->kind, e->op) || e->op == NORN_SYNC_SIGNAL ||
	            e->op == NORN_SYNC_BROADCAST || e->op == NORN_SYNC_SEM_POST || e->op == NORN_SYNC_SEND ||
	            e->op == NORN_SYNC_RECEIVE;
	return (e->kind == NORN_EVENT_SYNC && !lock) || (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN);
}

/* The program's own use of the fix's lock. */
static bool is_own(const struct norn_fix *fix, unsigned kind, unsigned op, uint64_t addr)
{
	return addr == fix->lock && (is_acquire(kind, op) || is_release(kind, op));
}

/* A visit begins with the first event at the region's lines and ends after the last one before the thread is elsewhere; functions
 * that are called there belong to it. */
static void find_visits(struct fixed_run *f, const struct norn_graph *graph, uint32_t thread)
{
	const struct norn_graph_event *events = norn_graph_events(graph), *e;
	uint32_t depth = 0, last = 0; /* calls within the visit; its last event so far, 0: there is none */
	for (uint32_t i = norn_graph_first(graph, thread); i; i = e->next) {
		e = events + i;
		bool here = e->site && in_region(f, e->site), call = e->kind == NORN_EVENT_ENTER || e->kind == NORN_EVENT_LEAVE;
		bool leaves = e->kind == NORN_EVENT_LEAVE && depth == 0;
		bool ends = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_END;
		if (last && ((depth == 0 && e->site && !here) || leaves || ends)) {
			f->visits[last] |= VISIT_ENDS;
			last = 0;
		}
		if (!last && here && !call && !is_own(f->fix, e->kind, e->op, e->addr)) {
			f->visits[i] |= VISIT_BEGINS;
			depth = 0;
			last = i;
		}
		if (!last)
			continue;
		last = i;
		f->impossible |= waits(e);
		depth += e->kind == NORN_EVENT_ENTER;
		depth -= e->kind == NORN_EVENT_LEAVE && depth;
	}
	if (last)
		f->visits[last] |= VISIT_ENDS;
}

/* ---- the lock ---- */

static void put_lock(struct fixed_run *f, uint32_t thread, unsigned op)
{
	bool acquires = op == NORN_SYNC_ACQUIRE;
	struct norn_event e = {.kind = NORN_EVENT_SYNC,
	        .op = (uint8_t)op,
	        .known = true,
	        .thread = thread,
	        .site = f->fix->lock_site,
	        .addr = f->fix->lock};
	f->impossible |= acquires && f->holder;
	f->holder = acquires ? thread + 1 : 0;
	f->impossible |= norn_graph_add(f->builder, &e) != 0;
}

static struct fixed_thread *thread_of(struct fixed_run *f, uint32_t thread)
{
	return f->threads + (thread < f->thread_count ? thread : f->thread_count); /* all are known from the graph */
}

static void begin_visit(struct fixed_run *f, uint32_t thread)
{
	struct fixed_thread *t = thread_of(f, thread);
	if (!t->own)
		put_lock(f, thread, NORN_SYNC_ACQUIRE);
	t->inside = true;
}

static void end_visit(struct fixed_run *f, uint32_t thread)
{
	struct fixed_thread *t = thread_of(f, thread);
	if (!t->own)
		put_lock(f, thread, NORN_SYNC_RELEASE);
	t->inside = false;
}

/* Is it the program's own use of the lock within a visit? It is left out: the visit holds the lock already. */
static bool is_left_out(struct fixed_run *f, const struct norn_event *e)
{
	struct fixed_thread *t = thread_of(f, e->thread);
	if (!is_own(f->fix, e->kind, e->op, e->addr))
		return false;
	bool acquires = is_acquire(e->kind, e->op);
	f->impossible |= acquires && !t->own && !t->inside && f->holder;
	t->own += acquires;
	t->own -= !acquires && t->own;
	f->holder = t->own || t->inside ? e->thread + 1 : f->holder == e->thread + 1 ? 0 : f->holder;
	return t->inside;
}

static void add(struct fixed_run *f, const struct norn_event *e, uint32_t number)
{
	assert(number <= f->count); /* the graph has all events of the run */
	if (f->visits[number] & VISIT_BEGINS)
		begin_visit(f, e->thread);
	if (!is_left_out(f, e))
		f->impossible |= norn_graph_add(f->builder, e) != 0;
	if (f->visits[number] & VISIT_ENDS)
		end_visit(f, e->thread);
}

/* ---- acquires that change places ---- */

static bool at_place(const struct norn_graph *graph, const struct norn_graph_event *e, uint32_t site)
{
	return e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_ACQUIRE && e->link &&
	       norn_graph_place(graph, e->site) == norn_graph_place(graph, site);
}

static void exchange(struct fixed_run *f, const struct norn_graph *graph)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		if (!at_place(graph, events + i, f->fix->outer))
			continue;
		uint32_t k = events[i].next;
		while (k && k < events[i].link && !at_place(graph, events + k, f->fix->inner))
			k = events[k].next;
		if (!k || k > events[i].link || (f->fix->by_address && events[k].addr > events[i].addr))
			continue;
		*(uint64_t *)norn_must_map_put(&f->exchanged, i) = events[k].addr;
		*(uint64_t *)norn_must_map_put(&f->exchanged, k) = events[i].addr;
	}
}

/* ---- all ---- */

/* Is every lock that was exchanged free when it is taken? Others are as they were. */
static void check_holders(struct fixed_run *f, struct norn_map *holders, const struct norn_event *e)
{
	bool acquires = is_acquire(e->kind, e->op);
	if (!f->exchanged.count || (!acquires && !is_release(e->kind, e->op)))
		return;
	uint32_t *holder = norn_must_map_put(holders, e->addr);
	f->impossible |= e->op == NORN_SYNC_ACQUIRE && *holder && *holder != e->thread + 1;
	*holder = acquires ? e->thread + 1 : 0;
}

static int read_fixed(struct fixed_run *f, struct norn_run *run)
{
	struct norn_event e;
	struct norn_error err = {0};
	struct norn_map holders;
	int r = -1;
	norn_map_init(&holders, sizeof(uint32_t));
	norn_run_begin(run, NORN_MERGE_PATIENCE);
	for (uint32_t n = 1; !f->impossible && (r = norn_run_next(run, &e, &err)) == 1; n++) {
		const uint64_t *other = norn_map_get(&f->exchanged, n);
		e.addr = other ? *other : e.addr;
		check_holders(f, &holders, &e);
		add(f, &e, n);
	}
	norn_run_rest(run);
	norn_map_done(&holders);
	return f->impossible ? -1 : r;
}

struct norn_graph *norn_fixed_run_graph(
        struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph, const struct norn_fix *fix)
{
	const struct norn_graph_limits limits = {.max_bytes = sites->options->max_memory};
	struct fixed_run f = {
	        .sites = sites, .fix = fix, .thread_count = norn_graph_threads(graph), .count = norn_graph_count(graph)};
	struct norn_graph *made = NULL;
	f.threads = norn_must_calloc(f.thread_count + 1ul, sizeof *f.threads);
	f.visits = norn_must_calloc(f.count + 1ul, sizeof *f.visits);
	f.builder = norn_graph_builder_new(look_up, &f, &limits);
	norn_map_init(&f.in_region, 1);
	norn_map_init(&f.exchanged, sizeof(uint64_t));
	if (sites->options->initial)
		norn_graph_initial_memory(f.builder, sites->options->initial, sites->options->initial_context);
	if (fix->outer)
		exchange(&f, graph);
	for (uint32_t t = 0; t < f.thread_count && fix->region_count; t++)
		find_visits(&f, graph, t);
	if (read_fixed(&f, run) == 0)
		made = norn_graph_finish(f.builder);
	norn_graph_builder_free(f.builder);
	norn_map_done(&f.in_region);
	norn_map_done(&f.exchanged);
	free(f.visits);
	free(f.threads);
	return made;
}
