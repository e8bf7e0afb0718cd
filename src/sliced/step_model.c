#include "sliced/step_model.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sliced/memory_contents.h"
#include "sliced/byte_groups.h"
#include "sliced/debug.h"
#include "trace/record.h"

#define SEVERAL UINT32_MAX
#define UNIQUE 0x80000000u /* contents that only their write tells apart */

/* An object of synchronization in this part. */
struct object {
	uint32_t thread; /* thread + 1 that uses it, or SEVERAL */
	uint32_t first; /* event */
	uint32_t fence; /* the last event that needs the object's history: later ones come after it */
	uint32_t last; /* of a channel that is received from: the last event */
	uint32_t index, condition; /* 1 + number of its state, as a condition */
	bool received; /* a channel with receives */
};

/* While a model is made, steps are in the observed order, and needs name events. */
struct draft {
	const struct norn_fixed_reads *fixed;
	const struct norn_graph_event *events;
	struct norn_step_model *model;
	struct norn_byte_groups byte_groups;
	struct norn_map objects; /* number → struct object */
	struct norn_map accesses; /* life << 32 | thread → last event that accesses memory of that life */
	struct norn_map looks; /* object << 32 | thread → its last look at that resource */
	struct norn_rule_walk walk;
	uint32_t world; /* the last event that needs all input, output and calls before it */
	uint32_t written; /* the last external write: a later call, be it taken for harmless, may be what would write it; 0: none */
	uint32_t *first_need; /* per event of the part, and one more: what it needs begins there in model->needs */
	uint64_t *needed, *never; /* a bit each */
	uint32_t needing; /* the event whose needs are being found */
	uint32_t *need_of, *need_at; /* per thread: the last event that needed something of it, and where that stands */
	uint32_t *index; /* per thread of the run: 1 + its number in the model */
	uint32_t *content; /* per group: as observed, so far */
	struct norn_step_model_step *steps;
	uint32_t *threads; /* per step */
	uint32_t step_count, step_room, need_count, need_room, access_count, access_room;
	bool unseen; /* code without hooks may write in this part: equal values need not stay equal */
	bool sleepers_unknown; /* a thread's wait was cut short */
	bool *begun; /* per group: something of this part was written there */
	uint32_t called; /* the last call of code without hooks before this part: older values need not be there any more */
	const struct norn_step_model_target *target; /* NULL: none */
	uint32_t *stops; /* per thread of the run, 0: none */
};

/* Is it left out: a stop, or later than that of its thread? */
static bool is_out(const struct draft *d, uint32_t i)
{
	uint32_t stop = d->stops[d->events[i].thread];
	return stop && i >= stop;
}

/* Is it a step in any case? */
static bool is_wanted(const struct draft *d, uint32_t i)
{
	const struct norn_step_model_target *target = d->target;
	if (!target)
		return false;
	uint32_t stop = d->stops[d->events[i].thread];
	bool wanted = i == target->first || i == target->second || (stop && d->events[i].next == stop);
	for (uint32_t k = 0; k < target->step_count && !wanted; k++)
		wanted = target->steps[k] == i;
	return wanted;
}

/* An external write leaves some of its word's bytes as they were: as if it had read them. */
static bool reads(const struct draft *d, uint32_t i)
{
	uint8_t kind = d->events[i].kind;
	return kind == NORN_EVENT_EXTERNAL ||
	       ((kind == NORN_EVENT_READ || kind == NORN_EVENT_RMW) && norn_fixed_reads_has(d->fixed, i));
}

static bool writes(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL;
}

static bool is_access(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || writes(e);
}

/* ---- what gets in whose way ---- */

/* Code without hooks may write. */
static bool is_unseen(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_EXTERNAL ||
	       (norn_memory_contents_unseen(e) && !(e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN));
}

static struct object *object_of(const struct draft *d, uint32_t number)
{
	return number ? norn_map_get(&d->objects, number) : NULL;
}

static struct object *note_object(struct draft *d, uint32_t number, uint32_t event, uint32_t thread)
{
	struct object *o = norn_must_map_put(&d->objects, number);
	o->thread = o->thread == 0 || o->thread == thread + 1 ? thread + 1 : SEVERAL;
	o->first = o->first ? o->first : event;
	return o;
}

