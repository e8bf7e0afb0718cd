#include "sliced/must_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"

#define NONE NORN_STEP_MODEL_NONE
#define CHANGES 1024u /* of a semaphore with more nothing follows by counting; branches find it */
#define OUTSIDE UINT32_MAX
#define WAYS 64u /* that a branch follows; if there are more, its failure proves nothing */

/* What a thread does to an object or a tile, in its order. */
struct region {
	uint32_t take, give; /* steps; take NONE: held from before the part; give NONE: never released in it */
	bool shared;
};
struct change {
	uint32_t step;
	bool up;
};
struct write {
	uint32_t step, content;
};
struct source { /* a write, to be found by what it wrote */
	uint32_t tile, content, step;
};

/* Lists by thread of one thing: those of thread t and thing x are items[first[x * threads + t]] … */
struct lists {
	uint32_t *first;
	uint32_t count;
};

/* Step `before` comes before step `after`. */
struct edge {
	uint32_t before, after;
	uint32_t next; /* 1 + the next edge to the same step; 0: none */
};

struct undo {
	uint32_t *at, value;
};

struct object {
	bool counted; /* a semaphore whose value is known: `start` before the first change of it */
	bool binary; /* a semaphore that is a lock: its value is 1 while no thread is between a wait and its post */
	uint32_t start;
	bool set, changed; /* it is initialised in this part; waits and posts were met */
	bool plain; /* a lock whose regions do not overlap within a thread */
	uint32_t outside; /* state that remains if all that is held from before the part, and released in it, is */
};

struct must_order {
	const struct norn_step_model *part;
	const struct norn_must_order_goal *goal;
	uint32_t threads, total;
	uint32_t *owner; /* per step */
	uint32_t *observed; /* steps in the observed order */
	uint32_t *limit; /* per thread: steps before the first that cannot be made */
	NORN_VECTOR(uint32_t) notifies; /* steps, as observed */
	struct object *objects;
	struct lists region_lists, change_lists, write_lists;
	struct region *regions;
	struct change *changes;
	struct write *writes;
	struct source *sources; /* sorted */
	/* What holds in every order that leads to the goal: */
	uint32_t *cone; /* per thread: so many steps are made */
	uint32_t *clocks; /* [steps × threads]: so many steps of the thread come before the step */
	uint32_t *edges_to; /* per step: 1 + its first edge */
	NORN_VECTOR(struct edge) edges;
	NORN_VECTOR(struct undo) trail;
	bool changed;
	/* The order that is being tried: */
	uint32_t *node; /* step_model.h */
	uint32_t *writer; /* per tile: 1 + the step that wrote it last */
	uint32_t *woke; /* per step, a signal: 1 + the thread that it woke, OUTSIDE: one that has no part in this, 0: none */
	uint32_t *made, made_count;
	unsigned branches; /* left */
	bool open; /* a failure that proves nothing */
	uint64_t cost;
};

/* ---- what there is ---- */

static uint32_t index_of(const struct must_order *m, uint32_t step)
{
	return step - m->part->first[m->owner[step]];
}

static uint32_t *clock_of(const struct must_order *m, uint32_t step)
{
	return m->clocks + (uint64_t)step * m->threads;
}

static bool in_cone(const struct must_order *m, uint32_t step)
{
	return index_of(m, step) < m->cone[m->owner[step]];
}

/* Is it certain that a comes before b, which is in the cone? */
static bool is_before(const struct must_order *m, uint32_t a, uint32_t b)
{
	return m->owner[a] == m->owner[b] ? a < b : clock_of(m, b)[m->owner[a]] > index_of(m, a);
}

static bool is_effect(const struct norn_step_model_step *s, enum norn_effect effect)
{
	return s->object != NONE && s->rule->effect == effect;
}

static bool takes(const struct norn_step_model_step *s)
{
	return is_effect(s, NORN_EFFECT_LOCK) || is_effect(s, NORN_EFFECT_SHARE);
}

static bool gives(const struct norn_step_model_step *s)
{
	return is_effect(s, NORN_EFFECT_UNLOCK) || is_effect(s, NORN_EFFECT_UNSHARE);
}

static bool counts(const struct norn_step_model_step *s)
{
	return is_effect(s, NORN_EFFECT_UP) || is_effect(s, NORN_EFFECT_DOWN);
}

static bool notifies(const struct norn_step_model_step *s)
{
	return s->condition != NONE && (s->rule->wait == NORN_WAIT_SIGNAL || s->rule->wait == NORN_WAIT_BROADCAST);
}

static const struct norn_step_model_step *step_at(const struct must_order *m, uint32_t step)
{
	return m->part->steps + step;
}

static struct region *regions_of(const struct must_order *m, uint32_t object, uint32_t thread, uint32_t *ret_count)
{
	const uint32_t *first = m->region_lists.first + (uint64_t)object * m->threads + thread;
	*ret_count = first[1] - first[0];
	return m->regions + first[0];
}

static struct change *changes_of(const struct must_order *m, uint32_t object, uint32_t thread, uint32_t *ret_count)
{
	const uint32_t *first = m->change_lists.first + (uint64_t)object * m->threads + thread;
	*ret_count = first[1] - first[0];
	return m->changes + first[0];
}

static struct write *writes_of(const struct must_order *m, uint32_t tile, uint32_t thread, uint32_t *ret_count)
{
	const uint32_t *first = m->write_lists.first + (uint64_t)tile * m->threads + thread;
	*ret_count = first[1] - first[0];
	return m->writes + first[0];
}

/* Counts become places: each list begins where those before it end. The entry after the last has the total. */
static uint32_t place_lists(struct lists *lists, uint64_t things)
{
	uint32_t sum = 0;
	for (uint64_t i = 0; i <= things; i++) {
		uint32_t count = lists->first[i];
		lists->first[i] = sum;
		sum += count;
	}
	return lists->count = sum;
}

