#include "base/bisect.h"
#include "sliced/step/step_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sliced/memory_contents.h"
#include "sliced/step/step_draft.h"
#include "sliced/step/step_flow.h"
#include "sliced/debug.h"
#include "trace/record.h"

#define UNIQUE 0x80000000u /* contents that only their write tells apart */

/* ---- steps ---- */

static bool has_bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static void aim(struct norn_step_draft *d, const uint32_t *events, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (events[i] > d->model->base && events[i] <= d->model->end)
			set_bit(d->aimed, events[i] - d->model->base);
}

/* The events that are steps in any case; those before the stops follow (step_needs.c). */
static void find_aimed(struct norn_step_draft *d)
{
	const struct norn_step_model_target *target = d->target;
	if (!target)
		return;
	aim(d, target->ordered, target->ordered_count);
	aim(d, target->steps, target->step_count);
}

static uint32_t number_of(uint32_t *index, uint32_t *count)
{
	if (!*index)
		*index = ++*count;
	assert(*index <= *count);
	return *index - 1;
}

/* The states that the step depends on, or changes. */
static void consider_state(struct norn_step_draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	const struct norn_rule *rule = step->rule;
	uint32_t sleeps = norn_step_draft_slept_on(d, step->event), condition = sleeps ? sleeps : e->size;
	bool guarded = rule->guard != NORN_GUARD_NONE && rule->guard != NORN_GUARD_NEVER;
	if ((guarded || rule->effect) && norn_step_draft_contended(d, e->size))
		step->object = number_of(&norn_step_draft_object(d, e->size)->index, &d->model->objects);
	if (rule->wait && norn_step_draft_contended(d, condition))
		step->condition = number_of(&norn_step_draft_object(d, condition)->condition, &d->model->conditions);
	step->value = (uint32_t)e->value;
}

static void add_access(struct norn_step_draft *d, uint32_t group, uint32_t content)
{
	assert(group < d->model->byte_groups);
	norn_must_grow(&d->model->accesses, d->access_count + UINT64_C(1), &d->access_room, sizeof *d->model->accesses);
	d->model->accesses[d->access_count++] = (struct norn_step_model_access){.group = group, .content = content};
}

/* The writer, before this part, of what the read saw in these bytes; 0: none, or several. */
static uint32_t early_writer(const struct norn_step_draft *d, uint32_t read, uint64_t word)
{
	const uint32_t *list;
	uint32_t count = norn_graph_list(d->fixed->graph, &d->events[read].link, &list), found = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *w = &d->events[list[i]];
		if (list[i] <= d->model->base && norn_step_draft_writes(w) && w->addr < word * 8 + 8 &&
		        w->addr + w->size > word * 8) {
			if (found)
				return 0;
			found = list[i];
		}
	}
	return found;
}

/* Is what it wrote the same number in all orders? */
static bool is_exact(const struct norn_step_draft *d, const struct norn_graph_event *write)
{
	uint32_t number = (uint32_t)(write - d->events);
	return norn_graph_exact(d->fixed->graph, d->model->base, number, write->size, write->value);
}

static bool is_zeroed(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_ALLOC && e->op == NORN_ALLOC_CALLOC;
}

/* Did the read see what this event left, and no write? */
static bool saw_only(const struct norn_step_draft *d, const struct norn_graph_event *read, uint32_t event)
{
	const uint32_t *list;
	uint32_t count = norn_graph_list(d->fixed->graph, &read->link, &list);
	return read->kind == NORN_EVENT_READ && (count == 0 || (count == 1 && list[0] == event));
}

/* What the memory of the first access of a word began with, static or zeroed, if that is there when the part begins, or when it
 * is allocated. */
static bool initial_word(struct norn_step_draft *d, const struct norn_graph_event *access, uint64_t word, uint64_t *ret_value)
{
	*ret_value = 0;
	if (norn_step_draft_unseen(d, word))
		return false;
	if (access->life)
		return is_zeroed(&d->events[access->life]) &&
		       (access->life > d->model->base || (access->life > d->called && saw_only(d, access, access->life)));
	return norn_graph_still_initial(d->fixed->graph, d->model->base, word * 8, ret_value);
}