/* The condition that the event makes its thread sleep on, or wakes it from; 0: none. */
static uint32_t slept_on(const struct draft *d, uint32_t event)
{
	const struct norn_graph_event *e = &d->events[event];
	if (e->kind != NORN_EVENT_SYNC || !(e->flags & NORN_GRAPH_WAKES))
		return 0;
	if (norn_graph_sleeps(e))
		return d->events[e->life].size;
	uint32_t end = norn_rule_wait_end(d->fixed->graph, event);
	return end ? d->events[end].size : 0;
}

static void note_sync(struct draft *d, uint32_t event)
{
	const struct norn_graph_event *e = &d->events[event];
	uint32_t condition = slept_on(d, event);
	struct object *o = note_object(d, e->size, event, e->thread);
	o->received |= e->op == NORN_SYNC_RECEIVE;
	if (condition)
		note_object(d, condition, 0, e->thread);
}

static bool is_contended(const struct draft *d, uint32_t number)
{
	const struct object *o = object_of(d, number);
	return o && o->thread == SEVERAL;
}

/* Locks that are held when the part begins. */
static void note_held(struct draft *d, uint32_t event)
{
	const struct norn_graph *graph = d->fixed->graph;
	for (uint32_t held = d->events[event].held, rest; held; held = rest)
		note_object(d, d->events[norn_graph_held(graph, held, &rest)].size, 0, d->events[event].thread);
}

static void note_event(struct draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	bool read = reads(d, i), write = writes(e), out = is_out(d, i);
	d->unseen |= !out && is_unseen(e);
	if (!d->index[e->thread]) {
		d->index[e->thread] = 1; /* its number follows */
		note_held(d, i);
	}
	if (read || write)
		norn_byte_groups_expect(&d->byte_groups, e->addr, e->size, e->thread, read, write);
	if (e->kind == NORN_EVENT_SYNC)
		note_sync(d, i);
	if (!out && is_access(e) && e->kind != NORN_EVENT_EXTERNAL && e->life) {
		uint32_t *last = norn_must_map_put(&d->accesses, (uint64_t)e->life << 32 | e->thread);
		*last = i;
	}
}

static void note_all(struct draft *d)
{
	const struct norn_step_model *p = d->model;
	for (uint32_t i = p->base + 1; i <= p->end; i++)
		note_event(d, i);
	for (uint32_t i = p->base + 1; i <= p->end; i++)
		if (reads(d, i) || writes(&d->events[i]))
			norn_byte_groups_note(&d->byte_groups, d->events[i].addr, d->events[i].size, d->events[i].thread,
			        reads(d, i), writes(&d->events[i]));
	norn_byte_groups_choose(&d->byte_groups);
	for (uint32_t i = p->base + 1; i <= p->end; i++)
		if (reads(d, i) || writes(&d->events[i]))
			norn_byte_groups_shape(&d->byte_groups, d->events[i].addr, d->events[i].size);
	norn_byte_groups_cut(&d->byte_groups);
}

/* ---- needs ---- */

static void set_bit(uint64_t *bits, uint32_t i)
{
	bits[i / 64] |= UINT64_C(1) << i % 64;
}

static bool has_bit(const uint64_t *bits, uint32_t i)
{
	return bits[i / 64] >> i % 64 & 1;
}

/* Of each thread the last event that is needed counts. */
static void need(void *context, uint32_t event)
{
	struct draft *d = context;
	uint32_t thread = d->events[event].thread;
	if (event <= d->model->base || thread == d->events[d->needing].thread)
		return;
	if (d->need_of[thread] == d->needing) {
		uint32_t *last = &d->model->needs[d->need_at[thread]].count;
		*last = event > *last ? event : *last;
		return;
	}
	norn_must_grow(&d->model->needs, d->need_count + UINT64_C(1), &d->need_room, sizeof *d->model->needs);
	d->need_of[thread] = d->needing;
	d->need_at[thread] = d->need_count;
	d->model->needs[d->need_count++] = (struct norn_step_model_need){.thread = thread, .count = event};
}

/* What others do with the memory comes before it is freed. */
static void need_uses(struct draft *d, const struct norn_graph_event *e)
{
	uint32_t threads = norn_graph_threads(d->fixed->graph);
	for (uint32_t t = 0; e->life && t < threads; t++) {
		const uint32_t *last = d->index[t] ? norn_map_get(&d->accesses, (uint64_t)e->life << 32 | t) : NULL;
		if (last && *last < d->needing)
			need(d, *last);
	}
}

