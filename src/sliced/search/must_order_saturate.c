/* The edges that hold in every order that leads to the goal, to a fixpoint. */
#include "base/bisect.h"
#include "sliced/search/must_order_state.h"

#include <assert.h>

#include "base/must.h"

#define CHANGES 1024u /* of a semaphore with more nothing follows by counting; branches find it */

/* ---- saturation ---- */

/* All of these are false if the goal cannot be reached. */

static void set(struct norn_must_state *m, uint32_t *at, uint32_t value)
{
	norn_must_push(&m->trail, (struct norn_must_undo){at, *at});
	*at = value;
	m->changed = true;
}

/* The step entered the cone, or its clock changed. */
static void note_change(struct norn_must_state *m, uint32_t step)
{
	const struct norn_step_model_step *s = step_at(m, step);
	for (uint32_t k = 0; k < s->write_count; k++)
		m->group_at[m->part->accesses[s->write + k].group] = m->round;
	if (s->object != NONE)
		m->object_at[s->object] = m->round;
	if (s->condition != NONE)
		m->condition_at = m->round;
}

/* So many steps of the thread are made. */
bool norn_must_order_need_steps(struct norn_must_state *m, uint32_t thread, uint32_t count)
{
	if (count > m->limit[thread])
		return false;
	if (count <= m->cone[thread])
		return true;
	for (uint32_t i = m->cone[thread]; i < count; i++) {
		uint32_t step = m->part->first[thread] + i;
		m->entered_at[step] = m->round;
		note_change(m, step);
		if (step_at(m, step)->object != NONE)
			m->object_entered_at[step_at(m, step)->object] = m->round;
	}
	m->condition_at = m->round;
	set(m, &m->cone[thread], count);
	assert(m->cone[thread] <= m->limit[thread]);
	return true;
}

/* So many steps of the thread come before this step of the cone. */
static bool raise_clock(struct norn_must_state *m, uint32_t step, uint32_t thread, uint32_t count)
{
	uint32_t *c = &clock_of(m, step)[thread];
	assert(in_cone(m, step)); /* clocks of other steps mean nothing */
	if (count <= *c)
		return true;
	if (thread == m->owner[step])
		return count <= index_of(m, step);
	set(m, c, count);
	if (m->changed_at[step] != m->round)
		note_change(m, step);
	m->changed_at[step] = m->round;
	return norn_must_order_need_steps(m, thread, count);
}

/* a comes before b, which is in the cone. */
static bool join(struct norn_must_state *m, uint32_t a, uint32_t b)
{
	const uint32_t *from = clock_of(m, a);
	bool possible = raise_clock(m, b, m->owner[a], index_of(m, a) + 1);
	for (uint32_t t = 0; t < m->threads && possible; t++)
		possible = raise_clock(m, b, t, from[t]);
	return possible;
}

/* a comes before b, if b is made. *ret_new (which may be NULL) is set if that was not known. */
bool norn_must_order_add_edge(struct norn_must_state *m, uint32_t a, uint32_t b, bool *ret_new)
{
	assert(a < m->total && b < m->total);
	if (m->owner[a] == m->owner[b])
		return a < b;
	if (in_cone(m, b) && is_before(m, a, b))
		return true;
	for (uint32_t e = m->edges_to[b]; e; e = m->edges.items[e - 1].next)
		if (m->owner[m->edges.items[e - 1].before] == m->owner[a] && m->edges.items[e - 1].before >= a)
			return true;
	if (in_cone(m, a) && in_cone(m, b) && is_before(m, b, a))
		return false;
	norn_must_push(&m->edges, (struct norn_must_edge){a, b, m->edges_to[b]});
	m->edges_to[b] = m->edges.count;
	m->changed = true;
	if (ret_new)
		*ret_new = true;
	return !in_cone(m, b) || join(m, a, b);
}

