/* Watch mode's fast path: events of which only the thread matters (norn_online_engine.follow), and those that change nothing for
 * now.
 *
 * It is there if one file of properties is watched, by engines that know it. The effect of a site or a lock on them is computed
 * once for each thread, and again when the thread's types change. Only the thread itself touches what is here, while it is busy. */
#include <string.h>

#include "runtime/hooks.h"
#include "runtime/watch/watch_state.h"

static struct norn_quick blind[NORN_QUICK];
__thread struct norn_quick *norn_quick __attribute__((tls_model("initial-exec"))) = blind;

static _Atomic uint64_t never; /* 0 for ever */

void norn_quick_forget(struct norn_watcher *w)
{
	norn_quick = w ? w->quick : blind;
	if (!w)
		return;
	for (unsigned i = 0; i < NORN_QUICK; i++)
		w->relevant += w->quick[i].passed;
	memset(w->quick, 0, sizeof w->quick);
	memset(w->locks, 0, sizeof w->locks);
}

static bool is_plain(const struct norn_checked_selector *s)
{
	return !s->condition && !s->slots_total;
}

static void make_loud(struct norn_quick *q, enum norn_quick_side side)
{
	q->what[side] = &never;
	q->is[side] = 1;
}

/* ---- prepared ---- */

/* The effect of these events on each engine, by the thread. False: to one of them they are not plain. */
static bool prepare_events(const struct norn_watcher *w, const uint32_t *events, uint32_t count, struct norn_prepared_events *to)
{
	to->count = 0;
	for (unsigned i = 0; i < NORN_ENGINES; i++) {
		struct norn_told *told = &to->of[to->count];
		*told = (struct norn_told){norn_online_engines[i], norn_watch.props[0].engines[i], {0}};
		if (!told->engine)
			continue;
		if (!told->table->prepare(told->engine, w->props[0].types, events, count, &told->prepared))
			return false;
		to->count += told->prepared.means;
	}
	return true;
}

/* The same of events that have candidates. */
static bool prepare_candidates(
        const struct norn_watcher *w, const struct norn_selector_list *candidates, struct norn_prepared_events *to)
{
	const struct norn_spec *spec = w->props[0].event_match->spec;
	uint32_t events[NORN_HITS_MAX], count = 0;
	for (uint32_t i = 0; i < candidates->count; i++) {
		const struct norn_checked_selector *s =
		        &spec->events[candidates->list[i].event].selectors[candidates->list[i].selector];
		if (!is_plain(s) || count == NORN_HITS_MAX)
			return false;
		if (s->thread_type == NORN_SLOT_NONE || w->props[0].types >> s->thread_type & 1)
			events[count++] = candidates->list[i].event;
	}
	return prepare_events(w, events, count, to);
}

static inline void tell(struct norn_watcher *w, struct norn_told *told, const struct norn_footprint *print, uint64_t lock)
{
	told->table->follow(told->engine, &w->props[0], &told->prepared, print, lock);
}

/* There is one that is told. */
static inline void follow(
        struct norn_watcher *w, struct norn_prepared_events *prepared, const struct norn_footprint *print, uint64_t lock)
{
	w->relevant++;
	tell(w, &prepared->of[0], print, lock);
	for (uint32_t i = 1; __builtin_expect(i < prepared->count, 0); i++)
		tell(w, &prepared->of[i], print, lock);
}

/* ---- calls ---- */

/* True if the site's caller must be known, or that the call is over even if it does not return. */
static bool wants_frames(
        const struct norn_watcher *w, const struct norn_selector_list *returns, const struct norn_prepared_events *prepared)
{
	const struct norn_spec *spec = w->props[0].event_match->spec;
	bool wanted = false;
	for (uint32_t i = 0; i < returns->count; i++)
		wanted |= spec->events[returns->list[i].event].selectors[returns->list[i].selector].anyhow;
	for (unsigned i = 0; i < prepared->count; i++)
		wanted |= prepared->of[i].prepared.acts;
	return wanted;
}

static bool prepare(struct norn_watcher *w, uint32_t site)
{
	const struct norn_event_match_site *s = *w->started ? norn_event_match_site(w->props[0].event_match, site) : NULL;
	struct norn_quick *q = &norn_quick[site % NORN_QUICK];
	struct norn_prepared_events *prepared = w->prepared[site % NORN_QUICK];
	if (!s) {
		/* An event that no property names does not take another's place. */
		if (*w->started && !q->key)
			*q = (struct norn_quick){.key = site + 1, .skips = (1u << NORN_QUICK_SIDES) - 1};
		return false;
	}
	w->relevant += q->passed;
	*q = (struct norn_quick){0}; /* the prepared are another's from here on */
	if (!prepare_candidates(w, &s->calls, &prepared[NORN_QUICK_ENTER]) ||
	        !prepare_candidates(w, &s->returns, &prepared[NORN_QUICK_LEAVE]))
		return false;
	q->frames = wants_frames(w, &s->returns, &prepared[NORN_QUICK_LEAVE]);
	for (unsigned side = 0; side < NORN_QUICK_SIDES; side++) {
		q->skips |= (uint8_t)(!prepared[side].count && !q->frames) << side;
		make_loud(q, side);
	}
	q->prepared = prepared;
	q->key = site + 1;
	return true;
}

