#include "sliced/step_model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/map.h"
#include "sliced/memory_contents.h"
#include "sliced/byte_groups.h"
#include "trace/record.h"

#define SEVERAL UINT32_MAX
#define OUTSIDE 1u /* as the address of an object: input, output, and all that code without hooks does */
#define UNIQUE 0x80000000u /* contents that only their write tells apart */

struct object {
	uint32_t thread; /* thread + 1 of who uses it in this part, or SEVERAL */
	uint32_t last; /* event of those that keep their order */
	uint32_t lock; /* 1 + number */
};

/* While a plan is made, steps are in the observed order, and needs name events. */
struct draft {
	const struct norn_fixed_reads *kept;
	const struct norn_graph_event *events;
	struct norn_step_model *plan;
	struct norn_byte_groups byte_groups;
	struct norn_map objects; /* address → struct object */
	struct norn_map accesses; /* life << 32 | thread → last event that accesses memory of that life */
	uint32_t *index; /* per thread of the run: 1 + its number in the plan */
	uint32_t *last; /* per thread of the run: its last event so far */
	uint32_t *content; /* per tile: as observed, so far */
	struct norn_step_model_step *steps;
	uint32_t *threads; /* per step */
	uint32_t step_count, step_room, need_count, need_room, access_count, access_room;
	bool unseen; /* code that nobody sees may write in this part: equal values need not stay equal */
	bool *begun; /* per tile: something of this part was written there */
	uint32_t called; /* the last call of code that nobody sees before this part: older values need not be there any more */
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
	       ((kind == NORN_EVENT_READ || kind == NORN_EVENT_RMW) && norn_fixed_reads_has(d->kept, i));
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

static bool is_outside(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_EXTERNAL ||
	       (e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_SEND || e->op == NORN_SYNC_RECEIVE)) ||
	       (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && !(e->flags & NORN_GRAPH_CALLED));
}

bool norn_step_model_is_opaque(const struct norn_graph_event *e)
{
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && is_outside(e) && !(e->flags & NORN_GRAPH_ORDERED))
		return true;
	return e->flags & NORN_GRAPH_AFTER || (e->flags & NORN_GRAPH_UNSEEN && e->life) || e->kind == NORN_EVENT_LOST ||
	       (e->kind == NORN_EVENT_THREAD && (e->op == NORN_THREAD_EXIT || e->op == NORN_THREAD_SIGNAL));
}

static uint64_t object_of(const struct norn_graph_event *e)
{
	return is_outside(e) ? OUTSIDE : e->kind == NORN_EVENT_SYNC ? e->addr : 0;
}

static int note_object(struct draft *d, uint64_t object, uint32_t thread)
{
	void *slot;
	if (!object)
		return 0;
	if (norn_map_put(&d->objects, object, &slot) != 0)
		return -ENOMEM;
	struct object *o = slot;
	o->thread = o->thread == 0 || o->thread == thread + 1 ? thread + 1 : SEVERAL;
	return 0;
}

static bool is_contended(const struct draft *d, uint64_t object)
{
	const struct object *o = object ? norn_map_get(&d->objects, object) : NULL;
	return o && o->thread == SEVERAL;
}

/* Locks that are held when the part begins. */
static int note_held(struct draft *d, uint32_t event)
{
	const struct norn_graph *graph = d->kept->graph;
	int r = 0;
	for (uint32_t held = d->events[event].held, rest; r == 0 && held; held = rest)
		r = note_object(d, d->events[norn_graph_held(graph, held, &rest)].addr, d->events[event].thread);
	return r;
}