/* Did the clock of any step that comes before this one change since its own was computed? */
static bool is_stale(const struct norn_must_state *m, uint32_t b)
{
	const struct norn_step_model *p = m->part;
	const struct norn_step_model_step *s = p->steps + b;
	uint32_t since = m->joined_at[b];
	if (m->entered_at[b] >= since || (index_of(m, b) && m->changed_at[b - 1] >= since))
		return true;
	for (uint32_t k = 0; k < s->need_count; k++) {
		const struct norn_step_model_need *n = &p->needs[s->need + k];
		if (n->count && m->changed_at[p->first[n->thread] + n->count - 1] >= since)
			return true;
	}
	for (uint32_t e = m->edges_to[b]; e; e = m->edges.items[e - 1].next)
		if (m->changed_at[m->edges.items[e - 1].before] >= since)
			return true;
	return false;
}

static bool join_all(struct norn_must_state *m)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t i = 0; i < m->total; i++) {
		uint32_t b = m->observed[i];
		const struct norn_step_model_step *s = p->steps + b;
		if (!in_cone(m, b) || !is_stale(m, b))
			continue;
		m->joined_at[b] = m->round;
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
static uint32_t writes_before(const struct norn_must_state *m, const struct norn_must_write *writes, uint32_t count, uint32_t index)
{
	return NORN_BISECT(0, count, i, index_of(m, writes[i].step) < index);
}

/* So many steps of the thread certainly come before the read. */
static uint32_t passed(const struct norn_must_state *m, const struct norn_must_view *v, uint32_t thread)
{
	return thread == m->owner[v->read] ? index_of(m, v->read) : clock_of(m, v->read)[thread];
}

/* The thread's last write that certainly comes before the read; NULL: none. */
static const struct norn_must_write *last_before(const struct norn_must_state *m, const struct norn_must_view *v, uint32_t thread)
{
	uint32_t count;
	const struct norn_must_write *w = writes_of(m, v->group, thread, &count);
	uint32_t before = writes_before(m, w, count, passed(m, v, thread));
	return before ? &w[before - 1] : NULL;
}

/* Does a write of something else certainly come between this write, of another thread's, and the read? */
static bool is_hidden(const struct norn_must_state *m, const struct norn_must_view *v, uint32_t write)
{
	for (uint32_t t = 0; t < m->threads; t++) {
		const struct norn_must_write *last = last_before(m, v, t);
		if (last && last->step != write && last->content != v->content && is_before(m, write, last->step))
			return true;
	}
	return false;
}

/* May the read see this write? */
static bool may_see(const struct norn_must_state *m, const struct norn_must_view *v, uint32_t write)
{
	uint32_t thread = m->owner[write];
	if (index_of(m, write) >= m->limit[thread])
		return false;
	if (index_of(m, write) < passed(m, v, thread))
		return last_before(m, v, thread)->step == write && !is_hidden(m, v, write);
	return thread != m->owner[v->read] && !(in_cone(m, write) && is_before(m, v->read, write)) && !is_hidden(m, v, write);
}

/* The writes that the read may see, NONE for what was there when the part began: as many as there is room for. */
uint32_t norn_must_order_sources(
        const struct norn_must_state *m, const struct norn_must_view *v, uint32_t *ret_sources, uint32_t room)
{
	uint32_t found = 0;
	const struct norn_must_source key = {v->group, v->content, 0};
	bool written = false;
	uint32_t low = NORN_BISECT(0, m->write_lists.count, i, norn_must_order_by_content(&m->sources[i], &key) < 0);
	for (; low < m->write_lists.count && found < room; low++) {
		const struct norn_must_source *w = &m->sources[low];
		if (w->group != v->group || w->content != v->content)
			break;
		if (may_see(m, v, w->step))
			ret_sources[found++] = w->step;
	}
	for (uint32_t t = 0; t < m->threads && found < room && !written; t++)
		written = last_before(m, v, t);
	if (!written && found < room && m->part->contents[v->group] == v->content)
		ret_sources[found++] = NONE;
	return found;
}

/* Of these writes of one thread, those of the cone that certainly come after the source are the last: the first of them, count if
 * there is none. source NONE: all do. */
static uint32_t first_after(
        const struct norn_must_state *m, const struct norn_must_write *w, uint32_t from, uint32_t count, uint32_t source)
{
	return NORN_BISECT(from, count, i, in_cone(m, w[i].step) && source != NONE && !is_before(m, source, w[i].step));
}

/* The read sees this write, so no write of anything else comes between them. */
static bool see(struct norn_must_state *m, const struct norn_must_view *v, uint32_t source)
{
	bool possible = source == NONE || norn_must_order_add_edge(m, source, v->read, NULL);
	for (uint32_t t = 0; t < m->threads && possible; t++) {
		const struct norn_must_write *last = last_before(m, v, t);
		if (last && last->step != source && last->content != v->content)
			possible = source != NONE && norn_must_order_add_edge(m, last->step, source, NULL);
		if (t == m->owner[v->read])
			continue;
		uint32_t count;
		const struct norn_must_write *w = writes_of(m, v->group, t, &count);
		uint32_t i = first_after(m, w, writes_before(m, w, count, passed(m, v, t)), count, source);
		while (i < count && in_cone(m, w[i].step) && w[i].content == v->content)
			i++;
		if (i < count && in_cone(m, w[i].step) && possible)
			possible = norn_must_order_add_edge(m, v->read, w[i].step, NULL);
	}
	return possible;
}

/* Did anything change since its reads were followed that they depend on? */
static bool reads_stale(const struct norn_must_state *m, uint32_t step)
{
	const struct norn_step_model_step *s = step_at(m, step);
	uint32_t since = m->read_at[step];
	bool stale = m->entered_at[step] >= since || m->changed_at[step] >= since;
	for (uint32_t k = 0; k < s->read_count && !stale; k++)
		stale = m->group_at[m->part->accesses[s->read + k].group] >= since;
	return stale;
}

/* Of a read that may see two writes nothing follows: as long as it may see the two that were found last, no more are looked for. */
static bool still_sees_two(const struct norn_must_state *m, const struct norn_must_view *v, const uint32_t *two)
{
	return two[0] != two[1] && may_see(m, v, two[0]) && may_see(m, v, two[1]);
}

static bool follow_read(struct norn_must_state *m, uint32_t step, uint32_t access)
{
	const struct norn_step_model_access *a = &m->part->accesses[access];
	struct norn_must_view v = {step, a->group, a->content};
	uint32_t *two = m->two_sources[access], found[2];
	if (still_sees_two(m, &v, two))
		return true;
	uint32_t count = norn_must_order_sources(m, &v, found, 2);
	if (count == 2 && found[1] != NONE) {
		two[0] = found[0];
		two[1] = found[1];
	}
	return count > 1 || (count == 1 && see(m, &v, found[0]));
}

static bool follow_reads(struct norn_must_state *m)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t i = 0; i < m->total; i++) {
		uint32_t b = m->observed[i];
		if (p->steps[b].read_count == 0 || !in_cone(m, b) || !reads_stale(m, b))
			continue;
		m->read_at[b] = m->round;
		for (uint32_t k = 0; k < p->steps[b].read_count; k++)
			if (!follow_read(m, b, p->steps[b].read + k))
				return false;
	}
	return true;
}

