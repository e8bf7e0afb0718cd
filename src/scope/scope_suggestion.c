#include "scope/scope_suggestion.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "monitor/monitor.h"
#include "causality/relevant_happens_before.h"
#include "finding/own_place.h"
#include "judge/recorded/recorded_match.h"
#include "judge/recorded/valuation.h"
#include "trace/merge.h"
#include "trace/record.h"

#define CANDIDATES_MAX 256u
#define KINDS_MAX 32u
#define STATES_MAX 2000u

/* An action or an event: who, which of its relevant events, where. */
struct suggestion_event {
	uint32_t thread, count, site;
	const char *what;
};

struct suggestion_pair {
	uint64_t count;
	struct suggestion_event first, second;
};

/* The events of a thread in a region. */
struct suggestion_part {
	uint32_t kinds; /* a bit per kind of event */
	struct suggestion_event last;
	uint64_t here; /* events */
	uint64_t times; /* sum of theirs */
	struct suggestion_event action; /* nested: the thread's own last one, which began its children's region */
};

struct candidate {
	enum norn_suggestion_kind kind;
	uint64_t address; /* LOCK */
	uint32_t site; /* of the first one */
	const char *name; /* JOIN: start routine; NOTE; CALL: function */
	uint64_t actions, counted; /* counted: in the first pass */
	uint64_t *events; /* a bit per declared event that happened at all of its actions */
	uint32_t kinds; /* a bit per kind of event that an action was */
	struct suggestion_event last;
	struct suggestion_part *parts; /* per thread */
	bool is_mixed; /* the region is */
	uint64_t regions, total, widest;
	double delay; /* sum */
	struct suggestion_pair unordered, loose, mixed;
};

/* The subject of the property: kinds of events, and which of them may not change places. */
struct subject {
	const struct norn_property *property; /* NULL: a scope */
	const struct norn_scope *scope;
	struct norn_view *views[KINDS_MAX]; /* of the property, or of each local */
	uint32_t kinds;
	uint32_t matters[KINDS_MAX]; /* per kind: those whose order with it matters */
	uint32_t events[KINDS_MAX]; /* per kind: the declared event that it is shown by, or NORN_SLOT_NONE */
};

struct suggestion_search {
	const struct norn_spec *spec;
	const struct norn_program *program;
	struct norn_trace *trace;
	struct norn_binding *binding;
	struct norn_hidden_writes hidden_writes;
	struct norn_recorded_match *match;
	struct norn_valuation valuation;
	struct norn_moment moment;
	struct norn_relevant_hb happens;
	struct norn_map index; /* key -> 1 + candidate */
	struct candidate *list;
	uint32_t count, room;
	struct candidate own; /* the property's events; no parts: it is a scope */
	uint64_t *totals; /* per declared event: how often */
	uint32_t *parents; /* per thread: 1 + the thread that forked it; 0: unknown */
	struct suggestion_part *threads; /* the last event of each kind's group, for racing */
	struct suggestion_pair racing;
	struct subject subject;
	uint64_t *types; /* per kind: thread types that all its threads are of */
	const char **started; /* per kind: "" if they differ; NULL: none yet */
	uint64_t *counts; /* per kind */
};

/* ---- what matters ---- */

/* All states that single events lead to. */
static uint32_t reach(const struct norn_monitor *m, uint32_t atoms, uint64_t *states)
{
	uint32_t count = 1;
	states[0] = norn_monitor_start(m);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t a = 0; a < atoms; a++) {
			uint64_t next = norn_monitor_step(m, states[i], UINT64_C(1) << a);
			uint32_t k = 0;
			while (k < count && states[k] != next)
				k++;
			if (k == count && count < STATES_MAX)
				states[count++] = next;
		}
	return count;
}

static bool commute(const struct norn_monitor *m, const uint64_t *states, uint32_t count, uint32_t a, uint32_t b)
{
	uint64_t x = UINT64_C(1) << a, y = UINT64_C(1) << b;
	for (uint32_t i = 0; i < count; i++)
		if (norn_monitor_step(m, norn_monitor_step(m, states[i], x), y) !=
		        norn_monitor_step(m, norn_monitor_step(m, states[i], y), x))
			return false;
	return true;
}

