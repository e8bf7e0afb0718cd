#include "scope/scope_engine.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "causality/sync_rules.h"
#include "scope/scope_channel.h"
#include "judge/moment.h"
#include "engine/lock.h"
#include "judge/property_terms.h"
#include "judge/verdict_queue.h"

#define CELLS 8192u /* numbers of actions by object: half for exclusive, half for shared use */
#define FORKS 1024u
#define PROBES 32u
#define PATHS 4096u

/* The channels that a thread has for those that it forks: one for each nested scope. */
struct nests {
	_Atomic uint32_t users; /* itself and its children that are there, or are to come */
	struct norn_scope_channel *channels[];
};

/* A thread's place in one scope. */
struct scope_place {
	struct norn_scope_channel *channel; /* the channel of its seat */
	struct norn_seat *seat;
	uint64_t known; /* actions of the scope that are known to have happened */
};

struct live_member {
	uint64_t types;
	struct norn_moment
	        *moment; /* of the event that is being told, with the thread's ghosts; values of variables are not known here */
	struct nests *own, *home; /* home: its parent's */
	struct scope_place places[];
};

struct live_scope {
	struct norn_scope_machines *scoping;
	struct norn_scope_channel *channel; /* NULL if nested */
	struct norn_property_terms *terms; /* per local */
	bool follows; /* knowledge must be followed through the objects that order threads */
	_Atomic uint32_t told; /* doubts, a bit each */
};

/* A thread that was forked and has not begun: its parent has taken its seats. */
struct fork {
	_Atomic uint64_t child; /* 1 + its number; UINT64_MAX: being written */
	_Atomic(struct live_member *) member;
};

struct scope_engine {
	const struct norn_spec *spec;
	struct norn_arena arena;
	struct live_scope *scopes;
	uint32_t count;
	uint64_t *acts; /* per event: a bit for each scope whose action it is */
	uint64_t *locals; /* [event × scope]: a bit for each local that names it */
	uint64_t types; /* that scopes speak of */
	bool nested, follows, global, ghosts; /* ghosts: locals speak of some */
	struct norn_online_lock lock; /* global only */
	_Atomic(const char *) paths[PATHS]; /* of threads by number, for reports */
	struct fork forks[FORKS];
	_Atomic uint64_t cells[CELLS];
};

/* ---- life ---- */

/* True if it is an atom of the local, or its predicates name it or a ghost that it changes. */
static bool concerns(const struct scope_engine *e, const struct norn_property_terms *terms, uint32_t event)
{
	if (norn_property_terms_is_atom(terms, event) || terms->events[event])
		return true;
	for (uint32_t g = 0; g < e->spec->ghost_count; g++)
		for (uint32_t u = 0; terms->ghosts[g] && u < e->spec->ghosts[g].update_count; u++)
			if (e->spec->ghosts[g].updates[u].event == event)
				return true;
	return false;
}

static int make_terms(struct scope_engine *e, struct live_scope *s)
{
	const struct norn_scope *scope = s->scoping->scope;
	s->terms = norn_arena_alloc(&e->arena, (scope->local_count + 1ul) * sizeof *s->terms);
	if (!s->terms)
		return -ENOMEM;
	memset(s->terms, 0, (scope->local_count + 1ul) * sizeof *s->terms);
	for (uint32_t i = 0; i < scope->local_count; i++) {
		if (norn_property_terms_init(&s->terms[i], e->spec, &scope->locals[i].property) != 0)
			return -ENOMEM;
		for (uint32_t a = 0; a < scope->locals[i].property.atom_count; a++)
			e->ghosts |= scope->locals[i].property.atoms[a].kind != NORN_ATOM_EVENT;
	}
	return 0;
}

