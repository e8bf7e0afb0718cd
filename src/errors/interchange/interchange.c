#include "errors/interchange/interchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/map.h"
#include "base/must.h"
#include "errors/builtin_driver.h"
#include "errors/interchange/standing.h"
#include "trace/merge.h"
#include "trace/record.h"

#define THREADS 256u /* of a run that is looked at */
#define EVENTS (1u << 22) /* the same */

/* ---- who does what ---- */

struct plan_thread {
	uint32_t as; /* the thread whose part it plays in the other run */
	uint32_t moves; /* how often that has changed */
	uint32_t ready; /* the place that it stands before, 0: none */
	bool ended; /* the thread of this number has */
	bool ended_as; /* another one went on as it then, whose result it is */
	uint32_t stack; /* the event that tells its stack, 0: it is not known */
};

struct plan {
	const struct norn_graph *graph;
	const struct norn_standing *standing;
	struct plan_thread *threads;
	uint32_t thread_count;
	uint32_t *as; /* by event */
	uint32_t end; /* the first event that is left out */
	uint32_t moves;
	uint64_t random;
	struct norn_map words; /* of the threads' own stacks → 1 + moves of the thread when it wrote it last */
};

static const struct norn_graph_event *event_of(const struct plan *p, uint32_t number)
{
	return norn_graph_event(p->graph, number);
}

/* The thread whose stack has the memory of this access; NORN_NO_THREAD: it is no stack. */
static uint32_t stack_of(const struct plan *p, const struct norn_graph_event *e)
{
	const struct norn_graph_event *life = event_of(p, e->life);
	return norn_graph_is_access(e) && e->life && life->kind == NORN_EVENT_THREAD ? life->thread : NORN_NO_THREAD;
}

/* Has code without hooks written on the thread's own stack? */
static bool is_stack_written(const struct plan *p, const struct norn_graph_event *e)
{
	const struct norn_graph_event *stack = event_of(p, p->threads[e->thread].stack);
	bool known = p->threads[e->thread].stack;
	return e->kind == NORN_EVENT_EXTERNAL && (!known || (e->addr >= stack->addr && e->addr < stack->addr + stack->size));
}

/* Is what the thread reads on its stack from before it changed places? */
static bool is_carried(struct plan *p, const struct norn_graph_event *e)
{
	const struct plan_thread *t = p->threads + e->thread;
	for (uint64_t word = e->addr / 8; word <= (e->addr + (e->size ? e->size - 1 : 0)) / 8; word++) {
		const uint32_t *written = norn_map_get(&p->words, word);
		if (t->moves && (!written || *written != t->moves + 1))
			return true;
	}
	return false;
}

static void note_written(struct plan *p, const struct norn_graph_event *e)
{
	for (uint64_t word = e->addr / 8; word <= (e->addr + (e->size ? e->size - 1 : 0)) / 8; word++)
		*(uint32_t *)norn_must_map_put(&p->words, word) = p->threads[e->thread].moves + 1;
}

static bool ends_with_stack(struct plan *p, const struct norn_graph_event *e, uint32_t stack)
{
	if (stack >= p->thread_count || (stack != e->thread && p->threads[stack].moves))
		return true;
	if (stack != e->thread)
		return false;
	if (e->kind != NORN_EVENT_WRITE && is_carried(p, e))
		return true;
	if (e->kind != NORN_EVENT_READ)
		note_written(p, e);
	return false;
}

static bool is_ended(const struct plan *p, uint64_t child)
{
	return child < p->thread_count && p->threads[child].ended;
}

/* Does the join give the result of its thread to the program? Then that is written right after it. */
static bool takes_result(const struct plan *p, const struct norn_graph_event *join)
{
	const struct norn_graph_event *next = event_of(p, join->next);
	struct norn_graph_site at, written;
	if (!join->next || next->kind != NORN_EVENT_WRITE)
		return false;
	norn_graph_site(p->graph, join->site, &at);
	norn_graph_site(p->graph, next->site, &written);
	return at.place ? at.place == written.place : true;
}

static bool ends_with_thread_event(const struct plan *p, const struct norn_graph_event *e)
{
	bool moved = p->threads[e->thread].moves;
	switch (e->op) {
	case NORN_THREAD_JOIN:
		return !is_ended(p, e->value) || (p->threads[e->value].ended_as && takes_result(p, e));
	case NORN_THREAD_CALL:
		return moved && !(e->flags & (NORN_GRAPH_CALLED | NORN_GRAPH_ORDERED));
	case NORN_THREAD_BACK:
		return moved && e->flags & NORN_GRAPH_AFTER;
	case NORN_THREAD_FORK:
	case NORN_THREAD_NAME:
		return moved;
	default:
		return false;
	}
}

/* Is it unknown whether the other run would have this event? */
static bool ends_with(struct plan *p, const struct norn_graph_event *e)
{
	uint32_t stack = stack_of(p, e);
	if (stack != NORN_NO_THREAD)
		return ends_with_stack(p, e, stack);
	if (e->kind == NORN_EVENT_THREAD)
		return ends_with_thread_event(p, e);
	if (p->threads[e->thread].moves && is_stack_written(p, e))
		return true;
	return e->kind == NORN_EVENT_ALLOC && p->moves && e->flags & NORN_GRAPH_NUMBER;
}