/* Who has looked at a resource, or a channel, since its last change. */
static void need_looks(struct draft *d, const struct norn_graph_event *e, uint32_t since)
{
	for (uint32_t t = 0, threads = d->looks.count ? norn_graph_threads(d->fixed->graph) : 0; t < threads; t++) {
		const uint32_t *look = d->index[t] ? norn_map_get(&d->looks, (uint64_t)e->size << 32 | t) : NULL;
		if (look && *look > since)
			need(d, *look);
	}
}

/* Where a rule asks for the object's history, exactly that has happened: what came later comes later. */
static void need_fence(struct draft *d, const struct norn_graph_event *e, const struct norn_rule *rule)
{
	struct object *o = object_of(d, e->size), *condition = object_of(d, slept_on(d, d->needing));
	if (o->fence)
		need(d, o->fence);
	if (rule->needs & NORN_NEED_HISTORY)
		o->fence = d->needing;
	if (condition && condition->fence)
		need(d, condition->fence); /* a thread that goes to sleep only now missed a notify that came before */
	if (o->received && o->last)
		need(d, o->last);
	need_looks(d, e, o->last);
	o->last = d->needing;
}

static bool is_look(const struct norn_graph_event *e)
{
	return e->op == NORN_SYNC_RECEIVE && e->value == NORN_RECEIVE_LOOKED;
}

/* Who looks at a resource comes after the changes that came before; who changes it, after the looks, too. */
static void need_resource(struct draft *d, const struct norn_graph_event *e)
{
	struct object *o = object_of(d, e->size);
	if (o->last)
		need(d, o->last);
	if (is_look(e)) {
		*(uint32_t *)norn_must_map_put(&d->looks, (uint64_t)e->size << 32 | e->thread) = d->needing;
		return;
	}
	need_looks(d, e, o->last);
	o->last = d->needing;
}

static bool of_resource(const struct norn_graph_event *e)
{
	return (e->op == NORN_SYNC_SEND && e->value >= NORN_SEND_CHANGES) ||
	       (e->op == NORN_SYNC_RECEIVE && e->value >= NORN_RECEIVE_CHANGED);
}

static bool touches_world(const struct norn_graph_event *e, const struct norn_rule *rule)
{
	return rule->needs & (NORN_NEED_WORLD | NORN_NEED_CALLS) || (e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_SEND);
}

static void find_needs_of(struct draft *d, uint32_t i)
{
	const struct norn_graph_event *e = &d->events[i];
	const struct norn_rule *rule = norn_rule_of(d->fixed->graph, i);
	d->needing = i;
	if (!norn_rule_needs_each(&d->walk, i, rule, need, d) || norn_rule_from_nowhere(d->fixed->graph, i))
		set_bit(d->never, i - d->model->base);
	if (rule->needs & NORN_NEED_USES)
		need_uses(d, e);
	if (e->kind == NORN_EVENT_SYNC && of_resource(e))
		need_resource(d, e);
	else if (e->kind == NORN_EVENT_SYNC)
		need_fence(d, e, rule);
	if (touches_world(e, rule) && d->world)
		need(d, d->world);
	if (rule->needs & NORN_NEED_WORLD)
		d->world = i;
	if (d->walk.without & NORN_RULE_OPAQUE && d->written && norn_rule_opaque_call(d->fixed->graph, i))
		need(d, d->written);
	if (e->kind == NORN_EVENT_EXTERNAL)
		d->written = i;
	if (d->target && d->target->second == i && d->target->first)
		need(d, d->target->first);
}

static void find_needs(struct draft *d)
{
	const struct norn_step_model *p = d->model;
	for (uint32_t i = p->base + 1; i <= p->end; i++) {
		uint32_t first = d->first_need[i - p->base] = d->need_count;
		find_needs_of(d, i);
		if (is_out(d, i))
			d->need_count = first; /* what others need of it will never be there */
		for (uint32_t k = first; k < d->need_count; k++)
			set_bit(d->needed, p->needs[k].count - p->base);
	}
	d->first_need[p->end - p->base + 1] = d->need_count;
}

/* ---- steps ---- */

static uint32_t number_of(uint32_t *index, uint32_t *count)
{
	if (!*index)
		*index = ++*count;
	return *index - 1;
}