/* Of a property: each event that it names is a kind. */
static int split_property(struct suggestion_search *s, const struct norn_property *p, struct norn_error *err)
{
	struct norn_monitor *m;
	uint64_t *states = norn_must_alloc(STATES_MAX, sizeof *states);
	int r = norn_monitor_new(s->spec, p, NULL, &m, err);
	if (r != 0) {
		free(states);
		return r;
	}
	struct subject *subject = &s->subject;
	uint32_t count = reach(m, p->atom_count, states), atoms[KINDS_MAX];
	for (uint32_t i = 0; i < p->atom_count && subject->kinds < KINDS_MAX; i++)
		if (p->atoms[i].kind == NORN_ATOM_EVENT) {
			atoms[subject->kinds] = i;
			subject->events[subject->kinds++] = p->atoms[i].event;
		}
	for (uint32_t i = 0; i < subject->kinds; i++)
		for (uint32_t k = 0; k < subject->kinds; k++)
			if (!commute(m, states, count, atoms[i], atoms[k]))
				subject->matters[i] |= 1u << k;
	norn_monitor_free(m);
	free(states);
	if (subject->kinds == 0)
		return norn_error_set(
		        err, -EINVAL, "%s names no events: a scope's regions delimit events, not values of variables", p->name);
	subject->views[0] = norn_view_new(s->binding, p);
	return 0;
}

/* Of a scope: each local is a kind; what differs is in different regions, or it is not told apart. */
static int split_scope(struct suggestion_search *s, const struct norn_scope *scope, struct norn_error *err)
{
	struct subject *subject = &s->subject;
	for (uint32_t i = 0; i < scope->local_count && i < KINDS_MAX; i++) {
		const struct norn_property *p = &scope->locals[i].property;
		subject->views[i] = norn_view_new(s->binding, p);
		subject->events[i] = NORN_SLOT_NONE;
		for (uint32_t k = p->atom_count; k-- > 0;)
			if (p->atoms[k].kind == NORN_ATOM_EVENT)
				subject->events[i] = p->atoms[k].event;
		subject->kinds++;
	}
	for (uint32_t i = 0; i < subject->kinds; i++)
		subject->matters[i] = ((UINT32_C(1) << subject->kinds) - 1) & ~(1u << i);
	return 0;
}

static int find_subject(struct suggestion_search *s, const char *name, struct norn_error *err)
{
	for (uint32_t i = 0; i < s->spec->property_count; i++)
		if (strcmp(s->spec->properties[i].name, name) == 0) {
			s->subject.property = &s->spec->properties[i];
			if (s->subject.property->logic > NORN_LOGIC_FSM)
				return norn_error_set(err, -EINVAL, "%s is not of a logic that scopes can check", name);
			return split_property(s, s->subject.property, err);
		}
	for (uint32_t i = 0; i < s->spec->scope_count; i++)
		if (strcmp(s->spec->scopes[i].name, name) == 0) {
			s->subject.scope = &s->spec->scopes[i];
			return split_scope(s, s->subject.scope, err);
		}
	return norn_error_set(err, -ENOENT, "no property or scope is called %s", name);
}

/* The kinds of event that the moment is. */
static uint32_t kinds_of(const struct suggestion_search *s)
{
	const struct subject *subject = &s->subject;
	uint32_t kinds = 0, thread = s->moment.position->thread;
	struct norn_letter letter;
	for (uint32_t i = 0; i < subject->kinds; i++) {
		if (subject->property) {
			kinds |= (uint32_t)(s->moment.events[subject->events[i]] == NORN_TRUTH_YES) << i;
			continue;
		}
		if (norn_binding_is_type(s->binding, thread, subject->scope->locals[i].type) &&
		        norn_view_letter(subject->views[i], &s->moment, NULL, &letter) && letter.yes)
			kinds |= 1u << i;
	}
	return kinds;
}

/* Can a property file name the function? Instances of templates for lambdas it cannot. */
static bool is_writable(const char *name)
{
	return name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789:")] == 0;
}

/* ---- candidates ---- */

