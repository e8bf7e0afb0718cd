#include "runtime/watch/watch.h"

#include <assert.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>

#include "runtime/heap.h"
#include "runtime/hooks.h"
#include "runtime/record/shadow.h"
#include "runtime/sys.h"
#include "runtime/watch/watch_state.h"
#include "runtime/watch/watch_words.h"

bool norn_watching;
_Atomic uint64_t norn_watch_low, norn_watch_span = UINT64_MAX;
struct norn_watch norn_watch = {.json = -1};
__thread struct norn_watcher *norn_watcher __attribute__((tls_model("initial-exec")));

static struct norn_online_lock adding; /* for adding modules */
static struct norn_online_lock resting_lock;
static struct norn_watcher *resting; /* watchers of threads that have ended, for those to come */

/* The state of a thread that has ended, for its joiner. By number; written by the thread itself before it ends. */
#define REMAINS 65536u
static struct remains {
	char started[NORN_WATCH_FUNCTION];
	uint64_t types[NORN_WATCH_PROPS_MAX];
} *_Atomic remains;

/* ---- modules ---- */

/* The range of memory that scalar hooks must report. Pointers may lead anywhere, fields are told by their sites, and knowledge
 * travels through all. */
static void find_bounds(void)
{
	uint64_t low = UINT64_MAX, high = 0;
	bool all = norn_watch.wants_words;
	for (uint32_t l = 0; l < norn_watch.props_count && norn_watch.wants_memory; l++) {
		const struct norn_event_match *event_match = &norn_watch.props[l].event_match;
		uint64_t own_low = atomic_load(&event_match->place_index.low),
		         own_high = atomic_load(&event_match->place_index.high);
		all |= event_match->has_fields || event_match->place_index.has_pointers;
		low = own_low < low ? own_low : low;
		high = own_high > high ? own_high : high;
	}
	if (all || high > low) {
		atomic_store(&norn_watch_low, all || low < 8 ? 0 : low - 7); /* the first bytes of an access may lie before */
		atomic_store(&norn_watch_span, all ? UINT64_MAX : high - atomic_load(&norn_watch_low));
	} else {
		atomic_store(&norn_watch_span, 0);
	}
}

void norn_watch_module(uint32_t base, uintptr_t load, const char *path, const struct norn_site_table *table)
{
	size_t length = strlen(path) + 1;
	char *kept = norn_heap_malloc(length);
	if (!kept)
		return;
	memcpy(kept, path, length);
	const struct norn_loaded module = {base, table->sites, load, kept, table};
	norn_online_lock(&adding);
	const struct norn_loaded *added = norn_modules_add(&norn_watch.modules, &module);
	for (uint32_t l = 0; added && l < norn_watch.props_count; l++) {
		struct norn_watch_props *props = &norn_watch.props[l];
		/* Machines look at ranges under their lock, which is held while ranges are added. */
		norn_live_monitors_lock(props->machines);
		norn_event_match_add(&props->event_match, added, atomic_load(&norn_watch.running));
		norn_live_monitors_unlock(props->machines);
	}
	find_bounds();
	norn_online_unlock(&adding);
}

/* ---- threads ---- */

static struct norn_watcher *take_watcher(void)
{
	norn_online_lock(&resting_lock);
	struct norn_watcher *w = resting;
	if (w)
		resting = w->next;
	norn_online_unlock(&resting_lock);
	struct norn_watch_frame *frames = w ? w->frames : NULL;
	uint32_t room = w ? w->frame_room : 0;
	if (!w && !(w = norn_heap_malloc(sizeof *w)))
		return NULL;
	memset(w, 0, offsetof(struct norn_watcher, queue));
	w->queue.count = 0;
	w->queue.lost = 0;
	w->look = (struct norn_look){.room = NORN_HITS_MAX, .hits = w->hits, .slots = w->slots, .slots_each = NORN_HIT_SLOTS};
	w->frames = frames;
	w->frame_room = room;
	return w;
}

static void give_watcher(struct norn_watcher *w)
{
	norn_online_lock(&resting_lock);
	w->next = resting;
	resting = w;
	norn_online_unlock(&resting_lock);
}