static int index_events(struct scope_engine *e)
{
	uint32_t events = e->spec->event_count;
	e->acts = norn_arena_alloc(&e->arena, (events + 1ul) * sizeof *e->acts);
	e->locals = norn_arena_alloc(&e->arena, ((size_t)events * e->count + 1) * sizeof *e->locals);
	if (!e->acts || !e->locals)
		return -ENOMEM;
	memset(e->acts, 0, events * sizeof *e->acts);
	memset(e->locals, 0, (size_t)events * e->count * sizeof *e->locals);
	for (uint32_t s = 0; s < e->count; s++) {
		const struct norn_scope *scope = e->scopes[s].scoping->scope;
		for (uint32_t i = 0; i < scope->sync_count; i++)
			e->acts[scope->sync[i]] |= UINT64_C(1) << s;
		for (uint32_t i = 0; i < scope->local_count; i++)
			for (uint32_t event = 0; event < events; event++)
				if (concerns(e, &e->scopes[s].terms[i], event))
					e->locals[event * e->count + s] |= UINT64_C(1) << i;
	}
	return 0;
}

static int unpack(struct scope_engine *e, struct norn_unpack *in)
{
	e->global = norn_unpack_number(in) & NORN_SCOPES_GLOBAL;
	e->count = norn_unpack_below(in, 65);
	e->scopes = norn_arena_alloc(&e->arena, (e->count + 1ul) * sizeof *e->scopes);
	if (in->failed || !e->scopes)
		return in->failed ? -EINVAL : -ENOMEM;
	memset(e->scopes, 0, e->count * sizeof *e->scopes);
	for (uint32_t i = 0; i < e->count; i++) {
		struct live_scope *s = &e->scopes[i];
		int r = norn_scope_machines_unpack(in, e->spec, &e->arena, &s->scoping);
		if (r != 0)
			return r;
		if (make_terms(e, s) != 0 || (!s->scoping->scope->nested && norn_scope_channel_new(s->scoping, &s->channel) != 0))
			return -ENOMEM;
		s->follows = !s->scoping->scope->nested && !s->scoping->scope->trusted && !s->scoping->one_lock;
		e->types |= s->scoping->types;
		e->nested |= s->scoping->scope->nested;
		e->follows |= s->follows;
	}
	return index_events(e);
}

static void drop_member(struct scope_engine *e, struct live_member *m);

static void engine_close(void *engine)
{
	struct scope_engine *e = engine;
	for (uint32_t i = 0; i < FORKS; i++)
		if (atomic_load(&e->forks[i].child))
			drop_member(e, atomic_load(&e->forks[i].member));
	for (uint32_t i = 0; e->scopes && i < e->count; i++) {
		norn_scope_channel_free(e->scopes[i].channel);
		for (uint32_t k = 0; e->scopes[i].terms && k < e->scopes[i].scoping->scope->local_count; k++)
			norn_property_terms_done(&e->scopes[i].terms[k]);
		norn_scope_machines_drop(e->scopes[i].scoping);
	}
	for (uint32_t i = 0; i < PATHS; i++)
		free((void *)(uintptr_t)atomic_load(&e->paths[i]));
	norn_arena_done(&e->arena);
	free(e);
}

static int engine_open(const struct norn_spec *spec, struct norn_unpack *in, void **ret_engine, struct norn_error *err)
{
	struct scope_engine *e = calloc(1, sizeof *e);
	if (!e)
		return norn_error_no_memory(err);
	e->spec = spec;
	int r = unpack(e, in);
	if (r != 0) {
		engine_close(e);
		return norn_error_set(
		        err, r, "%s", r == -EINVAL ? "the plan's scopes are damaged" : "there is not enough memory for scopes");
	}
	*ret_engine = e;
	return 0;
}

/* ---- nests ---- */

static void leave_nests(struct scope_engine *e, struct nests *n)
{
	if (!n || atomic_fetch_sub_explicit(&n->users, 1, memory_order_acq_rel) != 1)
		return;
	for (uint32_t i = 0; i < e->count; i++)
		norn_scope_channel_free(n->channels[i]);
	free(n);
}

static struct nests *new_nests(struct scope_engine *e)
{
	struct nests *n = calloc(1, sizeof *n + e->count * sizeof(struct norn_scope_channel *));
	if (!n)
		return NULL;
	atomic_store_explicit(&n->users, 1, memory_order_relaxed);
	for (uint32_t i = 0; i < e->count; i++)
		if (e->scopes[i].scoping->scope->nested && norn_scope_channel_new(e->scopes[i].scoping, &n->channels[i]) != 0) {
			leave_nests(e, n);
			return NULL;
		}
	return n;
}

/* ---- threads ---- */

