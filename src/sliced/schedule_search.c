#include "sliced/schedule_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/priority_queue.h"
#include "sliced/step_model.h"
#include "trace/record.h"

#define FORCED 20u /* events that must be steps of the plan */
#define ROOT UINT32_MAX

struct norn_schedule_search {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	struct norn_fixed_reads fixed;
	const struct norn_rule *inexact;
};

/* Step `before` is made before step `after`; numbers in the plan. A node is one of these, with all before it. */
struct constraint {
	uint32_t before, after;
	uint32_t parent; /* index, or ROOT */
	uint32_t depth;
};

enum state { CAN, LATER, CANNOT };

/* The next step of a thread, and what was found when it was looked at. That holds until the step that it waits for is made, or one
 * that has to do with its lock or its byte groups: going through all that a step takes, for all threads, before each step was most
 * of what a search took. */
struct front {
	bool stale;
	enum state state;
	uint32_t thread, count; /* it waits until that thread has made so many steps; NORN_STEP_MODEL_NONE: not for that */
};

struct search {
	const struct norn_graph_event *events;
	const struct norn_step_model *plan;
	uint32_t *partner; /* per step: of a take its give, of a give its take; NORN_STEP_MODEL_NONE: not in the plan */
	uint32_t *source; /* per access that reads: 1 + step that wrote what it read, 0: before the part */
	uint32_t *goal; /* per thread: so many steps */
	bool *woken; /* per thread: it is to stand before the end of a wait, woken */
	uint32_t *owner; /* per step: its thread */
	struct front *front; /* per thread */
	/* The node that is being tried: */
	uint32_t *node; /* as of a plan */
	uint32_t *wanted; /* per thread: so many steps are needed */
	uint32_t *writer; /* per tile: 1 + step that wrote it last, 0: nobody */
	uint32_t *made; /* steps in the order in which they were made */
	uint32_t made_count;
	struct constraint *path;
	uint32_t path_length, path_room;
	/* All nodes: */
	struct constraint *nodes;
	uint32_t node_count, node_room;
	struct norn_priority_queue heap;
	int error;
};

/* ---- making ---- */

int norn_schedule_search_new(const struct norn_graph *graph, struct norn_schedule_search **ret_search)
{
	struct norn_schedule_search *schedule_search = calloc(1, sizeof *schedule_search);
	if (!schedule_search)
		return -ENOMEM;
	schedule_search->graph = graph;
	schedule_search->events = norn_graph_events(graph);
	int r = norn_fixed_reads_init_whole(&schedule_search->fixed, graph);
	if (r < 0) {
		free(schedule_search);
		return r;
	}
	*ret_search = schedule_search;
	return 0;
}

void norn_schedule_search_free(struct norn_schedule_search *schedule_search)
{
	if (!schedule_search)
		return;
	norn_fixed_reads_done(&schedule_search->fixed);
	free(schedule_search);
}

const struct norn_rule *norn_schedule_search_inexact(const struct norn_schedule_search *search)
{
	return search->inexact;
}

static bool is_effect(const struct norn_step_model_step *s, enum norn_effect effect)
{
	return s->object != NORN_STEP_MODEL_NONE && s->rule->effect == effect;
}

static bool locks(const struct norn_step_model_step *s)
{
	return is_effect(s, NORN_EFFECT_LOCK) || is_effect(s, NORN_EFFECT_SHARE);
}

/* A semaphore that is used as a lock has regions, too. */
static bool takes(const struct norn_step_model_step *s)
{
	return locks(s) || is_effect(s, NORN_EFFECT_DOWN);
}

static bool gives(const struct norn_step_model_step *s)
{
	return is_effect(s, NORN_EFFECT_UNLOCK) || is_effect(s, NORN_EFFECT_UNSHARE) || is_effect(s, NORN_EFFECT_UP);
}

static bool notifies(const struct norn_step_model_step *s)
{
	return s->condition != NORN_STEP_MODEL_NONE && (s->rule->wait == NORN_WAIT_SIGNAL || s->rule->wait == NORN_WAIT_BROADCAST);
}

