#include "finding/predicted_errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "finding/error_context.h"
#include "finding/kept_state.h"
#include "trace/record.h"
#include "trace/site.h"

static enum norn_finding_kind kind_of(const struct norn_predicted *p)
{
	switch (p->kind) {
	case NORN_PREDICTED_RACE:
		return NORN_FINDING_RACE;
	case NORN_PREDICTED_DEADLOCK:
		return NORN_FINDING_DEADLOCK;
	case NORN_PREDICTED_ATOMICITY:
		return NORN_FINDING_ATOMICITY;
	case NORN_PREDICTED_DOUBLE_FREE:
		return NORN_FINDING_DOUBLE_FREE;
	case NORN_PREDICTED_USE_AFTER_RETURN:
		return NORN_FINDING_USE_AFTER_RETURN;
	case NORN_PREDICTED_ASSERTION:
		return NORN_FINDING_ASSERTION;
	case NORN_PREDICTED_NULL:
		return NORN_FINDING_NULL;
	default:
		return NORN_FINDING_USE_AFTER_FREE;
	}
}

/* ---- places ---- */

/* Is what the name of a part of the object with the other name: "s.f[3]" of "s"? */
static bool is_part(const char *what, const char *whole)
{
	size_t length = strlen(whole);
	return length && strncmp(what, whole, length) == 0 && (what[length] == '.' || what[length] == '[');
}

/* A race of an access to a whole object, such as a copy of a struct, with one to a part of it: the place of the latter. -1: it is
 * none. All such parts in one function are one error: one lock is missing. */
static int part_of_race(const struct norn_finding *x)
{
	if (x->kind != NORN_FINDING_RACE || x->where_count != 2)
		return -1;
	return is_part(x->where[0].what, x->where[1].what) ? 0 : is_part(x->where[1].what, x->where[0].what) ? 1 : -1;
}

static bool is_stop(const struct norn_predicted *p, uint32_t number)
{
	for (uint32_t i = 0; i < p->stop_count; i++)
		if (p->stops[i] == number)
			return true;
	return false;
}

/* The events of the cycle that are in the schedule, in its order. */
static uint32_t cycle_numbers(const struct norn_predicted *p, uint32_t *numbers)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < p->cycle.count; i++)
		if (p->cycle.events[i] <= p->schedule.base && !is_stop(p, p->cycle.events[i]))
			numbers[count++] = p->cycle.events[i];
	for (uint32_t i = 0; i < count; i++) /* these are as recorded */
		for (uint32_t k = i; k > 0 && numbers[k - 1] > numbers[k]; k--) {
			uint32_t earlier = numbers[k];
			numbers[k] = numbers[k - 1];
			numbers[k - 1] = earlier;
		}
	for (uint32_t i = 0; i < p->schedule.count && p->cycle.count; i++)
		for (uint32_t k = 0; k < p->cycle.count; k++)
			if (p->schedule.events[i] == p->cycle.events[k])
				numbers[count++] = p->cycle.events[k];
	return count;
}

/* The events of where, in the order in which they come; room for as many as there are stops, and NORN_CYCLE_EVENTS. */
static uint32_t place_numbers(const struct norn_predicted *p, uint32_t *numbers)
{
	uint32_t count = cycle_numbers(p, numbers);
	if (p->kind == NORN_PREDICTED_ASSERTION)
		return norn_error_context_asserted(p, numbers);
	if (p->kind == NORN_PREDICTED_NULL)
		return norn_error_context_nulls(p, numbers);
	if (p->first)
		numbers[count++] = p->first;
	for (uint32_t i = 0; i < p->stop_count; i++)
		numbers[count++] = p->stops[i];
	return count;
}

/* The source of a copy has no name of its own: the object that the other access is to, or to a part of. */
static const char *name_source(struct norn_findings *f, const char *other)
{
	return norn_findings_text(f, "%.*s", (int)strcspn(other, ".["), other);
}