/* The states that the step depends on, or changes. */
static void consider_state(struct draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	const struct norn_rule *rule = step->rule;
	uint32_t sleeps = slept_on(d, step->event), condition = sleeps ? sleeps : e->size;
	bool guarded = rule->guard != NORN_GUARD_NONE && rule->guard != NORN_GUARD_NEVER;
	if ((guarded || rule->effect) && is_contended(d, e->size))
		step->object = number_of(&object_of(d, e->size)->index, &d->model->objects);
	if (rule->wait && is_contended(d, condition))
		step->condition = number_of(&object_of(d, condition)->condition, &d->model->conditions);
	step->value = (uint32_t)e->value;
}

static void add_access(struct draft *d, uint32_t group, uint32_t content)
{
	norn_must_grow(&d->model->accesses, d->access_count + UINT64_C(1), &d->access_room, sizeof *d->model->accesses);
	d->model->accesses[d->access_count++] = (struct norn_step_model_access){.group = group, .content = content};
}

/* The writer, before this part, of what the read saw in these bytes; 0: none, or several. */
static uint32_t early_writer(const struct draft *d, uint32_t read, uint64_t word)
{
	const uint32_t *list;
	uint32_t count = norn_graph_list(d->fixed->graph, &d->events[read].link, &list), found = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *w = &d->events[list[i]];
		if (list[i] <= d->model->base && writes(w) && w->addr < word * 8 + 8 && w->addr + w->size > word * 8) {
			if (found)
				return 0;
			found = list[i];
		}
	}
	return found;
}

/* Is what it wrote the same number in all orders? */
static bool is_exact(const struct draft *d, const struct norn_graph_event *write)
{
	return norn_graph_exact(d->fixed->graph, d->model->base, write->size, write->value);
}

/* What a group held when the part began, known from the first read of it. */
static void begin_group(struct draft *d, uint32_t read, uint64_t word, uint32_t group)
{
	uint32_t writer = early_writer(d, read, word);
	const struct norn_graph_event *w = &d->events[writer];
	uint32_t content = UNIQUE | writer;
	d->begun[group] = true;
	if (writer > d->called && w->flags & NORN_GRAPH_VALUED && w->size <= 8 && !d->unseen && is_exact(d, w) &&
	        norn_byte_groups_covered(&d->byte_groups, word, group, w->addr, w->size))
		content = norn_byte_groups_content(&d->byte_groups, word, group, w->addr, w->value, w->life);
	d->model->contents[group] = d->content[group] = content;
}

static void read_groups(struct draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	uint64_t word = e->addr / 8;
	uint32_t first;
	uint8_t touched;
	while (norn_byte_groups_next(&d->byte_groups, e->addr, e->size, &word, &first, &touched))
		for (uint32_t c = first; touched >> (c - first); c++) {
			if (!(touched >> (c - first) & 1))
				continue;
			assert(c < d->model->byte_groups);
			if (!d->begun[c])
				begin_group(d, step->event, word - 1, c);
			add_access(d, c, d->content[c]);
			step->read_count++;
		}
}

static void write_groups(struct draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	bool known = !d->unseen && e->flags & NORN_GRAPH_VALUED && e->size <= 8 && is_exact(d, e) &&
	             norn_fixed_reads_knows(d->fixed, step->event);
	uint64_t word = e->addr / 8;
	uint32_t first;
	uint8_t touched;
	while (norn_byte_groups_next(&d->byte_groups, e->addr, e->size, &word, &first, &touched))
		for (uint32_t c = first; touched >> (c - first); c++) {
			if (!(touched >> (c - first) & 1))
				continue;
			assert(c < d->model->byte_groups);
			d->begun[c] = true;
			d->content[c] = known ? norn_byte_groups_content(&d->byte_groups, word - 1, c, e->addr, e->value, e->life)
			                      : UNIQUE | step->event;
			add_access(d, c, d->content[c]);
			step->write_count++;
		}
}

static void consider_access(struct draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	if (reads(d, step->event)) {
		step->opaque |= (e->flags & NORN_GRAPH_ODD) != 0; /* what freed memory holds depends on all that was freed before */
		read_groups(d, step);
	}
	/* What decides and is not fixed may do something else. */
	bool decides = (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW) && e->flags & NORN_GRAPH_DECIDES;
	step->opaque |= decides && !norn_fixed_reads_has(d->fixed, step->event);
	step->write = d->access_count;
	if (writes(e))
		write_groups(d, step);
}