/* A number below bound; the same ones in each run of Norn. */
static uint32_t draw(struct plan *p, uint32_t bound)
{
	p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)((p->random >> 33) % bound);
}

/* The thread leaves the place before this event: draws the thread as which it goes on. */
static void leave_place(struct plan *p, uint32_t thread, uint32_t event)
{
	uint32_t there[THREADS], count = 0;
	for (uint32_t t = 0; t < p->thread_count; t++)
		if (t != thread && p->threads[t].ready && norn_standing_same(p->standing, event, p->threads[t].ready))
			there[count++] = t;
	uint32_t drawn = draw(p, count + 1);
	if (drawn == count)
		return;
	struct plan_thread *a = p->threads + thread, *b = p->threads + there[drawn];
	uint32_t as = a->as;
	a->as = b->as;
	b->as = as;
	a->moves++;
	b->moves++;
	p->moves++;
}

/* Events before a thread's first place are made as soon as it is created, if they can be. */
static bool is_early(const struct plan *p, uint32_t thread, uint32_t event)
{
	return event < norn_standing_at_start(p->standing, thread);
}

static void plan_event(struct plan *p, uint32_t number)
{
	const struct norn_graph_event *e = event_of(p, number);
	struct plan_thread *t = p->threads + e->thread;
	if (t->ready == number)
		leave_place(p, e->thread, number);
	p->as[number] = t->as;
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK && e->value < p->thread_count)
		p->threads[e->value].ready = norn_standing_at_start(p->standing, (uint32_t)e->value);
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_END)
		p->threads[t->as].ended = true, p->threads[t->as].ended_as = t->as != e->thread;
	if (!is_early(p, e->thread, number))
		t->ready = e->next && norn_standing_is_place(p->standing, e->next) ? e->next : 0;
}

/* The second of two records tells the stack. */
static uint32_t find_stack(const struct plan *p, uint32_t thread)
{
	for (uint32_t i = norn_graph_first(p->graph, thread); i; i = event_of(p, i)->next) {
		const struct norn_graph_event *e = event_of(p, i);
		if (e->kind != NORN_EVENT_THREAD)
			return 0;
		if (e->op == NORN_THREAD_STACK && e->size)
			return i;
	}
	return 0;
}

static void make_plan(struct plan *p)
{
	uint32_t count = norn_graph_count(p->graph);
	for (uint32_t t = 0; t < p->thread_count; t++) {
		p->threads[t].as = t;
		p->threads[t].stack = find_stack(p, t);
	}
	for (p->end = 1; p->end <= count && !ends_with(p, event_of(p, p->end)); p->end++)
		plan_event(p, p->end);
}

/* ---- the other run ---- */

struct other_run {
	struct plan *plan;
	struct norn_graph_builder *builder;
	NORN_VECTOR(uint32_t) recorded, by; /* by events of the other run: which event it is, and whose */
	struct norn_arena arena;
	struct early_events NORN_VECTOR_OF(struct norn_event) * early; /* by thread: all that are made early, in their order */
};

/* What the thread does on its stack the one that it goes on as does on its own. False: that has another size. */
static bool move_stack(const struct plan *p, uint32_t number, uint32_t as, struct norn_event *e)
{
	const struct norn_graph_event *known = event_of(p, number);
	if (stack_of(p, known) != known->thread || as == known->thread)
		return true;
	const struct norn_graph_event *from = event_of(p, known->life), *to = event_of(p, p->threads[as].stack);
	if (!p->threads[as].stack || to->size != from->size)
		return false;
	e->addr += to->addr - from->addr;
	return true;
}

static int add(struct other_run *o, struct norn_event e, uint32_t number, uint32_t as)
{
	if (!move_stack(o->plan, number, as, &e))
		return -ENOTSUP;
	e.thread = as;
	norn_must_push(&o->recorded, number);
	norn_must_push(&o->by, event_of(o->plan, number)->thread);
	return norn_graph_add(o->builder, &e);
}

/* The events of a thread that are made as soon as it is created. */
static int add_early(struct other_run *o, uint64_t thread)
{
	int r = 0;
	if (thread >= o->plan->thread_count)
		return 0;
	uint32_t number = norn_graph_first(o->plan->graph, (uint32_t)thread);
	for (uint32_t i = 0; i < o->early[thread].count && r == 0; i++) {
		r = add(o, o->early[thread].items[i], number, (uint32_t)thread);
		number = event_of(o->plan, number)->next;
	}
	return r;
}

static void keep_early(struct other_run *o, const struct norn_event *e)
{
	struct norn_event kept = *e;
	kept.args =
	        e->count && e->args && e->kind == NORN_EVENT_ENTER
	                ? memcpy(norn_must_arena_alloc(&o->arena, e->count * sizeof *e->args), e->args, e->count * sizeof *e->args)
	                : NULL;
	norn_must_push(&o->early[e->thread], kept);
}