static int by_content(const void *a, const void *b)
{
	const struct source *x = a, *y = b;
	if (x->tile != y->tile)
		return x->tile < y->tile ? -1 : 1;
	if (x->content != y->content)
		return x->content < y->content ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static void find_writes(struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	uint64_t things = (uint64_t)p->byte_groups * m->threads;
	uint32_t *first = m->write_lists.first = norn_must_calloc(things + 1, sizeof *first);
	for (uint32_t i = 0; i < m->total; i++)
		for (uint32_t k = 0; k < p->steps[i].write_count; k++)
			first[(uint64_t)p->accesses[p->steps[i].write + k].group * m->threads + m->owner[i]]++;
	m->writes = norn_must_alloc(place_lists(&m->write_lists, things) + 1ul, sizeof *m->writes);
	uint32_t *next = norn_must_copy(first, things + 1, sizeof *first);
	for (uint32_t i = 0; i < m->total; i++)
		for (uint32_t k = 0; k < p->steps[i].write_count; k++) {
			const struct norn_step_model_access *a = &p->accesses[p->steps[i].write + k];
			m->writes[next[(uint64_t)a->group * m->threads + m->owner[i]]++] = (struct write){i, a->content};
		}
	free(next);
	m->sources = norn_must_alloc(m->write_lists.count + 1ul, sizeof *m->sources);
	uint32_t count = 0;
	for (uint32_t tile = 0; tile < p->byte_groups; tile++)
		for (uint32_t i = first[(uint64_t)tile * m->threads]; i < first[(tile + 1ul) * m->threads]; i++)
			m->sources[count++] = (struct source){tile, m->writes[i].content, m->writes[i].step};
	qsort(m->sources, count, sizeof *m->sources, by_content);
}

static void find_changes(struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	uint64_t things = (uint64_t)p->objects * m->threads;
	uint32_t *first = m->change_lists.first = norn_must_calloc(things + 1, sizeof *first);
	for (uint32_t i = 0; i < m->total; i++)
		if (counts(p->steps + i))
			first[(uint64_t)p->steps[i].object * m->threads + m->owner[i]]++;
	m->changes = norn_must_alloc(place_lists(&m->change_lists, things) + 1ul, sizeof *m->changes);
	uint32_t *next = norn_must_copy(first, things + 1, sizeof *first);
	for (uint32_t i = 0; i < m->total; i++)
		if (counts(p->steps + i))
			m->changes[next[(uint64_t)p->steps[i].object * m->threads + m->owner[i]]++] =
			        (struct change){i, is_effect(p->steps + i, NORN_EFFECT_UP)};
	free(next);
}

/* Each thread waits and posts in turn, and there is one to take if none of them has begun with a post. */
static void find_binary(struct must_order *m)
{
	for (uint32_t o = 0; o < m->part->objects; o++) {
		bool alternate = m->objects[o].counted && m->objects[o].changed;
		uint32_t held = 0;
		for (uint32_t t = 0; t < m->threads; t++) {
			uint32_t count;
			const struct change *c = changes_of(m, o, t, &count);
			held += count && c[0].up;
			for (uint32_t i = 1; i < count; i++)
				alternate &= c[i].up != c[i - 1].up;
		}
		m->objects[o].binary = alternate && m->objects[o].start + held == 1;
		if (m->objects[o].binary)
			m->objects[o].outside = held ? NORN_STATE_EXCLUSIVE : 0;
	}
}

/* Begins or ends a region of a lock, or of a semaphore that is one. */
static bool begins(const struct must_order *m, const struct norn_step_model_step *s)
{
	return takes(s) || (is_effect(s, NORN_EFFECT_DOWN) && m->objects[s->object].binary);
}

static bool ends(const struct must_order *m, const struct norn_step_model_step *s)
{
	return gives(s) || (is_effect(s, NORN_EFFECT_UP) && m->objects[s->object].binary);
}

/* A thread that gives up what it did not take in this part has held it from before. */
static void add_give(struct must_order *m, uint32_t step, struct region *last, uint32_t *next)
{
	const struct norn_step_model_step *s = step_at(m, step);
	struct object *o = &m->objects[s->object];
	bool shared = s->rule->effect == NORN_EFFECT_UNSHARE;
	if (last && last->give == NONE && last->shared == shared) {
		last->give = step;
		return;
	}
	o->plain &= !last;
	if (!shared)
		o->outside = 0;
	else if (o->outside && o->outside < NORN_STATE_EXCLUSIVE)
		o->outside--;
	m->regions[(*next)++] = (struct region){NONE, step, shared};
}

static void find_regions(struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	uint64_t things = (uint64_t)p->objects * m->threads;
	uint32_t *first = m->region_lists.first = norn_must_calloc(things + 1, sizeof *first);
	for (uint32_t i = 0; i < m->total; i++)
		if (begins(m, p->steps + i) || ends(m, p->steps + i))
			first[(uint64_t)p->steps[i].object * m->threads + m->owner[i]]++; /* more than there are regions */
	m->regions = norn_must_alloc(place_lists(&m->region_lists, things) + 1ul, sizeof *m->regions);
	uint32_t *next = norn_must_copy(first, things + 1, sizeof *first);
	for (uint32_t i = 0; i < m->total; i++) {
		const struct norn_step_model_step *s = p->steps + i;
		uint64_t thing = (uint64_t)s->object * m->threads + m->owner[i];
		if (begins(m, s)) {
			struct region *last = next[thing] > first[thing] ? &m->regions[next[thing] - 1] : NULL;
			m->objects[s->object].plain &= !last || last->give != NONE;
			m->regions[next[thing]++] = (struct region){i, NONE, s->rule->effect == NORN_EFFECT_SHARE};
		} else if (ends(m, s)) {
			add_give(m, i, next[thing] > first[thing] ? &m->regions[next[thing] - 1] : NULL, next + thing);
		}
	}
	/* Lists are shorter than was thought: what is left of each is empty. */
	for (uint64_t i = 0; i < things; i++)
		for (uint32_t k = next[i]; k < first[i + 1]; k++)
			m->regions[k] = (struct region){NONE, NONE, true};
	free(next);
}

static bool is_region(const struct region *r)
{
	return r->take != NONE || r->give != NONE;
}

static void find_objects(struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	m->objects = norn_must_calloc(p->objects + 1ul, sizeof *m->objects);
	for (uint32_t o = 0; o < p->objects; o++)
		m->objects[o] = (struct object){.counted = true, .plain = true, .start = p->states[o], .outside = p->states[o]};
	for (uint32_t i = 0; i < m->total; i++) {
		const struct norn_step_model_step *s = p->steps + m->observed[i];
		if (s->object == NONE)
			continue;
		struct object *o = &m->objects[s->object];
		if (s->rule->effect == NORN_EFFECT_SET) { /* it comes before all else */
			o->counted = !o->set && !o->changed;
			o->start = s->value;
			o->set = true;
		}
		o->changed |= counts(s);
		if (s->rule->effect == NORN_EFFECT_CREATE)
			o->outside = 0;
	}
	find_changes(m);
	find_binary(m);
	find_regions(m);
	find_writes(m);
}

static void init(struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	m->threads = p->threads;
	m->total = norn_step_model_total(p);
	m->owner = norn_must_alloc(m->total + 1ul, sizeof *m->owner);
	m->observed = norn_must_alloc(m->total + 1ul, sizeof *m->observed);
	m->limit = norn_must_calloc(m->threads + 1ul, sizeof *m->limit);
	m->cone = norn_must_calloc(m->threads + 1ul, sizeof *m->cone);
	m->clocks = norn_must_calloc((uint64_t)(m->total + 1ul) * m->threads + 1, sizeof *m->clocks);
	m->edges_to = norn_must_calloc(m->total + 1ul, sizeof *m->edges_to);
	m->node = norn_must_calloc(norn_step_model_words(p) + 1ul, sizeof *m->node);
	m->writer = norn_must_calloc(p->byte_groups + 1ul, sizeof *m->writer);
	m->woke = norn_must_calloc(m->total + 1ul, sizeof *m->woke);
	uint32_t *cursor = norn_must_calloc(m->threads + 1ul, sizeof *cursor);
	for (uint32_t t = 0; t < m->threads; t++) {
		for (uint32_t i = p->first[t]; i < p->first[t + 1]; i++)
			m->owner[i] = t;
		while (p->first[t] + m->limit[t] < p->first[t + 1] && !p->steps[p->first[t] + m->limit[t]].opaque)
			m->limit[t]++;
	}
	for (uint32_t i = 0; i < m->total; i++) {
		m->observed[i] = p->first[p->order[i]] + cursor[p->order[i]]++;
		if (notifies(p->steps + m->observed[i]))
			norn_must_push(&m->notifies, m->observed[i]);
	}
	free(cursor);
	find_objects(m);
}

static void done(struct must_order *m)
{
	free(m->owner);
	free(m->observed);
	free(m->limit);
	free(m->cone);
	free(m->clocks);
	free(m->edges_to);
	free(m->node);
	free(m->writer);
	free(m->woke);
	free(m->objects);
	free(m->regions);
	free(m->changes);
	free(m->writes);
	free(m->sources);
	free(m->region_lists.first);
	free(m->change_lists.first);
	free(m->write_lists.first);
	norn_vector_done(&m->notifies);
	norn_vector_done(&m->edges);
	norn_vector_done(&m->trail);
}

/* ---- saturation ---- */

/* All of these are false if the goal cannot be reached. */

static void set(struct must_order *m, uint32_t *at, uint32_t value)
{
	norn_must_push(&m->trail, (struct undo){at, *at});
	*at = value;
	m->changed = true;
}

/* So many steps of the thread are made. */
static bool need_steps(struct must_order *m, uint32_t thread, uint32_t count)
{
	if (count > m->limit[thread])
		return false;
	if (count > m->cone[thread])
		set(m, &m->cone[thread], count);
	return true;
}

/* So many steps of the thread come before this step of the cone. */
static bool raise_clock(struct must_order *m, uint32_t step, uint32_t thread, uint32_t count)
{
	uint32_t *c = &clock_of(m, step)[thread];
	if (count <= *c)
		return true;
	if (thread == m->owner[step])
		return count <= index_of(m, step);
	set(m, c, count);
	return need_steps(m, thread, count);
}

/* a comes before b, which is in the cone. */
static bool join(struct must_order *m, uint32_t a, uint32_t b)
{
	const uint32_t *from = clock_of(m, a);
	bool possible = raise_clock(m, b, m->owner[a], index_of(m, a) + 1);
	for (uint32_t t = 0; t < m->threads && possible; t++)
		possible = raise_clock(m, b, t, from[t]);
	return possible;
}

/* a comes before b, if b is made. *ret_new (which may be NULL) is set if that was not known. */
static bool add_edge(struct must_order *m, uint32_t a, uint32_t b, bool *ret_new)
{
	if (m->owner[a] == m->owner[b])
		return a < b;
	if (in_cone(m, b) && is_before(m, a, b))
		return true;
	for (uint32_t e = m->edges_to[b]; e; e = m->edges.items[e - 1].next)
		if (m->owner[m->edges.items[e - 1].before] == m->owner[a] && m->edges.items[e - 1].before >= a)
			return true;
	if (in_cone(m, a) && in_cone(m, b) && is_before(m, b, a))
		return false;
	norn_must_push(&m->edges, (struct edge){a, b, m->edges_to[b]});
	m->edges_to[b] = m->edges.count;
	m->changed = true;
	if (ret_new)
		*ret_new = true;
	return !in_cone(m, b) || join(m, a, b);
}

static bool join_all(struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t i = 0; i < m->total; i++) {
		uint32_t b = m->observed[i];
		const struct norn_step_model_step *s = p->steps + b;
		if (!in_cone(m, b))
			continue;
		m->cost++;
		if (index_of(m, b) && !join(m, b - 1, b))
			return false;
		for (uint32_t k = 0; k < s->need_count; k++) {
			const struct norn_step_model_need *n = &p->needs[s->need + k];
			if (n->count > m->limit[n->thread] || !join(m, p->first[n->thread] + n->count - 1, b))
				return false;
		}
		for (uint32_t e = m->edges_to[b]; e; e = m->edges.items[e - 1].next)
			if (!join(m, m->edges.items[e - 1].before, b))
				return false;
	}
	return true;
}

