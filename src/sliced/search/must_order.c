#include "sliced/search/must_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "sliced/search/must_order_state.h"

#define CLOCKS_MOST (UINT64_C(32) << 20) /* entries of all clocks */
#define WAYS 64u /* that a branch follows; if there are more, its failure proves nothing */

/* ---- order ---- */

static bool clock_allows(const struct norn_must_state *m, uint32_t step)
{
	const uint32_t *c = clock_of(m, step);
	uint32_t owner = m->owner[step], last = m->awaits[owner];
	if (c[last] > m->node[last] && last != owner)
		return false; /* mostly it still waits for the same one */
	for (uint32_t t = 0; t < m->threads; t++)
		if (c[t] > m->node[t] && t != owner) {
			m->awaits[owner] = t;
			return false;
		}
	return true;
}

/* The thread that a signal wakes now, as of woke. */
static uint32_t first_sleeper(const struct norn_must_state *m, uint32_t condition)
{
	const struct norn_step_model *p = m->part;
	const uint32_t *sleep = norn_step_model_sleep(p, m->node);
	for (uint32_t t = 0; t < m->threads; t++)
		if (sleep[t] == ((condition + 1) << 16 | 1))
			return t + 1;
	return m->node[m->threads + p->byte_groups + p->objects + condition] ? OUTSIDE : 0; /* so many sleep on it */
}

static void make(struct norn_must_state *m, uint32_t step)
{
	const struct norn_step_model *p = m->part;
	if (notifies(p->steps + step))
		m->woke[step] = first_sleeper(m, p->steps[step].condition);
	assert(step == p->first[m->owner[step]] + m->node[m->owner[step]]); /* the next one of its thread */
	norn_step_model_make(p, p->steps + step, m->owner[step], m->node);
	for (uint32_t k = 0; k < p->steps[step].write_count; k++)
		m->writer[p->accesses[p->steps[step].write + k].group] = step + 1;
	m->made[m->made_count++] = step;
	m->cost++;
}

/* The step to be made next, as observed if possible. NONE: none can be; *ret_blocked is the first that the clocks allow, NONE
 * if all of the cone is made. */
static uint32_t choose(const struct norn_must_state *m, uint32_t *ret_blocked)
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

/* A thread that is to have been woken, and has not; or the other way round. */
static uint32_t sleeper(const struct norn_must_state *m)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t t = 0; t < m->threads && p->conditions; t++) {
		bool woken = norn_step_model_sleep(p, m->node)[t] == NORN_STEP_MODEL_WOKEN;
		if (m->node[t] == p->first[t + 1] - p->first[t] && m->goal->wakes[t] != NORN_MUST_ORDER_ANY &&
		        woken != (m->goal->wakes[t] == NORN_MUST_ORDER_WOKEN))
			return t;
	}
	return NONE;
}

/* True: the goal is reached. Otherwise *ret_blocked is a step that cannot be made, NONE if only a sleeper is left. */
static bool go(struct norn_must_state *m, uint32_t *ret_blocked)
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

static bool is_made(const struct norn_must_state *m, uint32_t step)
{
	return index_of(m, step) < m->node[m->owner[step]];
}

/* The region of the lock that keeps the step from being made; NULL: none is known. */
static const struct norn_must_region *holder(const struct norn_must_state *m, uint32_t object, uint32_t step, bool shared)
{
	const struct norn_must_region mine = {.take = step, .give = NONE, .shared = shared};
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t count;
		const struct norn_must_region *a = regions_of(m, object, t, &count);
		for (uint32_t i = 0; i < count && t != m->owner[step]; i++)
			if (conflict(a + i, &mine) && (a[i].take == NONE || is_made(m, a[i].take)) &&
			        (a[i].give == NONE || !is_made(m, a[i].give)))
				return a + i;
	}
	return NULL;
}

static uint32_t give_of(const struct norn_must_state *m, uint32_t take)
{
	uint32_t count, object = step_at(m, take)->object;
	const struct norn_must_region *r = regions_of(m, object, m->owner[take], &count);
	for (uint32_t i = 0; i < count; i++)
		if (r[i].take == take)
			return r[i].give;
	return NONE;
}

/* The lock has been destroyed: the step comes before that. */
static void alive_ways(const struct norn_must_state *m, uint32_t step, struct ways *w)
{
	for (uint32_t i = 0; i < m->made_count; i++) {
		const struct norn_step_model_step *s = step_at(m, m->made[i]);
		if (s->object == step_at(m, step)->object && s->rule->effect == NORN_EFFECT_DESTROY)
			add_way(w, step, m->made[i], NONE, NONE);
	}
}