static int note_all(struct draft *d)
{
	const struct norn_step_model *p = d->plan;
	int r = 0;
	for (uint32_t i = p->base + 1; r == 0 && i <= p->end; i++) {
		const struct norn_graph_event *e = &d->events[i];
		bool read = reads(d, i), write = writes(e);
		bool out = is_out(d, i);
		d->unseen |= !out && (e->kind == NORN_EVENT_EXTERNAL || (is_outside(e) && norn_memory_contents_unseen(e)));
		if (!d->index[e->thread]) {
			d->index[e->thread] = 1; /* its number follows */
			r = note_held(d, i);
		}
		if (r == 0 && (read || write))
			r = norn_byte_groups_expect(&d->byte_groups, e->addr, e->size, e->thread, read, write);
		if (r == 0)
			r = note_object(d, object_of(e), e->thread);
		if (r == 0 && !out && is_access(e) && e->kind != NORN_EVENT_EXTERNAL && e->life) {
			void *slot;
			r = norn_map_put(&d->accesses, (uint64_t)e->life << 32 | e->thread, &slot);
			if (r == 0)
				*(uint32_t *)slot = i;
		}
	}
	for (uint32_t i = p->base + 1; r == 0 && i <= p->end; i++)
		if (reads(d, i) || writes(&d->events[i]))
			r = norn_byte_groups_note(&d->byte_groups, d->events[i].addr, d->events[i].size, d->events[i].thread,
			        reads(d, i), writes(&d->events[i]));
	norn_byte_groups_choose(&d->byte_groups);
	for (uint32_t i = p->base + 1; r == 0 && i <= p->end; i++)
		if (reads(d, i) || writes(&d->events[i]))
			norn_byte_groups_shape(&d->byte_groups, d->events[i].addr, d->events[i].size);
	norn_byte_groups_cut(&d->byte_groups);
	return r;
}

/* ---- steps ---- */

static int need(struct draft *d, struct norn_step_model_step *step, uint32_t event)
{
	const struct norn_step_model *p = d->plan;
	if (event <= p->base || d->events[event].thread == d->events[step->event].thread)
		return 0;
	if (norn_grow(&d->plan->needs, d->need_count + UINT64_C(1), &d->need_room, sizeof *p->needs) != 0)
		return -ENOMEM;
	p->needs[d->need_count++] = (struct norn_step_model_need){.thread = d->events[event].thread, .count = event};
	step->need_count++;
	return 0;
}

static int need_list(struct draft *d, struct norn_step_model_step *step, const uint32_t *link)
{
	const uint32_t *list;
	uint32_t count = norn_graph_list(d->kept->graph, link, &list);
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < count; i++)
		r = need(d, step, list[i]);
	return r;
}

/* Events of the object keep their order. */
static int need_last(struct draft *d, struct norn_step_model_step *step, uint64_t object)
{
	struct object *o = norn_map_get(&d->objects, object);
	int r = o->last ? need(d, step, o->last) : 0;
	o->last = step->event;
	return r;
}

static uint32_t lock_number(struct draft *d, uint64_t addr)
{
	struct object *o = norn_map_get(&d->objects, addr);
	if (!o->lock)
		o->lock = ++d->plan->locks;
	return o->lock - 1;
}

/* An acquire that ends a wait for a condition comes after what woke the thread up. */
static int need_wake_up(struct draft *d, struct norn_step_model_step *step)
{
	uint32_t next = d->events[step->event].next;
	const struct norn_graph_event *e = &d->events[next];
	return next && e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_WAIT_END || e->op == NORN_SYNC_WAIT_TIMEOUT)
	               ? need(d, step, e->other)
	               : 0;
}

/* Who goes to sleep only now missed a notify that came since it began to wait: it must miss it again. */
static int need_missed(struct draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event], *before = &d->events[d->last[e->thread]];
	if (before->kind != NORN_EVENT_SYNC || before->op != NORN_SYNC_WAIT_BEGIN)
		return 0;
	const struct object *condition = norn_map_get(&d->objects, before->addr);
	return condition && condition->last > d->last[e->thread] ? need(d, step, condition->last) : 0;
}