static void find_places(
        const struct norn_error_context *s, const struct norn_predicted *p, const uint32_t *numbers, struct norn_finding *finding)
{
	uint32_t before = finding->where_count - p->stop_count;
	struct norn_arena *arena = &s->findings->arena;
	struct norn_step_text *where = norn_must_arena_alloc(arena, finding->where_count * sizeof *where);
	struct norn_side *sides = norn_must_arena_alloc(arena, finding->where_count * sizeof *sides);
	for (uint32_t i = 0; i < finding->where_count; i++) {
		norn_error_context_step(s, i < before ? numbers[i] : norn_error_context_stop(s, p, i - before), false, &where[i]);
		norn_error_context_side(s, numbers[i], &sides[i]);
	}
	for (uint32_t i = 0; i < 2 && finding->where_count == 2; i++)
		if (norn_error_context_copies(s, numbers[i]) && strncmp(where[!i].what, "0x", 2) != 0)
			where[i].what = name_source(s->findings, where[!i].what);
	finding->where = where;
	finding->sides = sides;
}

/* The objects that the threads of a deadlock wait for, but for ends of threads; each once. */
static const char *object_names(const struct norn_error_context *s, const struct norn_predicted *p, const struct norn_finding *x)
{
	const char *names = "";
	for (uint32_t i = 0; i < p->stop_count; i++) {
		uint32_t number = norn_error_context_stop(s, p, i);
		const struct norn_graph_event *e = norn_graph_event(s->graph, number);
		bool lock = e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED, again = e->kind != NORN_EVENT_SYNC;
		for (uint32_t k = 0; k < i && !again && !lock; k++)
			again = norn_graph_event(s->graph, norn_error_context_stop(s, p, k))->size == e->size;
		if (!again)
			names = norn_findings_text(s->findings, "%s%s%s", names, *names ? ", " : "",
			        lock ? norn_error_context_lock(s, number) : x->where[x->where_count - p->stop_count + i].what);
	}
	return names;
}

/* ---- what stays the same from run to run ---- */

/* The last folder and the name: where a program was built does not matter, and two files of one name are told apart. */
static const char *short_path(const char *path)
{
	const char *slash = strrchr(path, '/');
	while (slash && slash > path && slash[-1] != '/')
		slash--;
	return slash && slash > path ? slash : path;
}

/* A line that reads and writes, x++, is one place. Lines that are not known are told apart by what they do. Of a deadlock also
 * which lock: one function may take many. The number of a lock among those of one name differs from run to run. */
static const char *place_text(const struct norn_finding *x, const struct norn_step_text *w, struct norn_findings *f)
{
	bool lock = x->kind == NORN_FINDING_DEADLOCK;
	int part = part_of_race(x);
	if (part >= 0 && w == &x->where[part] && *w->function)
		return norn_findings_text(f, "%s:%s:a part", short_path(w->file), w->function);
	return norn_findings_text(f, "%s:%u:%s:%s:%.*s", short_path(w->file), w->line, w->function, w->line ? "" : w->event,
	        lock ? (int)strcspn(w->what, "#") : 0, w->what);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Of a deadlock in which all threads wait or have ended: the number that waits at a place, and the joiners, differ from run to
 * run. */
static uint32_t drop_alike(const struct norn_finding *x, const char **places, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++)
		if (kept == 0 || strcmp(places[kept - 1], places[i]) != 0)
			places[kept++] = places[i];
	return x->all_stopped ? kept : count;
}

/* The places that tell it from others: of what fails the first one, as whose write it sees differs. */
static uint32_t counted_places(const struct norn_finding *x)
{
	return x->kind == NORN_FINDING_ASSERTION || x->kind == NORN_FINDING_NULL ? 1 : x->where_count;
}

/* All that tells this error from others, in words. Places count as a set: which of two threads comes first differs from run to
 * run. */