/* "main/2/1": of the parent's path, which is known if the parent is still there or was recorded; else by number. */
static void name_path(struct norn_watcher *w, const struct norn_slot *self)
{
	static struct paths {
		char text[64];
	} *_Atomic all;
	struct paths *paths = atomic_load(&all);
	if (!paths) {
		struct paths *none = NULL;
		paths = norn_sys_memory(REMAINS * sizeof *paths);
		if (!atomic_compare_exchange_strong(&all, &none, paths))
			paths = none;
	}
	const char *parent = paths && self->parent < REMAINS ? paths[self->parent].text : "";
	if (w->number == 0)
		strcpy(w->path, "main");
	else if (*parent && self->ordinal)
		snprintf(w->path, sizeof w->path, "%s/%u", parent, self->ordinal);
	else
		snprintf(w->path, sizeof w->path, "#%u", w->number);
	if (paths && w->number < REMAINS)
		memcpy(paths[w->number].text, w->path, sizeof w->path);
}

void norn_watch_find_types(struct norn_watcher *w)
{
	norn_quick_forget(w);
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		w->props[l].types =
		        norn_event_match_types(&norn_watch.props[l].event_match, w->number, w->path, w->name, w->started);
	norn_watch_words_retype(w);
}

static void create(struct norn_slot *self)
{
	struct norn_watcher *w = take_watcher();
	if (!w) {
		atomic_fetch_add(&norn_watch.lost, 1);
		return;
	}
	w->number = self->thread;
	w->started[0] = 0;
	name_path(w, self);
	atomic_fetch_add(&norn_watch.threads, 1);
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		w->props[l] = (struct norn_online_thread){.number = w->number,
		        .path = w->path,
		        .name = w->name,
		        .verdicts = &w->queue,
		        .event_match = &norn_watch.props[l].event_match};
	norn_watcher = w;
}

static void tell_sync(struct norn_watcher *w, uint64_t key, unsigned op, uint32_t site)
{
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		for (unsigned i = 0; i < NORN_ENGINES; i++) {
			void *engine = norn_watch.props[l].engines[i];
			w->props[l].site = site;
			if (engine && norn_online_engines[i]->sync && !(norn_is_lock_op(op) && norn_online_engines[i]->access))
				norn_online_engines[i]->sync(engine, &w->props[l], key, op);
		}
}

static void forget(struct norn_watcher *w, uint64_t key)
{
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		for (unsigned i = 0; i < NORN_ENGINES; i++) {
			void *engine = norn_watch.props[l].engines[i];
			if (engine && norn_online_engines[i]->forget)
				norn_online_engines[i]->forget(engine, &w->props[l], key);
		}
}

static void tell_start(struct norn_watcher *w, bool exits)
{
	const struct norn_event event = {.kind = NORN_EVENT_THREAD,
	        .op = exits ? NORN_THREAD_END : NORN_THREAD_BEGIN,
	        .known = true,
	        .thread = w->number,
	        .value = w->number};
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		w->look.count = 0;
		norn_event_match_start(&norn_watch.props[l].event_match, &w->props[l], &event, exits, w->started, &w->look);
		norn_watch_tell(w, l, &event, &w->look);
	}
}

/* With the thread's first event, since only then it is known what kind of thread it is. */
static bool begin(struct norn_watcher *w)
{
	w->begun = true;
	atomic_store_explicit(&norn_watch.running, true, memory_order_relaxed);
	norn_watch_find_types(w);
	norn_watch_words_begin(w);
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		struct norn_watch_props *props = &norn_watch.props[l];
		w->scratches[l] = norn_live_monitors_begin(props->machines, &w->props[l]);
		if (!w->scratches[l])
			return false;
		for (unsigned i = 0; i < NORN_ENGINES; i++)
			if (props->engines[i] && norn_online_engines[i]->begin)
				norn_online_engines[i]->begin(props->engines[i], &w->props[l]);
	}
	tell_sync(w, NORN_KEY_THREAD + w->number, NORN_ONLINE_BEGIN, 0);
	if (norn_watch.wants_threads)
		tell_start(w, false);
	return true;
}