/* ---- reads ---- */

/* The number of writes of the list before this place of their thread. */
static uint32_t writes_before(const struct must_order *m, const struct write *writes, uint32_t count, uint32_t index)
{
	uint32_t low = 0, high = count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (index_of(m, writes[middle].step) < index)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct view {
	uint32_t read, tile, content;
};

/* So many steps of the thread certainly come before the read. */
static uint32_t passed(const struct must_order *m, const struct view *v, uint32_t thread)
{
	return thread == m->owner[v->read] ? index_of(m, v->read) : clock_of(m, v->read)[thread];
}

/* The thread's last write that certainly comes before the read; NULL: none. */
static const struct write *last_before(const struct must_order *m, const struct view *v, uint32_t thread)
{
	uint32_t count;
	const struct write *w = writes_of(m, v->tile, thread, &count);
	uint32_t before = writes_before(m, w, count, passed(m, v, thread));
	return before ? &w[before - 1] : NULL;
}

/* Does a write of something else certainly come between this write, of another thread's, and the read? */
static bool is_hidden(const struct must_order *m, const struct view *v, uint32_t write)
{
	for (uint32_t t = 0; t < m->threads; t++) {
		const struct write *last = last_before(m, v, t);
		if (last && last->step != write && last->content != v->content && is_before(m, write, last->step))
			return true;
	}
	return false;
}

/* May the read see this write? */
static bool may_see(const struct must_order *m, const struct view *v, uint32_t write)
{
	uint32_t thread = m->owner[write];
	if (index_of(m, write) >= m->limit[thread])
		return false;
	if (index_of(m, write) < passed(m, v, thread))
		return last_before(m, v, thread)->step == write && !is_hidden(m, v, write);
	return thread != m->owner[v->read] && !(in_cone(m, write) && is_before(m, v->read, write)) && !is_hidden(m, v, write);
}

/* The writes that the read may see, NONE for what was there when the part began: as many as there is room for. */
static uint32_t sources(const struct must_order *m, const struct view *v, uint32_t *ret_sources, uint32_t room)
{
	uint32_t found = 0, low = 0, high = m->write_lists.count;
	const struct source key = {v->tile, v->content, 0};
	bool written = false;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (by_content(&m->sources[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < m->write_lists.count && found < room; low++) {
		const struct source *w = &m->sources[low];
		if (w->tile != v->tile || w->content != v->content)
			break;
		if (may_see(m, v, w->step))
			ret_sources[found++] = w->step;
	}
	for (uint32_t t = 0; t < m->threads && found < room && !written; t++)
		written = last_before(m, v, t);
	if (!written && found < room && m->part->contents[v->tile] == v->content)
		ret_sources[found++] = NONE;
	return found;
}

/* Of these writes of one thread, those of the cone that certainly come after the source are the last: the first of them, count if
 * there is none. source NONE: all do. */
static uint32_t first_after(const struct must_order *m, const struct write *w, uint32_t from, uint32_t count, uint32_t source)
{
	uint32_t low = from, high = count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2, step = w[middle].step;
		if (in_cone(m, step) && source != NONE && !is_before(m, source, step))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The read sees this write, so no write of anything else comes between them. */
static bool see(struct must_order *m, const struct view *v, uint32_t source)
{
	bool possible = source == NONE || add_edge(m, source, v->read, NULL);
	for (uint32_t t = 0; t < m->threads && possible; t++) {
		const struct write *last = last_before(m, v, t);
		if (last && last->step != source && last->content != v->content)
			possible = source != NONE && add_edge(m, last->step, source, NULL);
		if (t == m->owner[v->read])
			continue;
		uint32_t count;
		const struct write *w = writes_of(m, v->tile, t, &count);
		uint32_t i = first_after(m, w, writes_before(m, w, count, passed(m, v, t)), count, source);
		while (i < count && in_cone(m, w[i].step) && w[i].content == v->content)
			i++;
		if (i < count && in_cone(m, w[i].step) && possible)
			possible = add_edge(m, v->read, w[i].step, NULL);
	}
	return possible;
}

static bool follow_reads(struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t i = 0; i < m->total; i++) {
		uint32_t b = m->observed[i];
		for (uint32_t k = 0; in_cone(m, b) && k < p->steps[b].read_count; k++) {
			const struct norn_step_model_access *a = &p->accesses[p->steps[b].read + k];
			struct view v = {b, a->group, a->content};
			uint32_t found[2], count = sources(m, &v, found, 2);
			if (count == 0 || (count == 1 && !see(m, &v, found[0])))
				return false;
		}
	}
	return true;
}

/* ---- locks ---- */

static bool conflict(const struct region *a, const struct region *b)
{
	return is_region(a) && is_region(b) && !(a->shared && b->shared);
}

/* Region a, of another thread, comes before region b. */
static bool region_before(struct must_order *m, const struct region *a, const struct region *b)
{
	return a->give != NONE && add_edge(m, a->give, b->take, NULL);
}

/* Has region a certainly begun before b, of another thread, has ended; or must it be over, as b never ends? */
static bool begins_before_end(const struct must_order *m, const struct region *a, const struct region *b)
{
	if (a->take == NONE)
		return true;
	if (!in_cone(m, a->take))
		return false;
	if (b->give == NONE)
		return true;
	return is_before(m, a->take, in_cone(m, b->give) ? b->give : b->take);
}

/* Region b has begun. */
static bool follow_region(struct must_order *m, uint32_t object, uint32_t thread, const struct region *b)
{
	const struct object *o = &m->objects[object];
	if (o->outside && (!b->shared || o->outside >= NORN_STATE_EXCLUSIVE))
		return false; /* it is held, and not released in this part */
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t count;
		const struct region *a = regions_of(m, object, t, &count);
		if (t == thread)
			continue;
		for (uint32_t i = count; i-- > 0;) {
			if (!conflict(a + i, b) || !begins_before_end(m, a + i, b))
				continue;
			if (!region_before(m, a + i, b))
				return false;
			break; /* those before it are over, too */
		}
	}
	return true;
}

static bool follow_locks(struct must_order *m)
{
	for (uint32_t o = 0; o < m->part->objects; o++) {
		for (uint32_t t = 0; t < m->threads && m->objects[o].plain; t++) {
			uint32_t count;
			const struct region *r = regions_of(m, o, t, &count);
			for (uint32_t i = 0; i < count; i++)
				if (is_region(r + i) && r[i].take != NONE && in_cone(m, r[i].take) &&
				        !follow_region(m, o, t, r + i))
					return false;
		}
	}
	return true;
}

/* ---- semaphores ---- */

/* A wait needs that enough is posted: how many posts can come before it, how many waits do? */
static bool follow_wait(struct must_order *m, uint32_t wait)
{
	uint32_t object = step_at(m, wait)->object;
	int64_t value = m->objects[object].start;
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t count;
		const struct change *c = changes_of(m, object, t, &count);
		for (uint32_t i = 0; i < count; i++) {
			bool before = c[i].step == wait || (t == m->owner[wait] ? c[i].step < wait : is_before(m, c[i].step, wait));
			bool possible = before || (t != m->owner[wait] && index_of(m, c[i].step) < m->limit[t] &&
			                                  !(in_cone(m, c[i].step) && is_before(m, wait, c[i].step)));
			value += c[i].up ? possible : -(int64_t)before;
		}
	}
	for (uint32_t t = 0; t < m->threads && value == 0; t++) { /* all of them are needed */
		uint32_t count;
		const struct change *c = changes_of(m, object, t, &count);
		for (uint32_t i = count; t != m->owner[wait] && i-- > 0;)
			if (c[i].up && index_of(m, c[i].step) < m->limit[t] &&
			        !(in_cone(m, c[i].step) && is_before(m, wait, c[i].step))) {
				if (!add_edge(m, c[i].step, wait, NULL))
					return false;
				break;
			}
	}
	return value >= 0;
}

static bool follow_semaphores(struct must_order *m)
{
	const uint32_t *first = m->change_lists.first;
	for (uint32_t o = 0; o < m->part->objects; o++) {
		if (!m->objects[o].counted || first[(o + 1ul) * m->threads] - first[(uint64_t)o * m->threads] > CHANGES)
			continue;
		for (uint32_t t = 0; t < m->threads; t++) {
			uint32_t count;
			const struct change *c = changes_of(m, o, t, &count);
			for (uint32_t i = 0; i < count && in_cone(m, c[i].step); i++)
				if (!c[i].up && !follow_wait(m, c[i].step))
					return false;
		}
	}
	return true;
}

/* ---- conditions ---- */

/* A thread that sleeps on a condition: by which step (NONE: before the part), and which step it makes when it is woken (NONE:
 * it is to have been woken at the end). */
struct sleep {
	uint32_t thread, condition, asleep, awake;
};

static uint32_t sleep_before(const struct must_order *m, uint32_t thread, uint32_t end)
{
	for (uint32_t i = end; i-- > m->part->first[thread];)
		if (step_at(m, i)->condition != NONE && step_at(m, i)->rule->wait == NORN_WAIT_SLEEP)
			return i;
	return NONE;
}

/* Can this notify be what wakes it? */
static bool may_wake(const struct must_order *m, const struct sleep *sleep, uint32_t notify)
{
	if (step_at(m, notify)->condition != sleep->condition || m->owner[notify] == sleep->thread ||
	        index_of(m, notify) >= m->limit[m->owner[notify]])
		return false;
	if (sleep->asleep != NONE && in_cone(m, sleep->asleep) && is_before(m, notify, sleep->asleep))
		return false;
	return sleep->awake == NONE || !in_cone(m, notify) || !is_before(m, sleep->awake, notify);
}

static bool follow_sleep(struct must_order *m, const struct sleep *sleep)
{
	uint32_t only = NONE, count = 0;
	if (sleep->asleep == NONE && m->part->sleep[sleep->thread] == NORN_STEP_MODEL_WOKEN)
		return true;
	for (uint32_t i = 0; i < m->notifies.count && count < 2; i++)
		if (may_wake(m, sleep, m->notifies.items[i])) {
			only = m->notifies.items[i];
			count++;
		}
	if (count != 1)
		return count > 1;
	bool possible =
	        sleep->awake == NONE ? need_steps(m, m->owner[only], index_of(m, only) + 1) : add_edge(m, only, sleep->awake, NULL);
	return possible && (sleep->asleep == NONE || add_edge(m, sleep->asleep, only, NULL));
}

static bool follow_conditions(struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t t = 0; t < m->threads && p->conditions; t++) {
		uint32_t asleep = NONE, end = p->first[t] + m->cone[t];
		for (uint32_t i = p->first[t]; i < end; i++) {
			const struct norn_step_model_step *s = p->steps + i;
			if (s->condition == NONE)
				continue;
			if (s->rule->wait == NORN_WAIT_SLEEP)
				asleep = i;
			if (s->rule->wait == NORN_WAIT_WOKEN && !follow_sleep(m, &(struct sleep){t, s->condition, asleep, i}))
				return false;
		}
		if (m->goal->woken[t] && end == p->first[t + 1] && asleep != NONE &&
		        !follow_sleep(m, &(struct sleep){t, step_at(m, asleep)->condition, asleep, NONE}))
			return false;
	}
	return true;
}