/* What cannot be explained never comes, but others may have seen what it left behind. */
static void consider(struct draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	uint32_t i = step->event - d->model->base;
	step->opaque = has_bit(d->never, i) || !norn_fixed_reads_certain(d->fixed, step->event);
	if (is_access(e))
		consider_access(d, step);
	else if (e->kind == NORN_EVENT_SYNC)
		consider_state(d, step);
}

static bool matters(const struct draft *d, const struct norn_step_model_step *step)
{
	return step->need_count || step->opaque || step->read_count || step->write_count || step->object != NORN_STEP_MODEL_NONE ||
	       step->condition != NORN_STEP_MODEL_NONE || step->relevant != NORN_STEP_MODEL_NONE ||
	       has_bit(d->needed, step->event - d->model->base) || is_wanted(d, step->event);
}

static void make_steps(struct draft *d, const uint64_t *relevant, uint32_t relevant_count)
{
	struct norn_step_model *p = d->model;
	uint32_t next = 0;
	for (uint32_t i = p->base + 1; i <= p->end; i++) {
		while (next < relevant_count && relevant[next] < i)
			next++;
		uint32_t first = d->first_need[i - p->base];
		struct norn_step_model_step step = {.event = i,
		        .relevant = next < relevant_count && relevant[next] == i ? next : NORN_STEP_MODEL_NONE,
		        .need = first,
		        .need_count = d->first_need[i - p->base + 1] - first,
		        .read = d->access_count,
		        .write = d->access_count,
		        .rule = norn_rule_of(d->fixed->graph, i),
		        .object = NORN_STEP_MODEL_NONE,
		        .condition = NORN_STEP_MODEL_NONE};
		consider(d, &step);
		if (is_out(d, i)) {
			d->access_count = step.read;
			continue;
		}
		if (!matters(d, &step))
			continue;
		if (!step.rule->exact)
			p->inexact = step.rule;
		uint32_t room = d->step_room;
		norn_must_grow(&d->threads, d->step_count + UINT64_C(1), &room, sizeof *d->threads);
		norn_must_grow(&d->steps, d->step_count + UINT64_C(1), &d->step_room, sizeof *d->steps);
		d->threads[d->step_count] = d->events[i].thread;
		d->steps[d->step_count++] = step;
	}
}

/* ---- reads with masks ---- */

/* The words that masks have bytes of, and which of them are looked at: by fixed reads, or by the property. */
struct looked_at {
	const uint64_t *words; /* ascending */
	uint32_t count;
	bool *seen; /* per word */
};

static uint32_t first_masked_word(const struct looked_at *l, uint64_t addr)
{
	uint32_t from = 0, to = l->count;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (l->words[middle] < addr / 8)
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

static void look_at(struct looked_at *l, const struct norn_graph_event *e)
{
	for (uint32_t w = first_masked_word(l, e->addr); e->size && w < l->count && l->words[w] <= (e->addr + e->size - 1) / 8; w++)
		l->seen[w] = true;
}

/* May what this read sees change a word that is looked at? Then R6 fixes it. */
static bool must_be_fixed(const struct draft *d, const struct looked_at *l, uint32_t read)
{
	const struct norn_graph_range *masks;
	uint32_t count = norn_graph_masks(d->fixed->graph, d->events[read].site, &masks);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t w = first_masked_word(l, masks[i].addr);
		for (; w < l->count && l->words[w] <= (masks[i].addr + masks[i].size - 1) / 8; w++)
			if (l->seen[w])
				return true;
	}
	return false;
}

static bool is_masked(const struct draft *d, uint32_t event)
{
	return d->events[event].flags & NORN_GRAPH_MASKED && norn_fixed_reads_has(d->fixed, event);
}

/* All reads with masks are fixed here. R6 fixes those only whose masks have a word that another fixed read sees, or that the
 * property is about; the model is stricter than that if another thread may write what one of the rest sees. */