struct norn_watcher *norn_watcher_ready(void)
{
	struct norn_watcher *w = norn_watcher;
	if (!w || w->begun)
		return w;
	if (begin(w))
		return w;
	norn_watcher = NULL; /* no memory: it is not watched */
	norn_quick_forget(NULL);
	norn_watch_words_end();
	atomic_fetch_add(&norn_watch.lost, 1);
	return NULL;
}

void norn_watch_withdraw(void)
{
	if (!norn_watcher)
		return;
	norn_watcher = NULL;
	norn_quick_forget(NULL);
	norn_watch_words_end();
	if (norn_watch.ring) /* at once: its process may end without another word */
		atomic_fetch_add(&norn_watch.ring->lost, 1);
}

static void keep_remains(const struct norn_watcher *w)
{
	struct remains *all = atomic_load(&remains);
	if (!all) {
		struct remains *none = NULL;
		all = norn_sys_memory(REMAINS * sizeof *all);
		if (!atomic_compare_exchange_strong(&remains, &none, all))
			all = none;
	}
	if (!all || w->number >= REMAINS)
		return;
	memcpy(all[w->number].started, w->started, sizeof w->started);
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		all[w->number].types[l] = w->props[l].types;
}

/* The outcome of the thread's events for the monitors. */
static struct norn_watch_counts counts_of(struct norn_watcher *w)
{
	struct norn_watch_counts counts;
	norn_quick_forget(w);
	counts.events = counts.relevant = w->relevant;
	counts.missed = w->look.missed;
	w->look.missed = 0;
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		counts.events += w->props[l].told;
		counts.relevant += w->props[l].named;
	}
	return counts;
}

static void say_exit(struct norn_watcher *w)
{
	if (norn_watch.wants_threads && !w->said_exit)
		tell_start(w, true);
	w->said_exit = true;
}

static void end(struct norn_slot *self)
{
	struct norn_watcher *w = norn_watcher_ready();
	if (!w)
		return;
	say_exit(w);
	if (norn_watch.wants_threads)
		keep_remains(w);
	tell_sync(w, NORN_KEY_THREAD + w->number, NORN_ONLINE_END, 0);
	norn_watch_words_end();
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		struct norn_watch_props *props = &norn_watch.props[l];
		for (unsigned i = 0; i < NORN_ENGINES; i++)
			if (props->engines[i] && norn_online_engines[i]->end)
				norn_online_engines[i]->end(props->engines[i], &w->props[l]);
		norn_live_monitors_end(props->machines, &w->props[l], w->scratches[l]);
		w->scratches[l] = NULL;
	}
	const struct norn_watch_counts counts = counts_of(w);
	atomic_fetch_add_explicit(&norn_watch.events, counts.events, memory_order_relaxed);
	atomic_fetch_add_explicit(&norn_watch.relevant, counts.relevant, memory_order_relaxed);
	atomic_fetch_add_explicit(&norn_watch.missed, counts.missed, memory_order_relaxed);
	norn_watch_settle(self, w);
	norn_watch_deliver(self);
	norn_watcher = NULL;
	norn_quick_forget(NULL);
	give_watcher(w);
}

static void joined(struct norn_watcher *w, uint32_t thread, uint32_t site)
{
	tell_sync(w, NORN_KEY_THREAD + thread, NORN_ONLINE_JOIN, site);
	const struct remains *all = atomic_load(&remains);
	const struct norn_event event = {.kind = NORN_EVENT_THREAD,
	        .op = NORN_THREAD_JOIN,
	        .known = true,
	        .thread = w->number,
	        .site = site,
	        .value = thread};
	for (uint32_t l = 0; all && thread < REMAINS && *all[thread].started && l < norn_watch.props_count; l++) {
		w->look.count = 0;
		norn_event_match_join(&norn_watch.props[l].event_match, &w->props[l], &event, all[thread].types[l],
		        all[thread].started, &w->look);
		norn_watch_tell(w, l, &event, &w->look);
	}
	forget(w, NORN_KEY_THREAD + thread);
}