static bool saturate(struct must_order *m)
{
	bool possible = true;
	do {
		m->changed = false;
		possible = join_all(m) && follow_locks(m) && follow_semaphores(m) && follow_conditions(m) && follow_reads(m);
	} while (possible && m->changed);
	return possible;
}

static void undo(struct must_order *m, uint32_t trail, uint32_t edges)
{
	while (m->trail.count > trail) {
		m->trail.count--;
		*m->trail.items[m->trail.count].at = m->trail.items[m->trail.count].value;
	}
	while (m->edges.count > edges) {
		m->edges.count--;
		m->edges_to[m->edges.items[m->edges.count].after] = m->edges.items[m->edges.count].next;
	}
}

/* ---- order ---- */

static bool clock_allows(const struct must_order *m, uint32_t step)
{
	const uint32_t *c = clock_of(m, step);
	for (uint32_t t = 0; t < m->threads; t++)
		if (c[t] > m->node[t] && t != m->owner[step])
			return false;
	return true;
}

/* The thread that a signal wakes now, as of woke. */
static uint32_t first_sleeper(const struct must_order *m, uint32_t condition)
{
	const struct norn_step_model *p = m->part;
	const uint32_t *sleep = norn_step_model_sleep(p, m->node);
	for (uint32_t t = 0; t < m->threads; t++)
		if (sleep[t] == ((condition + 1) << 16 | 1))
			return t + 1;
	return m->node[m->threads + p->byte_groups + p->objects + condition] ? OUTSIDE : 0; /* so many sleep on it */
}