/* The event as an action; false if it is none. */
static bool action_of(const struct suggestion_search *s, const struct norn_event *e, struct candidate *ret, uint64_t *ret_key)
{
	struct norn_site_info info;
	*ret = (struct candidate){.site = e->site};
	if (e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_ACQUIRE) {
		ret->kind = NORN_SUGGEST_LOCK;
		ret->address = e->addr;
		*ret_key = e->addr << 1;
		return true;
	}
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_JOIN && e->value < s->binding->threads) {
		ret->kind = NORN_SUGGEST_JOIN;
		ret->name = s->binding->started[e->value];
	} else if (e->kind == NORN_EVENT_MARK && e->op == NORN_MARK_EVENT) {
		ret->kind = NORN_SUGGEST_NOTE;
		ret->name = norn_trace_name(s->trace, (uint32_t)e->argument);
	} else if (e->kind == NORN_EVENT_ENTER) {
		norn_trace_site(s->trace, e->site, &info);
		ret->kind = NORN_SUGGEST_CALL;
		ret->name = is_writable(info.name) && !norn_is_library_file(info.file) ? info.name : NULL;
	} else {
		return false;
	}
	*ret_key = norn_fnv_text(NORN_FNV_BEGIN + ret->kind, ret->name ? ret->name : "") | 1;
	return ret->name && *ret->name;
}

static void count_candidate(struct suggestion_search *s, const struct norn_event *e)
{
	struct candidate c;
	uint64_t key;
	if (!action_of(s, e, &c, &key))
		return;
	uint32_t *at = norn_must_map_put(&s->index, key);
	if (!*at) {
		norn_must_grow(&s->list, s->count + UINT64_C(1), &s->room, sizeof *s->list);
		s->list[s->count] = c;
		*at = ++s->count;
	}
	s->list[*at - 1].counted++;
}

/* ---- passes ---- */

static int pass(
        struct suggestion_search *s, int (*each)(struct suggestion_search *, const struct norn_event *), struct norn_error *err)
{
	struct norn_merge *merge = norn_merge_new(s->trace, 0);
	struct norn_event event;
	int r = 1;
	while (r == 1 && (r = norn_merge_next(merge, &event, err)) == 1)
		if (each(s, &event) != 0)
			r = norn_error_set(err, -EOVERFLOW, "it has more threads than can be told apart");
	norn_merge_free(merge);
	return r;
}

static void prepare(const struct suggestion_search *s, struct candidate *c)
{
	uint32_t words = s->spec->event_count / 64 + 1;
	c->parts = norn_must_calloc(s->binding->threads + 1ul, sizeof *c->parts);
	c->events = norn_must_alloc(words, sizeof *c->events);
	memset(c->events, 0xff, words * sizeof *c->events);
}

/* Those that could be worth it: not single, and no more than a few for each event. */
static void choose(struct suggestion_search *s, uint64_t events)
{
	uint32_t kept = 0;
	s->own.kind = NORN_SUGGEST_OWN;
	if (s->subject.property)
		prepare(s, &s->own);
	s->own.kinds = (uint32_t)((UINT64_C(1) << s->subject.kinds) - 1);
	for (uint32_t i = 0; i < s->count; i++) {
		struct candidate *c = &s->list[i];
		if (c->counted < 2 || c->counted > 8 * events + 64 || kept >= CANDIDATES_MAX)
			continue;
		prepare(s, c);
		kept++;
	}
}

static void note(struct suggestion_pair *pair, struct suggestion_event first, struct suggestion_event second)
{
	if (pair->count++ == 0) {
		pair->first = first;
		pair->second = second;
	}
}

static bool is_nested(const struct suggestion_search *s)
{
	return s->subject.scope && s->subject.scope->nested;
}

/* Nested: an action is about the events of the threads that its own thread has made. */
static bool is_about(const struct suggestion_search *s, uint32_t actor, uint32_t thread)
{
	return !is_nested(s) || s->parents[thread] == actor + 1;
}

static void act(struct suggestion_search *s, struct candidate *c, struct suggestion_event now, uint32_t kinds, uint64_t time,
        bool is_position)
{
	uint64_t here = 0, times = 0;
	c->actions++;
	c->kinds |= kinds;
	for (uint32_t e = 0; e < s->spec->event_count; e++)
		if (!is_position || s->moment.events[e] != NORN_TRUTH_YES)
			c->events[e / 64] &= ~(UINT64_C(1) << e % 64);
	if (!is_nested(s) && c->last.count && !norn_relevant_hb_before(&s->happens, c->last.thread, c->last.count, now.thread))
		note(&c->unordered, c->last, now);
	for (uint32_t i = 0; i < s->binding->threads; i++) {
		struct suggestion_part *p = &c->parts[i];
		if (!p->kinds || !is_about(s, now.thread, i))
			continue;
		if (!norn_relevant_hb_before(&s->happens, i, p->last.count, now.thread))
			note(&c->loose, p->last, now);
		here += p->here;
		times += p->times;
		p->kinds = 0;
		p->here = p->times = 0;
	}
	if (here) {
		c->regions++;
		c->total += here;
		c->widest = here > c->widest ? here : c->widest;
		c->delay += ((double)here * (double)time - (double)times) / 1e9;
	}
	c->is_mixed = false;
	c->last = now;
	c->parts[now.thread].action = now;
}