static void take_seats(struct scope_engine *e, uint32_t thread, uint64_t types, struct live_member *m)
{
	m->types = types;
	for (uint32_t i = 0; i < e->count; i++) {
		struct scope_place *p = &m->places[i];
		bool nested = e->scopes[i].scoping->scope->nested;
		p->channel = !nested ? e->scopes[i].channel : m->home ? m->home->channels[i] : NULL;
		if (!p->channel)
			continue;
		if (p->seat)
			norn_seat_retype(p->channel, p->seat, m->types);
		else if (m->types & e->scopes[i].scoping->types)
			p->seat = norn_scope_channel_join(p->channel, thread, m->types);
	}
}

/* In one piece, with the ghosts' values. */
static struct norn_moment *new_moment(const struct norn_spec *spec, uint32_t thread)
{
	size_t ghosts = 2ul * (spec->ghost_count + 1) * sizeof(struct norn_value);
	size_t own = (sizeof(struct norn_moment) + 15) / 16 * 16;
	struct norn_moment *m = calloc(1, own + ghosts + norn_moment_bytes(spec));
	if (!m)
		return NULL;
	m->thread = thread;
	m->ghosts = (struct norn_value *)(void *)((char *)m + own);
	norn_moment_place(m, spec, (char *)m->ghosts + ghosts);
	norn_ghosts_start(m, m->ghosts);
	return m;
}

/* home: held by the caller; the member's from now on. NULL: no memory. */
static struct live_member *new_member(struct scope_engine *e, uint32_t thread, uint64_t types, struct nests *home)
{
	struct live_member *m = calloc(1, sizeof *m + e->count * sizeof *m->places);
	if (!m) {
		leave_nests(e, home);
		return NULL;
	}
	m->home = home;
	if (!(m->moment = new_moment(e->spec, thread))) {
		leave_nests(e, home);
		free(m);
		return NULL;
	}
	take_seats(e, thread, types, m);
	return m;
}

static void drop_member(struct scope_engine *e, struct live_member *m)
{
	for (uint32_t i = 0; m && i < e->count; i++)
		if (m->places[i].seat)
			norn_scope_channel_leave(m->places[i].channel, m->places[i].seat);
	if (m) {
		leave_nests(e, m->home);
		leave_nests(e, m->own);
		free(m->moment);
	}
	free(m);
}

/* A thread is there as soon as its parent has made it: its seats are taken here, in an order with all that the parent does. If
 * there is no room to leave word of them, it takes them with its first event. */
static void announce(struct scope_engine *e, struct live_member *parent, uint64_t child, uint64_t types)
{
	if (e->nested && !parent->own && !(parent->own = new_nests(e)))
		return;
	if (!e->nested && !(types & e->types))
		return;
	for (uint32_t i = 0; i < PROBES; i++) {
		struct fork *f = &e->forks[(child + i) % FORKS];
		uint64_t free = 0;
		if (!atomic_compare_exchange_strong_explicit(
		            &f->child, &free, UINT64_MAX, memory_order_acquire, memory_order_relaxed))
			continue;
		if (e->nested)
			atomic_fetch_add_explicit(&parent->own->users, 1, memory_order_relaxed);
		struct live_member *m = new_member(e, (uint32_t)child, types, e->nested ? parent->own : NULL);
		atomic_store_explicit(&f->member, m, memory_order_relaxed);
		atomic_store_explicit(&f->child, m ? child + 1 : 0, memory_order_release);
		return;
	}
}

/* The record left for this thread; NULL: none. */
static struct live_member *claim(struct scope_engine *e, uint64_t child)
{
	for (uint32_t i = 0; i < PROBES; i++) {
		struct fork *f = &e->forks[(child + i) % FORKS];
		if (atomic_load_explicit(&f->child, memory_order_acquire) != child + 1)
			continue;
		struct live_member *m = atomic_load_explicit(&f->member, memory_order_relaxed);
		atomic_store_explicit(&f->child, 0, memory_order_release);
		return m;
	}
	return NULL;
}

static void keep_path(struct scope_engine *e, const struct norn_online_thread *self)
{
	size_t length = strlen(self->path) + 1;
	char *path = malloc(length);
	if (!path)
		return;
	memcpy(path, self->path, length);
	/* The one before may be in use by a thread that reports it, so it stays. */
	const char *none = NULL;
	if (!atomic_compare_exchange_strong(&e->paths[self->number % PATHS], &none, path))
		free(path);
}