/* The contents of a group when the part began, if that is what the memory began with. */
static uint32_t initial_content(struct norn_step_draft *d, const struct norn_graph_event *access, uint64_t word, uint32_t group)
{
	uint64_t value;
	return initial_word(d, access, word, &value)
	               ? norn_byte_groups_content(&d->byte_groups, word, group, word * 8, value, access->life)
	               : UNIQUE;
}

/* The contents of a group when the part began, known from the first read of it. */
static void begin_group(struct norn_step_draft *d, uint32_t read, uint64_t word, uint32_t group)
{
	uint32_t writer = early_writer(d, read, word);
	const struct norn_graph_event *w = &d->events[writer];
	uint32_t content = UNIQUE | writer;
	d->begun[group] = true;
	if (writer > d->called && w->flags & NORN_GRAPH_VALUED && w->size <= 8 && !norn_step_draft_unseen(d, word) &&
	        is_exact(d, w) && norn_byte_groups_covered(&d->byte_groups, word, group, w->addr, w->size))
		content = norn_byte_groups_content(&d->byte_groups, word, group, w->addr, w->value, w->life);
	if (writer == 0)
		content = initial_content(d, &d->events[read], word, group);
	d->model->contents[group] = d->content[group] = content;
}

/* The value of so many bytes in what a write left, or in a word. */
static uint64_t cut_out(uint64_t value, uint64_t from, const struct norn_step_class *c)
{
	value >>= (c->addr - from) * 8;
	return c->size == 8 ? value : value & ((UINT64_C(1) << c->size * 8) - 1);
}

static bool has_all_of(const struct norn_graph_event *write, const struct norn_step_class *c)
{
	return write->addr <= c->addr && c->addr + c->size <= write->addr + write->size;
}

/* How the tests came out when the part began, known from this first access. */
static uint32_t class_begun(struct norn_step_draft *d, const struct norn_step_class *c, uint32_t access)
{
	const struct norn_graph_event *e = &d->events[access];
	uint64_t word = c->addr / 8, value;
	uint32_t writer = e->kind == NORN_EVENT_READ ? early_writer(d, access, word) : 0;
	const struct norn_graph_event *w = &d->events[writer];
	if (writer) {
		bool known = writer > d->called && w->flags & NORN_GRAPH_VALUED && w->size <= 8 &&
		             !norn_step_draft_unseen(d, word) && is_exact(d, w) && has_all_of(w, c);
		return known ? norn_step_draft_outcome(d, c, cut_out(w->value, w->addr, c)) : UNIQUE | writer;
	}
	return initial_word(d, e, word, &value) ? norn_step_draft_outcome(d, c, cut_out(value, word * 8, c)) : UNIQUE;
}

static void begin_class(struct norn_step_draft *d, const struct norn_step_class *c, uint32_t access)
{
	if (!d->begun[c->group])
		d->model->contents[c->group] = d->content[c->group] = class_begun(d, c, access);
	d->begun[c->group] = true;
}

static void write_classes(struct norn_step_draft *d, struct norn_step_model_step *step, bool known)
{
	const struct norn_graph_event *e = &d->events[step->event];
	for (uint64_t word = e->addr / 8; d->classes.count && e->size && word <= (e->addr + e->size - 1) / 8; word++) {
		const uint32_t *first = norn_map_get(&d->classed, word);
		for (uint32_t i = first ? *first : 0; i; i = d->classes.items[i - 1].next) {
			const struct norn_step_class *c = &d->classes.items[i - 1];
			if (e->addr >= c->addr + c->size || c->addr >= e->addr + e->size)
				continue;
			begin_class(d, c, step->event);
			bool told = known && has_all_of(e, c);
			d->content[c->group] =
			        told ? norn_step_draft_outcome(d, c, cut_out(e->value, e->addr, c)) : UNIQUE | step->event;
			add_access(d, c->group, d->content[c->group]);
			step->write_count++;
		}
	}
}

