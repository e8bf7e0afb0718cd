/* The contents of a part: regions of locks, changes of semaphores, writes. */
#include "sliced/search/must_order_state.h"

#include <assert.h>
#include <stdlib.h>

#include "base/must.h"

/* Counts become places: each list begins where those before it end. The entry after the last has the total. */
static uint32_t place_lists(struct norn_must_lists *lists, uint64_t things)
{
	uint32_t sum = 0;
	for (uint64_t i = 0; i <= things; i++) {
		uint32_t count = lists->first[i];
		lists->first[i] = sum;
		sum += count;
	}
	assert(lists->first[things] == sum);
	return lists->count = sum;
}

int norn_must_order_by_content(const void *a, const void *b)
{
	const struct norn_must_source *x = a, *y = b;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->content != y->content)
		return x->content < y->content ? -1 : 1;
	return (x->step > y->step) - (x->step < y->step);
}

static void find_writes(struct norn_must_state *m)
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
			m->writes[next[(uint64_t)a->group * m->threads + m->owner[i]]++] = (struct norn_must_write){i, a->content};
		}
	free(next);
	m->sources = norn_must_alloc(m->write_lists.count + 1ul, sizeof *m->sources);
	uint32_t count = 0;
	for (uint32_t group = 0; group < p->byte_groups; group++)
		for (uint32_t i = first[(uint64_t)group * m->threads]; i < first[(group + 1ul) * m->threads]; i++)
			m->sources[count++] = (struct norn_must_source){group, m->writes[i].content, m->writes[i].step};
	assert(count == m->write_lists.count);
	qsort(m->sources, count, sizeof *m->sources, norn_must_order_by_content);
}

static void find_changes(struct norn_must_state *m)
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
			        (struct norn_must_change){i, is_effect(p->steps + i, NORN_EFFECT_UP)};
	free(next);
}

/* Each thread waits and posts in turn, and there is one to take if none of them has begun with a post. */
static void find_binary(struct norn_must_state *m)
{
	for (uint32_t o = 0; o < m->part->objects; o++) {
		bool alternate = m->objects[o].counted && m->objects[o].changed;
		uint32_t held = 0;
		for (uint32_t t = 0; t < m->threads; t++) {
			uint32_t count;
			const struct norn_must_change *c = changes_of(m, o, t, &count);
			held += count && c[0].up;
			for (uint32_t i = 1; i < count; i++)
				alternate &= c[i].up != c[i - 1].up;
		}
		m->objects[o].binary = alternate && m->objects[o].start + held == 1;
		if (m->objects[o].binary)
			m->objects[o].outside = held ? NORN_STATE_EXCLUSIVE : 0;
	}
}

/* A thread that gives up what it did not take in this part has held it from before. */
static void add_give(struct norn_must_state *m, uint32_t step, struct norn_must_region *last, uint32_t *next)
{
	const struct norn_step_model_step *s = step_at(m, step);
	struct norn_must_object *o = &m->objects[s->object];
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
	m->regions[(*next)++] = (struct norn_must_region){.take = NONE, .give = step, .shared = shared};
}

static void find_regions(struct norn_must_state *m)
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
			struct norn_must_region *last = next[thing] > first[thing] ? &m->regions[next[thing] - 1] : NULL;
			m->objects[s->object].plain &= !last || last->give != NONE;
			m->regions[next[thing]++] =
			        (struct norn_must_region){.take = i, .give = NONE, .shared = s->rule->effect == NORN_EFFECT_SHARE};
		} else if (ends(m, s)) {
			add_give(m, i, next[thing] > first[thing] ? &m->regions[next[thing] - 1] : NULL, next + thing);
		}
	}
	/* Lists are shorter than was thought. */
	for (uint64_t i = 0; i < things; i++)
		for (uint32_t k = first[i], exclusive = 0; k < next[i]; k++) {
			exclusive = m->regions[k].shared ? exclusive : k - first[i] + 1;
			m->regions[k].exclusive = exclusive;
		}
	assert(things == 0 || next[things - 1] <= first[things]);
	m->region_ends = next;
}

static void find_objects(struct norn_must_state *m)
{
	const struct norn_step_model *p = m->part;
	m->objects = norn_must_calloc(p->objects + 1ul, sizeof *m->objects);
	for (uint32_t o = 0; o < p->objects; o++)
		m->objects[o] =
		        (struct norn_must_object){.counted = true, .plain = true, .start = p->states[o], .outside = p->states[o]};
	for (uint32_t i = 0; i < m->total; i++) {
		const struct norn_step_model_step *s = p->steps + m->observed[i];
		if (s->object == NONE)
			continue;
		struct norn_must_object *o = &m->objects[s->object];
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

void norn_must_order_init(struct norn_must_state *m)
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
	uint32_t **of_steps[] = {&m->changed_at, &m->entered_at, &m->joined_at, &m->read_at};
	for (unsigned i = 0; i < sizeof of_steps / sizeof *of_steps; i++)
		*of_steps[i] = norn_must_calloc(m->total + 1ul, sizeof **of_steps[i]);
	uint32_t reads = 0; /* they lie before this */
	for (uint32_t i = 0; i < m->total; i++)
		reads = p->steps[i].read + p->steps[i].read_count > reads ? p->steps[i].read + p->steps[i].read_count : reads;
	m->two_sources = norn_must_calloc(reads + 1ul, sizeof *m->two_sources);
	m->group_at = norn_must_calloc(p->byte_groups + 1ul, sizeof *m->group_at);
	m->object_at = norn_must_calloc(p->objects + 1ul, sizeof *m->object_at);
	m->object_entered_at = norn_must_calloc(p->objects + 1ul, sizeof *m->object_entered_at);
	m->object_followed_at = norn_must_calloc(p->objects + 1ul, sizeof *m->object_followed_at);
	m->awaits = norn_must_calloc(m->threads + 1ul, sizeof *m->awaits);
	m->round = 1;
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

void norn_must_order_done(struct norn_must_state *m)
{
	free(m->owner);
	free(m->observed);
	free(m->limit);
	free(m->cone);
	free(m->clocks);
	free(m->edges_to);
	free(m->region_ends);
	free(m->changed_at);
	free(m->entered_at);
	free(m->joined_at);
	free(m->read_at);
	free(m->two_sources);
	free(m->group_at);
	free(m->object_at);
	free(m->object_entered_at);
	free(m->object_followed_at);
	free(m->awaits);
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