static int consider_lock(struct draft *d, struct norn_step_model_step *step, bool *matters)
{
	static const uint8_t kinds[] = {[NORN_SYNC_ACQUIRE] = NORN_STEP_MODEL_TAKE,
	        [NORN_SYNC_ACQUIRE_SHARED] = NORN_STEP_MODEL_TAKE_SHARED,
	        [NORN_SYNC_RELEASE] = NORN_STEP_MODEL_GIVE,
	        [NORN_SYNC_RELEASE_SHARED] = NORN_STEP_MODEL_GIVE_SHARED};
	const struct norn_graph_event *e = &d->events[step->event];
	*matters = is_contended(d, e->addr);
	if (*matters) {
		step->locking = kinds[e->op];
		step->lock = lock_number(d, e->addr);
	}
	step->opaque = e->flags & NORN_GRAPH_ODD;
	int r = need(d, step, e->life);
	if (r == 0)
		r = need_missed(d, step);
	return r == 0 ? need_wake_up(d, step) : r;
}

static bool holds(const struct draft *d, const struct norn_graph_event *e)
{
	for (uint32_t held = e->held; held;)
		if (d->events[norn_graph_held(d->kept->graph, held, &held)].size == e->size)
			return true;
	return false;
}

/* A try of a mutex fails whoever else has it. Of other locks it matters who that is. */
static int consider_try(struct draft *d, struct norn_step_model_step *step, bool *matters)
{
	const struct norn_graph_event *e = &d->events[step->event];
	*matters = is_contended(d, e->addr);
	step->opaque = *matters && (e->flags & NORN_GRAPH_ODD || e->value == NORN_LOCK_RWLOCK || holds(d, e));
	if (!*matters || step->opaque)
		return 0;
	step->locking = NORN_STEP_MODEL_FAIL;
	step->lock = lock_number(d, e->addr);
	return need(d, step, e->life);
}

/* Who is to be notified must sleep by then: what it gives up its mutex by comes right after the beginning of its wait. */
static int need_sleepers(struct draft *d, struct norn_step_model_step *step)
{
	int r = 0;
	for (uint32_t i = d->events[step->event].other; r == 0 && i > d->plan->base; i = d->events[i].other) {
		const struct norn_graph_event *e = &d->events[i];
		if (e->op == NORN_SYNC_SIGNAL || e->op == NORN_SYNC_BROADCAST)
			break;
		if (e->op == NORN_SYNC_WAIT_BEGIN && e->next && e->next < step->event)
			r = need(d, step, e->next);
	}
	return r;
}

static int consider_sync(struct draft *d, struct norn_step_model_step *step, bool *matters)
{
	const struct norn_graph_event *e = &d->events[step->event];
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
	case NORN_SYNC_ACQUIRE_SHARED:
	case NORN_SYNC_RELEASE:
	case NORN_SYNC_RELEASE_SHARED:
		return consider_lock(d, step, matters);
	case NORN_SYNC_TRY_FAILED:
		return consider_try(d, step, matters);
	case NORN_SYNC_CREATE:
	case NORN_SYNC_DESTROY:
		step->opaque = *matters = is_contended(d, e->addr);
		return 0;
	default:
		*matters = is_contended(d, object_of(e));
		if (!*matters)
			return 0;
		step->opaque = e->op == NORN_SYNC_SEM_TRY_FAILED && e->flags & NORN_GRAPH_ODD;
		int r = e->op == NORN_SYNC_SIGNAL || e->op == NORN_SYNC_BROADCAST ? need_sleepers(d, step) : 0;
		return r == 0 ? need_last(d, step, object_of(e)) : r;
	}
}