static void read_groups(struct norn_step_draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	const struct norn_step_class *class = norn_step_draft_class(d, step->event);
	if (class) {
		begin_class(d, class, step->event);
		add_access(d, class->group, d->content[class->group]);
		step->read_count++;
		return;
	}
	uint64_t word = e->addr / 8;
	uint32_t first;
	uint8_t touched;
	while (norn_byte_groups_next(&d->byte_groups, e->addr, e->size, &word, &first, &touched))
		for (uint32_t c = first; touched >> (c - first); c++) {
			if (!(touched >> (c - first) & 1))
				continue;
			if (!d->begun[c])
				begin_group(d, step->event, word - 1, c);
			add_access(d, c, d->content[c]);
			step->read_count++;
		}
}

static void write_groups(struct norn_step_draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	bool known = !norn_step_draft_unseen(d, e->addr / 8) && !norn_step_draft_unseen(d, (e->addr + e->size - 1) / 8) &&
	             e->flags & NORN_GRAPH_VALUED && e->size <= 8 && is_exact(d, e) &&
	             norn_fixed_reads_knows(d->fixed, step->event);
	uint64_t word = e->addr / 8;
	uint32_t first;
	uint8_t touched;
	while (norn_byte_groups_next(&d->byte_groups, e->addr, e->size, &word, &first, &touched))
		for (uint32_t c = first; touched >> (c - first); c++) {
			if (!(touched >> (c - first) & 1))
				continue;
			assert(c < d->model->byte_groups);
			if (!d->begun[c])
				d->model->contents[c] = initial_content(d, e, word - 1, c);
			d->begun[c] = true;
			d->content[c] = known ? norn_byte_groups_content(&d->byte_groups, word - 1, c, e->addr, e->value, e->life)
			                      : UNIQUE | step->event;
			add_access(d, c, d->content[c]);
			step->write_count++;
		}
	write_classes(d, step, known);
}

static bool sees_fresh(const struct norn_step_draft *d, uint32_t read)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(d->fixed->graph, &d->events[read].link, &writers);
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] > d->model->base && d->events[writers[i]].flags & NORN_GRAPH_FRESH &&
		        d->events[writers[i]].kind == NORN_EVENT_ALLOC)
			return true;
	return false;
}

bool norn_step_draft_odd(const struct norn_step_draft *d, uint32_t read)
{
	return d->events[read].flags & NORN_GRAPH_ODD || sees_fresh(d, read);
}

static bool is_soft(const struct norn_step_draft *d, uint32_t event)
{
	return d->soft && has_bit(d->soft, event - d->model->base);
}

static void consider_access(struct norn_step_draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	bool shares = norn_fixed_reads_shares(d->fixed, step->event);
	if (norn_step_draft_reads(d, step->event)) {
		step->opaque |= e->kind == NORN_EVENT_EXTERNAL ? (e->flags & NORN_GRAPH_ODD) != 0
		                                               : !is_soft(d, step->event) && norn_step_draft_odd(d, step->event);
		if (shares)
			read_groups(d, step);
	}
	/* An event that decides and is not fixed may do something else. */
	bool decides = (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW) && e->flags & NORN_GRAPH_DECIDES;
	step->opaque |= decides && !norn_fixed_reads_has(d->fixed, step->event) && !norn_fixed_reads_frees(d->fixed, step->event);
	step->write = d->access_count;
	if (shares && norn_step_draft_writes(e))
		write_groups(d, step);
}

/* An event that cannot be explained never comes, but others may have seen its effects. */
static void consider(struct norn_step_draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	uint32_t i = step->event - d->model->base;
	if (norn_fixed_reads_skips(d->fixed, step->event))
		return;
	step->opaque = has_bit(d->never, i) || !norn_fixed_reads_certain(d->fixed, step->event);
	if (norn_step_draft_is_access(e))
		consider_access(d, step);
	else if (e->kind == NORN_EVENT_SYNC)
		consider_state(d, step);
}