/* ---- locks ---- */

/* Region a, of another thread, comes before region b. */
static bool region_before(struct norn_must_state *m, const struct norn_must_region *a, const struct norn_must_region *b)
{
	return a->give != NONE && norn_must_order_add_edge(m, a->give, b->take, NULL);
}

/* Has region a certainly begun before b, of another thread, has ended; or must it be over, as b never ends? */
static bool begins_before_end(const struct norn_must_state *m, const struct norn_must_region *a, const struct norn_must_region *b)
{
	if (a->take == NONE)
		return true;
	if (!in_cone(m, a->take))
		return false;
	if (b->give == NONE)
		return true;
	return is_before(m, a->take, in_cone(m, b->give) ? b->give : b->take);
}

/* The number of these regions that have certainly begun before b has ended. */
static uint32_t begun_before_end(
        const struct norn_must_state *m, const struct norn_must_region *a, uint32_t count, const struct norn_must_region *b)
{
	return NORN_BISECT(0, count, i, begins_before_end(m, a + i, b));
}

/* Region b has begun. */
static bool follow_region(struct norn_must_state *m, uint32_t object, uint32_t thread, const struct norn_must_region *b)
{
	const struct norn_must_object *o = &m->objects[object];
	if (o->outside && (!b->shared || o->outside >= NORN_STATE_EXCLUSIVE))
		return false; /* it is held, and not released in this part */
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t count;
		const struct norn_must_region *a = regions_of(m, object, t, &count);
		if (t == thread)
			continue;
		/* If the last of them is over, those before it are, too. */
		uint32_t begun = begun_before_end(m, a, count, b);
		uint32_t last = begun && b->shared ? a[begun - 1].exclusive : begun;
		if (last && !region_before(m, a + last - 1, b))
			return false;
	}
	return true;
}