static int consider_thread(struct draft *d, struct norn_step_model_step *step, bool *matters)
{
	const struct norn_graph_event *e = &d->events[step->event];
	*matters = true;
	switch (e->op) {
	case NORN_THREAD_FORK:
	case NORN_THREAD_END:
		return 0;
	case NORN_THREAD_BEGIN:
		step->opaque = e->link == 0 && e->thread != 0; /* who made it, nobody knows; the first thread nobody did */
		return need(d, step, e->link);
	case NORN_THREAD_JOIN:
		return need(d, step, e->link);
	case NORN_THREAD_CALL:
		*matters = is_outside(e) && is_contended(d, OUTSIDE);
		return *matters ? need_last(d, step, OUTSIDE) : 0;
	case NORN_THREAD_STACK:
		*matters = false;
		return need_list(d, step, &e->link);
	default:
		*matters = false;
		return 0;
	}
}

/* What others do with the memory comes before it is freed. */
static int need_accesses(struct draft *d, struct norn_step_model_step *step)
{
	uint32_t life = d->events[step->event].life, threads = norn_graph_threads(d->kept->graph);
	int r = 0;
	for (uint32_t t = 0; life && r == 0 && t < threads; t++) {
		const uint32_t *last = d->index[t] ? norn_map_get(&d->accesses, (uint64_t)life << 32 | t) : NULL;
		if (last && *last < step->event)
			r = need(d, step, *last);
	}
	return r;
}

static int add_access(struct draft *d, uint32_t tile, uint32_t content)
{
	if (norn_grow(&d->plan->accesses, d->access_count + UINT64_C(1), &d->access_room, sizeof *d->plan->accesses) != 0)
		return -ENOMEM;
	d->plan->accesses[d->access_count++] = (struct norn_step_model_access){.tile = tile, .content = content};
	return 0;
}

/* The writer, before this part, of what the read saw in these bytes; 0: nobody, or it is not clear who. */
static uint32_t early_writer(const struct draft *d, uint32_t read, uint64_t word)
{
	const uint32_t *list;
	uint32_t count = norn_graph_list(d->kept->graph, &d->events[read].link, &list), found = 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *w = &d->events[list[i]];
		if (list[i] <= d->plan->base && writes(w) && w->addr < word * 8 + 8 && w->addr + w->size > word * 8) {
			if (found)
				return 0;
			found = list[i];
		}
	}
	return found;
}

/* What a tile held when the part began, known from the first read of it. */
static int begin_tile(struct draft *d, uint32_t read, uint64_t word, uint32_t tile)
{
	uint32_t writer = early_writer(d, read, word);
	const struct norn_graph_event *w = &d->events[writer];
	uint32_t content = UNIQUE | writer;
	d->begun[tile] = true;
	if (writer > d->called && w->flags & NORN_GRAPH_VALUED && w->size <= 8 && !d->unseen &&
	        norn_byte_groups_covered(&d->byte_groups, word, tile, w->addr, w->size)) {
		content = norn_byte_groups_content(&d->byte_groups, word, tile, w->addr, w->value);
		if (!content)
			return -ENOMEM;
	}
	d->plan->contents[tile] = d->content[tile] = content;
	return 0;
}

static int read_tiles(struct draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	uint64_t word = e->addr / 8;
	uint32_t first;
	uint8_t touched;
	int r = 0;
	while (r == 0 && norn_byte_groups_next(&d->byte_groups, e->addr, e->size, &word, &first, &touched))
		for (uint32_t c = first; r == 0 && touched >> (c - first); c++) {
			if (!(touched >> (c - first) & 1))
				continue;
			if (!d->begun[c])
				r = begin_tile(d, step->event, word - 1, c);
			if (r == 0)
				r = add_access(d, c, d->content[c]);
			step->read_count++;
		}
	return r;
}