static bool matters(const struct norn_step_draft *d, const struct norn_step_model_step *step)
{
	if (is_soft(d, step->event) && norn_step_draft_odd(d, step->event))
		return true;
	return step->need_count || step->opaque || step->read_count || step->write_count || step->object != NORN_STEP_MODEL_NONE ||
	       step->condition != NORN_STEP_MODEL_NONE || step->relevant != NORN_STEP_MODEL_NONE ||
	       has_bit(d->needed, step->event - d->model->base) || has_bit(d->aimed, step->event - d->model->base);
}

/* A quiet event is a step only if its thread ends there. */
static bool is_passed(const struct norn_step_draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	if (!norn_step_draft_quiet(d, i) || has_bit(d->needed, i - d->model->base))
		return false;
	bool decides = e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_DECIDES;
	return d->over[e->thread] || norn_step_draft_is_out(d, i) ||
	       (norn_fixed_reads_certain(d->fixed, i) && (!decides || norn_fixed_reads_has(d->fixed, i)));
}

static void make_steps(struct norn_step_draft *d)
{
	struct norn_step_model *p = d->model;
	const uint64_t *relevant = d->property ? d->property->relevant : NULL;
	uint32_t next = 0, relevant_count = d->property ? d->property->relevant_count : 0;
	for (uint32_t i = p->base + 1; i <= p->end; i++) {
		if (is_passed(d, i))
			continue;
		while (next < relevant_count && relevant[next] < i)
			next++;
		uint32_t first = d->first_need[i - p->base];
		struct norn_step_model_step step = {.event = i,
		        .relevant = next < relevant_count && relevant[next] == i ? next : NORN_STEP_MODEL_NONE,
		        .need = first,
		        .need_count = d->first_need[i - p->base + 1] - first,
		        .read = d->access_count,
		        .write = d->access_count,
		        .rule = norn_rule_without(d->fixed->graph, i, d->walk.without),
		        .object = NORN_STEP_MODEL_NONE,
		        .condition = NORN_STEP_MODEL_NONE};
		consider(d, &step);
		assert(step.read + step.read_count == step.write && step.write + step.write_count == d->access_count);
		if (norn_step_draft_is_out(d, i)) {
			d->access_count = step.read;
			continue;
		}
		if (!matters(d, &step))
			continue;
		d->over[d->events[i].thread] |= step.opaque;
		if (!step.rule->exact)
			p->inexact = step.rule;
		if (norn_rule_is_look(step.rule))
			p->stricter = &norn_rule_any_look;
		else if (norn_rule_is_ignored(d->fixed->graph, i))
			p->stricter = &norn_rule_any_result;
		uint32_t room = d->step_room;
		norn_must_grow(&d->threads, d->step_count + UINT64_C(1), &room, sizeof *d->threads);
		norn_must_grow(&d->steps, d->step_count + UINT64_C(1), &d->step_room, sizeof *d->steps);
		d->threads[d->step_count] = d->events[i].thread;
		d->steps[d->step_count++] = step;
	}
}

/* ---- by thread ---- */

/* Steps of the thread up to the one that makes the event happen; one more than there are if none does: then it never is. */
static uint32_t count_to(const struct norn_step_model *p, uint32_t thread, uint32_t event)
{
	uint32_t from = p->first[thread];
	return NORN_BISECT(from, p->first[thread + 1], i, p->steps[i].event < event) - from + 1;
}