/* Did anything change since the region was followed that this depends on? */
static bool region_stale(const struct norn_must_state *m, uint32_t object, const struct norn_must_region *b)
{
	return m->object_entered_at[object] >= b->followed_at || m->changed_at[b->take] >= b->followed_at ||
	       (b->give != NONE && m->changed_at[b->give] >= b->followed_at);
}

static bool follow_locks(struct norn_must_state *m)
{
	for (uint32_t o = 0; o < m->part->objects; o++) {
		for (uint32_t t = 0; t < m->threads && m->objects[o].plain; t++) {
			uint32_t count;
			struct norn_must_region *r = regions_of(m, o, t, &count);
			for (uint32_t i = 0; i < count; i++) {
				if (r[i].take == NONE || !in_cone(m, r[i].take) || !region_stale(m, o, r + i))
					continue;
				r[i].followed_at = m->round;
				if (!follow_region(m, o, t, r + i))
					return false;
			}
		}
	}
	return true;
}

/* ---- semaphores ---- */

/* A wait needs that enough is posted: how many posts can come before it, how many waits do? */
static bool follow_wait(struct norn_must_state *m, uint32_t wait)
{
	uint32_t object = step_at(m, wait)->object;
	int64_t value = m->objects[object].start;
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t count;
		const struct norn_must_change *c = changes_of(m, object, t, &count);
		for (uint32_t i = 0; i < count; i++) {
			bool before = c[i].step == wait || (t == m->owner[wait] ? c[i].step < wait : is_before(m, c[i].step, wait));
			bool possible = before || (t != m->owner[wait] && index_of(m, c[i].step) < m->limit[t] &&
			                                  !(in_cone(m, c[i].step) && is_before(m, wait, c[i].step)));
			value += c[i].up ? possible : -(int64_t)before;
		}
	}
	for (uint32_t t = 0; t < m->threads && value == 0; t++) { /* all of them are needed */
		uint32_t count;
		const struct norn_must_change *c = changes_of(m, object, t, &count);
		for (uint32_t i = count; t != m->owner[wait] && i-- > 0;)
			if (c[i].up && index_of(m, c[i].step) < m->limit[t] &&
			        !(in_cone(m, c[i].step) && is_before(m, wait, c[i].step))) {
				if (!norn_must_order_add_edge(m, c[i].step, wait, NULL))
					return false;
				break;
			}
	}
	return value >= 0;
}

static bool follow_semaphores(struct norn_must_state *m)
{
	const uint32_t *first = m->change_lists.first;
	for (uint32_t o = 0; o < m->part->objects; o++) {
		if (m->object_followed_at[o] > m->object_at[o])
			continue;
		m->object_followed_at[o] = m->round;
		if (!m->objects[o].counted || first[(o + 1ul) * m->threads] - first[(uint64_t)o * m->threads] > CHANGES)
			continue;
		for (uint32_t t = 0; t < m->threads; t++) {
			uint32_t count;
			const struct norn_must_change *c = changes_of(m, o, t, &count);
			for (uint32_t i = 0; i < count && in_cone(m, c[i].step); i++)
				if (!c[i].up && !follow_wait(m, c[i].step))
					return false;
		}
	}
	return true;
}

/* ---- conditions ---- */

uint32_t norn_must_order_sleep_before(const struct norn_must_state *m, uint32_t thread, uint32_t end)
{
	for (uint32_t i = end; i-- > m->part->first[thread];)
		if (step_at(m, i)->condition != NONE && step_at(m, i)->rule->wait == NORN_WAIT_SLEEP)
			return i;
	return NONE;
}