/* The thread's place in things; NULL: there was no memory for it. */
static inline struct live_member *member_of(struct scope_engine *e, struct norn_online_thread *self)
{
	struct live_member *m = self->own[NORN_ENGINE_SCOPE];
	if (m && m->types != self->types)
		take_seats(e, self->number, self->types, m);
	return m;
}

static void engine_begin(void *engine, struct norn_online_thread *self)
{
	struct scope_engine *e = engine;
	struct live_member *m = claim(e, self->number);
	self->own[NORN_ENGINE_SCOPE] = m ? m : new_member(e, self->number, self->types, NULL);
	member_of(e, self); /* by now its types may be others */
	if (self->number < PATHS)
		keep_path(e, self);
}

static void engine_end(void *engine, struct norn_online_thread *self)
{
	drop_member(engine, self->own[NORN_ENGINE_SCOPE]);
	self->own[NORN_ENGINE_SCOPE] = NULL;
}

/* ---- what is known ---- */

static _Atomic uint64_t *cell(struct scope_engine *e, uint64_t key, uint32_t scope, bool shared)
{
	uint64_t h = (key + scope) * 0x9e3779b97f4a7c15u;
	return &e->cells[(h >> 40) % (CELLS / 2) + (shared ? CELLS / 2 : 0)];
}

static void learn(uint64_t *known, _Atomic uint64_t *from)
{
	uint64_t other = atomic_load_explicit(from, memory_order_acquire);
	*known = other > *known ? other : *known;
}

static void teach(uint64_t known, _Atomic uint64_t *to)
{
	uint64_t old = atomic_load_explicit(to, memory_order_relaxed);
	while (old < known && !atomic_compare_exchange_weak_explicit(to, &old, known, memory_order_release, memory_order_relaxed))
		;
}

/* The effect of an operation on happens-before. The end of a thread publishes, its begin and join acquire. */
static enum norn_sync_rule sync_of(unsigned op)
{
	if (op >= NORN_SYNC_OPS)
		return op == NORN_ONLINE_BEGIN || op == NORN_ONLINE_JOIN ? NORN_SYNC_RULE_ACQUIRE : NORN_SYNC_RULE_PUBLISH;
	return norn_rule_sync(NORN_EVENT_SYNC, op, 0);
}

static bool learns(enum norn_sync_rule sync)
{
	return sync == NORN_SYNC_RULE_ACQUIRE || sync == NORN_SYNC_RULE_ACQUIRE_SHARED || sync == NORN_SYNC_RULE_LEAVE;
}

static void engine_sync(void *engine, struct norn_online_thread *self, uint64_t key, unsigned op)
{
	struct scope_engine *e = engine;
	enum norn_sync_rule sync = sync_of(op);
	struct live_member *m = member_of(e, self);
	if (!m)
		return;
	if (op == NORN_ONLINE_FORK)
		announce(e, m, key - NORN_KEY_THREAD, self->child_types);
	if (op == NORN_ONLINE_JOIN)
		drop_member(e, claim(e, key - NORN_KEY_THREAD)); /* it never began */
	for (uint32_t i = 0; e->follows && i < e->count; i++) {
		uint64_t *known = &m->places[i].known;
		if (!e->scopes[i].follows)
			continue;
		if (learns(sync))
			learn(known, cell(e, key, i, false));
		if (sync == NORN_SYNC_RULE_ACQUIRE)
			learn(known, cell(e, key, i, true));
		if (sync != NORN_SYNC_RULE_NONE && !learns(sync))
			teach(*known, cell(e, key, i, sync == NORN_SYNC_RULE_RELEASE_SHARED));
	}
}

/* ---- telling ---- */

static const char *path_of(struct scope_engine *e, uint32_t thread, char room[24])
{
	const char *path = thread < PATHS ? atomic_load_explicit(&e->paths[thread], memory_order_acquire) : NULL;
	if (path)
		return path;
	snprintf(room, 24, "number %u", thread);
	return room;
}