static void arrange(struct norn_step_draft *d)
{
	struct norn_step_model *p = d->model;
	uint32_t threads = norn_graph_threads(d->fixed->graph), total = d->step_count;
	memset(d->index, 0, threads * sizeof *d->index);
	uint32_t *sizes = norn_must_calloc(threads + 1ul, sizeof *sizes);
	for (uint32_t i = 0; i < total; i++)
		sizes[d->threads[i]]++;
	for (uint32_t t = 0; t < threads; t++)
		p->threads += sizes[t] != 0;
	p->numbers = norn_must_alloc(p->threads + 1ul, sizeof *p->numbers);
	p->first = norn_must_calloc(p->threads + 2ul, sizeof *p->first);
	p->steps = norn_must_alloc(total + 1ul, sizeof *p->steps);
	p->order = norn_must_alloc(total + 1ul, sizeof *p->order);
	uint32_t n = 0;
	for (uint32_t t = 0; t < threads; t++)
		if (sizes[t]) {
			p->numbers[n] = t;
			p->first[n + 1] = p->first[n] + sizes[t];
			d->index[t] = ++n;
			sizes[t] = 0;
		}
	for (uint32_t i = 0; i < total; i++) {
		uint32_t t = d->index[d->threads[i]] - 1;
		assert(i == 0 || d->steps[i - 1].event < d->steps[i].event); /* they are in the observed order */
		p->order[i] = t;
		p->steps[p->first[t] + sizes[d->threads[i]]++] = d->steps[i];
	}
	free(sizes);
	assert(n == p->threads && p->first[p->threads] == total);
}

static void settle_needs(struct norn_step_draft *d)
{
	struct norn_step_model *p = d->model;
	for (uint32_t i = 0; i < d->need_count; i++) {
		uint32_t t = d->index[p->needs[i].thread];
		assert(t <= p->threads && p->needs[i].count > p->base && p->needs[i].count <= p->end);
		/* A thread without steps makes none: nothing that needs it can happen. */
		p->needs[i] = t ? (struct norn_step_model_need){.thread = t - 1, .count = count_to(p, t - 1, p->needs[i].count)}
		                : (struct norn_step_model_need){.thread = 0, .count = NORN_STEP_MODEL_NONE};
	}
}

static void settle_reads(struct norn_step_model *p)
{
	p->last_read = norn_must_calloc((uint64_t)p->byte_groups * p->threads + 1, sizeof *p->last_read);
	for (uint32_t t = 0; t < p->threads; t++)
		for (uint32_t i = p->first[t]; i < p->first[t + 1]; i++)
			for (uint32_t k = 0; k < p->steps[i].read_count; k++)
				p->last_read[(uint64_t)p->accesses[p->steps[i].read + k].group * p->threads + t] =
				        i - p->first[t] + 1;
}

/* Locks that are held. A thread without steps stays where it is, with what it holds. */
static void settle_locks(struct norn_step_draft *d)
{
	const struct norn_graph *graph = d->fixed->graph;
	for (uint32_t t = 0; t < norn_graph_threads(graph); t++) {
		uint32_t event = norn_graph_after(graph, t, d->model->base);
		for (uint32_t held = event ? d->events[event].held : 0, rest; held; held = rest) {
			const struct norn_graph_event *a = &d->events[norn_graph_held(graph, held, &rest)];
			const struct norn_step_object *o = norn_step_draft_object(d, a->size);
			if (!o || !o->index)
				continue;
			uint32_t *state = &d->model->states[o->index - 1];
			*state = a->op == NORN_SYNC_ACQUIRE_SHARED ? *state + 1 : NORN_STATE_EXCLUSIVE;
		}
	}
}

/* The values of semaphores: those after the last event before the part. */
static void settle_semaphores(struct norn_step_draft *d)
{
	size_t cursor = 0;
	uint64_t number;
	for (const struct norn_step_object *o; (o = norn_map_next(&d->objects, &cursor, &number));) {
		const struct norn_graph_event *first = &d->events[o->first], *before = &d->events[first->other];
		bool semaphore = o->index && o->first && first->op >= NORN_SYNC_SEM_INIT && first->op <= NORN_SYNC_SEM_TRY_FAILED;
		if (semaphore && first->other && before->flags & NORN_GRAPH_COUNTED)
			d->model->states[o->index - 1] = before->link;
	}
}