static const char *make_identity(const struct norn_finding *x, struct norn_findings *f)
{
	const char **places = norn_must_alloc(x->where_count, sizeof(*places));
	uint32_t count = 0, counted = counted_places(x);
	for (uint32_t i = 0; i < counted; i++)
		if (!x->all_stopped || strcmp(x->where[i].event, "join") != 0)
			places[count++] = place_text(x, &x->where[i], f);
	qsort(places, count, sizeof(*places), by_text);
	count = drop_alike(x, places, count);
	/* The names of locks come in the order of the threads: they are with the places. */
	const char *text = norn_findings_text(
	        f, "%s\n%s", norn_finding_kind_name(x->kind), x->kind == NORN_FINDING_DEADLOCK ? "" : x->variable);
	for (uint32_t i = 0; i < count; i++)
		text = norn_findings_text(f, "%s\n%s", text, places[i]);
	free(places);
	return text;
}

const char *norn_error_id(enum norn_finding_kind kind, const char *identity, unsigned again, struct norn_findings *f)
{
	static const char letters[] = {[NORN_FINDING_RACE] = 'R',
	        [NORN_FINDING_DEADLOCK] = 'D',
	        [NORN_FINDING_ATOMICITY] = 'A',
	        [NORN_FINDING_USE_AFTER_FREE] = 'U',
	        [NORN_FINDING_DOUBLE_FREE] = 'U',
	        [NORN_FINDING_USE_AFTER_RETURN] = 'U',
	        [NORN_FINDING_CRASH] = 'C',
	        [NORN_FINDING_ASSERTION] = 'F',
	        [NORN_FINDING_NULL] = 'N'};
	uint64_t h = 0xcbf29ce484222325u + again;
	for (const char *c = identity; *c; c++) {
		h = (h ^ (unsigned char)*c) * 0x9e3779b97f4a7c15u;
		h ^= h >> 29; /* so that no byte is undone by a later one */
	}
	h = (h ^ h >> 32) * 0xd6e8feb86659fd93u;
	return norn_findings_text(f, "%c%08x", letters[kind], (unsigned)(h >> 32));
}

struct norn_finding *norn_error_find_same(struct norn_finding *x, struct norn_findings *f)
{
	x->identity = make_identity(x, f);
	for (unsigned again = 0;; again++) {
		x->id = norn_error_id(x->kind, x->identity, again, f);
		struct norn_finding *known = norn_findings_get(f, x->id);
		if (!known || (known->identity && strcmp(known->identity, x->identity) == 0))
			return known;
	}
}

static const char *quoted(struct norn_findings *f, const char *text)
{
	return strpbrk(text, " \t\"*?[]\\#") ? norn_findings_text(f, "\"%s\"", text) : text;
}

/* A glob that matches the name alone: brackets and stars of names stand for themselves. */
static const char *glob_of(struct norn_findings *f, const char *name)
{
	const char *glob = "";
	for (const char *c = name; *c; c++)
		glob = norn_findings_text(f, "%s%s%c", glob, strchr("*?[]\\", *c) ? "\\" : "", *c);
	return glob;
}

const char *norn_error_finding_suppression(const struct norn_finding *finding, struct norn_findings *f)
{
	const char *line = norn_findings_text(f, "%s", norn_finding_kind_name(finding->kind));
	if (*finding->variable)
		line = norn_findings_text(f, "%s variable=%s", line, quoted(f, glob_of(f, finding->variable)));
	uint32_t counted = counted_places(finding);
	for (uint32_t i = 0; i < counted; i++) {
		const struct norn_step_text *w = &finding->where[i];
		bool again = false;
		for (uint32_t k = 0; k < i; k++)
			again |= strcmp(finding->where[k].function, w->function) == 0;
		if (*w->function && !again)
			line = norn_findings_text(f, "%s function=%s", line, quoted(f, glob_of(f, w->function)));
	}
	if (!*finding->variable && !strstr(line, "function="))
		line = norn_findings_text(f, "%s id=%s", line, finding->id);
	return line;
}

/* ---- words ---- */

static const char *at(struct norn_findings *f, const struct norn_step_text *w)
{
	if (!*w->file)
		return "a place that is not known";
	if (!w->line)
		return norn_findings_text(f, "%s", basename(w->file));
	return norn_findings_text(f, "%s:%u", basename(w->file), w->line);
}