/* Can this notify be what wakes it? */
bool norn_must_order_may_wake(const struct norn_must_state *m, const struct norn_must_sleep *sleep, uint32_t notify)
{
	if (step_at(m, notify)->condition != sleep->condition || m->owner[notify] == sleep->thread ||
	        index_of(m, notify) >= m->limit[m->owner[notify]])
		return false;
	if (sleep->asleep != NONE && in_cone(m, sleep->asleep) && is_before(m, notify, sleep->asleep))
		return false;
	return sleep->awake == NONE || !in_cone(m, notify) || !is_before(m, sleep->awake, notify);
}

static bool follow_sleep(struct norn_must_state *m, const struct norn_must_sleep *sleep)
{
	uint32_t only = NONE, count = 0;
	if (sleep->asleep == NONE && m->part->sleep[sleep->thread] == NORN_STEP_MODEL_WOKEN)
		return true;
	for (uint32_t i = 0; i < m->notifies.count && count < 2; i++)
		if (norn_must_order_may_wake(m, sleep, m->notifies.items[i])) {
			only = m->notifies.items[i];
			count++;
		}
	if (count != 1)
		return count > 1;
	bool possible = sleep->awake == NONE ? norn_must_order_need_steps(m, m->owner[only], index_of(m, only) + 1)
	                                     : norn_must_order_add_edge(m, only, sleep->awake, NULL);
	return possible && (sleep->asleep == NONE || norn_must_order_add_edge(m, sleep->asleep, only, NULL));
}

/* Does a thread other than this one fall asleep on the condition, or did so before the part? */
static bool others_sleep(const struct norn_must_state *m, uint32_t condition, uint32_t thread)
{
	const struct norn_step_model *p = m->part;
	if (p->sleepers[condition])
		return true;
	for (uint32_t i = 0; i < m->total; i++)
		if (m->owner[i] != thread && p->steps[i].condition == condition && p->steps[i].rule->wait == NORN_WAIT_SLEEP)
			return true;
	return false;
}

/* The thread falls asleep by this step, and is not woken: broadcasts come before, and so do signals if no other thread sleeps. */
static bool follow_asleep(struct norn_must_state *m, uint32_t thread, uint32_t asleep)
{
	uint32_t condition = step_at(m, asleep)->condition;
	bool others = others_sleep(m, condition, thread);
	for (uint32_t i = 0; i < m->notifies.count; i++) {
		uint32_t n = m->notifies.items[i];
		if (step_at(m, n)->condition != condition || m->owner[n] == thread || !in_cone(m, n) ||
		        (others && step_at(m, n)->rule->wait == NORN_WAIT_SIGNAL))
			continue;
		if (!norn_must_order_add_edge(m, n, asleep, NULL))
			return false;
	}
	return true;
}

static bool follow_conditions(struct norn_must_state *m)
{
	const struct norn_step_model *p = m->part;
	if (m->conditions_followed_at > m->condition_at)
		return true;
	m->conditions_followed_at = m->round;
	for (uint32_t t = 0; t < m->threads && p->conditions; t++) {
		uint32_t asleep = NONE, end = p->first[t] + m->cone[t];
		for (uint32_t i = p->first[t]; i < end; i++) {
			const struct norn_step_model_step *s = p->steps + i;
			if (s->condition == NONE)
				continue;
			if (s->rule->wait == NORN_WAIT_SLEEP)
				asleep = i;
			if (s->rule->wait == NORN_WAIT_WOKEN &&
			        !follow_sleep(m, &(struct norn_must_sleep){t, s->condition, asleep, i}))
				return false;
		}
		if (end != p->first[t + 1] || asleep == NONE)
			continue;
		if (m->goal->wakes[t] == NORN_MUST_ORDER_ASLEEP && !follow_asleep(m, t, asleep))
			return false;
		if (m->goal->wakes[t] == NORN_MUST_ORDER_WOKEN &&
		        !follow_sleep(m, &(struct norn_must_sleep){t, step_at(m, asleep)->condition, asleep, NONE}))
			return false;
	}
	return true;
}

bool norn_must_order_saturate(struct norn_must_state *m)
{
	bool possible = true;
	do {
		m->changed = false;
		m->round++;
		possible = join_all(m) && follow_locks(m) && follow_semaphores(m) && follow_conditions(m) && follow_reads(m);
	} while (possible && m->changed);
	return possible;
}

void norn_must_order_undo(struct norn_must_state *m, uint32_t trail, uint32_t edges)
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