/* It was announced, and could not be made. */
static void lost_child(struct norn_watcher *w, uint32_t thread, uint32_t site)
{
	tell_sync(w, NORN_KEY_THREAD + thread, NORN_ONLINE_JOIN, site);
	forget(w, NORN_KEY_THREAD + thread);
}

/* The function that starts here, if a property names it as what threads start with. */
static const char *routine_at(uint64_t address)
{
	uint32_t count = atomic_load_explicit(&norn_watch.modules.count, memory_order_acquire);
	for (uint32_t i = 0; i < norn_watch.plan.function_count; i++) {
		const struct norn_plan_function *f = &norn_watch.plan.functions[i];
		const struct norn_plan_module *m = &norn_watch.plan.modules[f->module];
		for (uint32_t k = 0; k < count; k++)
			if (f->address + norn_watch.modules.list[k].load - m->base == address &&
			        norn_module_is(m->path, norn_watch.modules.list[k].path))
				return f->name;
	}
	return "";
}

/* Tells of a thread that is about to be made. Types that follow from its name, or from a function that unseen code calls first, are
 * known only later. */
static void forked(const struct norn_slot *self, struct norn_watcher *w, uint32_t thread, uint64_t routine, uint32_t site)
{
	char path[sizeof w->path];
	const char *started = routine_at(routine);
	snprintf(path, sizeof path, "%.*s/%u", (int)sizeof path - 12, w->path, self->children);
	for (uint32_t l = 0; l < norn_watch.props_count; l++)
		w->props[l].child_types = norn_event_match_types(&norn_watch.props[l].event_match, thread, path, "", started);
	tell_sync(w, NORN_KEY_THREAD + thread, NORN_ONLINE_FORK, site);
}

void norn_watch_thread(enum norn_thread_op op, uint32_t thread, uint64_t argument, uint32_t site)
{
	struct norn_slot *self = norn_busy();
	if (!self)
		return;
	struct norn_watcher *w;
	switch (op) {
	case NORN_THREAD_BEGIN:
		create(self);
		break;
	case NORN_THREAD_END:
		end(self);
		break;
	case NORN_THREAD_FORK:
	case NORN_THREAD_FORK_FAILED:
	case NORN_THREAD_JOIN:
	case NORN_THREAD_EXIT:
		if (!(w = norn_watcher_ready()))
			break;
		if (op == NORN_THREAD_FORK)
			forked(self, w, thread, argument, site);
		else if (op == NORN_THREAD_FORK_FAILED)
			lost_child(w, thread, site);
		else if (op == NORN_THREAD_JOIN)
			joined(w, thread, site);
		else
			say_exit(w);
		norn_watch_settle(self, w);
		break;
	default:
		break;
	}
	norn_idle(self);
}

void norn_watch_name(const char *name, size_t length)
{
	struct norn_slot *self = norn_busy();
	struct norn_watcher *w = self ? norn_watcher : NULL;
	if (w) {
		size_t kept = length < sizeof w->name ? length : sizeof w->name - 1;
		memcpy(w->name, name, kept);
		w->name[kept] = 0;
		if (w->begun)
			norn_watch_find_types(w);
	}
	norn_idle(self);
}

/* ---- telling ---- */

/* Hits that turned out not to hold are left out. */
static uint32_t compact(struct norn_look *look)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < look->count; i++) {
		if (look->hits[i].holds == NORN_TRUTH_NO)
			continue;
		if (kept != i)
			look->hits[kept] = look->hits[i];
		kept++;
	}
	return kept;
}

void norn_watch_tell_engines(struct norn_watcher *w, uint32_t l, const struct norn_event *event, struct norn_look *look)
{
	uint32_t count = compact(look);
	w->relevant += count && !norn_watch.props[l].has_machines; /* machines count for themselves */
	for (unsigned i = 0; count && i < NORN_ENGINES; i++) {
		void *engine = norn_watch.props[l].engines[i];
		if (engine && norn_online_engines[i]->event)
			norn_online_engines[i]->event(engine, &w->props[l], event, look->hits, count);
	}
}