/* True if no event of this kind changes anything for now, as the only engine that was told of this one says. */
static __attribute__((noinline)) void note_quiet(
        const struct norn_watcher *w, struct norn_quick *q, enum norn_quick_side side, uint32_t told)
{
	if (w->props[0].quiet && told == 1 && !q->frames) {
		q->what[side] = w->props[0].quiet;
		q->is[side] = w->props[0].quiet_is;
	} else {
		make_loud(q, side);
	}
}

static inline __attribute__((always_inline)) bool follow_call(uint32_t site, enum norn_quick_side side)
{
	struct norn_slot *self = norn_self;
	struct norn_watcher *w = norn_watcher;
	struct norn_quick *q = &norn_quick[site % NORN_QUICK];
	struct norn_footprint print = {.site = site,
	        .call_site = __norn_call_site,
	        .kind = side == NORN_QUICK_ENTER ? NORN_EVENT_ENTER : NORN_EVENT_LEAVE};
	if (q->key != site + 1 || w->awaited)
		return false;
	if (q->frames && side == NORN_QUICK_ENTER) {
		norn_watch_push(w, self->depth + 1, site, print.call_site);
	} else if (q->frames) {
		const struct norn_watch_frame *frame = norn_watch_pop(w, self->depth + 1);
		print.call_site = frame && frame->site == site ? frame->call_site : 0;
	}
	struct norn_prepared_events *prepared = &q->prepared[side];
	if (!prepared->count)
		return true;
	w->props[0].quiet = NULL;
	follow(w, prepared, &print, 0);
	if (w->props[0].quiet || q->what[side] != &never)
		note_quiet(w, q, side, prepared->count);
	norn_watch_settle(self, w);
	return true;
}

bool norn_quick_enter(uint32_t site)
{
	return follow_call(site, NORN_QUICK_ENTER);
}

bool norn_quick_leave(uint32_t site)
{
	return follow_call(site, NORN_QUICK_LEAVE);
}

bool norn_quick_call(struct norn_watcher *w, uint32_t site, enum norn_quick_side side)
{
	struct norn_quick *q = &norn_quick[site % NORN_QUICK];
	struct norn_slot *self = norn_busy();
	bool done = q->key == site + 1 || prepare(w, site);
	if (done && !(q->skips >> side & 1))
		done = side == NORN_QUICK_ENTER ? norn_quick_enter(site) : norn_quick_leave(site);
	norn_idle(self);
	return done;
}

/* ---- locks ---- */

static struct norn_quick_lock *prepare_lock(struct norn_watcher *w, const struct norn_event *event, uint32_t ranges)
{
	struct norn_quick_lock *lock = &w->locks[(event->addr >> 4) % NORN_QUICK_LOCKS];
	uint32_t events[NORN_HITS_MAX];
	w->look.count = 0;
	norn_event_match_lock(w->props[0].event_match, &w->props[0], event, &w->look);
	for (uint32_t i = 0; i < w->look.count; i++)
		events[i] = w->look.hits[i].event;
	lock->address = 0;
	if (!prepare_events(w, events, w->look.count, &lock->prepared))
		return NULL;
	lock->range_count = ranges;
	lock->address = event->addr;
	return lock;
}

bool norn_quick_acquired(struct norn_watcher *w, enum norn_sync_op op, uint64_t address, uint32_t site)
{
	struct norn_quick_lock *lock = &w->locks[(address >> 4) % NORN_QUICK_LOCKS];
	uint32_t ranges = atomic_load_explicit(&w->props[0].event_match->place_index.count, memory_order_acquire);
	if (lock->address != address || lock->range_count != ranges) {
		const struct norn_event event = {.kind = NORN_EVENT_SYNC,
		        .op = (uint8_t)op,
		        .known = true,
		        .thread = w->number,
		        .site = site,
		        .addr = address};
		if (!(lock = prepare_lock(w, &event, ranges)))
			return false;
	}
	const struct norn_footprint print = {.site = site, .kind = NORN_EVENT_SYNC, .op = (uint8_t)op};
	if (lock->prepared.count)
		follow(w, &lock->prepared, &print, op == NORN_SYNC_ACQUIRE ? address : 0);
	return true;
}

/* Locks that are fields, or that pointers lead to, are told apart at each acquisition. */
void norn_quick_open(void)
{
	const struct norn_watch_props *first = norn_watch.props;
	norn_watch.quick = norn_watch.plan.props_count == 1 && !first->has_machines;
	for (unsigned i = 0; i < NORN_ENGINES; i++)
		norn_watch.quick &= !first->engines[i] || norn_online_engines[i]->prepare;
	norn_watch.quick_locks = norn_watch.quick && !first->event_match.has_fields && !first->event_match.place_index.has_pointers;
	for (uint32_t i = 0; norn_watch.quick && i < first->event_match.locks.count; i++) {
		const struct norn_event_selector *candidate = &first->event_match.locks.list[i];
		norn_watch.quick_locks &=
		        is_plain(&first->event_match.spec->events[candidate->event].selectors[candidate->selector]);
	}
}