/* Apart, as most actions are without. */
__attribute__((noinline)) static void tell_doubt(struct scope_engine *e, struct norn_online_thread *self, struct live_scope *s,
        const struct norn_scope_action *action, const struct norn_region *region)
{
	char sentence[400], room[24];
	if (atomic_fetch_or_explicit(&s->told, 1u << region->doubt, memory_order_relaxed) >> region->doubt & 1)
		return;
	const char *other = path_of(e, region->other.thread, room);
	if (region->doubt == NORN_DOUBT_LATE) {
		snprintf(sentence, sizeof sentence,
		        "an event of thread %s was not ordered with the synchronizing action that ended region %llu, which was "
		        "judged "
		        "without it: the scope's regions are not sound and faithful",
		        other, (unsigned long long)region->late);
		norn_online_say(self, NORN_QUEUED_DOUBT, s->scoping->scope->name, action->site, sentence);
		return;
	}
	snprintf(sentence, sizeof sentence,
	        region->doubt == NORN_DOUBT_OVERLAP
	                ? "its synchronizing actions are not totally ordered: that of thread %s at {site:%u} and that of thread %s "
	                  "at "
	                  "{site:%u} happened at the same time"
	                : "nothing that was seen orders its synchronizing actions: that of thread %s at {site:%u} and that of "
	                  "thread %s "
	                  "at {site:%u}; if atomic operations do, say `trusted` behind the scope's events",
	        other, region->other.site, self->path, action->site);
	norn_online_say(self, NORN_QUEUED_WITHDRAW, s->scoping->scope->name, action->site, sentence);
}

/* "activereader = yes" a line. */
static void print_state(const struct norn_scope *scope, const struct norn_region *region, char *to, size_t room)
{
	size_t used = 0;
	*to = 0;
	for (uint32_t i = 0; i < scope->atom_count && used < room; i++) {
		const char *value = region->state.unknown >> i & 1 ? "?" : region->state.atoms >> i & 1 ? "yes" : "no";
		int length = snprintf(to + used, room - used, "%s%s = %s", i ? "\n" : "", scope->atoms[i].name, value);
		used += length > 0 ? (size_t)length : 0;
	}
}

static struct norn_verdict_step step_of(struct scope_engine *e, uint32_t thread, const struct norn_footprint *print)
{
	bool named = print->event < e->spec->event_count;
	const char *path = thread < PATHS ? atomic_load_explicit(&e->paths[thread], memory_order_acquire) : NULL;
	return (struct norn_verdict_step){path, named ? e->spec->events[print->event].name : "", thread, *print};
}

static struct norn_verdict_step action_step(struct scope_engine *e, const struct norn_scope_action *a)
{
	const struct norn_footprint print = {a->site, a->call_site, a->event, a->kind, a->op};
	return step_of(e, a->thread, &print);
}

/* The region: the action that began it, what threads did in it, the action that ended it; that is NULL at the end of the run. */
__attribute__((noinline)) static void tell_region(struct scope_engine *e, struct norn_online_thread *self, struct live_scope *s,
        struct norn_scope_channel *channel, const struct norn_region *region, const struct norn_scope_action *action)
{
	uint32_t count = 0;
	const struct norn_scope *scope = s->scoping->scope;
	if (!(region->violated | region->satisfied))
		return;
	/* Not on the stack, since the thread's may be small. */
	struct texts {
		char what[64], values[512];
		struct norn_verdict_step steps[NORN_REGION_STEPS + 2];
	} *texts = calloc(1, sizeof *texts);
	if (!texts) {
		self->verdicts->lost++;
		return;
	}
	if (region->violated && region->began)
		texts->steps[count++] = action_step(e, &region->beginning);
	for (uint32_t i = 0; region->violated && i < region->step_count; i++)
		texts->steps[count++] = step_of(e, region->steps[i].thread, &region->steps[i].print);
	if (region->violated && action)
		texts->steps[count++] = action_step(e, action);
	snprintf(texts->what, sizeof texts->what, "violated in region %llu%s", (unsigned long long)region->number,
	        action ? "" : ", at the end of the run");
	print_state(scope, region, texts->values, sizeof texts->values);
	/* At the end it is known by the last action. */
	const struct norn_scope_action *known = action ? action : region->violated && region->began ? &region->beginning : NULL;
	for (uint32_t i = 0; i < scope->check_count && i < 64; i++) {
		bool violated = region->violated >> i & 1;
		if (!violated && !(region->satisfied >> i & 1))
			continue;
		struct norn_raise raise = {.property = &scope->checks[i].property,
		        .index = UINT32_MAX,
		        .outcome = violated ? NORN_OUTCOME_VIOLATION : NORN_OUTCOME_SATISFACTION,
		        .what = violated ? texts->what : NULL,
		        .key = "",
		        .values = texts->values,
		        .site = known ? known->site : 0,
		        .call_site = known ? known->call_site : 0,
		        .event_kind = action ? action->kind : 0,
		        .event_op = action ? action->op : 0,
		        .steps = texts->steps,
		        .step_count = count};
		if (norn_online_raise(self, &raise))
			norn_scope_channel_reset(channel, i);
	}
	free(texts);
}