/* The same of a place of the finding, as its reader knows it. */
static const char *at_own(struct norn_findings *f, const struct norn_finding *x, uint32_t where)
{
	const struct norn_step_text own = norn_finding_own_where(x, where);
	return at(f, &own);
}

static const char *done_to(const struct norn_step_text *w)
{
	if (strcmp(w->event, "read") == 0 || strcmp(w->event, "free") == 0)
		return *w->event == 'r' ? "reads" : "frees";
	return strcmp(w->event, "write") == 0 || strcmp(w->event, "rmw") == 0 ? "writes" : "uses";
}

static const char *race_message(const struct norn_finding *x, struct norn_findings *f)
{
	return norn_findings_text(f, "%s %s it at %s while %s %s it at %s", x->where[0].thread, done_to(&x->where[0]),
	        at_own(f, x, 0), x->where[1].thread, done_to(&x->where[1]), at_own(f, x, 1));
}

static const char *lock_list(const struct norn_side *side, struct norn_findings *f)
{
	const char *text = "";
	for (uint32_t i = 0; i < side->lock_count; i++)
		text = norn_findings_text(f, "%s%s%s", text, i ? " and " : "", side->locks[i].what);
	return text;
}

static const char *race_advice(const struct norn_finding *x, struct norn_findings *f)
{
	const struct norn_side *a = &x->sides[0], *b = &x->sides[1];
	if (!a->lock_count && !b->lock_count)
		return "guard both accesses by one lock, or make both atomic";
	if (a->lock_count && b->lock_count && strcmp(lock_list(a, f), lock_list(b, f)) == 0)
		return norn_findings_text(
		        f, "these are two locks, though both are called %s: hold one and the same", lock_list(a, f));
	if (a->lock_count && b->lock_count)
		return norn_findings_text(
		        f, "%s and %s do not exclude each other: hold one lock at both places", lock_list(a, f), lock_list(b, f));
	uint32_t guarded = a->lock_count ? 0 : 1;
	return norn_findings_text(f, "%s is held at %s only: hold it at %s, too", lock_list(&x->sides[guarded], f),
	        at_own(f, x, guarded), at_own(f, x, !guarded));
}

/* ---- memory orders ---- */

/* The memory order that the access lacks. */
static const char *wanted_order(const struct norn_graph *graph, uint32_t access, bool release)
{
	const struct norn_graph_event *e = norn_graph_event(graph, access);
	unsigned other = release ? NORN_ORDER_ACQUIRE : NORN_ORDER_RELEASE;
	if (e->kind == NORN_EVENT_RMW && norn_graph_order(graph, access) == other)
		return "memory_order_acq_rel";
	return release ? "memory_order_release" : "memory_order_acquire";
}

static const char *order_name(unsigned order)
{
	static const char *const names[] = {[NORN_ORDER_RELAXED] = "memory_order_relaxed",
	        [NORN_ORDER_ACQUIRE] = "memory_order_acquire",
	        [NORN_ORDER_RELEASE] = "memory_order_release",
	        [NORN_ORDER_ACQ_REL] = "memory_order_acq_rel",
	        [NORN_ORDER_SEQ_CST] = "memory_order_seq_cst"};
	return order && order < sizeof names / sizeof *names ? names[order] : "plain";
}

/* "the store of f at x.c:12" */
static const char *access_text(const struct norn_error_context *s, uint32_t access)
{
	static const char *const words[] = {
	        [NORN_EVENT_READ] = "load", [NORN_EVENT_WRITE] = "store", [NORN_EVENT_RMW] = "read-modify-write"};
	struct norn_step_text w;
	norn_error_context_step(s, access, false, &w);
	return norn_findings_text(s->findings, "the %s%s%s at %s", words[norn_graph_event(s->graph, access)->kind],
	        *w.what ? " of " : "", w.what, at(s->findings, &w));
}