/* Either region comes first. */
static void lock_ways(const struct norn_must_state *m, uint32_t step, struct ways *w)
{
	const struct norn_step_model_step *s = step_at(m, step);
	if (s->rule->guard != NORN_GUARD_POSITIVE &&
	        m->node[m->threads + m->part->byte_groups + s->object] == NORN_STATE_DESTROYED) {
		alive_ways(m, step, w);
		return;
	}
	const struct norn_must_region *a = holder(m, s->object, step, s->rule->guard == NORN_GUARD_NO_WRITER);
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
static void semaphore_ways(const struct norn_must_state *m, uint32_t step, bool up, struct ways *w)
{
	if (up && m->objects[step_at(m, step)->object].binary) {
		lock_ways(m, step, w);
		return;
	}
	uint32_t object = step_at(m, step)->object;
	for (uint32_t t = 0; t < m->threads; t++) {
		uint32_t count, next = NONE, last = NONE;
		const struct norn_must_change *c = changes_of(m, object, t, &count);
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
static void try_ways(const struct norn_must_state *m, uint32_t step, bool exclusive, struct ways *w)
{
	const struct norn_step_model_step *s = step_at(m, step);
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t t = 0; t < m->threads; t++) {
			uint32_t count;
			const struct norn_must_region *r = regions_of(m, s->object, t, &count);
			for (uint32_t i = 0; i < count && t != m->owner[step]; i++) {
				if (exclusive && r[i].shared)
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
static bool read_ways(const struct norn_must_state *m, uint32_t step, struct ways *w)
{
	const struct norn_step_model *p = m->part;
	for (uint32_t k = 0; k < p->steps[step].read_count; k++) {
		const struct norn_step_model_access *a = &p->accesses[p->steps[step].read + k];
		if (m->node[m->threads + a->group] == a->content)
			continue;
		struct norn_must_view v = {step, a->group, a->content};
		uint32_t found[WAYS], count = norn_must_order_sources(m, &v, found, WAYS), last = m->writer[a->group];
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
static uint32_t sleep_of_woken(const struct norn_must_state *m, uint32_t signal)
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

static bool is_certain(const struct norn_must_state *m, uint32_t a, uint32_t b)
{
	return a == NONE || (b == NONE ? in_cone(m, a) : in_cone(m, b) && is_before(m, a, b));
}

/* The signal woke another thread than it should, which had slept longer: that one falls asleep later, or is woken by another notify
 * before. */
static void signal_ways(const struct norn_must_state *m, const struct norn_must_sleep *sleep, uint32_t signal, struct ways *w)
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
static void wake_ways(const struct norn_must_state *m, const struct norn_must_sleep *sleep, struct ways *w)
{
	uint32_t from = sleep->asleep == NONE ? 0 : step_at(m, sleep->asleep)->event;
	uint32_t to = sleep->awake == NONE ? UINT32_MAX : step_at(m, sleep->awake)->event;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < m->notifies.count; i++) {
			uint32_t n = m->notifies.items[i];
			bool between = step_at(m, n)->event > from && step_at(m, n)->event < to;
			if (!norn_must_order_may_wake(m, sleep, n) || between != (round == 0))
				continue;
			if (!is_certain(m, sleep->asleep, n) || !is_certain(m, n, sleep->awake))
				add_way(w, sleep->asleep, n, n, sleep->awake);
			else if (is_made(m, n) && step_at(m, n)->rule->wait == NORN_WAIT_SIGNAL)
				signal_ways(m, sleep, n, w);
		}
}

/* A thread fell asleep by this step, and another notify woke it before the one that should: that comes before its sleep, or later
 * than the other. */
static void wake_later(const struct norn_must_state *m, uint32_t asleep, uint32_t notify, struct ways *w)
{
	w->open = true; /* or it wakes a third one */
	for (uint32_t i = 0; i < m->notifies.count; i++) {
		uint32_t n = m->notifies.items[i];
		if (n == notify || step_at(m, n)->condition != step_at(m, asleep)->condition || m->owner[n] == m->owner[asleep] ||
		        !is_made(m, n))
			continue;
		if (!is_certain(m, n, asleep) && !is_certain(m, notify, n)) {
			add_way(w, n, asleep, NONE, NONE);
			add_way(w, notify, n, NONE, NONE);
		}
	}
}

/* A signal woke the thread, which is to sleep: it comes before that, or it wakes another thread that falls asleep before. */
static void asleep_ways(const struct norn_must_state *m, uint32_t thread, struct ways *w)
{
	const struct norn_step_model *p = m->part;
	uint32_t asleep = norn_must_order_sleep_before(m, thread, p->first[thread + 1]), at = m->made_count;
	while (at-- > 0 && !(notifies(step_at(m, m->made[at])) && m->woke[m->made[at]] == thread + 1))
		;
	if (asleep == NONE || at == UINT32_MAX) {
		w->open = true; /* it slept before the part */
		return;
	}
	uint32_t notify = m->made[at], condition = step_at(m, asleep)->condition;
	add_way(w, notify, asleep, NONE, NONE);
	w->open |= p->sleepers[condition] != 0;
	for (uint32_t i = 0; i < m->total; i++) {
		const struct norn_step_model_step *s = p->steps + i;
		if (m->owner[i] == thread || s->condition != condition || s->rule->wait != NORN_WAIT_SLEEP)
			continue;
		if (is_certain(m, i, asleep) && is_certain(m, i, notify))
			wake_later(m, i, notify, w);
		else
			add_way(w, i, asleep, i, notify);
	}
}

static void find_ways(const struct norn_must_state *m, uint32_t step, struct ways *w)
{
	const struct norn_step_model *p = m->part;
	w->count = 0;
	w->open = false;
	if (step == NONE) {
		uint32_t t = sleeper(m);
		if (m->goal->wakes[t] == NORN_MUST_ORDER_ASLEEP) {
			asleep_ways(m, t, w);
			return;
		}
		wake_ways(m,
		        &(struct norn_must_sleep){t, (norn_step_model_sleep(p, m->node)[t] >> 16) - 1,
		                norn_must_order_sleep_before(m, t, p->first[t + 1]), NONE},
		        w);
		return;
	}
	const struct norn_step_model_step *s = p->steps + step;
	uint32_t thread = m->owner[step];
	if (read_ways(m, step, w))
		return;
	if (s->condition != NONE && s->rule->wait == NORN_WAIT_WOKEN &&
	        norn_step_model_sleep(p, m->node)[thread] != NORN_STEP_MODEL_WOKEN) {
		wake_ways(
		        m, &(struct norn_must_sleep){thread, s->condition, norn_must_order_sleep_before(m, thread, step), step}, w);
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
static bool take_edge(struct norn_must_state *m, uint32_t a, uint32_t b, bool *ret_new)
{
	if (a == NONE)
		return true;
	if (b != NONE)
		return norn_must_order_add_edge(m, a, b, ret_new);
	*ret_new |= !in_cone(m, a);
	return norn_must_order_need_steps(m, m->owner[a], index_of(m, a) + 1);
}

/* False: the way leads nowhere, or is none, as all of it is known already. */
static bool take(struct norn_must_state *m, uint32_t (*way)[2])
{
	bool news = false;
	return take_edge(m, way[0][0], way[0][1], &news) && take_edge(m, way[1][0], way[1][1], &news) && news &&
	       norn_must_order_saturate(m);
}

static bool search(struct norn_must_state *m)
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
			norn_must_order_undo(m, trail, edges);
	}
	free(w);
	return found;
}

bool norn_must_order_reached(const struct norn_step_model *p, const struct norn_must_order_goal *goal, const uint32_t *node)
{
	for (uint32_t t = 0; t < p->threads; t++) {
		bool woken = p->conditions && norn_step_model_sleep(p, node)[t] == NORN_STEP_MODEL_WOKEN;
		if (node[t] < goal->counts[t])
			return false;
		if (p->conditions && goal->wakes[t] != NORN_MUST_ORDER_ANY && woken != (goal->wakes[t] == NORN_MUST_ORDER_WOKEN))
			return false;
	}
	return true;
}

/* Thousands of threads at once: clocks would take more memory than a search is worth. */
static bool is_too_wide(const struct norn_step_model *part)
{
	return (norn_step_model_total(part) + UINT64_C(1)) * part->threads > CLOCKS_MOST;
}

enum norn_must_order_result norn_must_order(const struct norn_step_model *part, const struct norn_must_order_goal *goal,
        unsigned branches, uint64_t *cost, uint32_t *ret_made, uint32_t *ret_count)
{
	struct norn_must_state m = {.part = part, .goal = goal, .branches = branches, .made = ret_made};
	*ret_count = 0;
	if (is_too_wide(part))
		return NORN_MUST_ORDER_GIVEN_UP;
	norn_must_order_init(&m);
	bool possible = true;
	for (uint32_t t = 0; t < m.threads && possible; t++)
		possible = norn_must_order_need_steps(&m, t, goal->counts[t]);
	bool found = possible && norn_must_order_saturate(&m) && search(&m);
	assert(m.made_count <= m.total);
	*ret_count = found ? m.made_count : 0;
	*cost += m.cost;
	norn_must_order_done(&m);
	return found ? NORN_MUST_ORDER_FOUND : m.open ? NORN_MUST_ORDER_GIVEN_UP : NORN_MUST_ORDER_NEVER;
}