void norn_watch_tell(struct norn_watcher *w, uint32_t l, const struct norn_event *event, struct norn_look *look)
{
	if (!look->count)
		return;
	if (norn_watch.props[l].has_machines)
		norn_live_monitors_event(norn_watch.props[l].machines, &w->props[l], w->scratches[l], event, look);
	norn_watch_tell_engines(w, l, event, look);
}

/* ---- locks, marks ---- */

/* True if a lock at this address may be one that a property names. */
static bool may_be_named(uintptr_t address)
{
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		struct norn_event_match *event_match = &norn_watch.props[l].event_match;
		if (event_match->has_fields ||
		        (address >= atomic_load_explicit(&event_match->place_index.low, memory_order_relaxed) &&
		                address < atomic_load_explicit(&event_match->place_index.high, memory_order_relaxed)))
			return true;
	}
	return false;
}

static void tell_order(struct norn_watcher *w, enum norn_sync_op op, uintptr_t object, uint32_t site)
{
	if (norn_is_lock_op(op) || op == NORN_SYNC_DESTROY)
		norn_watch_lock(w, op, (const void *)object, site);
	if (op == NORN_SYNC_DESTROY)
		forget(w, object);
	else if (op != NORN_SYNC_CREATE && op != NORN_SYNC_TRY_FAILED && (norn_watch.wants_orders || !norn_is_lock_op(op)))
		tell_sync(w, object, op, site);
}

static void tell_lock(struct norn_watcher *w, enum norn_sync_op op, uintptr_t object, uint32_t site)
{
	const struct norn_event event = {
	        .kind = NORN_EVENT_SYNC, .op = (uint8_t)op, .known = true, .thread = w->number, .site = site, .addr = object};
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		if (!norn_watch.props[l].event_match.locks.count)
			continue;
		w->look.count = 0;
		norn_event_match_lock(&norn_watch.props[l].event_match, &w->props[l], &event, &w->look);
		norn_watch_tell(w, l, &event, &w->look);
	}
}

void norn_watch_sync(enum norn_sync_op op, const void *object, uint32_t site)
{
	bool acquires = op == NORN_SYNC_ACQUIRE || op == NORN_SYNC_ACQUIRE_SHARED;
	bool releases = op == NORN_SYNC_RELEASE || op == NORN_SYNC_RELEASE_SHARED;
	bool locks = (acquires && norn_watch.wants_locks) || (releases && norn_watch.wants_unlocks);
	if (!norn_watch.wants_sync && (!locks || !may_be_named((uintptr_t)object)))
		return;
	struct norn_slot *self = norn_busy();
	struct norn_watcher *w = self ? norn_watcher_ready() : NULL;
	if (!w) {
		norn_idle(self);
		return;
	}
	if (norn_watch.wants_sync)
		tell_order(w, op, (uintptr_t)object, site);
	bool quick = acquires && locks && norn_watch.quick_locks;
	if (locks && !(quick && norn_quick_acquired(w, op, (uintptr_t)object, site)))
		tell_lock(w, op, (uintptr_t)object, site);
	norn_watch_settle(self, w);
	norn_idle(self);
}

void norn_watch_mark(enum norn_mark_op op, const char *name, long long value, uint32_t site)
{
	if (!norn_watch.wants_marks || (!name && op != NORN_MARK_ATOMIC_END))
		return;
	struct norn_slot *self = norn_busy_or_attach();
	struct norn_watcher *w = self ? norn_watcher_ready() : NULL;
	if (w) {
		const struct norn_event event = {.kind = NORN_EVENT_MARK,
		        .op = (uint8_t)op,
		        .known = true,
		        .thread = w->number,
		        .site = site,
		        .value = (uint64_t)value};
		size_t length = name ? strlen(name) : 0;
		for (uint32_t l = 0; l < norn_watch.props_count; l++) {
			w->look.count = 0;
			norn_event_match_mark(&norn_watch.props[l].event_match, &w->props[l], &event, name, length, &w->look);
			norn_watch_tell(w, l, &event, &w->look);
		}
		norn_watch_settle(self, w);
	}
	norn_idle(self);
}

/* ---- the end ---- */

