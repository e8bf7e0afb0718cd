#include "base/bisect.h"
#include "confirm/schedule_constraints.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/priority_queue.h"
#include "confirm/execution_index.h"
#include "confirm/operation_order.h"
#include "trace/record.h"

/* ---- the list ---- */

struct step_list {
	struct norn_operation_order *w;
	struct norn_places p;
	uint32_t *order, *numbers; /* places in the order of the schedule; and the other way round */
	struct norn_order_edges edges; /* as indexes of places, by target */
};

static void add_place(struct step_list *l, uint32_t event, bool hold)
{
	norn_must_push(&l->p.list, (struct norn_execution_place){.number = event, .hold = hold});
}

static int by_number(const void *a, const void *b)
{
	const struct norn_execution_place *x = a, *y = b;
	if (x->number != y->number)
		return x->number < y->number ? -1 : 1;
	return x->hold - y->hold;
}

static uint32_t find_place(const struct step_list *l, uint32_t event)
{
	return NORN_BISECT(0, l->p.list.count, i, l->p.list.items[i].number < event);
}

/* The next operation of a thread after what the run has of it; 0: none. calls: coming into functions and going out is one, too. */
static uint32_t next_operation(struct norn_operation_order *w, uint32_t thread, bool calls)
{
	struct norn_operation_thread *t = &w->thread[thread];
	uint32_t event = t->last ? norn_graph_event(w->graph, t->last)->next : t->forked ? norn_graph_first(w->graph, thread) : 0;
	for (; event; event = norn_graph_event(w->graph, event)->next) {
		uint32_t begun;
		unsigned operation = norn_operation_of(w->trace, w->graph, event, t->operations, &begun);
		/* Calls of code without hooks have no exact place: they may have come earlier. */
		bool silent = operation == NORN_OPERATION_CALL ||
		              (!calls && (operation == NORN_OPERATION_IN || operation == NORN_OPERATION_OUT));
		if (operation && !silent && begun == event)
			return event;
	}
	return 0;
}

/* All ends of edges, what the error is about, and what is held. Without doubles: what is not held comes first of equals. */
static void list_places(struct step_list *l, const uint32_t *more, uint32_t more_count, bool calls)
{
	struct norn_operation_order *w = l->w;
	for (uint32_t i = 0; i < w->edges.count; i++) {
		add_place(l, w->edges.items[i].from, false);
		add_place(l, w->edges.items[i].to, false);
	}
	for (uint32_t i = 0; i < more_count; i++)
		add_place(l, more[i], false);
	for (uint32_t t = 0; t < w->threads; t++) {
		uint32_t next = next_operation(w, t, calls);
		if (next)
			add_place(l, next, true);
	}
	if (l->p.list.count == 0)
		return;
	qsort(l->p.list.items, l->p.list.count, sizeof *l->p.list.items, by_number);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < l->p.list.count; i++)
		if (kept == 0 || l->p.list.items[kept - 1].number != l->p.list.items[i].number)
			l->p.list.items[kept++] = l->p.list.items[i];
	l->p.list.count = kept;
}