static void make(struct must_order *m, uint32_t step)
{
	const struct norn_step_model *p = m->part;
	if (notifies(p->steps + step))
		m->woke[step] = first_sleeper(m, p->steps[step].condition);
	norn_step_model_make(p, p->steps + step, m->owner[step], m->node);
	for (uint32_t k = 0; k < p->steps[step].write_count; k++)
		m->writer[p->accesses[p->steps[step].write + k].group] = step + 1;
	m->made[m->made_count++] = step;
	m->cost++;
}

/* The step to be made next, as observed if possible. NONE: none can be; *ret_blocked is the first that the clocks allow, NONE
 * if all of the cone is made. */
static uint32_t choose(const struct must_order *m, uint32_t *ret_blocked)
{
	const struct norn_step_model *p = m->part;
	uint32_t best = NONE, blocked = NONE;
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t step = p->first[t] + m->node[t];
		if (m->node[t] >= m->cone[t] || !clock_allows(m, step))
			continue;
		uint32_t *which = norn_step_model_enabled(p, p->steps + step, t, m->node) ? &best : &blocked;
		if (*which == NONE || p->steps[step].event < p->steps[*which].event)
			*which = step;
	}
	*ret_blocked = blocked;
	return best;
}

/* A thread that is to have been woken, and has not. */
static uint32_t sleeper(const struct must_order *m)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t t = 0; t < m->threads && p->conditions; t++)
		if (m->goal->woken[t] && m->node[t] == p->first[t + 1] - p->first[t] &&
		        norn_step_model_sleep(p, m->node)[t] != NORN_STEP_MODEL_WOKEN)
			return t;
	return NONE;
}