static void compare_masks(struct draft *d, const uint64_t *relevant, uint32_t relevant_count)
{
	struct norn_step_model *p = d->model;
	struct looked_at l = {0};
	l.words = norn_graph_masked_words(d->fixed->graph, &l.count);
	if (!l.count)
		return;
	bool *fixed = norn_must_calloc(p->end - p->base + 1ul, sizeof *fixed);
	l.seen = norn_must_calloc(l.count, sizeof *l.seen);
	for (uint32_t i = 0; i < relevant_count; i++)
		look_at(&l, d->events + relevant[i]);
	for (bool more = true, first = true; more; first = false) {
		more = false;
		for (uint32_t i = p->base + 1; i <= p->end; i++) {
			bool reads = d->events[i].kind == NORN_EVENT_READ || d->events[i].kind == NORN_EVENT_RMW;
			bool masked = reads && is_masked(d, i);
			bool now = masked ? !fixed[i - p->base] && must_be_fixed(d, &l, i)
			                  : first && reads && norn_fixed_reads_has(d->fixed, i);
			if (now)
				look_at(&l, d->events + i);
			fixed[i - p->base] |= now;
			more |= now;
		}
	}
	for (uint32_t i = 0; i < d->step_count; i++)
		p->masked |= d->steps[i].read_count && is_masked(d, d->steps[i].event) && !fixed[d->steps[i].event - p->base];
	free(fixed);
	free(l.seen);
}

/* ---- by thread ---- */

/* Steps of the thread up to the one that makes the event happen; one more than there are if none does: then it never is. */
static uint32_t count_to(const struct norn_step_model *p, uint32_t thread, uint32_t event)
{
	uint32_t from = p->first[thread], to = p->first[thread + 1];
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (p->steps[middle].event < event)
			from = middle + 1;
		else
			to = middle;
	}
	return from - p->first[thread] + 1;
}

static void arrange(struct draft *d)
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
		p->order[i] = t;
		p->steps[p->first[t] + sizes[d->threads[i]]++] = d->steps[i];
	}
	free(sizes);
	assert(p->first[p->threads] == total);
}