static int by_target(const void *a, const void *b)
{
	const struct norn_order_edge *x = a, *y = b;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

/* Edges of the run, and those of extra, as places; each once. */
static void list_edges(struct step_list *l, const struct norn_order_edge *extra, uint32_t extra_count)
{
	struct norn_operation_order *w = l->w;
	for (uint32_t i = 0; i < w->edges.count + extra_count; i++) {
		struct norn_order_edge e = i < w->edges.count ? w->edges.items[i] : extra[i - w->edges.count];
		norn_must_push(&l->edges, (struct norn_order_edge){find_place(l, e.from), find_place(l, e.to)});
	}
	if (l->edges.count == 0)
		return;
	qsort(l->edges.items, l->edges.count, sizeof *l->edges.items, by_target);
	uint32_t kept = 0;
	for (uint32_t i = 0; i < l->edges.count; i++)
		if (kept == 0 || by_target(&l->edges.items[kept - 1], &l->edges.items[i]) != 0)
			l->edges.items[kept++] = l->edges.items[i];
	l->edges.count = kept;
}

/* A topological order: of those that may come next, the one that comes first in rank. Held steps come last. */
struct sorting {
	uint32_t *waits, *heads, *nexts; /* edges by source: heads[place] and nexts[edge], 1 + edge */
	uint32_t *later; /* the next place of the same thread, 1 + place */
	const uint64_t *rank;
	struct norn_priority_queue ready;
};

static void settle(struct sorting *s, uint32_t place)
{
	if (place && --s->waits[place - 1] == 0)
		norn_priority_queue_push(&s->ready, s->rank[place - 1], place - 1);
}

static void link_places(struct step_list *l, struct sorting *s)
{
	uint32_t *last = norn_must_calloc(l->w->threads, sizeof *last); /* of each thread: 1 + place */
	for (uint32_t i = 0; i < l->p.list.count; i++) {
		uint32_t t = norn_graph_event(l->w->graph, l->p.list.items[i].number)->thread;
		if (last[t]) {
			s->later[last[t] - 1] = i + 1;
			s->waits[i]++;
		}
		last[t] = i + 1;
	}
	for (uint32_t i = 0; i < l->edges.count; i++) {
		s->waits[l->edges.items[i].to]++;
		s->nexts[i] = s->heads[l->edges.items[i].from];
		s->heads[l->edges.items[i].from] = i + 1;
	}
	free(last);
}

/* False: the edges make a circle. */
static bool sort_places(struct step_list *l, const uint64_t *rank)
{
	uint32_t n = l->p.list.count, done = 0;
	uint32_t *memory = norn_must_calloc(3ul * n + l->edges.count, sizeof *memory);
	struct sorting s = {
	        .rank = rank, .waits = memory, .heads = memory + n, .later = memory + 2ul * n, .nexts = memory + 3ul * n};
	link_places(l, &s);
	for (uint32_t i = 0; i < n; i++)
		if (s.waits[i] == 0)
			norn_priority_queue_push(&s.ready, rank[i], i);
	while (s.ready.count) {
		uint32_t place = norn_priority_queue_pop(&s.ready).item;
		l->numbers[place] = done;
		l->order[done++] = place;
		settle(&s, s.later[place]);
		for (uint32_t e = s.heads[place]; e; e = s.nexts[e - 1])
			settle(&s, l->edges.items[e - 1].to + 1);
	}
	norn_priority_queue_done(&s.ready);
	free(memory);
	return done == n;
}

static void add_afters(void *context, uint32_t place, struct norn_schedule_file *schedule)
{
	const struct step_list *l = context;
	uint32_t low = NORN_BISECT(0, l->edges.count, i, l->edges.items[i].to < place);
	for (; low < l->edges.count && l->edges.items[low].to == place; low++)
		norn_schedule_file_add_after(schedule, l->numbers[l->edges.items[low].from]);
}

/* ---- the whole ---- */

/* The list becomes the schedule; rank: of places, made from ranks of events by the caller's function. */
static int finish(struct step_list *l, const struct norn_order_edge *extra, uint32_t extra_count,
        uint64_t (*rank_of)(void *context, uint32_t event), void *context, struct norn_schedule_file *schedule,
        struct norn_error *err)
{
	struct norn_operation_order *w = l->w;
	uint64_t *ranks = norn_must_calloc(l->p.list.count, sizeof *ranks);
	l->order = norn_must_calloc(l->p.list.count, sizeof *l->order);
	l->numbers = norn_must_calloc(l->p.list.count, sizeof *l->numbers);
	list_edges(l, extra, extra_count);
	for (uint32_t i = 0; i < l->p.list.count; i++)
		ranks[i] = l->p.list.items[i].hold ? UINT64_MAX : rank_of(context, l->p.list.items[i].number);
	bool sorted = sort_places(l, ranks);
	free(ranks);
	if (!sorted)
		return norn_error_set(err, -ENOTSUP, "its order cannot be asked for step by step");
	norn_execution_index_place(w->trace, w->graph, &l->p);
	return norn_execution_index_write(w->trace, w->graph, &l->p, l->order, add_afters, l, schedule, err);
}

static void list_done(struct step_list *l)
{
	norn_vector_done(&l->p.list);
	norn_vector_done(&l->p.frames);
	norn_vector_done(&l->edges);
	free(l->order);
	free(l->numbers);
}

static uint32_t number_of_step(const struct step_list *l, uint32_t event)
{
	return l->numbers[find_place(l, norn_operation_order_begun(l->w, event))];
}

/* ---- built-in errors ---- */

struct schedule_rank {
	const struct norn_predicted *p;
	struct norn_map places;
};

static uint64_t schedule_rank(void *context, uint32_t event)
{
	const struct schedule_rank *s = context;
	const uint32_t *place = norn_map_get(&s->places, event);
	return event <= s->p->schedule.base ? event : place ? (uint64_t)s->p->schedule.base + *place : UINT64_MAX - 1;
}

static void rank_schedule(struct schedule_rank *s)
{
	for (uint32_t i = 0; i < s->p->schedule.count; i++)
		*(uint32_t *)norn_must_map_put(&s->places, s->p->schedule.events[i]) = i + 1;
}

static const enum norn_replay_end ends[] = {
        [NORN_PREDICTED_RACE] = NORN_REPLAY_END_RACE,
        [NORN_PREDICTED_DEADLOCK] = NORN_REPLAY_END_DEADLOCK,
        [NORN_PREDICTED_USE_AFTER_FREE] = NORN_REPLAY_END_USE,
        [NORN_PREDICTED_DOUBLE_FREE] = NORN_REPLAY_END_USE,
        [NORN_PREDICTED_USE_AFTER_RETURN] = NORN_REPLAY_END_USE,
        [NORN_PREDICTED_ATOMICITY] = NORN_REPLAY_END_TORN,
        [NORN_PREDICTED_ASSERTION] = NORN_REPLAY_END_FAIL,
        [NORN_PREDICTED_NULL] = NORN_REPLAY_END_FAIL,
};

/* The last event of the thread before this one. */
static uint32_t previous(const struct norn_graph *graph, uint32_t event)
{
	uint32_t thread = norn_graph_event(graph, event)->thread;
	do
		event--;
	while (event && norn_graph_event(graph, event)->thread != thread);
	return event;
}

/* The event of the run in which a thread of a deadlock sleeps: the beginning of its wait, its arrival at a barrier; 0: it does so
 * in the stop itself. */
static uint32_t sleep_of(const struct norn_graph *graph, const struct norn_predicted *p, uint32_t stop)
{
	const struct norn_graph_event *e = norn_graph_event(graph, p->stops[stop]);
	if (p->kind != NORN_PREDICTED_DEADLOCK || e->kind != NORN_EVENT_SYNC)
		return 0;
	if (p->asleep >> stop & 1)
		return norn_graph_event(graph, e->next)->link;
	return e->op == NORN_SYNC_BARRIER_LEAVE ? previous(graph, p->stops[stop]) : 0;
}

static uint32_t stop_at(const struct norn_graph *graph, const struct norn_predicted *p, uint32_t stop)
{
	uint32_t sleep = sleep_of(graph, p, stop);
	return sleep ? sleep : p->stops[stop];
}

/* Stops come after the run, in its order; none of them waits for another. Of each it is noted what began it. */
static void take_stops(struct norn_operation_order *w, const struct norn_predicted *p)
{
	for (uint32_t i = 0; i < p->stop_count; i++) {
		const struct norn_graph_event *e = norn_graph_event(w->graph, p->stops[i]);
		uint32_t begun;
		if (sleep_of(w->graph, p, i))
			continue;
		norn_operation_of(w->trace, w->graph, p->stops[i], w->thread[e->thread].operations, &begun);
		w->thread[e->thread].last = p->stops[i];
		if (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW)
			norn_operation_order_access(w, p->stops[i], e->addr, e->size, e->kind != NORN_EVENT_READ, false);
		else if (e->kind == NORN_EVENT_SYNC && e->op != NORN_SYNC_ONCE_PASS) /* the routine that it waits for is not over */
			norn_operation_order_follow(w, p->stops[i], w->objects[e->size]);
	}
}

static void set_end(struct step_list *l, const struct norn_predicted *p, struct norn_schedule_file *schedule)
{
	schedule->end = ends[p->kind];
	for (uint32_t i = 0; i < p->stop_count; i++) {
		/* A race is shown in the order that was not observed. */
		uint32_t stop =
		        schedule->end == NORN_REPLAY_END_RACE ? p->stops[p->stop_count - 1 - i] : stop_at(l->w->graph, p, i);
		schedule->stops[schedule->stop_count++] = number_of_step(l, stop);
	}
	if (p->first)
		schedule->first = number_of_step(l, p->first);
	if (p->second)
		schedule->second = number_of_step(l, p->second);
	static_assert(NORN_CYCLE_EVENTS <= NORN_SCHEDULE_FILE_CYCLE, "a cycle fits");
	for (uint32_t i = 0; i < p->cycle.count; i++)
		schedule->cycle[schedule->cycle_count++] = number_of_step(l, p->cycle.events[i]);
}

static int constrain(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_predicted *p, uint32_t *prefixes,
        struct norn_schedule_file *schedule, struct norn_error *err)
{
	struct norn_operation_order w;
	struct step_list l = {.w = &w};
	struct schedule_rank ranks = {.p = p};
	uint32_t more[NORN_REPLAY_AREA_STOPS + 2 + NORN_CYCLE_EVENTS], more_count = 0;
	norn_schedule_file_init(schedule);
	norn_map_init(&ranks.places, sizeof(uint32_t));
	if (p->missing.store)
		return norn_error_set(err, -ENOTSUP,
		        "it cannot be: by C11 it is a race, but this processor (x86-64) performs these accesses in order, so no "
		        "schedule shows it");
	if (p->job)
		return norn_error_set(err, -ENOTSUP, "it cannot be: which thread of a pool takes a job is its library's choice");
	if (p->stop_count > NORN_REPLAY_AREA_STOPS)
		return norn_error_set(err, -ENOTSUP, "more than %u threads are in it", NORN_REPLAY_AREA_STOPS);
	norn_operation_order_init(&w, trace, graph);
	rank_schedule(&ranks);
	for (uint32_t i = 1; i <= p->schedule.base; i++)
		norn_operation_order_take(&w, i);
	for (uint32_t i = 0; i < p->schedule.count; i++)
		norn_operation_order_take(&w, p->schedule.events[i]);
	take_stops(&w, p);
	for (uint32_t t = 0; t < w.threads; t++)
		prefixes[t] = w.thread[t].last;
	for (uint32_t i = 0; i < p->stop_count; i++)
		more[more_count++] = norn_operation_order_begun(&w, stop_at(graph, p, i));
	if (p->first)
		more[more_count++] = norn_operation_order_begun(&w, p->first);
	if (p->second)
		more[more_count++] = norn_operation_order_begun(&w, p->second);
	for (uint32_t i = 0; i < p->cycle.count; i++)
		more[more_count++] = norn_operation_order_begun(&w, p->cycle.events[i]);
	/* An event after a stop is not to be held there: it comes only when all is over. Nor is an access by a null pointer. */
	for (uint32_t i = 0; i < p->stop_count || (i == 0 && p->kind == NORN_PREDICTED_NULL); i++)
		w.thread[norn_graph_event(graph, p->stops[i])->thread].last =
		        norn_graph_last(graph, norn_graph_event(graph, p->stops[i])->thread);
	list_places(&l, more, more_count, false);
	int r = finish(&l, NULL, 0, schedule_rank, &ranks, schedule, err);
	if (r == 0)
		set_end(&l, p, schedule);
	list_done(&l);
	norn_operation_order_done(&w);
	norn_map_done(&ranks.places);
	return r;
}

/* The run up to the event that the assertion comes right after, or the access by the pointer. */
static int constrain_failure(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_predicted *p,
        uint32_t *prefixes, struct norn_schedule_file *schedule, struct norn_error *err)
{
	struct norn_predicted run = *p;
	run.stop_count = p->assertion && p->stops[0] == p->assertion->event;
	run.first = p->kind == NORN_PREDICTED_NULL ? p->first : 0; /* a step of its own */
	run.second = 0;
	return constrain(trace, graph, &run, prefixes, schedule, err);
}

int norn_schedule_constraints(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_predicted *p,
        uint32_t *prefixes, struct norn_schedule_file *schedule, struct norn_error *err)
{
	return (ends[p->kind] == NORN_REPLAY_END_FAIL ? constrain_failure : constrain)(trace, graph, p, prefixes, schedule, err);
}

/* ---- properties ---- */

static uint64_t chain_rank(void *context, uint32_t event)
{
	return event;
}

/* The events of each thread that come before any of numbers, causally: everything in the observed order is followed once. */
static int find_prefixes(struct norn_operation_order *w, const uint64_t *numbers, uint32_t count, uint32_t *prefixes)
{
	uint64_t last = 0;
	for (uint32_t i = 0; i < count; i++)
		last = numbers[i] > last ? numbers[i] : last;
	if (last > norn_graph_count(w->graph))
		return -EINVAL;
	for (uint32_t i = 1; i <= last; i++)
		norn_operation_order_take(w, i);
	for (uint32_t i = 0; i < count; i++) {
		if (!numbers[i])
			continue;
		uint32_t t = norn_graph_event(w->graph, (uint32_t)numbers[i])->thread;
		const struct norn_operation_snapshot *s = norn_operation_order_known(&w->thread[t], (uint32_t)numbers[i]);
		for (uint32_t u = 0; s && u < w->threads; u++)
			prefixes[u] = s->clock[u] > prefixes[u] ? s->clock[u] : prefixes[u];
		prefixes[t] = numbers[i] > prefixes[t] ? (uint32_t)numbers[i] : prefixes[t];
	}
	return 0;
}

/* Once more, with what belongs to the prefixes only. */
static void take_prefixes(struct norn_operation_order *w, const uint32_t *prefixes)
{
	for (uint32_t i = 1; i <= norn_graph_count(w->graph); i++)
		if (i <= prefixes[norn_graph_event(w->graph, i)->thread])
			norn_operation_order_take(w, i);
}

static void take_run(struct norn_operation_order *w, const struct norn_schedule *run, uint32_t *prefixes)
{
	for (uint32_t i = 1; i <= run->base; i++)
		norn_operation_order_take(w, i);
	for (uint32_t i = 0; i < run->count; i++)
		norn_operation_order_take(w, run->events[i]);
	for (uint32_t t = 0; t < w->threads; t++)
		prefixes[t] = w->thread[t].last;
}

/* The events that were taken, and one after the other, as numbers has them. */
static int list_chain(struct step_list *l, const uint64_t *numbers, uint32_t count, struct norn_order_edge *chain,
        uint32_t *ret_links, uint32_t *ret_last)
{
	struct norn_operation_order *w = l->w;
	uint32_t *more = norn_must_calloc(count, sizeof *more), used = 0;
	for (uint32_t i = 0; i < count; i++)
		if (numbers[i])
			more[used++] = norn_operation_order_begun(w, (uint32_t)numbers[i]);
	*ret_links = 0;
	for (uint32_t i = 1; i < used; i++)
		if (norn_graph_event(w->graph, more[i])->thread != norn_graph_event(w->graph, more[i - 1])->thread)
			chain[(*ret_links)++] = (struct norn_order_edge){more[i - 1], more[i]};
	if (used) {
		*ret_last = more[used - 1];
		/* Its thread is not held after the last: that is when all is over. */
		uint32_t t = norn_graph_event(w->graph, *ret_last)->thread;
		if (w->thread[t].last == numbers[count - 1])
			w->thread[t].last = norn_graph_last(w->graph, t);
		list_places(l, more, used, true);
	}
	free(more);
	return used ? 0 : -EINVAL;
}

static bool any_step(const uint64_t *numbers, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (numbers[i])
			return true;
	return false;
}

int norn_schedule_constraints_order(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_schedule *run,
        const uint64_t *numbers, uint32_t count, uint32_t *prefixes, struct norn_schedule_file *schedule, struct norn_error *err)
{
	struct norn_operation_order first, second;
	struct step_list l = {.w = &second};
	struct norn_predicted whole = {.schedule = run ? *run : (struct norn_schedule){0}};
	struct schedule_rank ranks = {.p = &whole};
	norn_schedule_file_init(schedule);
	norn_map_init(&ranks.places, sizeof(uint32_t));
	uint32_t links, last;
	struct norn_order_edge *chain = norn_must_calloc(count, sizeof *chain);
	int r = 0;
	norn_operation_order_init(&first, trace, graph);
	norn_operation_order_init(&second, trace, graph);
	memset(prefixes, 0, norn_graph_threads(graph) * sizeof *prefixes);
	if (run) {
		rank_schedule(&ranks);
		take_run(&second, run, prefixes);
	} else if ((r = find_prefixes(&first, numbers, count, prefixes)) == 0) {
		take_prefixes(&second, prefixes);
	}
	norn_operation_order_done(&first);
	if (r == 0)
		r = list_chain(&l, numbers, count, chain, &links, &last);
	if (r == 0)
		r = finish(&l, chain, links, run ? schedule_rank : chain_rank, &ranks, schedule, err);
	if (r == 0) {
		schedule->end = NORN_REPLAY_END_PASS;
		schedule->stops[schedule->stop_count++] = l.numbers[find_place(&l, last)];
	}
	if (r == -EINVAL)
		r = norn_error_set(err, -ENOTSUP,
		        any_step(numbers, count) ? "its events are not all known"
		                                 : "it is violated by what the run does not do: there is no step to wait for");
	list_done(&l);
	norn_operation_order_done(&second);
	norn_map_done(&ranks.places);
	free(chain);
	return r;
}

/* ---- controls ---- */

#define SWITCHES 65536u /* from one thread to another, that are asked for: the latest */

/* Calls of code without hooks have no exact place; coming into functions and going out is asked for only by properties. */
static bool is_plain(unsigned operation)
{
	return operation && operation != NORN_OPERATION_CALL && operation != NORN_OPERATION_IN && operation != NORN_OPERATION_OUT;
}

/* The operations up to an event, in the recorded order, where it goes from one thread to another. Returns how many.
 * numbers has room for as many as there are events. */
static uint32_t find_switches(struct norn_trace *trace, const struct norn_graph *graph, uint32_t last, uint64_t *numbers)
{
	struct norn_operation_state(*operations)[2] = norn_must_calloc(norn_graph_threads(graph) + 1ul, sizeof *operations);
	uint32_t count = 0, before = 0;
	for (uint32_t i = 1; i <= last; i++) {
		uint32_t t = norn_graph_event(graph, i)->thread, begun;
		unsigned operation = norn_operation_of(trace, graph, i, operations[t], &begun);
		if (!is_plain(operation) || begun != i)
			continue;
		if (before && norn_graph_event(graph, before)->thread != t) {
			if (!count || numbers[count - 1] != before)
				numbers[count++] = before;
			numbers[count++] = i;
		}
		before = i;
	}
	if (before && (!count || numbers[count - 1] != before))
		numbers[count++] = before;
	free(operations);
	return count;
}

int norn_schedule_constraints_free(
        struct norn_trace *trace, const struct norn_graph *graph, struct norn_schedule_file *schedule, struct norn_error *err)
{
	uint32_t *reached = norn_must_calloc(norn_graph_threads(graph) + 1ul, sizeof *reached);
	struct norn_operation_state operations[2] = {0};
	uint64_t first = 0;
	for (uint32_t i = norn_graph_first(graph, 0), begun; i && !first; i = norn_graph_event(graph, i)->next) {
		unsigned operation = norn_operation_of(trace, graph, i, operations, &begun);
		first = is_plain(operation) && operation != NORN_OPERATION_BEGIN ? i : 0;
	}
	int r = norn_schedule_constraints_order(trace, graph, NULL, &first, 1, reached, schedule, err);
	free(reached);
	return r;
}

int norn_schedule_constraints_control(struct norn_trace *trace, const struct norn_graph *graph, const uint32_t *prefixes,
        struct norn_schedule_file *schedule, struct norn_error *err)
{
	uint32_t threads = norn_graph_threads(graph), *reached = norn_must_calloc(threads + 1ul, sizeof *reached), last = 0;
	for (uint32_t t = 0; t < threads; t++)
		last = prefixes[t] > last ? prefixes[t] : last;
	uint64_t *numbers = norn_must_calloc(last + 1ul, sizeof *numbers);
	uint32_t count = find_switches(trace, graph, last, numbers), from = count > SWITCHES ? count - SWITCHES : 0;
	struct norn_schedule run = {.base = last};
	int r = norn_schedule_constraints_order(trace, graph, &run, numbers + from, count - from, reached, schedule, err);
	free(numbers);
	free(reached);
	return r;
}