/* ---- events ---- */

/* lock: the exclusive one that was just taken; 0: none. */
static void act(struct scope_engine *e, struct norn_online_thread *self, struct live_member *m, uint32_t which,
        const struct norn_footprint *print, uint64_t lock)
{
	struct live_scope *s = &e->scopes[which];
	struct norn_scope_channel *channel = s->scoping->scope->nested ? m->own ? m->own->channels[which] : NULL : s->channel;
	struct norn_region region;
	if (!channel || norn_scope_channel_is_over(channel))
		return;
	const struct norn_scope_action action = {
	        self->number, print->site, lock, m->places[which].known, print->call_site, print->event, print->kind, print->op};
	norn_scope_channel_sync(channel, &action, &region);
	m->places[which].known = region.number + 1;
	if (region.doubt != NORN_DOUBT_NONE)
		tell_doubt(e, self, s, &action, &region);
	if (region.violated | region.satisfied)
		tell_region(e, self, s, channel, &region, &action);
}

static void withdraw_unknown(
        struct norn_online_thread *self, struct live_scope *s, struct norn_scope_channel *channel, uint32_t site)
{
	if (atomic_exchange_explicit(&channel->withdrawn, 1, memory_order_relaxed) == 0)
		norn_online_say(self, NORN_QUEUED_WITHDRAW, s->scoping->scope->name, site,
		        "whether an event happened depends on a value that is not known");
}

/* An event that comes after so many known actions, but in a later region, is there by chance. */
static void doubt_loose(struct norn_online_thread *self, struct live_scope *s, const struct scope_place *place, uint32_t site)
{
	if (!s->follows || place->known >= atomic_load_explicit(&place->channel->region, memory_order_relaxed) ||
	        atomic_fetch_or_explicit(&s->told, 1u << NORN_DOUBT_LOOSE, memory_order_relaxed) >> NORN_DOUBT_LOOSE & 1)
		return;
	norn_online_say(self, NORN_QUEUED_DOUBT, s->scoping->scope->name, site,
	        "nothing that was seen orders this event after the synchronizing action that began its region, so that it is in it "
	        "by "
	        "chance: the regions are not sound and faithful; if atomic operations order them, say `trusted` behind the scope's "
	        "events");
}

static void tell_local(struct scope_engine *e, struct norn_online_thread *self, struct live_member *m, uint32_t which,
        uint32_t local, const struct norn_event *event)
{
	struct live_scope *s = &e->scopes[which];
	const struct norn_property_terms *terms = &s->terms[local];
	struct scope_place *place = &m->places[which];
	struct norn_letter letter;
	if (!place->seat || !(m->types & s->scoping->locals[local].type) || norn_scope_channel_is_over(place->channel) ||
	        !norn_moment_letter(m->moment, terms, NULL, &letter))
		return;
	struct norn_footprint print = {
	        event->site, event->call_site, norn_moment_named(m->moment, terms->property, letter.yes), event->kind, event->op};
	if (letter.unknown)
		withdraw_unknown(self, s, place->channel, event->site);
	if (letter.sure && !letter.unknown) {
		doubt_loose(self, s, place, event->site);
		norn_seat_event_at(place->channel, place->seat, local, letter.yes, &print);
	}
}

/* True if no further event changes the thread's slots of these locals in this region. Then that is said; all must depend on the
 * same channel. */