/* True: the goal is reached. Otherwise *ret_blocked is a step that cannot be made, NONE if only a sleeper is left. */
static bool go(struct must_order *m, uint32_t *ret_blocked)
{
	norn_step_model_start(m->part, m->node);
	memset(m->writer, 0, m->part->byte_groups * sizeof *m->writer);
	m->made_count = 0;
	for (;;) {
		uint32_t step = choose(m, ret_blocked);
		if (step == NONE)
			break;
		make(m, step);
	}
	return *ret_blocked == NONE && sleeper(m) == NONE;
}

/* ---- branches ---- */

/* Orders of which one must hold. Each is up to two edges, from a step to another; to NONE: it is made; from NONE: no edge. */
struct ways {
	uint32_t edges[WAYS][2][2];
	uint32_t count;
	bool open; /* there are more */
};

static void add_way(struct ways *w, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	if (w->count == WAYS) {
		w->open = true;
		return;
	}
	uint32_t(*e)[2] = w->edges[w->count++];
	e[0][0] = a;
	e[0][1] = b;
	e[1][0] = c;
	e[1][1] = d;
}

static bool is_made(const struct must_order *m, uint32_t step)
{
	return index_of(m, step) < m->node[m->owner[step]];
}

/* The region of the lock that keeps the step from being made; NULL: none is known. */
static const struct region *holder(const struct must_order *m, uint32_t object, uint32_t step, bool shared)
{
	const struct region mine = {step, NONE, shared};
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t count;
		const struct region *a = regions_of(m, object, t, &count);
		for (uint32_t i = 0; i < count && t != m->owner[step]; i++)
			if (conflict(a + i, &mine) && (a[i].take == NONE || is_made(m, a[i].take)) &&
			        (a[i].give == NONE || !is_made(m, a[i].give)))
				return a + i;
	}
	return NULL;
}