/* The wait that a thread is in at the base, asleep: its beginning, 0: it is not. */
static uint32_t wait_at(struct norn_step_draft *d, uint32_t thread)
{
	const struct norn_graph *graph = d->fixed->graph;
	uint32_t next = norn_graph_after(graph, thread, d->model->base);
	const struct norn_graph_event *e = &d->events[next ? next : norn_graph_last(graph, thread)];
	if (e->kind != NORN_EVENT_SYNC || !(e->flags & NORN_GRAPH_WAKES))
		return 0;
	if (!next)
		return norn_graph_sleeps(e) ? e->life : 0;
	if (e->op != NORN_SYNC_ACQUIRE)
		return 0;
	uint32_t end = norn_rule_wait_end(graph, next);
	d->sleepers_unknown |= end == 0;
	return d->events[end].op == NORN_SYNC_WAIT_TIMEOUT ? 0 : d->events[end].link;
}

struct sleeper {
	uint32_t since, thread, condition;
};

static int by_since(const void *a, const void *b)
{
	const struct sleeper *x = a, *y = b;
	return (x->since > y->since) - (x->since < y->since);
}

/* The threads that sleep on conditions, longest first. */
static void settle_sleepers(struct norn_step_draft *d)
{
	struct norn_step_model *p = d->model;
	uint32_t threads = norn_graph_threads(d->fixed->graph), count = 0;
	struct sleeper *list = norn_must_alloc(threads + UINT64_C(1), sizeof *list);
	p->sleepers = norn_must_calloc(p->conditions + UINT64_C(1), sizeof *p->sleepers);
	p->sleep = norn_must_calloc(p->threads + UINT64_C(1), sizeof *p->sleep);
	for (uint32_t t = 0; t < threads && p->conditions; t++) {
		uint32_t wait = wait_at(d, t);
		const struct norn_graph_event *w = &d->events[wait];
		const struct norn_step_object *o = wait ? norn_step_draft_object(d, w->size) : NULL;
		if (!o || !o->condition)
			continue;
		if (w->link && w->link <= p->base) {
			if (d->index[t])
				p->sleep[d->index[t] - 1] = NORN_STEP_MODEL_WOKEN;
		} else {
			list[count++] = (struct sleeper){w->next, t, o->condition - 1};
		}
	}
	assert(count <= threads);
	qsort(list, count, sizeof *list, by_since);
	for (uint32_t i = 0; i < count; i++) {
		assert(list[i].condition < p->conditions);
		uint32_t place = ++p->sleepers[list[i].condition], index = d->index[list[i].thread];
		if (index)
			p->sleep[index - 1] = (list[i].condition + 1) << 16 | place;
	}
	free(list);
	for (uint32_t i = 0; i < d->step_count && d->sleepers_unknown; i++)
		p->steps[i].opaque |= p->steps[i].condition != NORN_STEP_MODEL_NONE;
}

static void settle_states(struct norn_step_draft *d)
{
	d->model->states = norn_must_calloc(d->model->objects + UINT64_C(1), sizeof *d->model->states);
	settle_semaphores(d);
	settle_locks(d);
	settle_sleepers(d);
}

/* ---- the model ---- */

static void draft_init(struct norn_step_draft *d)
{
	norn_byte_groups_init(&d->byte_groups);
	norn_map_init(&d->objects, sizeof(struct norn_step_object));
	norn_map_init(&d->accesses, sizeof(uint32_t));
	norn_map_init(&d->looks, sizeof(uint32_t));
	norn_map_init(&d->externals, 1);
	size_t threads = norn_graph_threads(d->fixed->graph) + 1ul, events = d->model->end - d->model->base + 2ul;
	d->index = norn_must_calloc(threads, sizeof *d->index);
	d->stops = norn_must_calloc(threads, sizeof *d->stops);
	d->need_of = norn_must_calloc(threads, sizeof *d->need_of);
	d->need_at = norn_must_calloc(threads, sizeof *d->need_at);
	d->first_need = norn_must_alloc(events, sizeof *d->first_need);
	d->needed = norn_must_calloc(events / 64 + 1, sizeof *d->needed);
	d->never = norn_must_calloc(events / 64 + 1, sizeof *d->never);
	d->aimed = norn_must_calloc(events / 64 + 1, sizeof *d->aimed);
	d->over = norn_must_calloc(threads, sizeof *d->over);
	find_aimed(d);
	d->walk = (struct norn_rule_walk){.graph = d->fixed->graph,
	        .without = d->target ? d->target->without : 0,
	        .steps = true,
	        .base = d->model->base,
	        .io_done = d->model->base};
	for (uint32_t i = 0; d->target && i < d->target->stop_count; i++) {
		assert(d->target->stops[i] > d->model->base);
		d->stops[d->events[d->target->stops[i]].thread] = d->target->stops[i];
	}
}