static uint32_t matters_to(const struct subject *subject, uint32_t kinds)
{
	uint32_t all = 0;
	for (uint32_t i = 0; i < subject->kinds; i++)
		if (kinds >> i & 1)
			all |= subject->matters[i];
	return all;
}

static void hear(struct suggestion_search *s, struct candidate *c, struct suggestion_event now, uint32_t kinds, uint64_t time)
{
	uint32_t others = matters_to(&s->subject, kinds), parent = s->parents[now.thread];
	if (is_nested(s) && !parent)
		return; /* no region */
	const struct suggestion_event *began = is_nested(s) ? &c->parts[parent - 1].action : &c->last;
	if (began->count && !norn_relevant_hb_before(&s->happens, began->thread, began->count, now.thread))
		note(&c->loose, now, *began);
	for (uint32_t i = 0; !c->is_mixed && i < s->binding->threads; i++)
		if (i != now.thread && c->parts[i].kinds & others && (!is_nested(s) || s->parents[i] == parent)) {
			note(&c->mixed, c->parts[i].last, now);
			c->is_mixed = true;
		}
	struct suggestion_part *mine = &c->parts[now.thread];
	mine->kinds |= kinds;
	mine->last = now;
	mine->here++;
	mine->times += time;
}

/* Events whose order matters, of different threads, that nothing orders. */
static void race(struct suggestion_search *s, struct suggestion_event now, uint32_t kinds)
{
	uint32_t others = matters_to(&s->subject, kinds);
	for (uint32_t i = 0; i < s->binding->threads; i++)
		if (i != now.thread && s->threads[i].kinds & others &&
		        !norn_relevant_hb_before(&s->happens, i, s->threads[i].last.count, now.thread))
			note(&s->racing, s->threads[i].last, now);
	s->threads[now.thread].kinds = kinds;
	s->threads[now.thread].last = now;
}

static void learn_kinds(struct suggestion_search *s, uint32_t kinds, uint32_t thread)
{
	uint64_t types = 0;
	for (uint32_t i = 0; i < s->spec->type_count && i < 64; i++)
		types |= (uint64_t)norn_binding_is_type(s->binding, thread, i) << i;
	for (uint32_t i = 0; i < s->subject.kinds; i++) {
		if (!(kinds >> i & 1))
			continue;
		const char *started = s->binding->started[thread];
		s->types[i] = s->counts[i]++ ? s->types[i] & types : types;
		bool same = !s->started[i] || strcmp(s->started[i], started) == 0;
		s->started[i] = same && is_writable(started) ? started : "";
	}
}

static int first_pass(struct suggestion_search *s, const struct norn_event *e)
{
	const struct norn_position *p = norn_recorded_match_event(s->match, e);
	if (p)
		norn_valuation_apply(&s->valuation, p, &s->moment);
	if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK && e->value < s->binding->threads)
		s->parents[e->value] = e->thread + 1;
	if (p) {
		uint32_t kinds = kinds_of(s);
		for (uint32_t i = 0; i < s->spec->event_count; i++)
			s->totals[i] += s->moment.events[i] == NORN_TRUTH_YES;
		if (kinds)
			learn_kinds(s, kinds, e->thread);
		norn_valuation_fade(&s->valuation, s->binding, p);
	}
	count_candidate(s, e);
	return 0;
}

static const char *word_of(const struct suggestion_search *s, uint32_t kinds)
{
	for (uint32_t i = 0; i < s->subject.kinds; i++)
		if (kinds >> i & 1 && s->subject.events[i] != NORN_SLOT_NONE)
			return s->spec->events[s->subject.events[i]].name;
	return "event";
}