static uint32_t give_of(const struct must_order *m, uint32_t take)
{
	uint32_t count, object = step_at(m, take)->object;
	const struct region *r = regions_of(m, object, m->owner[take], &count);
	for (uint32_t i = 0; i < count; i++)
		if (r[i].take == take)
			return r[i].give;
	return NONE;
}

/* The lock has been destroyed: the step comes before that. */
static void alive_ways(const struct must_order *m, uint32_t step, struct ways *w)
{
	for (uint32_t i = 0; i < m->made_count; i++) {
		const struct norn_step_model_step *s = step_at(m, m->made[i]);
		if (s->object == step_at(m, step)->object && s->rule->effect == NORN_EFFECT_DESTROY)
			add_way(w, step, m->made[i], NONE, NONE);
	}
}

/* Either region comes first. */
static void lock_ways(const struct must_order *m, uint32_t step, struct ways *w)
{
	const struct norn_step_model_step *s = step_at(m, step);
	if (s->rule->guard != NORN_GUARD_POSITIVE &&
	        m->node[m->threads + m->part->byte_groups + s->object] == NORN_STATE_DESTROYED) {
		alive_ways(m, step, w);
		return;
	}
	const struct region *a = holder(m, s->object, step, s->rule->guard == NORN_GUARD_NO_WRITER);
	w->open |= !m->objects[s->object].plain;
	if (!a)
		return; /* it is held by the thread itself, or by one that has no part in this: for good */
	uint32_t give = begins(m, s) ? give_of(m, step) : NONE;
	bool other = give != NONE && a->take != NONE, later = other && step_at(m, a->take)->event > s->event;
	if (later)
		add_way(w, give, a->take, NONE, NONE);
	if (a->give != NONE)
		add_way(w, a->give, step, NONE, NONE);
	if (other && !later)
		add_way(w, give, a->take, NONE, NONE);
}

/* A wait, or a failed try, of a semaphore: one more change to the better comes before it, or one to the worse after it. In each
 * thread that is the next one, or the last one that was made. */
static void semaphore_ways(const struct must_order *m, uint32_t step, bool up, struct ways *w)
{
	if (up && m->objects[step_at(m, step)->object].binary) {
		lock_ways(m, step, w);
		return;
	}
	uint32_t object = step_at(m, step)->object;
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t count, next = NONE, last = NONE;
		const struct change *c = changes_of(m, object, t, &count);
		for (uint32_t i = 0; i < count && t != m->owner[step]; i++) {
			if (c[i].up == up && !is_made(m, c[i].step) && next == NONE)
				next = c[i].step;
			if (c[i].up != up && is_made(m, c[i].step))
				last = c[i].step;
		}
		if (next != NONE)
			add_way(w, next, step, NONE, NONE);
		if (last != NONE)
			add_way(w, step, last, NONE, NONE);
	}
	w->open |= !m->objects[object].counted;
}

/* A failed try: one of the regions of others covers it. Those that did when it was observed come first. */
static void try_ways(const struct must_order *m, uint32_t step, bool exclusive, struct ways *w)
{
	const struct norn_step_model_step *s = step_at(m, step);
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t t = 0; t < m->threads; t++) {
			uint32_t count;
			const struct region *r = regions_of(m, s->object, t, &count);
			for (uint32_t i = 0; i < count && t != m->owner[step]; i++) {
				if (!is_region(r + i) || (exclusive && r[i].shared))
					continue;
				bool covered = (r[i].take == NONE || step_at(m, r[i].take)->event < s->event) &&
				               (r[i].give == NONE || step_at(m, r[i].give)->event > s->event);
				if (covered == (round == 0))
					add_way(w, r[i].take, step, step, r[i].give);
			}
		}
	w->open |= !m->objects[s->object].plain;
}

/* The read comes before the write that it must not see, or one that it may see comes between them. */
static bool read_ways(const struct must_order *m, uint32_t step, struct ways *w)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t k = 0; k < p->steps[step].read_count; k++) {
		const struct norn_step_model_access *a = &p->accesses[p->steps[step].read + k];
		if (m->node[m->threads + a->group] == a->content)
			continue;
		struct view v = {step, a->group, a->content};
		uint32_t found[WAYS], count = sources(m, &v, found, WAYS), last = m->writer[a->group];
		bool other = last && m->owner[last - 1] != m->owner[step];
		bool later = other && step_at(m, last - 1)->event > step_at(m, step)->event;
		if (later)
			add_way(w, step, last - 1, NONE, NONE);
		for (uint32_t i = 0; i < count; i++)
			if (found[i] != NONE && found[i] + 1 != last)
				add_way(w, found[i], step, last ? last - 1 : NONE, found[i]);
		if (other && !later)
			add_way(w, step, last - 1, NONE, NONE);
		w->open |= count == WAYS;
		return true;
	}
	return false;
}

/* The step by which a thread fell asleep that was woken by this signal, which has been made; NONE: before the part. */
static uint32_t sleep_of_woken(const struct must_order *m, uint32_t signal)
{
	uint32_t at = m->made_count;
	while (at-- > 0 && m->made[at] != signal)
		;
	while (m->woke[signal] != OUTSIDE && at-- > 0) {
		const struct norn_step_model_step *s = step_at(m, m->made[at]);
		if (m->owner[m->made[at]] + 1 == m->woke[signal] && s->condition != NONE && s->rule->wait == NORN_WAIT_SLEEP)
			return m->made[at];
	}
	return NONE;
}