static const char *order_text(const struct norn_error_context *s, uint32_t access)
{
	return norn_findings_text(s->findings, "%s is %s", access_text(s, access), order_name(norn_graph_order(s->graph, access)));
}

/* The missing order, in words: "the store of f at x.c:12 is memory_order_relaxed, so that it does not publish what was written before" */
static const char *missing_order_text(const struct norn_error_context *s, const struct norn_missing_order *m)
{
	struct norn_findings *f = s->findings;
	const char *text = "";
	if (m->release)
		text = norn_findings_text(f, "%s, so that it does not publish what was written before", order_text(s, m->store));
	if (m->acquire)
		text = norn_findings_text(f, "%s%s%s, so that what was published before what it sees need not be seen after it",
		        text, *text ? "; " : "", order_text(s, m->load));
	return text;
}

static const char *order_advice(const struct norn_error_context *s, const struct norn_missing_order *m)
{
	struct norn_findings *f = s->findings;
	struct norn_site_info info;
	norn_trace_site(s->trace, norn_graph_event(s->graph, m->load)->site, &info);
	bool failed =
	        info.site && info.site->kind == NORN_SITE_CMPXCHG && norn_graph_event(s->graph, m->load)->kind == NORN_EVENT_READ;
	const char *text = "";
	if (m->release)
		text = norn_findings_text(f, "make %s %s", access_text(s, m->store), wanted_order(s->graph, m->store, true));
	if (m->acquire)
		text = norn_findings_text(f, "%s%smake %s %s%s", text, *text ? ", and " : "", access_text(s, m->load),
		        wanted_order(s->graph, m->load, false), failed ? ", also where the exchange fails" : "");
	return norn_findings_text(f, "%s (or put such a fence there)", text);
}

/* The accesses come one after the other, and only for want of a memory order nothing makes them so. */
static void word_unordered(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	x->outcome = *x->variable ? norn_findings_text(f, "race on %s", x->variable) : "race";
	x->message =
	        norn_findings_text(f, "%s %s it at %s after %s %s it at %s, but no memory order makes it so", x->where[1].thread,
	                done_to(&x->where[1]), at_own(f, x, 1), x->where[0].thread, done_to(&x->where[0]), at_own(f, x, 0));
	x->ending = norn_findings_text(f,
	        "by C11 the first of these accesses need not come before the last: %s. This processor (x86-64) keeps them in "
	        "order, compilers and other processors may not",
	        missing_order_text(s, &p->missing));
	x->advice = order_advice(s, &p->missing);
}

static void word_race(
        const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x, struct norn_findings *f)
{
	const char *function, *instead = norn_kept_state_instead_of(s->trace, s->graph, p->stops, p->stop_count, &function);
	x->outcome = *x->variable ? norn_findings_text(f, "race on %s", x->variable) : "race";
	x->message = race_message(x, f);
	x->advice = instead ? norn_findings_text(f,
	                              "%s() has memory of its own, which all threads share from one call to the next: call %s() "
	                              "instead (a lock around each call does not help)",
	                              function, instead)
	                    : race_advice(x, f);
}

static void word_free(const struct norn_predicted *p, struct norn_finding *x, struct norn_findings *f)
{
	const struct norn_step_text *freed = &x->where[0], *use = &x->where[1];
	bool twice = p->kind == NORN_PREDICTED_DOUBLE_FREE;
	x->outcome =
	        norn_findings_text(f, "%s%s%s", twice ? "double free" : "use after free", *x->variable ? " of " : "", x->variable);
	x->message = norn_findings_text(f, "%s %s it at %s after %s has %s it at %s", use->thread, done_to(use), at_own(f, x, 1),
	        freed->thread, strcmp(freed->event, "unmap") == 0 ? "unmapped" : "freed", at_own(f, x, 0));
	x->advice =
	        twice ? "let one thread own the block, or count its users"
	              : "free the block when no thread can use it any more: join the thread, count users, or hold a lock for both";
}