static void make_groups(struct norn_step_draft *d)
{
	struct norn_step_model *p = d->model;
	norn_step_draft_classify(d);
	p->byte_groups = d->byte_groups.count + d->classes.count;
	p->cost = p->end - p->base + d->byte_groups.steps;
	p->contents = norn_must_calloc(p->byte_groups + 1ul, sizeof *p->contents);
	d->content = norn_must_calloc(p->byte_groups + 1ul, sizeof *d->content);
	d->begun = norn_must_calloc(p->byte_groups + 1ul, sizeof *d->begun);
}

static void draft_done(struct norn_step_draft *d)
{
	norn_byte_groups_done(&d->byte_groups);
	norn_vector_done(&d->classes);
	norn_vector_done(&d->outcomes);
	norn_map_done(&d->classed);
	norn_map_done(&d->objects);
	norn_map_done(&d->accesses);
	norn_map_done(&d->looks);
	norn_map_done(&d->externals);
	free(d->index);
	free(d->stops);
	free(d->need_of);
	free(d->need_at);
	free(d->first_need);
	free(d->needed);
	free(d->never);
	free(d->aimed);
	free(d->over);
	free(d->content);
	free(d->begun);
	free(d->steps);
	free(d->threads);
	free(d->soft);
}

static struct norn_step_model *make_model(const struct norn_fixed_reads *fixed, const struct norn_step_model_property *property,
        const struct norn_step_model_target *target, uint32_t base, uint32_t end)
{
	struct norn_step_model *p = norn_must_calloc(1, sizeof *p);
	struct norn_step_draft d = {
	        .fixed = fixed, .events = norn_graph_events(fixed->graph), .model = p, .target = target, .property = property};
	assert(base <= end && end <= norn_graph_count(fixed->graph));
	p->base = base;
	p->end = end;
	draft_init(&d);
	d.called = norn_fixed_reads_call(fixed, base);
	norn_step_draft_note(&d);
	norn_step_draft_find_needs(&d);
	make_groups(&d);
	make_steps(&d);
	arrange(&d);
	settle_needs(&d);
	settle_reads(p);
	settle_states(&d);
	if (property)
		norn_step_flows_make(&d);
	draft_done(&d);
	if (norn_sliced_debug.steps)
		norn_debug_steps(p, fixed->graph);
	return p;
}

struct norn_step_model *norn_step_model_new(
        const struct norn_fixed_reads *fixed, const struct norn_step_model_property *property, uint32_t base, uint32_t end)
{
	return make_model(fixed, property, NULL, base, end);
}

struct norn_step_model *norn_step_model_until(
        const struct norn_fixed_reads *fixed, const struct norn_step_model_target *target, uint32_t base, uint32_t end)
{
	return make_model(fixed, NULL, target, base, end);
}

uint32_t norn_step_model_count(const struct norn_step_model *p, uint32_t thread, uint32_t event, uint32_t *ret_thread)
{
	for (uint32_t t = 0; t < p->threads; t++)
		if (p->numbers[t] == thread) {
			*ret_thread = t;
			return count_to(p, t, event);
		}
	*ret_thread = NORN_STEP_MODEL_NONE;
	return NORN_STEP_MODEL_NONE;
}

void norn_step_model_free(struct norn_step_model *p)
{
	if (!p)
		return;
	free(p->numbers);
	free(p->first);
	free(p->steps);
	free(p->needs);
	free(p->accesses);
	free(p->contents);
	free(p->states);
	free(p->sleepers);
	free(p->sleep);
	free(p->last_read);
	free(p->order);
	norn_step_flows_free(p->flows);
	free(p);
}