/* Events that the program cannot make. True if there are any. */
static bool say_inlined(struct norn_watcher *w, uint32_t l)
{
	const struct norn_event_match *event_match = &norn_watch.props[l].event_match;
	bool any = false;
	for (uint32_t e = 0; e < event_match->spec->event_count; e++) {
		char sentence[300];
		if (!event_match->inlined[e])
			continue;
		any = true;
		snprintf(sentence, sizeof sentence,
		        "event %s misses calls of %s, which the optimiser inlined: compile with -O1, or make it noinline",
		        event_match->spec->events[e].name, event_match->inlined[e]);
		norn_online_say(&w->props[l], NORN_QUEUED_NOTE, "", 0, sentence);
	}
	return any;
}

#define TOO_MANY                                                                                                                   \
	"one action of the program was more than 32 declared events at once, and those beyond were not seen: declare fewer for it"
static_assert(NORN_HITS_MAX == 32, "as TOO_MANY says");

/* True if the engine may have missed something. */
static bool say_lost(struct norn_watcher *w, uint32_t l, unsigned i)
{
	const void *engine = norn_watch.props[l].engines[i];
	char sentence[300];
	if (!engine || !norn_online_engines[i]->lost || !norn_online_engines[i]->lost(engine))
		return false;
	snprintf(sentence, sizeof sentence, NORN_ONLINE_LOST, norn_online_engines[i]->name);
	if (w)
		norn_online_say(&w->props[l], NORN_QUEUED_NOTE, "", 0, sentence);
	return true;
}

void norn_watch_exit(int status)
{
	struct norn_slot *self = norn_busy();
	struct norn_watcher *w = self ? norn_watcher_ready() : NULL;
	const struct norn_session *session = norn_session;
	bool complete = session && !atomic_load(&session->lost_threads); /* without memory threads are not watched */
	struct norn_watch_counts all = {0};
	if (atomic_exchange(&norn_watch.over, 1)) {
		norn_idle(self);
		return;
	}
	for (uint32_t l = 0; l < norn_watch.props_count; l++) {
		struct norn_watch_props *props = &norn_watch.props[l];
		if (w)
			norn_live_monitors_finish(props->machines, &w->props[l], w->scratches[l]);
		for (unsigned i = 0; i < NORN_ENGINES; i++)
			if (props->engines[i] && norn_online_engines[i]->finish)
				norn_online_engines[i]->finish(props->engines[i], w ? &w->props[l] : NULL);
		for (unsigned i = 0; i < NORN_ENGINES; i++)
			complete &= !say_lost(w, l, i);
		struct norn_live_monitors_counts counts;
		norn_live_monitors_count(props->machines, &counts);
		complete &= counts.complete;
		all.events += counts.relevant;
		all.relevant += counts.relevant;
	}
	all.events += atomic_load(&norn_watch.events);
	all.relevant += atomic_load(&norn_watch.relevant);
	all.missed += atomic_load(&norn_watch.missed);
	if (w) {
		const struct norn_watch_counts own = counts_of(w);
		all.events += own.events;
		all.relevant += own.relevant;
		all.missed += own.missed;
		for (uint32_t l = 0; l < norn_watch.props_count; l++)
			complete &= !say_inlined(w, l);
		if (all.missed)
			norn_online_say(&w->props[0], NORN_QUEUED_NOTE, "", 0, TOO_MANY);
		norn_watch_settle(self, w);
		norn_idle(self); /* delivers */
	} else {
		norn_idle(self);
	}
	norn_watch_bye(complete && !all.missed, &all);
}

void norn_watch_exec(void)
{
	if (norn_watch.ring)
		atomic_fetch_add(&norn_watch.ring->execs, 1);
}

void norn_watch_fork_child(void)
{
	atomic_store(&norn_watch_span, UINT64_MAX);
	norn_watching = false;
	norn_watcher = NULL;
	norn_quick_forget(NULL);
	norn_watch_words_end();
	if (norn_watch.ring)
		norn_child_counts(&norn_watch.ring->unwatched);
	norn_watch.ring = NULL;
	norn_watch.json = -1;
}