static const char *action_word(const struct candidate *c)
{
	return c->kind == NORN_SUGGEST_LOCK ? "acquisition" : c->kind == NORN_SUGGEST_JOIN ? "join" : c->name;
}

static int second_pass(struct suggestion_search *s, const struct norn_event *e)
{
	const struct norn_position *p = norn_recorded_match_event(s->match, e);
	struct candidate as, *acts = NULL;
	uint64_t key;
	if (p)
		norn_valuation_apply(&s->valuation, p, &s->moment);
	uint32_t kinds = p ? kinds_of(s) : 0;
	if (action_of(s, e, &as, &key)) {
		uint32_t *at = norn_map_get(&s->index, key);
		acts = at && s->list[*at - 1].parts ? &s->list[*at - 1] : NULL;
	}
	int r = norn_relevant_hb_event(&s->happens, e, kinds || acts);
	if (r != 0)
		return r;
	struct suggestion_event now = {
	        e->thread, norn_relevant_hb_count(&s->happens, e->thread), p && p->caller ? p->caller : e->site, NULL};
	if (acts) {
		now.what = action_word(acts);
		act(s, acts, now, kinds, e->time, p);
	}
	now.what = word_of(s, kinds);
	for (uint32_t i = 0; kinds && i < s->count; i++)
		if (s->list[i].parts)
			hear(s, &s->list[i], now, kinds, e->time);
	if (kinds && s->own.parts) {
		act(s, &s->own, now, kinds, e->time, p);
		hear(s, &s->own, now, kinds, e->time);
	}
	if (kinds)
		race(s, now, kinds);
	if (p)
		norn_valuation_fade(&s->valuation, s->binding, p);
	return 0;
}

static void open_pass(struct suggestion_search *s)
{
	s->match = norn_recorded_match_new(s->binding, &s->hidden_writes);
	norn_valuation_init(&s->valuation, s->binding);
	norn_moment_init(&s->moment, s->binding);
	const struct norn_position *start = norn_recorded_match_start(s->match);
	norn_valuation_apply(&s->valuation, start, &s->moment);
	norn_valuation_fade(&s->valuation, s->binding, start);
}

static void close_pass(struct suggestion_search *s)
{
	norn_recorded_match_free(s->match);
	norn_valuation_done(&s->valuation);
	norn_moment_done(&s->moment);
	s->match = NULL;
}

/* ---- results ---- */