static int next_event(struct other_run *o, struct norn_run *run, struct norn_event *ret_event)
{
	struct norn_error err = {0};
	int r = norn_run_next(run, ret_event, &err);
	return r != 1 ? (r < 0 ? r : -EINVAL) : ret_event->thread < o->plan->thread_count ? 0 : -EINVAL;
}

static int read_early(struct other_run *o, struct norn_run *run)
{
	uint32_t count = norn_graph_count(o->plan->graph);
	struct norn_event e;
	int r = 0;
	norn_run_begin(run, NORN_MERGE_PATIENCE);
	for (uint32_t number = 1; number <= count && (r = next_event(o, run, &e)) == 0; number++)
		if (is_early(o->plan, e.thread, number))
			keep_early(o, &e);
	norn_run_rest(run);
	return r;
}

static int read_all(struct other_run *o, struct norn_run *run)
{
	struct norn_event e;
	int r = 0;
	norn_run_begin(run, NORN_MERGE_PATIENCE);
	for (uint32_t number = 1; number < o->plan->end && r == 0 && (r = next_event(o, run, &e)) == 0; number++) {
		if (is_early(o->plan, e.thread, number))
			continue;
		r = add(o, e, number, o->plan->as[number]);
		if (r == 0 && e.kind == NORN_EVENT_THREAD && e.op == NORN_THREAD_FORK)
			r = add_early(o, e.value);
	}
	norn_run_rest(run);
	return r;
}

static struct norn_graph *make_run(struct other_run *o, struct norn_builtin_driver_sites *sites, struct norn_run *run)
{
	const struct norn_graph_limits limits = {.max_bytes = sites->options->max_memory};
	struct norn_graph *made = NULL;
	o->builder = norn_graph_builder_new(norn_builtin_driver_sites_look_up, sites, &limits);
	if (sites->options->initial)
		norn_graph_initial_memory(o->builder, sites->options->initial, sites->options->initial_context);
	norn_must_push(&o->recorded, 0u);
	norn_must_push(&o->by, 0u);
	if (read_early(o, run) == 0 && read_all(o, run) == 0)
		made = norn_graph_finish(o->builder);
	norn_graph_builder_free(o->builder);
	return made;
}

/* ---- */

/* Is there room for another run, can no code tell in which thread it runs, and is no thread interrupted? */
static bool is_symmetric(const struct norn_builtin_driver_sites *sites, const struct norn_graph *graph)
{
	uint32_t count = norn_graph_count(graph);
	const struct norn_site_table *table;
	const char *path;
	uint32_t base;
	uint64_t room = sites->options->max_memory;
	bool fits = count <= EVENTS && (!room || norn_graph_bytes(graph) <= room / 3);
	bool symmetric = fits && norn_graph_threads(graph) <= THREADS && !norn_graph_lost(graph) && !norn_graph_carried(graph);
	for (unsigned i = 0; symmetric && norn_trace_module(sites->trace, i, &base, &path, &table); i++)
		symmetric = !(table->level & NORN_SITE_KNOWS_THREADS);
	for (uint32_t i = 1; symmetric && i <= count; i++)
		symmetric = norn_graph_event(graph, i)->kind != NORN_EVENT_THREAD ||
		            norn_graph_event(graph, i)->op != NORN_THREAD_SIGNAL;
	return symmetric;
}

bool norn_interchange_find(struct norn_builtin_driver_sites *sites, struct norn_run *run, const struct norn_graph *graph,
        struct norn_interchange *ret_other)
{
	uint32_t threads = norn_graph_threads(graph);
	*ret_other = (struct norn_interchange){0};
	if (!is_symmetric(sites, graph))
		return false;
	struct norn_standing *standing = norn_standing_new(graph);
	struct plan plan = {.graph = graph,
	        .standing = standing,
	        .threads = norn_must_calloc(threads + UINT64_C(1), sizeof *plan.threads),
	        .thread_count = threads,
	        .as = norn_must_calloc(norn_graph_count(graph) + UINT64_C(1), sizeof *plan.as)};
	norn_map_init(&plan.words, sizeof(uint32_t));
	make_plan(&plan);
	if (plan.moves) {
		struct other_run o = {.plan = &plan, .early = norn_must_calloc(threads + UINT64_C(1), sizeof *o.early)};
		ret_other->graph = make_run(&o, sites, run);
		ret_other->recorded = o.recorded.items;
		ret_other->by = o.by.items;
		for (uint32_t t = 0; t < threads; t++)
			norn_vector_done(&o.early[t]);
		free(o.early);
		norn_arena_done(&o.arena);
	}
	norn_map_done(&plan.words);
	norn_standing_free(standing);
	free(plan.threads);
	free(plan.as);
	if (!ret_other->graph)
		norn_interchange_done(ret_other);
	return ret_other->graph;
}

void norn_interchange_done(struct norn_interchange *other)
{
	norn_graph_free(other->graph);
	free(other->recorded);
	free(other->by);
	*other = (struct norn_interchange){0};
}