static void settle_needs(struct draft *d)
{
	struct norn_step_model *p = d->model;
	for (uint32_t i = 0; i < d->need_count; i++) {
		uint32_t t = d->index[p->needs[i].thread];
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
static void settle_locks(struct draft *d)
{
	const struct norn_graph *graph = d->fixed->graph;
	for (uint32_t t = 0; t < norn_graph_threads(graph); t++) {
		uint32_t event = norn_graph_after(graph, t, d->model->base);
		for (uint32_t held = event ? d->events[event].held : 0, rest; held; held = rest) {
			const struct norn_graph_event *a = &d->events[norn_graph_held(graph, held, &rest)];
			const struct object *o = object_of(d, a->size);
			if (!o || !o->index)
				continue;
			uint32_t *state = &d->model->states[o->index - 1];
			*state = a->op == NORN_SYNC_ACQUIRE_SHARED ? *state + 1 : NORN_STATE_EXCLUSIVE;
		}
	}
}

/* What semaphores have: what they had after the last event before the part. */
static void settle_semaphores(struct draft *d)
{
	size_t cursor = 0;
	uint64_t number;
	for (const struct object *o; (o = norn_map_next(&d->objects, &cursor, &number));) {
		const struct norn_graph_event *first = &d->events[o->first], *before = &d->events[first->other];
		bool semaphore = o->index && o->first && first->op >= NORN_SYNC_SEM_INIT && first->op <= NORN_SYNC_SEM_TRY_FAILED;
		if (semaphore && first->other && before->flags & NORN_GRAPH_COUNTED)
			d->model->states[o->index - 1] = before->link;
	}
}

/* The wait that a thread is in at the base, asleep: its beginning, 0: it is not. */
static uint32_t wait_at(struct draft *d, uint32_t thread)
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
static void settle_sleepers(struct draft *d)
{
	struct norn_step_model *p = d->model;
	uint32_t threads = norn_graph_threads(d->fixed->graph), count = 0;
	struct sleeper *list = norn_must_alloc(threads + UINT64_C(1), sizeof *list);
	p->sleepers = norn_must_calloc(p->conditions + UINT64_C(1), sizeof *p->sleepers);
	p->sleep = norn_must_calloc(p->threads + UINT64_C(1), sizeof *p->sleep);
	for (uint32_t t = 0; t < threads && p->conditions; t++) {
		uint32_t wait = wait_at(d, t);
		const struct norn_graph_event *w = &d->events[wait];
		const struct object *o = wait ? object_of(d, w->size) : NULL;
		if (!o || !o->condition)
			continue;
		if (w->link && w->link <= p->base) {
			if (d->index[t])
				p->sleep[d->index[t] - 1] = NORN_STEP_MODEL_WOKEN;
		} else {
			list[count++] = (struct sleeper){w->next, t, o->condition - 1};
		}
	}
	qsort(list, count, sizeof *list, by_since);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t place = ++p->sleepers[list[i].condition], index = d->index[list[i].thread];
		if (index)
			p->sleep[index - 1] = (list[i].condition + 1) << 16 | place;
	}
	free(list);
	for (uint32_t i = 0; i < d->step_count && d->sleepers_unknown; i++)
		p->steps[i].opaque |= p->steps[i].condition != NORN_STEP_MODEL_NONE;
}

static void settle_states(struct draft *d)
{
	d->model->states = norn_must_calloc(d->model->objects + UINT64_C(1), sizeof *d->model->states);
	settle_semaphores(d);
	settle_locks(d);
	settle_sleepers(d);
}

/* ---- the model ---- */

static void draft_init(struct draft *d)
{
	norn_byte_groups_init(&d->byte_groups);
	norn_map_init(&d->objects, sizeof(struct object));
	norn_map_init(&d->accesses, sizeof(uint32_t));
	norn_map_init(&d->looks, sizeof(uint32_t));
	size_t threads = norn_graph_threads(d->fixed->graph) + 1ul, events = d->model->end - d->model->base + 2ul;
	d->index = norn_must_calloc(threads, sizeof *d->index);
	d->stops = norn_must_calloc(threads, sizeof *d->stops);
	d->need_of = norn_must_calloc(threads, sizeof *d->need_of);
	d->need_at = norn_must_calloc(threads, sizeof *d->need_at);
	d->first_need = norn_must_alloc(events, sizeof *d->first_need);
	d->needed = norn_must_calloc(events / 64 + 1, sizeof *d->needed);
	d->never = norn_must_calloc(events / 64 + 1, sizeof *d->never);
	d->walk = (struct norn_rule_walk){.graph = d->fixed->graph,
	        .without = d->target ? d->target->without : 0,
	        .steps = true,
	        .base = d->model->base,
	        .io_done = d->model->base};
	for (uint32_t i = 0; d->target && i < d->target->stop_count; i++)
		d->stops[d->events[d->target->stops[i]].thread] = d->target->stops[i];
}

static void make_groups(struct draft *d)
{
	struct norn_step_model *p = d->model;
	p->byte_groups = d->byte_groups.count;
	p->cost = p->end - p->base + d->byte_groups.steps;
	p->contents = norn_must_calloc(p->byte_groups + 1ul, sizeof *p->contents);
	d->content = norn_must_calloc(p->byte_groups + 1ul, sizeof *d->content);
	d->begun = norn_must_calloc(p->byte_groups + 1ul, sizeof *d->begun);
}

static void draft_done(struct draft *d)
{
	norn_byte_groups_done(&d->byte_groups);
	norn_map_done(&d->objects);
	norn_map_done(&d->accesses);
	norn_map_done(&d->looks);
	free(d->index);
	free(d->stops);
	free(d->need_of);
	free(d->need_at);
	free(d->first_need);
	free(d->needed);
	free(d->never);
	free(d->content);
	free(d->begun);
	free(d->steps);
	free(d->threads);
}

static struct norn_step_model *make_model(const struct norn_fixed_reads *fixed, const uint64_t *relevant, uint32_t relevant_count,
        const struct norn_step_model_target *target, uint32_t base, uint32_t end)
{
	struct norn_step_model *p = norn_must_calloc(1, sizeof *p);
	struct draft d = {.fixed = fixed, .events = norn_graph_events(fixed->graph), .model = p, .target = target};
	p->base = base;
	p->end = end;
	draft_init(&d);
	d.called = norn_fixed_reads_call(fixed, base);
	note_all(&d);
	find_needs(&d);
	make_groups(&d);
	make_steps(&d, relevant, relevant_count);
	if (!target)
		compare_masks(&d, relevant, relevant_count);
	arrange(&d);
	settle_needs(&d);
	settle_reads(p);
	settle_states(&d);
	draft_done(&d);
	if (norn_sliced_debug.steps)
		norn_debug_steps(p, fixed->graph);
	return p;
}

struct norn_step_model *norn_step_model_new(
        const struct norn_fixed_reads *fixed, const uint64_t *relevant, uint32_t relevant_count, uint32_t base, uint32_t end)
{
	return make_model(fixed, relevant, relevant_count, NULL, base, end);
}

struct norn_step_model *norn_step_model_until(
        const struct norn_fixed_reads *fixed, const struct norn_step_model_target *target, uint32_t base, uint32_t end)
{
	return make_model(fixed, NULL, 0, target, base, end);
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
	free(p);
}