static void word_return(struct norn_finding *x, struct norn_findings *f)
{
	const struct norn_step_text *left = &x->where[0], *use = &x->where[1];
	bool ended = strcmp(left->event, "end") == 0;
	x->outcome = norn_findings_text(f, "use after return%s%s", *x->variable ? " of " : "", x->variable);
	x->message = ended ? norn_findings_text(f, "%s %s it at %s on the stack of %s after that has ended", use->thread,
	                             done_to(use), at_own(f, x, 1), left->thread)
	                   : norn_findings_text(f, "%s %s it at %s after %s has returned from %s, whose local variable it is",
	                             use->thread, done_to(use), at_own(f, x, 1), left->thread, left->function);
	x->advice =
	        "keep what other threads use in memory that lives longer, or let the function return when no thread can use it any "
	        "more: join the thread, or wait until it says that it is done";
}

static const char *block_name(const struct norn_error_context *s, const struct norn_predicted *p)
{
	if (!p->begin)
		return "";
	const struct norn_graph_event *begin = norn_graph_event(s->graph, p->begin);
	struct norn_site_info info;
	if (begin->kind == NORN_EVENT_MARK)
		return norn_findings_text(s->findings, "%s", norn_trace_name(s->trace, (uint32_t)begin->value));
	norn_trace_site(s->trace, begin->site, &info);
	return norn_findings_text(s->findings, "%s", info.name);
}

/* More than one foreign access: what comes before what, and why no serial order has that. */
static void word_cycle(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	const uint32_t *events = p->cycle.events;
	const char *text = "";
	for (uint32_t i = 0; i + 1 < p->cycle.count; i++) {
		struct norn_step_text a, b;
		if (norn_graph_event(s->graph, events[i])->thread == norn_graph_event(s->graph, events[i + 1])->thread)
			continue;
		norn_error_context_step(s, events[i], false, &a);
		norn_error_context_step(s, events[i + 1], false, &b);
		const char *variable = norn_error_context_variable(s, events + i, 2);
		text = norn_findings_text(f, "%s%s%s %s %s at %s before %s %s it at %s", text,
		        !*text                    ? ""
		        : i + 2 == p->cycle.count ? ", but "
		                                  : ", ",
		        a.thread, done_to(&a), *variable ? variable : "memory", at(f, &a), b.thread, done_to(&b), at(f, &b));
	}
	x->message = norn_findings_text(f, "%s: as if the block came both before and after the others", text);
	x->advice = "hold one lock from the first access to the last, and at the foreign ones";
}

/* Variables of a cycle's events: each name once, in the order of the alphabet, as which comes first differs from run to run. */
static const char *cycle_variables(const struct norn_error_context *s, const struct norn_predicted *p)
{
	const char *names[NORN_CYCLE_EVENTS], *text = "";
	uint32_t count = 0;
	for (uint32_t i = 0; i + 1 < p->cycle.count; i++) {
		const uint32_t *events = p->cycle.events + i;
		bool conflict = norn_graph_event(s->graph, events[0])->thread != norn_graph_event(s->graph, events[1])->thread;
		const char *name = conflict ? norn_error_context_variable(s, events, 2) : "";
		uint32_t k = 0;
		while (k < count && strcmp(names[k], name) != 0)
			k++;
		if (*name && k == count)
			names[count++] = name;
	}
	qsort(names, count, sizeof *names, by_text);
	for (uint32_t i = 0; i < count; i++)
		text = norn_findings_text(s->findings, "%s%s%s", text, i ? ", " : "", names[i]);
	return text;
}

static void word_atomicity(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	const char *block = block_name(s, p);
	x->atomic = block;
	x->outcome =
	        *block ? norn_findings_text(f, "atomic block %s is broken", block) : "accesses that belong together are torn apart";
	if (p->cycle.count > 3) {
		word_cycle(s, p, x);
		return;
	}
	const struct norn_step_text *first = &x->where[0], *foreign = &x->where[1], *second = &x->where[2];
	x->message = norn_findings_text(f, "%s %s %s at %s between %s (%s) and %s (%s) of %s", foreign->thread, done_to(foreign),
	        *x->variable ? x->variable : "it", at(f, foreign), at(f, first), first->event, at(f, second), second->event,
	        first->thread);
	x->advice = "hold one lock from the first access to the last, and at the foreign one";
}