/* Which give ends the region that a take begins? */
static int find_partners(struct search *s)
{
	const struct norn_step_model *p = s->plan;
	uint32_t *open = malloc((p->objects + 1ul) * sizeof *open);
	if (!open)
		return -ENOMEM;
	for (uint32_t t = 0; t < p->threads; t++) {
		memset(open, 255, p->objects * sizeof *open);
		for (uint32_t i = p->first[t]; i < p->first[t + 1]; i++) {
			const struct norn_step_model_step *step = p->steps + i;
			s->owner[i] = t;
			s->partner[i] = NORN_STEP_MODEL_NONE;
			if (takes(step)) {
				open[step->object] = i;
			} else if (gives(step)) {
				s->partner[i] = open[step->object];
				if (open[step->object] != NORN_STEP_MODEL_NONE)
					s->partner[open[step->object]] = i;
				open[step->object] = NORN_STEP_MODEL_NONE;
			}
		}
	}
	free(open);
	return 0;
}

/* Who wrote what each read saw, as observed? */
static int find_sources(struct search *s)
{
	const struct norn_step_model *p = s->plan;
	uint32_t *last = calloc(p->byte_groups + 1ul, sizeof *last), *cursor = calloc(p->threads + 1ul, sizeof *cursor);
	int r = last && cursor ? 0 : -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < norn_step_model_total(p); i++) {
		uint32_t number = p->first[p->order[i]] + cursor[p->order[i]]++;
		const struct norn_step_model_step *step = p->steps + number;
		for (uint32_t k = step->read; k < step->read + step->read_count; k++)
			s->source[k] = last[p->accesses[k].tile];
		for (uint32_t k = step->write; k < step->write + step->write_count; k++)
			last[p->accesses[k].tile] = number + 1;
	}
	free(last);
	free(cursor);
	return r;
}

static uint32_t access_count(const struct norn_step_model *p)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < norn_step_model_total(p); i++) {
		const struct norn_step_model_step *step = p->steps + i;
		uint32_t end = step->write_count ? step->write + step->write_count : step->read + step->read_count;
		if ((step->read_count || step->write_count) && end > count)
			count = end;
	}
	return count;
}

static int search_init(struct search *s)
{
	const struct norn_step_model *p = s->plan;
	size_t total = norn_step_model_total(p) + 1ul;
	s->partner = malloc(total * sizeof *s->partner);
	s->owner = malloc(total * sizeof *s->owner);
	s->made = malloc(total * sizeof *s->made);
	s->source = calloc(access_count(p) + 1ul, sizeof *s->source);
	s->goal = calloc(p->threads + 1ul, sizeof *s->goal);
	s->wanted = calloc(p->threads + 1ul, sizeof *s->wanted);
	s->woken = calloc(p->threads + 1ul, sizeof *s->woken);
	s->front = calloc(p->threads + 1ul, sizeof *s->front);
	s->node = calloc(norn_step_model_words(p) + 1ul, sizeof *s->node);
	s->writer = calloc(p->byte_groups + 1ul, sizeof *s->writer);
	if (!s->partner || !s->owner || !s->made || !s->source || !s->goal || !s->woken || !s->wanted || !s->front || !s->node ||
	        !s->writer)
		return -ENOMEM;
	int r = find_partners(s);
	return r == 0 ? find_sources(s) : r;
}

static void search_done(struct search *s)
{
	free(s->partner);
	free(s->owner);
	free(s->made);
	free(s->source);
	free(s->goal);
	free(s->woken);
	free(s->wanted);
	free(s->front);
	free(s->node);
	free(s->writer);
	free(s->nodes);
	free(s->path);
	norn_priority_queue_done(&s->heap);
}

/* ---- trying a node ---- */

static bool is_made(const struct search *s, uint32_t step)
{
	return s->node[s->owner[step]] > step - s->plan->first[s->owner[step]];
}

/* So many steps of the thread are needed. True: that is news. */
static bool want(struct search *s, uint32_t thread, uint32_t count)
{
	if (count <= s->wanted[thread])
		return false;
	s->wanted[thread] = count;
	return true;
}

static bool want_step(struct search *s, uint32_t step)
{
	uint32_t thread = s->owner[step];
	return want(s, thread, step - s->plan->first[thread] + 1);
}

