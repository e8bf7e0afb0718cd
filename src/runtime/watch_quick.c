/* Watch mode's short way: events of which nothing but their thread matters (norn_online_engine.follow), and those that change nothing for now.
 *
 * It is there if one file of properties is watched, by an engine that knows it. What a site or a lock is to it is found out once for each thread, and
 * again when the thread's types change. Only the thread itself touches what is here, while it is busy. */
#include <string.h>

#include "runtime/watch_in.h"

__thread struct norn_quick norn_quick[NORN_QUICK] __attribute__((tls_model("initial-exec")));

static _Atomic uint64_t never; /* 0 for ever */
static const struct norn_quick loud = {.what = &never, .is = 1};

void norn_quick_forget(struct norn_watcher *w)
{
	for (unsigned i = 0; w && i < NORN_QUICK; i++)
		w->relevant += norn_quick[i].passed;
	memset(norn_quick, 0, sizeof norn_quick);
	if (w)
		memset(w->locks, 0, sizeof w->locks);
}

static const struct norn_online_engine *engine_of(void **ret_engine)
{
	*ret_engine = norn_watch.laws[0].engines[NORN_ENGINE_SCOPE];
	return norn_online_engines[NORN_ENGINE_SCOPE];
}

static bool is_plain(const struct norn_checked_selector *s)
{
	return !s->condition && !s->slots_total;
}

/* The events that these clues are for the thread. false: values matter. */
static bool find_events(
        const struct norn_watcher *w, const struct norn_clue_list *clues, uint32_t events[NORN_HITS_MAX], uint32_t *ret_count)
{
	const struct norn_spec *spec = w->laws[0].lens->spec;
	*ret_count = 0;
	for (uint32_t i = 0; i < clues->count; i++) {
		const struct norn_checked_selector *s = &spec->events[clues->list[i].event].selectors[clues->list[i].selector];
		if (!is_plain(s) || *ret_count == NORN_HITS_MAX)
			return false;
		if (s->thread_type == NORN_SLOT_NONE || w->laws[0].types >> s->thread_type & 1)
			events[(*ret_count)++] = clues->list[i].event;
	}
	return true;
}

/* Calls or returns of the site may mean something, not both. */
static bool prepare(struct norn_watcher *w, uint32_t site)
{
	const struct norn_lens_site *s = *w->started ? norn_lens_site(w->laws[0].lens, site) : NULL;
	uint32_t events[NORN_HITS_MAX], count;
	void *engine;
	const struct norn_online_engine *e = engine_of(&engine);
	if (!s || (s->calls.count && s->returns.count) || !find_events(w, s->calls.count ? &s->calls : &s->returns, events, &count))
		return false;
	struct norn_online_recipe *recipe = &w->recipes[site % NORN_QUICK];
	w->relevant += norn_quick[site % NORN_QUICK].passed;
	norn_quick[site % NORN_QUICK] = loud; /* the recipe is another's from here on */
	/* Where an action was called from must be known for sure, which takes both hooks. */
	if (!e->prepare(engine, w->laws[0].types, events, count, recipe) || (recipe->acts && s->returns.count))
		return false;
	struct norn_quick *q = &norn_quick[site % NORN_QUICK];
	q->skips = s->calls.count ? NORN_QUICK_LEAVE : NORN_QUICK_ENTER;
	if (!recipe->acts && !recipe->count)
		q->skips = NORN_QUICK_LEAVE | NORN_QUICK_ENTER;
	q->key = site + 1;
	return true;
}

bool norn_quick_call(struct norn_watcher *w, uint32_t site, uint32_t call_site, unsigned which)
{
	struct norn_quick *q = &norn_quick[site % NORN_QUICK];
	struct norn_slot *self = norn_busy();
	void *engine;
	if (q->key != site + 1 && !prepare(w, site)) {
		norn_idle(self);
		return false;
	}
	if (!(q->skips & which)) {
		const struct norn_online_engine *e = engine_of(&engine);
		struct norn_online_thread *t = &w->laws[0];
		t->quiet = NULL;
		w->relevant++;
		const struct norn_footprint print = {.site = site,
		        .call_site = call_site,
		        .kind = which == NORN_QUICK_ENTER ? NORN_EVENT_ENTER : NORN_EVENT_LEAVE};
		e->follow(engine, t, &w->recipes[site % NORN_QUICK], &print, 0);
		q->what = t->quiet ? t->quiet : loud.what;
		q->is = t->quiet ? t->quiet_is : loud.is;
		norn_watch_settle(self, w);
	}
	norn_idle(self);
	return true;
}

static struct norn_quick_lock *prepare_lock(struct norn_watcher *w, const struct norn_event *event, uint32_t zones)
{
	struct norn_quick_lock *lock = &w->locks[(event->addr >> 4) % NORN_QUICK_LOCKS];
	uint32_t events[NORN_HITS_MAX];
	void *engine;
	const struct norn_online_engine *e = engine_of(&engine);
	w->look.count = 0;
	norn_lens_lock(w->laws[0].lens, &w->laws[0], event, &w->look);
	for (uint32_t i = 0; i < w->look.count; i++)
		events[i] = w->look.hits[i].event;
	lock->address = 0;
	if (!e->prepare(engine, w->laws[0].types, events, w->look.count, &lock->recipe))
		return NULL;
	lock->zones = zones;
	lock->address = event->addr;
	return lock;
}

bool norn_quick_acquired(struct norn_watcher *w, enum norn_sync_op op, uint64_t address, uint32_t site)
{
	struct norn_quick_lock *lock = &w->locks[(address >> 4) % NORN_QUICK_LOCKS];
	uint32_t zones = atomic_load_explicit(&w->laws[0].lens->zones.count, memory_order_acquire);
	void *engine;
	if (lock->address != address || lock->zones != zones) {
		const struct norn_event event = {.kind = NORN_EVENT_SYNC,
		        .op = (uint8_t)op,
		        .known = true,
		        .thread = w->number,
		        .site = site,
		        .addr = address};
		if (!(lock = prepare_lock(w, &event, zones)))
			return false;
	}
	if (!lock->recipe.acts && !lock->recipe.count)
		return true;
	const struct norn_online_engine *e = engine_of(&engine);
	w->relevant++;
	const struct norn_footprint print = {.site = site, .kind = NORN_EVENT_SYNC, .op = (uint8_t)op};
	e->follow(engine, &w->laws[0], &lock->recipe, &print, op == NORN_SYNC_ACQUIRE ? address : 0);
	return true;
}

/* Locks that are fields, or that pointers lead to, are told apart at each acquisition. */
void norn_quick_open(void)
{
	const struct norn_watch_law *first = norn_watch.laws;
	norn_watch.quick = norn_watch.plan.law_count == 1 && !first->has_machines && !first->engines[NORN_ENGINE_MTTL] &&
	                   first->engines[NORN_ENGINE_SCOPE];
	norn_watch.quick_locks = norn_watch.quick && !first->lens.has_fields && !first->lens.zones.has_pointers;
	for (uint32_t i = 0; norn_watch.quick && i < first->lens.locks.count; i++) {
		const struct norn_online_clue *clue = &first->lens.locks.list[i];
		norn_watch.quick_locks &= is_plain(&first->lens.spec->events[clue->event].selectors[clue->selector]);
	}
}