/* ---- findings ---- */

static void fill(
        const struct norn_error_context *s, const struct norn_predicted *p, const uint32_t *numbers, struct norn_finding *x)
{
	if (p->kind == NORN_PREDICTED_ASSERTION) {
		norn_error_context_assertion(s, p, numbers, x);
		return;
	}
	if (p->kind == NORN_PREDICTED_NULL) {
		norn_error_context_null(s, p, numbers, x);
		return;
	}
	find_places(s, p, numbers, x);
	x->variable = p->kind == NORN_PREDICTED_DEADLOCK ? object_names(s, p, x)
	              : p->cycle.count > 3               ? cycle_variables(s, p)
	                                                 : norn_error_context_variable(s, numbers, x->where_count);
	if (!*x->variable && p->kind == NORN_PREDICTED_DOUBLE_FREE && strncmp(x->where[0].what, "0x", 2) != 0)
		x->variable = x->where[0].what;
	int part = part_of_race(x);
	if (part >= 0)
		x->variable = x->where[!part].what;
}

static void complete(
        const struct norn_error_context *s, const struct norn_predicted *p, const uint32_t *numbers, struct norn_finding *x)
{
	if (p->kind == NORN_PREDICTED_RACE && p->missing.store)
		word_unordered(s, p, x);
	else if (p->kind == NORN_PREDICTED_RACE)
		word_race(s, p, x, s->findings);
	else if (p->kind == NORN_PREDICTED_DEADLOCK)
		norn_error_context_deadlock(s, p, x);
	else if (p->kind == NORN_PREDICTED_ATOMICITY)
		word_atomicity(s, p, x);
	else if (p->kind == NORN_PREDICTED_USE_AFTER_RETURN)
		word_return(x, s->findings);
	else if (p->kind != NORN_PREDICTED_ASSERTION && p->kind != NORN_PREDICTED_NULL)
		word_free(p, x, s->findings);
	bool memory = p->kind != NORN_PREDICTED_DEADLOCK && p->kind != NORN_PREDICTED_ASSERTION && p->kind != NORN_PREDICTED_NULL;
	x->block = memory ? norn_error_context_block(s, numbers[0]) : "";
	x->suppression = norn_error_finding_suppression(x, s->findings);
	norn_error_context_consequence(s, p, x);
	norn_error_context_witness(s, p, x);
	norn_error_context_swaps(s, p, x);
	norn_error_context_order(s, p, x);
}

static void find_assumptions(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *x)
{
	struct norn_findings *f = s->findings;
	struct norn_assumption *list = norn_must_arena_alloc(&f->arena, (p->assumed_count + 2ul) * sizeof *list);
	for (uint32_t i = 0; i < p->assumed_count; i++) {
		struct norn_site_info info;
		norn_trace_site(s->trace, norn_graph_event(s->graph, p->assumed[i])->site, &info);
		bool again = false;
		for (uint32_t k = 0; k < x->assumption_count; k++)
			again |= strcmp(list[k].function, info.name) == 0 && list[k].line == info.line &&
			         strcmp(list[k].file, info.file) == 0;
		if (again)
			continue;
		bool named = *info.name && strcmp(info.name, NORN_SITE_ASSEMBLY) != 0;
		list[x->assumption_count++] = (struct norn_assumption){.function = norn_findings_text(f, "%s", info.name),
		        .file = norn_findings_text(f, "%s", info.file),
		        .line = info.line,
		        .model = named ? norn_findings_text(f, "%s pure", info.name) : ""};
	}
	if (p->job) {
		struct norn_assumption *job = &list[x->assumption_count++];
		uint32_t begins = norn_graph_event(s->graph, p->job)->next;
		struct norn_site_info info;
		norn_trace_site(s->trace, norn_graph_event(s->graph, begins)->site, &info);
		*job = (struct norn_assumption){.function = norn_findings_text(f, "%s", info.function),
		        .file = norn_findings_text(f, "%s", info.file),
		        .line = info.line,
		        .model = "",
		        .job = norn_error_context_worker(s, p->job)};
	}
	x->assumptions = list;
}