static bool is_quiet(
        struct scope_engine *e, struct norn_online_thread *self, const struct live_member *m, uint32_t which, uint64_t locals)
{
	const struct scope_place *place = &m->places[which];
	if (!place->seat || (self->quiet && self->quiet != &place->channel->region))
		return false;
	uint64_t region = atomic_load_explicit(&place->channel->region, memory_order_acquire);
	if (norn_scope_channel_is_over(place->channel))
		locals = 0; /* nothing is judged any more, so nothing changes */
	for (; locals; locals &= locals - 1) {
		uint32_t local = (uint32_t)__builtin_ctzll(locals);
		if (m->types & e->scopes[which].scoping->locals[local].type &&
		        !norn_seat_settled(place->channel, place->seat, local, region))
			return false;
	}
	self->quiet = &place->channel->region;
	self->quiet_is = region;
	return true;
}

/* An action that is an event of locals, too, belongs to the region that it begins. */
static void tell_scopes(struct scope_engine *e, struct norn_online_thread *self, struct live_member *m,
        const struct norn_event *event, struct norn_online_hit *hits, uint32_t count)
{
	uint64_t acts = 0, unknown = 0;
	m->moment->hits = hits;
	m->moment->hit_count = count;
	norn_moment_decide(m->moment);
	norn_moment_update(m->moment);
	struct norn_footprint print = {event->site, event->call_site, NORN_SLOT_NONE, event->kind, event->op};
	for (uint32_t i = 0; i < count; i++) {
		if (hits[i].event >= e->spec->event_count || hits[i].holds == NORN_TRUTH_NO)
			continue;
		if (e->acts[hits[i].event] && print.event == NORN_SLOT_NONE)
			print.event = hits[i].event;
		*(hits[i].holds == NORN_TRUTH_YES ? &acts : &unknown) |= e->acts[hits[i].event];
	}
	bool quiet = !acts && !unknown && !e->global;
	uint64_t lock = event->kind == NORN_EVENT_SYNC && event->op == NORN_SYNC_ACQUIRE ? event->addr : 0;
	for (uint32_t s = 0; s < e->count; s++) {
		if (acts >> s & 1)
			act(e, self, m, s, &print, lock);
		else if (unknown >> s & 1 && e->scopes[s].channel)
			withdraw_unknown(self, &e->scopes[s], e->scopes[s].channel, event->site);
		uint64_t locals = 0;
		for (uint32_t i = 0; i < count; i++)
			if (hits[i].event < e->spec->event_count && hits[i].holds != NORN_TRUTH_NO)
				locals |= e->locals[hits[i].event * e->count + s];
		for (uint64_t left = locals; left; left &= left - 1)
			tell_local(e, self, m, s, (uint32_t)__builtin_ctzll(left), event);
		quiet &= !locals || is_quiet(e, self, m, s, locals);
	}
	if (!quiet)
		self->quiet = NULL;
}

static void engine_event(
        void *engine, struct norn_online_thread *self, const struct norn_event *event, struct norn_online_hit *hits, uint32_t count)
{
	struct scope_engine *e = engine;
	struct live_member *m = member_of(e, self);
	if (!m)
		return;
	if (e->global)
		norn_online_lock(&e->lock);
	tell_scopes(e, self, m, event, hits, count);
	if (e->global)
		norn_online_unlock(&e->lock);
}

/* ---- events without values ---- */

/* Of struct norn_prepared_event. */
struct scope_prepared {
	uint64_t acts; /* scopes whose action it is, a bit each */
	uint32_t event; /* if it acts: the first of the events that do */
	uint32_t count;
	struct scope_step {
		uint32_t scope, local, event;
		uint64_t letter;
	} steps[NORN_PREPARED_STEPS];
};
static_assert(sizeof(struct scope_prepared) <= sizeof((struct norn_prepared_event){0}.own), "a prepared event has room");

static uint64_t letter_of(const struct norn_property *p, const uint32_t *events, uint32_t count)
{
	uint64_t letter = 0;
	for (uint32_t i = 0; i < p->atom_count; i++)
		for (uint32_t k = 0; k < count; k++)
			letter |= (uint64_t)(p->atoms[i].kind == NORN_ATOM_EVENT && p->atoms[i].event == events[k]) << i;
	return letter;
}