static int write_tiles(struct draft *d, struct norn_step_model_step *step)
{
	const struct norn_graph_event *e = &d->events[step->event];
	bool known = !d->unseen && e->flags & NORN_GRAPH_VALUED && e->size <= 8 && norn_fixed_reads_knows(d->kept, step->event);
	uint64_t word = e->addr / 8;
	uint32_t first;
	uint8_t touched;
	int r = 0;
	while (r == 0 && norn_byte_groups_next(&d->byte_groups, e->addr, e->size, &word, &first, &touched))
		for (uint32_t c = first; r == 0 && touched >> (c - first); c++) {
			if (!(touched >> (c - first) & 1))
				continue;
			uint32_t content = known ? norn_byte_groups_content(&d->byte_groups, word - 1, c, e->addr, e->value)
			                         : UNIQUE | step->event;
			d->begun[c] = true;
			d->content[c] = content;
			r = content ? add_access(d, c, content) : -ENOMEM;
			step->write_count++;
		}
	return r;
}

static int consider_access(struct draft *d, struct norn_step_model_step *step, bool *matters)
{
	const struct norn_graph_event *e = &d->events[step->event];
	int r = 0;
	if (e->kind == NORN_EVENT_EXTERNAL && is_contended(d, OUTSIDE)) {
		*matters = true;
		r = need_last(d, step, OUTSIDE);
	}
	if (r == 0 && reads(d, step->event)) {
		step->opaque = e->flags & NORN_GRAPH_ODD; /* what freed memory holds depends on all that was freed before */
		r = read_tiles(d, step);
	}
	/* What decides and is not kept may do something else. */
	bool decides = (e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW) && e->flags & NORN_GRAPH_DECIDES;
	step->opaque |= decides && !norn_fixed_reads_has(d->kept, step->event);
	step->write = d->access_count;
	if (r == 0 && writes(e))
		r = write_tiles(d, step);
	*matters |= step->read_count || step->write_count || step->opaque;
	return r == 0 ? need(d, step, e->life) : r;
}

/* What it gets was printed in this part, and may be something else. */
static bool receives_loose(const struct draft *d, const struct norn_graph_event *e)
{
	if (e->kind != NORN_EVENT_SYNC || e->op != NORN_SYNC_RECEIVE)
		return false;
	for (uint32_t i = e->other; i > d->plan->base; i = d->events[i].other)
		if (d->events[i].op == NORN_SYNC_SEND && d->events[i].value == NORN_SEND_LOOSE)
			return true;
	return false;
}

static int consider_kind(struct draft *d, struct norn_step_model_step *step, bool *matters)
{
	const struct norn_graph_event *e = &d->events[step->event];
	int r;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		return consider_access(d, step, matters);
	case NORN_EVENT_SYNC:
		return consider_sync(d, step, matters);
	case NORN_EVENT_THREAD:
		return consider_thread(d, step, matters);
	case NORN_EVENT_ALLOC:
		r = need_list(d, step, &e->link);
		return r == 0 && e->op == NORN_ALLOC_UNMAP ? need_accesses(d, step) : r;
	case NORN_EVENT_FREE:
		r = need(d, step, e->life);
		return r == 0 ? need_accesses(d, step) : r;
	default:
		return 0;
	}
}

/* What cannot be explained never comes, but others may have seen what it left behind. */
static int consider(struct draft *d, struct norn_step_model_step *step, bool *matters)
{
	const struct norn_graph_event *e = &d->events[step->event];
	bool opaque = norn_step_model_is_opaque(e) || receives_loose(d, e) || !norn_fixed_reads_certain(d->kept, step->event);
	*matters = false;
	int r = consider_kind(d, step, matters);
	step->opaque |= opaque;
	*matters |= opaque;
	return r;
}