static bool is_certain(const struct must_order *m, uint32_t a, uint32_t b)
{
	return a == NONE || (b == NONE ? in_cone(m, a) : in_cone(m, b) && is_before(m, a, b));
}

/* The signal woke another thread than it should, which had slept longer: that one falls asleep later, or is woken by another notify
 * before. */
static void signal_ways(const struct must_order *m, const struct sleep *sleep, uint32_t signal, struct ways *w)
{
	uint32_t other = sleep_of_woken(m, signal);
	if (other != NONE && sleep->asleep != NONE)
		add_way(w, sleep->asleep, other, NONE, NONE);
	for (uint32_t i = 0; i < m->notifies.count; i++) {
		uint32_t n = m->notifies.items[i];
		if (step_at(m, n)->condition != sleep->condition || n == signal || m->owner[n] + 1 == m->woke[signal])
			continue;
		if (is_certain(m, other, n) && is_certain(m, n, signal))
			w->open = true; /* it woke a third one */
		else
			add_way(w, other, n, n, signal);
	}
}

/* One of the notifies wakes the thread. Those that came between when it was observed are tried first. */
static void wake_ways(const struct must_order *m, const struct sleep *sleep, struct ways *w)
{
	uint32_t from = sleep->asleep == NONE ? 0 : step_at(m, sleep->asleep)->event;
	uint32_t to = sleep->awake == NONE ? UINT32_MAX : step_at(m, sleep->awake)->event;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < m->notifies.count; i++) {
			uint32_t n = m->notifies.items[i];
			bool between = step_at(m, n)->event > from && step_at(m, n)->event < to;
			if (!may_wake(m, sleep, n) || between != (round == 0))
				continue;
			if (!is_certain(m, sleep->asleep, n) || !is_certain(m, n, sleep->awake))
				add_way(w, sleep->asleep, n, n, sleep->awake);
			else if (is_made(m, n) && step_at(m, n)->rule->wait == NORN_WAIT_SIGNAL)
				signal_ways(m, sleep, n, w);
		}
}

static void find_ways(const struct must_order *m, uint32_t step, struct ways *w)
{
	const struct norn_step_model *p = m->part;
	w->count = 0;
	w->open = false;
	if (step == NONE) {
		uint32_t t = sleeper(m);
		wake_ways(m,
		        &(struct sleep){
		                t, (norn_step_model_sleep(p, m->node)[t] >> 16) - 1, sleep_before(m, t, p->first[t + 1]), NONE},
		        w);
		return;
	}
	const struct norn_step_model_step *s = p->steps + step;
	uint32_t thread = m->owner[step];
	if (read_ways(m, step, w))
		return;
	if (s->condition != NONE && s->rule->wait == NORN_WAIT_WOKEN &&
	        norn_step_model_sleep(p, m->node)[thread] != NORN_STEP_MODEL_WOKEN) {
		wake_ways(m, &(struct sleep){thread, s->condition, sleep_before(m, thread, step), step}, w);
		return;
	}
	assert(s->object != NONE); /* else it could be made: the clocks have all that it needs */
	switch (s->rule->guard) {
	case NORN_GUARD_FREE:
	case NORN_GUARD_NO_WRITER:
		lock_ways(m, step, w);
		break;
	case NORN_GUARD_HELD:
	case NORN_GUARD_WRITER:
		try_ways(m, step, s->rule->guard == NORN_GUARD_WRITER, w);
		break;
	case NORN_GUARD_POSITIVE:
	case NORN_GUARD_ZERO:
		semaphore_ways(m, step, s->rule->guard == NORN_GUARD_POSITIVE, w);
		break;
	default:
		w->open = true;
	}
}

/* a comes before b; b is NONE: a is made. */
static bool take_edge(struct must_order *m, uint32_t a, uint32_t b, bool *ret_new)
{
	if (a == NONE)
		return true;
	if (b != NONE)
		return add_edge(m, a, b, ret_new);
	*ret_new |= !in_cone(m, a);
	return need_steps(m, m->owner[a], index_of(m, a) + 1);
}

/* False: the way leads nowhere, or is none, as all of it is known already. */
static bool take(struct must_order *m, uint32_t (*way)[2])
{
	bool news = false;
	return take_edge(m, way[0][0], way[0][1], &news) && take_edge(m, way[1][0], way[1][1], &news) && news && saturate(m);
}

static bool search(struct must_order *m)
{
	uint32_t blocked;
	if (go(m, &blocked))
		return true;
	struct ways *w = norn_must_alloc(1, sizeof *w);
	find_ways(m, blocked, w);
	m->open |= w->open;
	bool found = false;
	for (uint32_t i = 0; i < w->count && !found; i++) {
		uint32_t trail = m->trail.count, edges = m->edges.count;
		if (m->branches == 0) {
			m->open = true;
			break;
		}
		m->branches--;
		found = take(m, w->edges[i]) && search(m);
		if (!found)
			undo(m, trail, edges);
	}
	free(w);
	return found;
}

enum norn_must_order_result norn_must_order(const struct norn_step_model *part, const struct norn_must_order_goal *goal,
        unsigned branches, uint64_t *cost, uint32_t *ret_made, uint32_t *ret_count)
{
	struct must_order m = {.part = part, .goal = goal, .branches = branches, .made = ret_made};
	init(&m);
	bool possible = true;
	for (uint32_t t = 0; t < m.threads && possible; t++)
		possible = need_steps(&m, t, goal->counts[t]);
	bool found = possible && saturate(&m) && search(&m);
	*ret_count = found ? m.made_count : 0;
	*cost += m.cost;
	done(&m);
	return found ? NORN_MUST_ORDER_FOUND : m.open ? NORN_MUST_ORDER_GIVEN_UP : NORN_MUST_ORDER_NEVER;
}