/* The take by which a thread holds this lock now; NORN_STEP_MODEL_NONE: it does not, or took it before the part. *ret_give: how it
 * ends. */
static uint32_t holds(const struct search *s, uint32_t thread, uint32_t lock, uint32_t *ret_give)
{
	const struct norn_step_model *p = s->plan;
	uint32_t at = p->first[thread] + s->node[thread];
	*ret_give = NORN_STEP_MODEL_NONE;
	for (uint32_t i = at; i-- > p->first[thread];) {
		const struct norn_step_model_step *step = p->steps + i;
		if (step->object != lock || !(takes(step) || gives(step)))
			continue;
		*ret_give = takes(step) ? s->partner[i] : NORN_STEP_MODEL_NONE;
		return takes(step) ? i : NORN_STEP_MODEL_NONE;
	}
	for (uint32_t i = at; i < p->first[thread + 1]; i++)
		if (p->steps[i].object == lock && (takes(p->steps + i) || gives(p->steps + i))) {
			*ret_give = gives(p->steps + i) ? i : NORN_STEP_MODEL_NONE;
			return NORN_STEP_MODEL_NONE;
		}
	return NORN_STEP_MODEL_NONE;
}

/* Does this step of another thread help one that waits for the state of its object, or to be woken? */
static bool helps(const struct norn_step_model_step *s, const struct norn_step_model_step *waits, bool asleep)
{
	if (asleep)
		return notifies(s) && s->condition == waits->condition;
	if (s->object != waits->object)
		return false;
	switch (waits->rule->guard) {
	case NORN_GUARD_HELD:
		return locks(s);
	case NORN_GUARD_WRITER:
		return is_effect(s, NORN_EFFECT_LOCK);
	case NORN_GUARD_POSITIVE:
		return is_effect(s, NORN_EFFECT_UP);
	case NORN_GUARD_ZERO:
		return is_effect(s, NORN_EFFECT_DOWN);
	default:
		return false;
	}
}

/* The first of the others who can help does. */
static enum state wait_for_help(struct search *s, const struct norn_step_model_step *step, uint32_t thread, bool asleep)
{
	const struct norn_step_model *p = s->plan;
	uint32_t best = NORN_STEP_MODEL_NONE;
	for (uint32_t t = 0; t < p->threads; t++) {
		uint32_t i = p->first[t] + s->node[t];
		while (i < p->first[t + 1] && !helps(p->steps + i, step, asleep))
			i++;
		if (t != thread && i < p->first[t + 1] &&
		        (best == NORN_STEP_MODEL_NONE || p->steps[i].event < p->steps[best].event))
			best = i;
	}
	return best != NORN_STEP_MODEL_NONE && want_step(s, best) ? LATER : CANNOT;
}

/* The step waits for a lock: whoever can give it up does so. */
static enum state wait_for_release(struct search *s, const struct norn_step_model_step *step, uint32_t thread)
{
	bool news = false;
	for (uint32_t t = 0; t < s->plan->threads; t++) {
		uint32_t give;
		if (t == thread)
			continue;
		holds(s, t, step->object, &give);
		if (give != NORN_STEP_MODEL_NONE)
			news |= want_step(s, give);
	}
	return news ? LATER : CANNOT;
}

static enum state wait_for_state(struct search *s, const struct norn_step_model_step *step, uint32_t thread)
{
	const struct norn_step_model *p = s->plan;
	bool wakes = step->condition != NORN_STEP_MODEL_NONE && step->rule->wait == NORN_WAIT_WOKEN;
	if (wakes && norn_step_model_sleep(p, s->node)[thread] != NORN_STEP_MODEL_WOKEN)
		return wait_for_help(s, step, thread, true);
	if (step->object == NORN_STEP_MODEL_NONE)
		return CANNOT;
	bool lock = step->rule->guard == NORN_GUARD_FREE || step->rule->guard == NORN_GUARD_NO_WRITER;
	return lock ? wait_for_release(s, step, thread) : wait_for_help(s, step, thread, false);
}

static void wait_until(struct search *s, uint32_t thread, uint32_t other, uint32_t count)
{
	s->front[thread].thread = other;
	s->front[thread].count = count;
}