static bool engine_prepare(
        const void *engine, uint64_t types, const uint32_t *events, uint32_t count, struct norn_prepared_event *ret_prepared)
{
	const struct scope_engine *e = engine;
	struct scope_prepared *r = (struct scope_prepared *)(void *)ret_prepared->own;
	*r = (struct scope_prepared){0};
	if (e->ghosts)
		return false; /* their values are no part of the prepared */
	for (uint32_t k = 0; k < count; k++) {
		if (events[k] >= e->spec->event_count || e->spec->events[events[k]].parameter_count)
			return false;
		if (e->acts[events[k]] && !r->acts)
			r->event = events[k];
		r->acts |= e->acts[events[k]];
	}
	for (uint32_t s = 0; s < e->count; s++) {
		const struct norn_scope_machines *scoping = e->scopes[s].scoping;
		for (uint32_t i = 0; i < scoping->scope->local_count; i++) {
			uint64_t letter = letter_of(&scoping->scope->locals[i].property, events, count);
			if (!letter || !(types & scoping->locals[i].type))
				continue;
			if (r->count == NORN_PREPARED_STEPS)
				return false;
			uint32_t event = scoping->scope->locals[i].property.atoms[__builtin_ctzll(letter)].event;
			r->steps[r->count++] = (struct scope_step){s, i, event, letter};
		}
	}
	ret_prepared->acts = r->acts != 0;
	ret_prepared->means = r->acts || r->count;
	return true;
}

static void follow(struct scope_engine *e, struct norn_online_thread *self, struct live_member *m,
        const struct scope_prepared *prepared, struct norn_footprint print, uint64_t lock)
{
	print.event = prepared->event;
	for (uint64_t acts = prepared->acts; acts; acts &= acts - 1)
		act(e, self, m, (uint32_t)__builtin_ctzll(acts), &print, lock);
	bool quiet = !prepared->acts && !e->global;
	for (uint32_t i = 0; i < prepared->count; i++) {
		const struct scope_step *step = &prepared->steps[i];
		const struct scope_place *place = &m->places[step->scope];
		print.event = step->event;
		if (place->seat && !norn_scope_channel_is_over(place->channel)) {
			doubt_loose(self, &e->scopes[step->scope], place, print.site);
			norn_seat_event_at(place->channel, place->seat, step->local, step->letter, &print);
		}
		quiet = quiet && is_quiet(e, self, m, step->scope, UINT64_C(1) << step->local);
	}
	if (!quiet)
		self->quiet = NULL;
}

static void engine_follow(void *engine, struct norn_online_thread *self, struct norn_prepared_event *prepared,
        const struct norn_footprint *print, uint64_t lock)
{
	struct scope_engine *e = engine;
	struct live_member *m = member_of(e, self);
	if (!m)
		return;
	if (e->global)
		norn_online_lock(&e->lock);
	follow(e, self, m, (const struct scope_prepared *)(const void *)prepared->own, *print, lock);
	if (e->global)
		norn_online_unlock(&e->lock);
}

static bool engine_follows(const void *engine)
{
	return ((const struct scope_engine *)engine)->follows;
}

static void engine_finish(void *engine, struct norn_online_thread *self)
{
	struct scope_engine *e = engine;
	struct live_member *m = self ? self->own[NORN_ENGINE_SCOPE] : NULL;
	for (uint32_t i = 0; self && i < e->count; i++) {
		struct live_scope *s = &e->scopes[i];
		struct norn_scope_channel *channel =
		        s->scoping->scope->nested ? m && m->own ? m->own->channels[i] : NULL : s->channel;
		struct norn_region region;
		/* A property without actions has threads of its own, but no regions. */
		if (!channel || (s->scoping->scope->nested && atomic_load(&channel->region) == 0))
			continue;
		norn_scope_channel_end(channel, self->number, &region);
		tell_region(e, self, s, channel, &region, NULL);
	}
}

const struct norn_online_engine norn_scope_engine = {
        .name = "scopes",
        .open = engine_open,
        .begin = engine_begin,
        .end = engine_end,
        .event = engine_event,
        .prepare = engine_prepare,
        .follow = engine_follow,
        .sync = engine_sync,
        .follows = engine_follows,
        .finish = engine_finish,
        .close = engine_close,
};