static const char *print(struct norn_suggestions *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static const char *print(struct norn_suggestions *to, const char *format, ...)
{
	va_list list;
	char *text = NULL;
	va_start(list, format);
	int length = vasprintf(&text, format, list);
	va_end(list);
	norn_must_do(length);
	const char *kept = norn_must_arena_text(&to->arena, text, (size_t)length);
	free(text);
	return kept;
}

static const char *scope_event_text(
        const struct suggestion_search *s, struct norn_suggestions *to, const struct suggestion_event *d)
{
	struct norn_site_info info;
	const struct norn_thread_info *thread = norn_trace_thread(s->trace, d->thread);
	norn_trace_site(s->trace, d->site, &info);
	return print(to, "%s of thread %s (%s:%u)", d->what ? d->what : "event", thread ? thread->path : "?", basename(info.file),
	        info.line);
}

static struct norn_suggestion_pair pair_text(
        const struct suggestion_search *s, struct norn_suggestions *to, const struct suggestion_pair *pair)
{
	if (!pair->count)
		return (struct norn_suggestion_pair){0};
	return (struct norn_suggestion_pair){
	        pair->count, scope_event_text(s, to, &pair->first), scope_event_text(s, to, &pair->second)};
}

static unsigned symbols_named(const struct suggestion_search *s, const char *name, bool *ret_static)
{
	size_t cursor = 0;
	unsigned count = 0;
	const struct norn_symbol *symbol;
	while (s->program && (symbol = norn_program_symbol(s->program, false, name, NULL, NULL, &cursor))) {
		count++;
		*ret_static = symbol->is_static;
	}
	return count;
}

/* The name of the lock in a property: by the call that took it. */
static const char *lock_name(const struct suggestion_search *s, struct norn_suggestions *to, const struct candidate *c)
{
	struct norn_site_info info;
	bool is_static = false;
	norn_trace_site(s->trace, c->site, &info);
	if (!*info.field)
		return "";
	if (info.site && info.site->flags & NORN_SITE_MEMBER)
		return print(to, "struct %s", info.field);
	unsigned count = symbols_named(s, info.field, &is_static);
	return count > 1 || is_static ? print(to, "\"%s\"::%s", basename(info.file), info.field) : print(to, "%s", info.field);
}

static const char *declared_as(const struct suggestion_search *s, const struct candidate *c)
{
	for (uint32_t e = 0; e < s->spec->event_count; e++)
		if (c->events[e / 64] >> e % 64 & 1 && s->totals[e] == c->actions)
			return s->spec->events[e].name;
	return NULL;
}

/* Numbers of about the same size have the same: a region more or less does not make a candidate worse. */
static unsigned size_of(uint64_t number)
{
	unsigned bits = number ? 64u - (unsigned)__builtin_clzll(number) : 0;
	return bits < 3 ? (unsigned)number : bits << 2 | (unsigned)(number >> (bits - 3) & 3);
}

static int compare(const void *a, const void *b)
{
	const struct norn_suggestion *x = a, *y = b;
	if (x->fits != y->fits)
		return x->fits ? -1 : 1;
	uint64_t flaws_x = x->unordered.count + x->loose.count + x->mixed.count + (x->begins != NULL);
	uint64_t flaws_y = y->unordered.count + y->loose.count + y->mixed.count + (y->begins != NULL);
	if (flaws_x != flaws_y)
		return flaws_x < flaws_y ? -1 : 1;
	if (size_of(x->regions) != size_of(y->regions))
		return x->regions < y->regions ? -1 : 1;
	if (size_of(x->actions) != size_of(y->actions))
		return x->actions < y->actions ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->delay != y->delay)
		return x->delay < y->delay ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* "ping | pong" */
static const char *own_name(const struct suggestion_search *s, struct norn_suggestions *to)
{
	const char *name = "";
	for (uint32_t i = 0; i < s->subject.kinds; i++)
		name = print(to, "%s%s%s", name, *name ? " | " : "", s->spec->events[s->subject.events[i]].name);
	return name;
}

static const char *name_of(const struct suggestion_search *s, struct norn_suggestions *to, const struct candidate *c)
{
	if (!c->parts)
		return "";
	return c->kind == NORN_SUGGEST_LOCK  ? lock_name(s, to, c)
	       : c->kind == NORN_SUGGEST_OWN ? own_name(s, to)
	                                     : print(to, "%s", c->name);
}

/* Is the order of an action with another event lost? Parts of a scope are told apart by regions alone, as it says. */
static void tell_begins(const struct suggestion_search *s, const struct candidate *c, struct norn_suggestion *n)
{
	const struct subject *subject = &s->subject;
	for (uint32_t i = 0; subject->property && i < subject->kinds; i++) {
		uint32_t others = c->kinds >> i & 1 ? subject->matters[i] & ~c->kinds : 0;
		if (!others)
			continue;
		n->begins = s->spec->events[subject->events[i]].name;
		n->after = s->spec->events[subject->events[__builtin_ctz(others)]].name;
		return;
	}
}

static void tell_candidates(const struct suggestion_search *s, struct norn_suggestions *to)
{
	to->list = norn_must_arena_alloc(&to->arena, (s->count + 2ul) * sizeof *to->list);
	for (uint32_t i = 0; i <= s->count; i++) {
		const struct candidate *c = i < s->count ? &s->list[i] : &s->own;
		const char *name = name_of(s, to, c);
		if (!*name || c->regions == 0)
			continue;
		struct norn_suggestion *n = &to->list[to->count++];
		*n = (struct norn_suggestion){.kind = c->kind,
		        .name = name,
		        .declared = c->kind == NORN_SUGGEST_OWN ? name : declared_as(s, c),
		        .actions = c->actions,
		        .regions = c->regions,
		        .widest = c->widest,
		        .width = (double)c->total / (double)c->regions,
		        .delay = c->delay > 0 ? c->delay / (double)c->total : 0, /* threads' times are not exact */
		        .unordered = pair_text(s, to, &c->unordered),
		        .loose = pair_text(s, to, &c->loose),
		        .mixed = pair_text(s, to, &c->mixed)};
		tell_begins(s, c, n);
		n->fits = !n->unordered.count && !n->loose.count && !n->mixed.count && !n->begins;
	}
	qsort(to->list, to->count, sizeof *to->list, compare);
}

static void tell_events(const struct suggestion_search *s, struct norn_suggestions *to)
{
	to->events = norn_must_arena_alloc(&to->arena, (s->subject.kinds + 1ul) * sizeof *to->events);
	for (uint32_t i = 0; i < s->subject.kinds; i++) {
		const char *type = NULL;
		for (uint32_t t = s->spec->type_count; t-- > 0;)
			if (t < 64 && s->counts[i] && s->types[i] >> t & 1)
				type = s->spec->types[t].name;
		uint32_t event = s->subject.events[i];
		to->events[to->event_count++] = (struct norn_suggested_event){
		        .name = event == NORN_SLOT_NONE ? s->subject.scope->locals[i].property.name : s->spec->events[event].name,
		        .type = type,
		        .started = print(to, "%s", s->started[i] ? s->started[i] : ""),
		        .count = s->counts[i]};
	}
}

/* ---- all of it ---- */

static int init(struct suggestion_search *s, const char *subject, struct norn_error *err)
{
	norn_map_init(&s->index, sizeof(uint32_t));
	int r = norn_binding_new(s->spec, s->program, s->trace, &s->binding, err);
	if (r == 0)
		r = norn_binding_starts(s->binding, s->trace, err);
	if (r == 0)
		r = norn_hidden_writes_find(s->binding, s->trace, 0, &s->hidden_writes, err);
	if (r != 0)
		return r;
	s->parents = norn_must_calloc(s->binding->threads + 1ul, sizeof *s->parents);
	s->totals = norn_must_calloc(s->spec->event_count, sizeof *s->totals);
	s->threads = norn_must_calloc(s->binding->threads + 1ul, sizeof *s->threads);
	s->types = norn_must_calloc(KINDS_MAX, sizeof *s->types);
	s->counts = norn_must_calloc(KINDS_MAX, sizeof *s->counts);
	s->started = norn_must_calloc(KINDS_MAX, sizeof *s->started);
	norn_relevant_hb_init(&s->happens, s->trace);
	return find_subject(s, subject, err);
}

static void done(struct suggestion_search *s)
{
	close_pass(s);
	for (uint32_t i = 0; i < s->count; i++) {
		free(s->list[i].parts);
		free(s->list[i].events);
	}
	for (uint32_t i = 0; i < KINDS_MAX; i++)
		norn_view_free(s->subject.views[i]);
	norn_relevant_hb_done(&s->happens);
	norn_map_done(&s->index);
	norn_hidden_writes_done(&s->hidden_writes);
	norn_binding_free(s->binding);
	free(s->list);
	free(s->own.parts);
	free(s->own.events);
	free(s->parents);
	free(s->totals);
	free(s->threads);
	free(s->types);
	free(s->counts);
	free(s->started);
}

static int run(struct suggestion_search *s, struct norn_error *err)
{
	uint64_t events = 0;
	open_pass(s);
	int r = pass(s, first_pass, err);
	close_pass(s);
	for (uint32_t i = 0; i < s->subject.kinds; i++)
		events += s->counts[i];
	if (r == 0 && events == 0)
		return norn_error_set(err, -ENODATA, "none of its events happened in this run");
	if (r != 0)
		return r;
	choose(s, events);
	open_pass(s);
	r = pass(s, second_pass, err);
	close_pass(s);
	return r;
}

int norn_suggest(const struct norn_spec *spec, const struct norn_program *program, struct norn_trace *trace, const char *subject,
        struct norn_suggestions *to, struct norn_error *err)
{
	struct suggestion_search s = {.spec = spec, .program = program, .trace = trace};
	*to = (struct norn_suggestions){.subject = subject};
	int r = init(&s, subject, err);
	if (r == 0)
		r = run(&s, err);
	to->is_scope = s.subject.scope != NULL;
	to->nested = is_nested(&s);
	to->trusted = s.subject.scope && s.subject.scope->trusted;
	if (r == 0) {
		to->racing = pair_text(&s, to, &s.racing);
		tell_candidates(&s, to);
		tell_events(&s, to);
	}
	done(&s);
	if (r != 0)
		norn_suggestions_done(to);
	return r;
}

void norn_suggestions_done(struct norn_suggestions *suggestions)
{
	norn_arena_done(&suggestions->arena);
	*suggestions = (struct norn_suggestions){0};
}