/* Can the step be made? LATER: not yet, but now more is wanted that may help. */
static enum state look(struct search *s, uint32_t number)
{
	const struct norn_step_model *p = s->plan;
	const struct norn_step_model_step *step = p->steps + number;
	uint32_t thread = s->owner[number];
	bool news = false, missing = false;
	wait_until(s, thread, NORN_STEP_MODEL_NONE, 0);
	if (step->opaque)
		return CANNOT;
	for (uint32_t i = 0; i < step->need_count; i++) {
		const struct norn_step_model_need *need = &p->needs[step->need + i];
		if (s->node[need->thread] >= need->count)
			continue;
		if (need->count > p->first[need->thread + 1] - p->first[need->thread])
			return CANNOT;
		missing = true;
		wait_until(s, thread, need->thread, need->count);
		news |= want(s, need->thread, need->count);
	}
	for (unsigned i = 0; i < s->path_length; i++)
		if (s->path[i].after == number && !is_made(s, s->path[i].before)) {
			missing = true;
			wait_until(s, thread, s->owner[s->path[i].before],
			        s->path[i].before - p->first[s->owner[s->path[i].before]] + 1);
			news |= want_step(s, s->path[i].before);
		}
	for (uint32_t i = step->read; i < step->read + step->read_count; i++) {
		if (s->node[p->threads + p->accesses[i].tile] == p->accesses[i].content)
			continue;
		missing = true;
		if (s->source[i] && !is_made(s, s->source[i] - 1))
			news |= want_step(s, s->source[i] - 1);
	}
	if (missing)
		return news ? LATER : CANNOT;
	return norn_step_model_ready(p, step, thread, s->node) ? CAN : wait_for_state(s, step, thread);
}

/* Open regions come last, if that can be: nothing is gained by being first. */
static bool is_delayed(const struct search *s, uint32_t number)
{
	return locks(s->plan->steps + number) && s->partner[number] == NORN_STEP_MODEL_NONE;
}

/* As look, but what is known is not looked for again. */
static enum state knowledge_cache(struct search *s, uint32_t thread)
{
	struct front *f = s->front + thread;
	if (!f->stale && f->state != CAN && f->thread != NORN_STEP_MODEL_NONE)
		f->stale = s->node[f->thread] >= f->count;
	if (f->stale) {
		f->state = look(s, s->plan->first[thread] + s->node[thread]);
		f->stale = false;
		return f->state;
	}
	return f->state == LATER ? CANNOT : f->state; /* what is wanted is no news any more */
}

/* The step to be made next: as observed, of those that are wanted and can be made. NORN_STEP_MODEL_NONE: there is none. */
static uint32_t choose(struct search *s, bool *ret_news)
{
	const struct norn_step_model *p = s->plan;
	uint32_t best = NORN_STEP_MODEL_NONE;
	bool best_delayed = false;
	*ret_news = false;
	for (uint32_t t = 0; t < p->threads; t++) {
		if (s->node[t] >= s->wanted[t])
			continue;
		enum state state = knowledge_cache(s, t);
		*ret_news |= state == LATER;
		if (state != CAN)
			continue;
		uint32_t number = p->first[t] + s->node[t];
		bool delayed = is_delayed(s, number);
		if (best == NORN_STEP_MODEL_NONE || delayed < best_delayed ||
		        (delayed == best_delayed && p->steps[number].event < p->steps[best].event)) {
			best = number;
			best_delayed = delayed;
		}
	}
	return best;
}

static bool reads_tile(
        const struct norn_step_model *p, const struct norn_step_model_step *step, const struct norn_step_model_step *writer)
{
	for (uint32_t i = step->read; i < step->read + step->read_count; i++)
		for (uint32_t k = writer->write; k < writer->write + writer->write_count; k++)
			if (p->accesses[i].tile == p->accesses[k].tile)
				return true;
	return false;
}