static int make_steps(struct draft *d, const uint64_t *relevant, uint32_t relevant_count)
{
	struct norn_step_model *p = d->plan;
	uint32_t next = 0;
	int r = 0;
	for (uint32_t i = p->base + 1; r == 0 && i <= p->end; i++) {
		bool matters;
		while (next < relevant_count && relevant[next] < i)
			next++;
		struct norn_step_model_step step = {.event = i,
		        .relevant = next < relevant_count && relevant[next] == i ? next : NORN_STEP_MODEL_NONE,
		        .need = d->need_count,
		        .read = d->access_count,
		        .write = d->access_count};
		r = consider(d, &step, &matters);
		d->last[d->events[i].thread] = i;
		if (r == 0 && d->target && d->target->second == i)
			r = need(d, &step, d->target->first);
		if (is_out(d, i)) {
			/* What others need of it will never be there. */
			d->need_count = step.need;
			d->access_count = step.read;
			continue;
		}
		if (r != 0 ||
		        !(matters || step.need_count || step.opaque || step.relevant != NORN_STEP_MODEL_NONE || is_wanted(d, i)))
			continue;
		uint32_t room = d->step_room;
		if (norn_grow(&d->threads, d->step_count + UINT64_C(1), &room, sizeof *d->threads) != 0 ||
		        norn_grow(&d->steps, d->step_count + UINT64_C(1), &d->step_room, sizeof *d->steps) != 0)
			return -ENOMEM;
		d->threads[d->step_count] = d->events[i].thread;
		d->steps[d->step_count++] = step;
	}
	return r;
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

static int arrange(struct draft *d)
{
	struct norn_step_model *p = d->plan;
	uint32_t threads = norn_graph_threads(d->kept->graph), total = d->step_count;
	memset(d->index, 0, threads * sizeof *d->index);
	uint32_t *sizes = calloc(threads + 1ul, sizeof *sizes);
	if (!sizes)
		return -ENOMEM;
	for (uint32_t i = 0; i < total; i++)
		sizes[d->threads[i]]++;
	for (uint32_t t = 0; t < threads; t++)
		p->threads += sizes[t] != 0;
	p->numbers = malloc((p->threads + 1ul) * sizeof *p->numbers);
	p->first = calloc(p->threads + 2ul, sizeof *p->first);
	p->steps = malloc((total + 1ul) * sizeof *p->steps);
	p->order = malloc((total + 1ul) * sizeof *p->order);
	if (!p->numbers || !p->first || !p->steps || !p->order) {
		free(sizes);
		return -ENOMEM;
	}
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
	return 0;
}

static void settle_needs(struct draft *d)
{
	struct norn_step_model *p = d->plan;
	for (uint32_t i = 0; i < d->need_count; i++) {
		uint32_t t = d->index[p->needs[i].thread];
		/* A thread without steps makes none: nothing that needs it can happen. */
		p->needs[i] = t ? (struct norn_step_model_need){.thread = t - 1, .count = count_to(p, t - 1, p->needs[i].count)}
		                : (struct norn_step_model_need){.thread = 0, .count = NORN_STEP_MODEL_NONE};
	}
}

static int settle_reads(struct norn_step_model *p)
{
	p->last_read = calloc((uint64_t)p->byte_groups * p->threads + 1, sizeof *p->last_read);
	for (uint32_t t = 0; p->last_read && t < p->threads; t++)
		for (uint32_t i = p->first[t]; i < p->first[t + 1]; i++)
			for (uint32_t k = 0; k < p->steps[i].read_count; k++)
				p->last_read[(uint64_t)p->accesses[p->steps[i].read + k].tile * p->threads + t] =
				        i - p->first[t] + 1;
	return p->last_read ? 0 : -ENOMEM;
}

static int settle_locks(struct draft *d)
{
	struct norn_step_model *p = d->plan;
	const struct norn_graph *graph = d->kept->graph;
	p->held = calloc(p->locks + 1ul, sizeof *p->held);
	if (!p->held)
		return -ENOMEM;
	/* A thread without steps stays where it is, with what it holds. */
	for (uint32_t t = 0; t < norn_graph_threads(graph); t++) {
		uint32_t event = norn_graph_after(graph, t, p->base);
		for (uint32_t held = event ? d->events[event].held : 0, rest; held; held = rest) {
			const struct norn_graph_event *a = &d->events[norn_graph_held(graph, held, &rest)];
			const struct object *o = norn_map_get(&d->objects, a->addr);
			if (!o || !o->lock)
				continue;
			uint32_t *state = &p->held[o->lock - 1];
			*state = a->op == NORN_SYNC_ACQUIRE_SHARED ? *state + 1 : NORN_STEP_MODEL_EXCLUSIVE;
		}
	}
	return 0;
}

/* ---- the plan ---- */

static int draft_init(struct draft *d)
{
	norn_byte_groups_init(&d->byte_groups);
	norn_map_init(&d->objects, sizeof(struct object));
	norn_map_init(&d->accesses, sizeof(uint32_t));
	d->index = calloc(norn_graph_threads(d->kept->graph) + 1ul, sizeof *d->index);
	d->last = calloc(norn_graph_threads(d->kept->graph) + 1ul, sizeof *d->last);
	d->stops = calloc(norn_graph_threads(d->kept->graph) + 1ul, sizeof *d->stops);
	if (!d->index || !d->last || !d->stops)
		return -ENOMEM;
	for (uint32_t i = 0; d->target && i < d->target->stop_count; i++)
		d->stops[d->events[d->target->stops[i]].thread] = d->target->stops[i];
	return 0;
}

static int make_tiles(struct draft *d)
{
	struct norn_step_model *p = d->plan;
	p->byte_groups = d->byte_groups.count;
	p->cost = p->end - p->base + d->byte_groups.steps;
	p->contents = calloc(p->byte_groups + 1ul, sizeof *p->contents);
	d->content = calloc(p->byte_groups + 1ul, sizeof *d->content);
	d->begun = calloc(p->byte_groups + 1ul, sizeof *d->begun);
	return p->contents && d->content && d->begun ? 0 : -ENOMEM;
}

static void draft_done(struct draft *d)
{
	norn_byte_groups_done(&d->byte_groups);
	norn_map_done(&d->objects);
	norn_map_done(&d->accesses);
	free(d->index);
	free(d->last);
	free(d->stops);
	free(d->content);
	free(d->begun);
	free(d->steps);
	free(d->threads);
}

static int make_plan(const struct norn_fixed_reads *kept, const uint64_t *relevant, uint32_t relevant_count,
        const struct norn_step_model_target *target, uint32_t base, uint32_t end, struct norn_step_model **ret_plan)
{
	struct norn_step_model *p = calloc(1, sizeof *p);
	struct draft d = {.kept = kept, .events = norn_graph_events(kept->graph), .plan = p, .target = target};
	int r = p ? draft_init(&d) : -ENOMEM;
	if (r == 0) {
		p->base = base;
		p->end = end;
		d.called = norn_fixed_reads_call(kept, base);
		r = note_all(&d);
	}
	if (r == 0)
		r = make_tiles(&d);
	if (r == 0)
		r = make_steps(&d, relevant, relevant_count);
	if (r == 0)
		r = arrange(&d);
	if (r == 0) {
		settle_needs(&d);
		r = settle_reads(p);
	}
	if (r == 0)
		r = settle_locks(&d);
	draft_done(&d);
	if (r == 0)
		*ret_plan = p;
	else
		norn_step_model_free(p);
	return r;
}

int norn_step_model_new(const struct norn_fixed_reads *kept, const uint64_t *relevant, uint32_t relevant_count, uint32_t base,
        uint32_t end, struct norn_step_model **ret_plan)
{
	return make_plan(kept, relevant, relevant_count, NULL, base, end, ret_plan);
}

int norn_step_model_until(const struct norn_fixed_reads *kept, const struct norn_step_model_target *target, uint32_t base,
        uint32_t end, struct norn_step_model **ret_plan)
{
	return make_plan(kept, NULL, 0, target, base, end, ret_plan);
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
	free(p->held);
	free(p->last_read);
	free(p->order);
	free(p);
}