static bool same_place(const struct norn_step_text *a, const struct norn_step_text *b)
{
	return a->line == b->line && strcmp(a->what, b->what) == 0 && strcmp(a->file, b->file) == 0;
}

/* The same error as a known one, by an access to another part of the object. */
static void add_part(const struct norn_finding *x, struct norn_findings *f, struct norn_finding *known)
{
	int part = part_of_race(x), known_part = part_of_race(known);
	if (part < 0 || known_part < 0 || same_place(&x->where[part], &known->where[known_part]))
		return;
	for (uint32_t i = 0; i < known->also_count; i++)
		if (same_place(&known->also[i], &x->where[part]))
			return;
	if (known->also_count == known->also_room) {
		known->also_room = known->also_room ? 2 * known->also_room : 8;
		struct norn_step_text *list = norn_must_arena_alloc(&f->arena, known->also_room * sizeof *list);
		if (known->also_count)
			memcpy(list, known->also, known->also_count * sizeof *list);
		known->also = list;
	}
	((struct norn_step_text *)known->also)[known->also_count++] = x->where[part];
}

/* Of the same error: what is sure is shown, not what rests on assumptions. */
static void make_sure(const struct norn_error_context *s, const struct norn_predicted *p, struct norn_finding *known)
{
	if (strcmp(known->status, "suspected") != 0 || norn_is_suspected(p))
		return;
	known->status = p->observed ? "observed" : "predicted";
	known->assumption_count = 0;
	norn_error_context_witness(s, p, known);
	norn_error_context_swaps(s, p, known);
	norn_error_context_order(s, p, known);
}

static int add(struct norn_error_context *s, const struct norn_predicted *p, const struct norn_described *told, uint32_t *ret_index)
{
	uint32_t *numbers = norn_must_calloc(p->stop_count + (unsigned long)NORN_CYCLE_EVENTS, sizeof *numbers);
	int r = 0;
	struct norn_finding x = norn_finding_new(kind_of(p));
	x.status = norn_is_suspected(p) ? "suspected" : p->observed ? "observed" : "predicted";
	x.causality = "sliced";
	x.where_count = place_numbers(p, numbers);
	x.sourceless = s->imported;
	x.count = p->pairs ? p->pairs : 1;
	norn_error_context_label(s, numbers, x.where_count);
	x.all_stopped = p->kind == NORN_PREDICTED_DEADLOCK && norn_error_context_all_stopped(s, p);
	fill(s, p, numbers, &x);
	struct norn_finding *known = norn_error_find_same(&x, s->findings);
	if (known) {
		*ret_index = (uint32_t)(known - s->findings->list);
		known->count += p->pairs; /* 0: all were counted before, in another window */
		add_part(&x, s->findings, known);
		make_sure(s, p, known);
		norn_error_context_consequence(s, p, known);
		known->status = p->observed && !norn_is_suspected(p) ? "observed" : known->status;
	} else {
		complete(s, p, numbers, &x);
		find_assumptions(s, p, &x);
		*ret_index = s->findings->count;
		norn_findings_add(s->findings, &x);
		if (told)
			r = told->take(told->context, s->graph, &x, p);
	}
	free(numbers);
	return r;
}

int norn_describe(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_predicted *predicted, uint32_t count,
        const struct norn_described *told, struct norn_findings *findings, uint32_t *ret_indices)
{
	struct norn_error_context context;
	if (count == 0)
		return 0;
	int r = 0;
	norn_error_context_init(&context, trace, graph, predicted, count, findings);
	for (uint32_t i = 0, index; r == 0 && i < count; i++)
		r = add(&context, &predicted[i], told, ret_indices ? &ret_indices[i] : &index);
	norn_error_context_done(&context);
	return r;
}