/* The step is being made: which threads are to be looked at again? */
static void unsettle(struct search *s, uint32_t number)
{
	const struct norn_step_model *p = s->plan;
	const struct norn_step_model_step *step = p->steps + number;
	s->front[s->owner[number]].stale = true;
	bool object = step->object != NORN_STEP_MODEL_NONE, condition = step->condition != NORN_STEP_MODEL_NONE;
	if (!object && !condition && !step->write_count)
		return;
	for (uint32_t t = 0; t < p->threads; t++) {
		if (s->front[t].stale || s->node[t] >= p->first[t + 1] - p->first[t])
			continue;
		const struct norn_step_model_step *next = p->steps + p->first[t] + s->node[t];
		s->front[t].stale = (object && next->object == step->object) || (condition && next->condition == step->condition) ||
		                    (step->write_count && next->read_count && reads_tile(p, next, step));
	}
}

static void unsettle_all(struct search *s)
{
	for (uint32_t t = 0; t < s->plan->threads; t++)
		s->front[t].stale = true;
}

/* Threads that are to stand before the end of a wait must have been woken: whoever can notifies them. The first that is not is
 * asleep by its last step. */
static uint32_t sleeper(const struct search *s)
{
	const struct norn_step_model *p = s->plan;
	for (uint32_t t = 0; t < p->threads && p->conditions; t++)
		if (s->woken[t] && s->node[t] == p->first[t + 1] - p->first[t] &&
		        norn_step_model_sleep(p, s->node)[t] != NORN_STEP_MODEL_WOKEN)
			return t;
	return NORN_STEP_MODEL_NONE;
}

static bool wake_stops(struct search *s)
{
	uint32_t t = sleeper(s);
	if (t == NORN_STEP_MODEL_NONE)
		return false;
	struct norn_step_model_step waits = {.condition = (norn_step_model_sleep(s->plan, s->node)[t] >> 16) - 1};
	return wait_for_help(s, &waits, t, true) == LATER;
}

/* How many wanted steps are left in a dead end; 0: the goal is reached. */
static uint32_t dive(struct search *s, uint64_t *steps)
{
	const struct norn_step_model *p = s->plan;
	norn_step_model_start(p, s->node);
	memset(s->writer, 0, p->byte_groups * sizeof *s->writer);
	memcpy(s->wanted, s->goal, p->threads * sizeof *s->wanted);
	s->made_count = 0;
	unsettle_all(s);
	for (bool again = true;;) {
		bool news;
		uint32_t number = choose(s, &news);
		++*steps;
		if (news)
			continue;
		if (number == NORN_STEP_MODEL_NONE && wake_stops(s))
			continue;
		if (number == NORN_STEP_MODEL_NONE && !again)
			break;
		if (number == NORN_STEP_MODEL_NONE) {
			unsettle_all(s); /* before it is said that nothing more can be done */
			again = false;
			continue;
		}
		again = true;
		const struct norn_step_model_step *step = p->steps + number;
		unsettle(s, number);
		norn_step_model_make(p, step, s->owner[number], s->node);
		for (uint32_t i = step->write; i < step->write + step->write_count; i++)
			s->writer[p->accesses[i].tile] = number + 1;
		s->made[s->made_count++] = number;
	}
	uint32_t left = 0;
	for (uint32_t t = 0; t < p->threads; t++)
		left += s->wanted[t] > s->node[t] ? s->wanted[t] - s->node[t] : 0;
	return left + (sleeper(s) != NORN_STEP_MODEL_NONE);
}

/* ---- dead ends ---- */

static void add(struct search *s, uint32_t node, uint32_t left, uint32_t before, uint32_t after)
{
	unsigned depth = node == ROOT ? 1 : s->nodes[node].depth + 1;
	if (s->owner[before] == s->owner[after] || s->error < 0)
		return;
	for (uint32_t i = node; i != ROOT; i = s->nodes[i].parent)
		if ((s->nodes[i].before == before && s->nodes[i].after == after) ||
		        (s->nodes[i].before == after && s->nodes[i].after == before))
			return;
	s->error = norn_grow(&s->nodes, s->node_count + UINT64_C(1), &s->node_room, sizeof *s->nodes);
	if (s->error < 0)
		return;
	s->nodes[s->node_count] = (struct constraint){before, after, node, depth};
	norn_priority_queue_push(&s->heap, (uint64_t)depth * 8 + left, s->node_count++);
}

