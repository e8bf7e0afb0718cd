#include "errors/fix/fixed_run.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/must.h"
#include "errors/builtin_driver.h"
#include "trace/merge.h"
#include "trace/record.h"
#include "trace/site.h"

#define WAITING 256u /* events that wait for the lock; more are not gone through */

struct fixed_thread {
	bool inside; /* it holds the lock by the fix */
	bool waits; /* some of its events are among those that wait */
	uint32_t own; /* how often it holds it by the program itself */
	struct norn_event read; /* its latest at the site that is read again */
	bool has_read, is_old; /* there is one; another value, or who knows which, was written there since */
};

struct waiting_event {
	struct norn_event event;
	uint32_t number;
};
struct waiting_events NORN_VECTOR_OF(struct waiting_event);

/* Of events: a thread comes to a region with it, or leaves one after it. Shifted by the region's number. */
enum visit { VISIT_BEGINS = 1, VISIT_ENDS = 4 };

/* Of sites: their regions are known; above their own stand those of the places they were inlined into, then those whose functions
 * they are in. */
enum { KNOWN = 128, CALLED = 2, SAME_FUNCTION = 4 };

struct fixed_run {
	struct norn_builtin_driver_sites *sites;
	const struct norn_fix *fix;
	struct norn_graph_builder *builder;
	struct norn_map in_region; /* site → its regions (regions_of) */
	uint32_t count; /* of events */
	uint8_t *visits; /* of each event: enum visit */
	struct norn_map exchanged; /* number of an acquire → uint64_t: the address that is acquired instead */
	struct fixed_thread *threads;
	uint32_t thread_count;
	uint32_t holder; /* 1 + thread, of the fix's lock; 0: free */
	uint8_t held[NORN_FIX_REGIONS]; /* of regions: some visit found it held by the program itself: 1; not held: 2 */
	uint8_t functions; /* regions in whose functions some thread was: of a function that two run nobody knows which waits */
	uint32_t posts, taken; /* visits of the region that is waited for, and of that which waits */
	bool looked; /* something was read again */
	struct waiting_events waiting; /* in their order; none could come before the lock is free */
	struct norn_arena contents; /* what they point to */
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

/* The regions that a place is in: a bit for each. */
static uint8_t regions_at(const struct norn_fix *fix, const struct norn_own_place *place)
{
	uint8_t found = 0;
	for (uint32_t i = 0; i < fix->region_count; i++)
		found |= (uint8_t)(norn_fix_is_in(&fix->regions[i], place) << i);
	return found;
}

static uint8_t regions_of_function(const struct norn_fix *fix, const struct norn_own_place *place)
{
	uint8_t found = 0;
	for (uint32_t i = 0; i < fix->region_count; i++)
		found |= (uint8_t)((strcmp(place->function, fix->regions[i].function) == 0) << i);
	return found;
}

/* Those of the instruction itself; shift: CALLED, of what it was inlined into, too; SAME_FUNCTION: those of these functions. */
static uint8_t regions_of(struct fixed_run *f, uint32_t site, unsigned shift)
{
	uint8_t *known = norn_must_map_put(&f->in_region, site);
	if (*known == 0) {
		struct norn_own_places places;
		struct norn_own_place place;
		norn_own_places(f->sites->trace, site, &places);
		*known = KNOWN;
		for (bool first = true; norn_own_places_next(&places, &place); first = false)
			*known |= (uint8_t)(regions_at(f->fix, &place) * (first ? 1 + (1 << CALLED) : 1 << CALLED) |
			                    regions_of_function(f->fix, &place) << SAME_FUNCTION);
	}
	return *known >> shift & ((1 << NORN_FIX_REGIONS) - 1);
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

/* Does the thread wait for others at this event? It must not hold the new lock then. */
static bool waits(const struct norn_graph_event *e)
{
	bool lock = is_acquire(e->kind, e->op) || is_release(e->kind, e->op) || e->op == NORN_SYNC_SIGNAL ||
	            e->op == NORN_SYNC_BROADCAST || e->op == NORN_SYNC_SEM_POST || e->op == NORN_SYNC_SEND ||
	            e->op == NORN_SYNC_RECEIVE;
	return (e->kind == NORN_EVENT_SYNC && !lock) || (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN);
}

/* Is it an acquire or release of the fix's lock by the program itself? */
static bool is_own(const struct norn_fix *fix, unsigned kind, unsigned op, uint64_t addr)
{
	return addr == fix->lock && (is_acquire(kind, op) || is_release(kind, op));
}

/* A walk over the events of one thread. */
struct visit_walk {
	uint32_t depth, own; /* calls within the visit; those of the program's own functions */
	uint32_t last; /* its last event so far, 0: there is none */
	uint8_t region; /* that it is in: its bit */
};

/* The regions that the thread is in at this event: those of a function's beginning are where it is called. */
static uint8_t regions_here(struct fixed_run *f, const struct norn_graph_event *e)
{
	if (e->kind == NORN_EVENT_ENTER)
		return e->flags & NORN_GRAPH_UNSEEN || !e->link ? 0 : regions_of(f, e->link, CALLED);
	return e->site && e->kind != NORN_EVENT_LEAVE ? regions_of(f, e->site, CALLED) : 0;
}

/* Is it the program's own code, not a library's? */
static bool is_program(const struct fixed_run *f, uint32_t site)
{
	struct norn_own_place place;
	return norn_own_place(f->sites->trace, site, &place);
}

/* Would a lock around the lines be taken twice, as it is taken there already, or there are more such lines in what is called? The
 * program's own use at the lines themselves is replaced. */
static bool is_taken_twice(struct fixed_run *f, const struct visit_walk *w, const struct norn_graph_event *e, uint8_t here)
{
	if (f->fix->waits)
		return false;
	if (is_own(f->fix, e->kind, e->op, e->addr))
		return w->own || (is_program(f, e->site) && !(regions_of(f, e->site, 0) & w->region));
	return w->own && here;
}

static void end_visit_at(struct fixed_run *f, struct visit_walk *w)
{
	if (w->last)
		f->visits[w->last] |= (uint8_t)(VISIT_ENDS * w->region);
	w->last = 0;
}

static void go_on_visit(struct fixed_run *f, struct visit_walk *w, const struct norn_graph_event *e, uint32_t event, uint8_t here)
{
	f->impossible |= !f->fix->waits && waits(e);
	f->impossible |= is_taken_twice(f, w, e, here);
	w->last = event;
	bool enters = e->kind == NORN_EVENT_ENTER, leaves = e->kind == NORN_EVENT_LEAVE && w->depth;
	w->depth = w->depth + enters - leaves;
	if (enters || leaves)
		w->own = w->own + (enters && is_program(f, e->site)) - (leaves && w->own && is_program(f, e->site));
}

/* A visit begins with the first event at the region's lines and ends after the last one before the thread is elsewhere; functions
 * that are called there belong to it. */
static void find_visits(struct fixed_run *f, const struct norn_graph *graph, uint32_t thread)
{
	const struct norn_graph_event *events = norn_graph_events(graph), *e;
	struct visit_walk w = {.last = 0};
	uint8_t functions = 0;
	for (uint32_t i = norn_graph_first(graph, thread); i; i = e->next) {
		e = events + i;
		functions |= e->site ? regions_of(f, e->site, SAME_FUNCTION) : 0;
		uint8_t here = regions_here(f, e);
		bool call = e->kind == NORN_EVENT_ENTER || e->kind == NORN_EVENT_LEAVE;
		bool leaves = e->kind == NORN_EVENT_LEAVE && w.depth == 0;
		bool ends = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_END;
		bool elsewhere = w.depth == 0 && (e->site || call) && !(here & w.region);
		if (w.last && (elsewhere || leaves || ends))
			end_visit_at(f, &w);
		if (!w.last && here && !is_own(f->fix, e->kind, e->op, e->addr)) {
			w.region = here & 1 ? 1 : 2;
			f->visits[i] |= (uint8_t)(VISIT_BEGINS * w.region);
			w.depth = w.own = 0;
			w.last = i;
		}
		if (w.last)
			go_on_visit(f, &w, e, i, here);
	}
	end_visit_at(f, &w);
	f->impossible |= f->fix->waits && (functions & f->functions || functions == 3);
	f->functions |= functions;
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
	return f->threads + (thread < f->thread_count ? thread : f->thread_count); /* the graph has all threads */
}

static void put_semaphore(struct fixed_run *f, uint32_t thread, unsigned op)
{
	struct norn_event e = {
	        .kind = NORN_EVENT_SYNC, .op = (uint8_t)op, .known = true, .thread = thread, .addr = NORN_FIX_NEW_SEMAPHORE};
	f->impossible |= norn_graph_add(f->builder, &e) != 0;
}

/* The first region is gone through once, then the second once. */
static void begin_waiting_visit(struct fixed_run *f, uint32_t thread, unsigned regions)
{
	if (!(regions & 2))
		return;
	f->impossible |= f->posts != 1 || f->taken++;
	put_semaphore(f, thread, NORN_SYNC_SEM_WAIT);
}

static void end_waiting_visit(struct fixed_run *f, uint32_t thread, unsigned regions)
{
	if (!(regions & 1))
		return;
	f->impossible |= f->posts++ != 0;
	put_semaphore(f, thread, NORN_SYNC_SEM_POST);
}

/* Of a function that is called with the lock and without, nobody can say how it is to be changed. */
static void begin_visit(struct fixed_run *f, uint32_t thread, unsigned regions)
{
	struct fixed_thread *t = thread_of(f, thread);
	if (f->fix->waits) {
		begin_waiting_visit(f, thread, regions);
		return;
	}
	f->held[regions & 1] |= t->own ? 1 : 2;
	f->impossible |= f->held[regions & 1] == 3;
	if (!t->own)
		put_lock(f, thread, NORN_SYNC_ACQUIRE);
	t->inside = true;
}

static void end_visit(struct fixed_run *f, uint32_t thread, unsigned regions)
{
	struct fixed_thread *t = thread_of(f, thread);
	if (f->fix->waits) {
		end_waiting_visit(f, thread, regions);
		return;
	}
	if (!t->own)
		put_lock(f, thread, NORN_SYNC_RELEASE);
	t->inside = false;
}

/* Is it the program's own acquire or release of the lock within a visit? It is left out, as the visit holds the lock. */
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

/* ---- reading again ---- */

/* Code after the acquire looks at the variable once more. It must hold what it held: else the thread would go another way. */
static void look_again(struct fixed_run *f, const struct norn_event *e)
{
	struct fixed_thread *t = thread_of(f, e->thread);
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	if (e->site == f->fix->read && e->kind == NORN_EVENT_READ && e->size <= 8) {
		t->read = *e;
		t->has_read = true;
		t->is_old = false;
	}
	for (uint32_t i = 0; i < f->thread_count && access && e->kind != NORN_EVENT_READ; i++) {
		struct norn_event *r = &f->threads[i].read;
		if (f->threads[i].has_read && e->addr < r->addr + r->size && r->addr < e->addr + e->size)
			f->threads[i].is_old = e->addr != r->addr || e->size != r->size || e->value != r->value;
	}
	if (!t->has_read || !is_acquire(e->kind, e->op) || e->site != f->fix->again)
		return;
	f->impossible |= t->is_old;
	f->impossible |= norn_graph_add(f->builder, &t->read) != 0;
	f->looked = true;
	t->has_read = false;
}

static void add(struct fixed_run *f, const struct norn_event *e, uint32_t number)
{
	assert(number <= f->count); /* the graph has all events of the run */
	unsigned visits = f->visits[number], begins = visits & 3, ends = visits >> 2 & 3;
	if (begins)
		begin_visit(f, e->thread, begins);
	if (!is_left_out(f, e))
		f->impossible |= norn_graph_add(f->builder, e) != 0;
	if (f->fix->again)
		look_again(f, e);
	if (ends)
		end_visit(f, e->thread, ends);
}

/* ---- waiting for the lock ---- */

static bool is_access(const struct norn_event *e)
{
	return (e->kind >= NORN_EVENT_READ && e->kind <= NORN_EVENT_EXTERNAL) || e->kind == NORN_EVENT_ALLOC ||
	       e->kind == NORN_EVENT_FREE;
}

/* Is the event of no concern to other threads? */
static bool is_private(const struct norn_event *e)
{
	return e->kind == NORN_EVENT_ENTER || e->kind == NORN_EVENT_LEAVE || e->kind == NORN_EVENT_MARK;
}

/* Events of two threads whose order matters, or may. */
static bool is_dependent(const struct norn_event *a, const struct norn_event *b)
{
	if (is_private(a) || is_private(b))
		return false;
	if (a->kind == NORN_EVENT_SYNC && b->kind == NORN_EVENT_SYNC)
		return a->addr == b->addr;
	if (is_access(a) && is_access(b))
		return (a->kind != NORN_EVENT_READ || b->kind != NORN_EVENT_READ) && a->addr < b->addr + b->size &&
		       b->addr < a->addr + a->size;
	bool threads = a->kind == NORN_EVENT_THREAD || b->kind == NORN_EVENT_THREAD;
	return threads || a->kind == NORN_EVENT_LOST || b->kind == NORN_EVENT_LOST || a->kind == NORN_EVENT_FREE ||
	       b->kind == NORN_EVENT_FREE; /* of memory that an object is in */
}

static bool is_held_by_another(const struct fixed_run *f, uint32_t thread)
{
	return f->holder && f->holder != thread + 1;
}

static bool has_to_wait(struct fixed_run *f, const struct norn_event *e, uint32_t number)
{
	bool locks = (!f->fix->waits && f->visits[number] & 3) ||
	             (is_own(f->fix, e->kind, e->op, e->addr) && is_acquire(e->kind, e->op));
	if (thread_of(f, e->thread)->waits || (locks && is_held_by_another(f, e->thread)))
		return true;
	for (uint32_t i = 0; i < f->waiting.count; i++)
		if (is_dependent(&f->waiting.items[i].event, e))
			return true;
	return false;
}

static void *copy(struct fixed_run *f, const void *from, size_t bytes)
{
	return from ? memcpy(norn_must_arena_alloc(&f->contents, bytes + 1), from, bytes) : NULL;
}

/* Memory that the event points to is kept only until the next one is read. */
static void let_wait(struct fixed_run *f, const struct norn_event *e, uint32_t number)
{
	struct waiting_event w = {*e, number};
	bool versions = e->versions != NULL;
	w.event.data = copy(f, e->data, e->kind == NORN_EVENT_FREE ? 0 : e->size);
	w.event.versions = copy(f, e->versions, versions ? e->count * sizeof *e->versions : 0);
	w.event.args = copy(f, e->args, versions ? 0 : e->count * sizeof *e->args);
	thread_of(f, e->thread)->waits = true;
	f->impossible |= f->holder == e->thread + 1 || f->waiting.count == WAITING;
	norn_must_push(&f->waiting, w);
}

static void add_or_wait(struct fixed_run *f, const struct norn_event *e, uint32_t number)
{
	if (has_to_wait(f, e, number))
		let_wait(f, e, number);
	else
		add(f, e, number);
}

/* Lets the waiting threads acquire the lock, one after the other, as it becomes free. */
static void let_go_on(struct fixed_run *f)
{
	bool goes_on = true;
	while (goes_on && !f->holder && f->waiting.count && !f->impossible) {
		struct waiting_events all = f->waiting;
		f->waiting = (struct waiting_events){0};
		for (uint32_t i = 0; i < all.count; i++)
			thread_of(f, all.items[i].event.thread)->waits = false;
		for (uint32_t i = 0; i < all.count && !f->impossible; i++)
			add_or_wait(f, &all.items[i].event, all.items[i].number);
		goes_on = f->waiting.count < all.count;
		norn_vector_done(&all);
	}
	if (!f->waiting.count)
		norn_arena_done(&f->contents);
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
		add_or_wait(f, &e, n);
		let_go_on(f);
		if (n == 1 && f->fix->waits)
			put_semaphore(f, e.thread, NORN_SYNC_SEM_INIT);
	}
	norn_run_rest(run);
	norn_map_done(&holders);
	bool done = (!f->fix->waits || f->taken) && (!f->fix->again || f->looked);
	return f->impossible || f->waiting.count || !done ? -1 : r;
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
	norn_vector_done(&f.waiting);
	norn_arena_done(&f.contents);
	free(f.visits);
	free(f.threads);
	return made;
}