/* The regions of those who hold the lock come after the one that would begin here. */
static void swap_regions(struct search *s, uint32_t node, uint32_t left, uint32_t number)
{
	const struct norn_step_model_step *step = s->plan->steps + number;
	for (uint32_t t = 0; t < s->plan->threads; t++) {
		uint32_t give, take = t == s->owner[number] ? NORN_STEP_MODEL_NONE : holds(s, t, step->object, &give);
		if (take != NORN_STEP_MODEL_NONE && s->partner[number] != NORN_STEP_MODEL_NONE)
			add(s, node, left, s->partner[number], take);
	}
}

static void swap_accesses(struct search *s, uint32_t node, uint32_t left, uint32_t number)
{
	const struct norn_step_model *p = s->plan;
	const struct norn_step_model_step *step = p->steps + number;
	for (uint32_t i = step->read; i < step->read + step->read_count; i++) {
		uint32_t tile = p->accesses[i].tile, spoilt = s->writer[tile], source = s->source[i];
		if (s->node[p->threads + tile] == p->accesses[i].content || spoilt == 0 || spoilt == source)
			continue;
		add(s, node, left, number, spoilt - 1);
		if (source && is_made(s, source - 1))
			add(s, node, left, spoilt - 1, source - 1);
	}
}

static void learn(struct search *s, uint32_t node, uint32_t left)
{
	const struct norn_step_model *p = s->plan;
	for (uint32_t t = 0; t < p->threads; t++) {
		if (s->node[t] >= s->wanted[t])
			continue;
		uint32_t number = p->first[t] + s->node[t];
		const struct norn_step_model_step *step = p->steps + number;
		if (step->opaque)
			continue;
		swap_accesses(s, node, left, number);
		if (takes(step) && !norn_rule_enabled(step->rule, s->node[p->threads + p->byte_groups + step->object]))
			swap_regions(s, node, left, number);
	}
}

static void set_path(struct search *s, uint32_t node)
{
	s->path_length = 0;
	s->error = norn_grow(&s->path, node == ROOT ? UINT64_C(1) : s->nodes[node].depth, &s->path_room, sizeof *s->path);
	for (uint32_t i = node; i != ROOT && s->error == 0; i = s->nodes[i].parent)
		s->path[s->path_length++] = s->nodes[i];
}

static int run(struct search *s, unsigned nodes, uint64_t *steps)
{
	uint32_t node = ROOT;
	for (unsigned tried = 0; tried < nodes; tried++) {
		set_path(s, node);
		if (s->error < 0)
			return s->error;
		uint32_t left = dive(s, steps);
		if (left == 0)
			return NORN_SCHEDULE_SEARCH_YES;
		learn(s, node, left);
		if (s->error < 0)
			return s->error;
		if (s->heap.count == 0)
			return NORN_SCHEDULE_SEARCH_NO;
		node = norn_priority_queue_pop(&s->heap).item;
	}
	return NORN_SCHEDULE_SEARCH_BOUND;
}

/* ---- goals ---- */

/* Does the stop end a wait by being woken? */
static bool is_woken(const struct norn_schedule_search *schedule_search, uint32_t stop)
{
	return norn_rule_of(schedule_search->graph, stop)->wait == NORN_WAIT_WOKEN;
}

static bool can_begin(const struct norn_schedule_search *schedule_search, uint32_t stop)
{
	const struct norn_graph_event *e = schedule_search->events + stop;
	if (e->flags & NORN_GRAPH_WAKES && e->op == NORN_SYNC_ACQUIRE && !norn_rule_wait_end(schedule_search->graph, stop))
		return false;
	return !(e->flags & NORN_GRAPH_AFTER) && (stop != norn_graph_first(schedule_search->graph, e->thread) || e->thread == 0);
}

/* The event has happened, if it is one of this part. False: it cannot. */
static bool aim_at(const struct norn_schedule_search *schedule_search, struct search *s, uint32_t event)
{
	if (event <= s->plan->base)
		return true;
	uint32_t thread, count = norn_step_model_count(s->plan, schedule_search->events[event].thread, event, &thread);
	if (thread == NORN_STEP_MODEL_NONE || count > s->plan->first[thread + 1] - s->plan->first[thread])
		return false;
	if (s->goal[thread] < count)
		s->goal[thread] = count;
	return true;
}

static bool aim_at_stop(const struct norn_schedule_search *schedule_search, struct search *s, uint32_t stop)
{
	uint32_t thread;
	norn_step_model_count(s->plan, schedule_search->events[stop].thread, stop, &thread);
	if (thread != NORN_STEP_MODEL_NONE) {
		s->goal[thread] = s->plan->first[thread + 1] - s->plan->first[thread];
		s->woken[thread] = is_woken(schedule_search, stop);
	}
	return can_begin(schedule_search, stop);
}

/* The events of the steps, each with those of its thread before it. */
static int list_events(
        const struct norn_schedule_search *schedule_search, const struct search *s, uint32_t **ret_events, uint32_t *ret_count)
{
	const struct norn_step_model *p = s->plan;
	uint32_t *next = malloc((p->threads + 1ul) * sizeof *next), *list = malloc((p->end - p->base + 1ul) * sizeof *list),
	         count = 0;
	if (!next || !list) {
		free(next);
		free(list);
		return -ENOMEM;
	}
	for (uint32_t t = 0; t < p->threads; t++)
		next[t] = norn_graph_after(schedule_search->graph, p->numbers[t], p->base);
	for (uint32_t i = 0; i < s->made_count; i++) {
		uint32_t t = s->owner[s->made[i]], last = p->steps[s->made[i]].event;
		for (; next[t] && next[t] <= last; next[t] = schedule_search->events[next[t]].next)
			list[count++] = next[t];
	}
	free(next);
	*ret_events = list;
	*ret_count = count;
	return 0;
}

static int search(const struct norn_schedule_search *schedule_search, struct search *s,
        const struct norn_schedule_search_goal *goal, const uint32_t *forced, uint32_t forced_count, unsigned nodes,
        uint64_t *steps)
{
	int r = search_init(s);
	bool possible = r == 0;
	for (uint32_t i = 0; i < goal->stop_count && possible; i++)
		possible = aim_at_stop(schedule_search, s, goal->stops[i]);
	for (uint32_t i = 0; i < forced_count && possible; i++)
		possible = aim_at(schedule_search, s, forced[i]);
	return r < 0 ? r : possible ? run(s, nodes, steps) : NORN_SCHEDULE_SEARCH_NO;
}

int norn_schedule_search_try(struct norn_schedule_search *schedule_search, const struct norn_schedule_search_goal *goal,
        uint32_t base, uint32_t end, unsigned nodes, uint64_t *steps, uint32_t **ret_events, uint32_t *ret_count)
{
	uint32_t forced[FORCED] = {goal->includes[0], goal->includes[1]}, count = 2;
	for (uint32_t i = 0; i < goal->stop_count && count + 2 <= FORCED; i++) {
		const struct norn_graph_event *e = schedule_search->events + goal->stops[i];
		forced[count++] = e->life;
		bool notified = norn_rule_of(schedule_search->graph, goal->stops[i])->needs & NORN_NEED_NOTIFY;
		forced[count++] = notified ? schedule_search->events[e->next].other : 0; /* what wakes it up */
	}
	struct norn_step_model_target target = {.stops = goal->stops,
	        .stop_count = goal->stop_count,
	        .steps = forced,
	        .step_count = count,
	        .first = goal->includes[0],
	        .second = goal->includes[1]};
	struct norn_step_model *plan;
	struct norn_fixed_reads fixed;
	uint32_t last = goal->last < end ? goal->last : end;
	int r = norn_fixed_reads_part(&fixed, &schedule_search->fixed, base, end, last, goal->stops, goal->stop_count);
	if (r < 0)
		return r;
	r = norn_step_model_until(&fixed, &target, base, end, &plan);
	norn_fixed_reads_done(&fixed);
	if (r < 0)
		return r;
	*steps += plan->cost;
	schedule_search->inexact = plan->inexact;
	struct search s = {.events = schedule_search->events, .plan = plan};
	r = search(schedule_search, &s, goal, forced, count, nodes, steps);
	if (r == NORN_SCHEDULE_SEARCH_YES && list_events(schedule_search, &s, ret_events, ret_count) < 0)
		r = -ENOMEM;
	search_done(&s);
	norn_step_model_free(plan);
	return r;
}
