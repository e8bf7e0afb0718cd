#include "finding/run_end_findings.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/must.h"
#include "finding/call_frames.h"
#include "finding/predicted_errors.h"
#include "finding/run_end_threads.h"
#include "trace/record.h"

#define PLACES 8u /* threads that a finding shows at most */
#define STEPS 20u /* of its witness */
#define NOTED 8u /* threads of which it is said what they waited for */

struct end_context {
	struct norn_trace *trace;
	const struct norn_run_end *end;
	const struct norn_place_finder *finder;
	struct norn_findings *findings;
	struct norn_run_end_threads run;
	struct norn_stuck_thread *stuck;
};

/* ---- names ---- */

static const char *kept(const struct end_context *c, const char *text)
{
	return *text ? norn_findings_text(c->findings, "%s", text) : "";
}

static const char *path_of(const struct end_context *c, uint64_t thread)
{
	const struct norn_thread_info *info = thread < UINT32_MAX ? norn_trace_thread(c->trace, (uint32_t)thread) : NULL;
	return info ? kept(c, info->path) : "a thread that is not known";
}

/* The name of the object in the call at that site. */
static const char *object_name(const struct end_context *c, uint32_t site)
{
	struct norn_site_info info;
	norn_trace_site(c->trace, site, &info);
	return info.site && info.site->kind == NORN_SITE_CALL ? kept(c, info.field) : "";
}

/* The name of an object, by the call at site, or by one that took it. */
static const char *plain_name(const struct end_context *c, uint64_t addr, uint64_t kind, uint32_t site)
{
	static const char *const kinds[] = {
	        "a mutex", "a rwlock", "a spinlock", "a condition", "a semaphore", "a barrier", "a once"};
	const char *name = object_name(c, site);
	for (uint32_t t = 0; !*name && t < c->run.count; t++)
		for (uint32_t i = 0; !*name && i < c->run.threads[t].held.count; i++)
			if (c->run.threads[t].held.items[i].addr == addr)
				name = object_name(c, c->run.threads[t].held.items[i].site);
	return *name ? name : kinds[kind < sizeof kinds / sizeof *kinds ? kind : 0];
}

/* Of objects that are held, where several have one name: which of them it is, from 1, else 0. */
static uint32_t label_of(const struct end_context *c, uint64_t addr, const char *name)
{
	uint64_t seen[PLACES];
	uint32_t count = 0, own = 0;
	for (uint32_t t = 0; t < c->run.count; t++) {
		const struct norn_thread_end *thread = &c->run.threads[t];
		for (uint32_t i = 0; i < thread->held.count; i++) {
			const struct norn_held_object *held = &thread->held.items[i];
			bool again = strcmp(plain_name(c, held->addr, held->kind, held->site), name) != 0;
			for (uint32_t k = 0; k < count; k++)
				again |= seen[k] == held->addr;
			if (again || count == PLACES)
				continue;
			seen[count++] = held->addr;
			own = held->addr == addr ? count : own;
		}
	}
	return count > 1 ? own : 0;
}

static const char *lock_name(const struct end_context *c, uint64_t addr, uint64_t kind, uint32_t site)
{
	const char *name = plain_name(c, addr, kind, site);
	uint32_t label = label_of(c, addr, name);
	return label ? norn_findings_text(c->findings, "%s #%u", name, label) : name;
}

static const char *awaited_name(const struct end_context *c, const struct norn_slot_wait *w)
{
	switch (w->waiting) {
	case NORN_WAITING_JOIN:
		return path_of(c, w->argument);
	case NORN_WAITING_COND:
		return lock_name(c, w->object, NORN_LOCK_COND, w->site);
	case NORN_WAITING_SEM:
		return lock_name(c, w->object, NORN_LOCK_SEM, w->site);
	case NORN_WAITING_BARRIER:
		return lock_name(c, w->object, NORN_LOCK_BARRIER, w->site);
	case NORN_WAITING_ONCE:
		return lock_name(c, w->object, NORN_LOCK_ONCE, w->site);
	default:
		return lock_name(c, w->object, w->argument, w->site);
	}
}

/* The name of a wait among events. */
static const char *wait_event(uint32_t waiting)
{
	static const char *const names[] = {[NORN_WAITING_LOCK] = "acquire",
	        [NORN_WAITING_SHARED] = "acquire-shared",
	        [NORN_WAITING_COND] = "wait-begin",
	        [NORN_WAITING_SEM] = "sem-wait",
	        [NORN_WAITING_BARRIER] = "barrier-arrive",
	        [NORN_WAITING_ONCE] = "once-pass",
	        [NORN_WAITING_JOIN] = "join"};
	return names[waiting];
}

/* ---- places ---- */

static struct norn_step_text step_at(const struct end_context *c, uint32_t thread, uint32_t site)
{
	const struct norn_thread_info *t = norn_trace_thread(c->trace, thread);
	struct norn_site_info info;
	norn_trace_site(c->trace, site, &info);
	return (struct norn_step_text){.thread = path_of(c, thread),
	        .thread_name = t && t->name ? kept(c, t->name) : "",
	        .event = "",
	        .what = "",
	        .before = "",
	        .after = "",
	        .file = kept(c, info.file),
	        .function = kept(c, info.function),
	        .line = info.line};
}

static void event_step(const struct end_context *c, const struct norn_last_event *last, struct norn_step_text *ret)
{
	const struct norn_event *e = &last->event;
	struct norn_site_info info;
	norn_trace_site(c->trace, e->site, &info);
	*ret = step_at(c, e->thread, e->site);
	ret->event = norn_event_kind_name(e->kind);
	ret->number = last->number;
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		ret->what = *info.name ? kept(c, info.name) : norn_findings_text(c->findings, "0x%" PRIx64, e->addr);
		if (e->known && e->size <= 8)
			ret->after = norn_access_value_text(c->findings, &info, e->size, e->value);
		break;
	case NORN_EVENT_SYNC:
		ret->event = norn_sync_op_name(e->op);
		ret->what = lock_name(c, e->addr, e->argument, e->site);
		if (e->op == NORN_SYNC_SEND || e->op == NORN_SYNC_RECEIVE)
			ret->what = *info.name ? norn_findings_text(c->findings, "%s()", info.name) : "";
		break;
	case NORN_EVENT_THREAD:
		ret->event = norn_thread_op_name(e->op);
		if (e->op == NORN_THREAD_FORK || e->op == NORN_THREAD_JOIN)
			ret->what = path_of(c, e->value);
		break;
	case NORN_EVENT_ALLOC:
		ret->what = norn_findings_text(c->findings, "%" PRIu64 " bytes", e->size);
		break;
	case NORN_EVENT_FREE:
		ret->what = *info.field ? kept(c, info.field) : norn_findings_text(c->findings, "0x%" PRIx64, e->addr);
		break;
	case NORN_EVENT_MARK:
		ret->event = norn_mark_op_name(e->op);
		ret->what = kept(c, norn_trace_name(c->trace, (uint32_t)e->argument));
		break;
	}
}

/* The position of the thread, but for the innermost place itself: calls that it was in, and what it held. site: of that place, 0:
 * not known. */
static struct norn_side side_of(const struct end_context *c, uint32_t thread, uint32_t site)
{
	struct norn_call_frames f;
	norn_call_frames_init(&f, c->trace, c->findings);
	norn_call_frames_inlined(&f, site);
	if (thread >= c->run.count)
		return (struct norn_side){.frames = f.list, .frame_count = f.count};
	const struct norn_thread_end *t = &c->run.threads[thread];
	for (uint32_t i = t->calls.count; i-- > 0 && f.count < NORN_DESCRIBE_FRAMES;)
		norn_call_frames_caller(
		        &f, t->calls.items[i].call_site, i ? t->calls.items[i - 1].enter : 0, i == 0 && thread != 0);
	struct norn_step_text *locks = norn_must_arena_alloc(&c->findings->arena, (t->held.count + 1ul) * sizeof *locks);
	for (uint32_t i = 0; i < t->held.count; i++) {
		const struct norn_held_object *held = &t->held.items[i];
		locks[i] = step_at(c, thread, held->site);
		locks[i].event = held->shared ? "acquire-shared" : "acquire";
		locks[i].what = lock_name(c, held->addr, held->kind, held->site);
		locks[i].number = held->number;
	}
	return (struct norn_side){f.list, locks, f.count, t->held.count};
}

static const struct norn_end_wait *wait_of(const struct end_context *c, uint32_t thread)
{
	for (uint32_t i = 0; i < c->end->waits.count; i++)
		if (c->end->waits.items[i].thread == thread)
			return &c->end->waits.items[i];
	return NULL;
}

/* The innermost function that a thread was in: all that is known of a place without a site. */
static struct norn_step_text innermost(const struct end_context *c, uint32_t thread)
{
	const struct norn_thread_end *t = thread < c->run.count ? &c->run.threads[thread] : NULL;
	return step_at(c, thread, t && t->calls.count ? t->calls.items[t->calls.count - 1].enter : 0);
}

/* The present or last operation of a thread. */
static struct norn_step_text thread_place(const struct end_context *c, uint32_t thread, uint32_t *ret_site)
{
	const struct norn_end_wait *wait = wait_of(c, thread);
	struct norn_step_text step;
	*ret_site = 0;
	if (wait) {
		step = step_at(c, thread, *ret_site = wait->wait.site);
		step.event = wait_event(wait->wait.waiting);
		step.what = awaited_name(c, &wait->wait);
		return step;
	}
	const struct norn_last_event *last = &c->run.threads[thread].last[0];
	if (!last->number) {
		step = innermost(c, thread);
		step.event = "begin";
		return step;
	}
	event_step(c, last, &step);
	*ret_site = last->event.site;
	return step;
}

struct waiting_places {
	struct norn_step_text *where;
	struct norn_side *sides;
	uint32_t count;
};

static struct waiting_places new_places(const struct end_context *c, uint32_t room)
{
	return (struct waiting_places){
	        .where = norn_must_arena_alloc(&c->findings->arena, room * sizeof *(struct norn_step_text *)0),
	        .sides = norn_must_arena_alloc(&c->findings->arena, room * sizeof *(struct norn_side *)0)};
}

static void add_place(struct waiting_places *p, const struct norn_step_text *where, const struct norn_side *side)
{
	p->where[p->count] = *where;
	p->sides[p->count++] = *side;
}

/* The operations of all other threads that were there. */
static void add_others(const struct end_context *c, uint32_t but, struct waiting_places *p)
{
	for (uint32_t t = 0; t < c->run.count && p->count < PLACES; t++) {
		uint32_t site;
		if (t == but || !c->run.threads[t].began || c->run.threads[t].ended)
			continue;
		struct norn_step_text where = thread_place(c, t, &site);
		struct norn_side side = side_of(c, t, site);
		add_place(p, &where, &side);
	}
}

/* ---- the witness: what the threads did last ---- */

struct steps {
	const struct norn_last_event *list[NORN_LAST_EVENTS * PLACES];
	uint32_t count;
};

static int by_number(const void *a, const void *b)
{
	uint64_t x = (*(const struct norn_last_event *const *)a)->number, y = (*(const struct norn_last_event *const *)b)->number;
	return (x > y) - (x < y);
}

static void collect(const struct norn_thread_end *t, struct steps *s)
{
	for (unsigned i = 0; i < NORN_LAST_EVENTS && t->last[i].number && s->count < NORN_LAST_EVENTS * PLACES; i++)
		s->list[s->count++] = &t->last[i];
}

/* but: shown first of all, NORN_NO_THREAD: none; stops: appended to it. */
static void add_witness(const struct end_context *c, uint32_t first, const struct norn_step_text *stops, uint32_t stop_count,
        struct norn_finding *x)
{
	struct steps s = {.count = 0};
	if (first < c->run.count)
		collect(&c->run.threads[first], &s);
	for (uint32_t t = 0; t < c->run.count; t++)
		if (t != first && !c->run.threads[t].ended)
			collect(&c->run.threads[t], &s);
	qsort(s.list, s.count, sizeof *s.list, by_number);
	uint32_t from = s.count > STEPS ? s.count - STEPS : 0;
	struct norn_step_text *witness =
	        norn_must_arena_alloc(&c->findings->arena, (s.count - from + stop_count + 1ul) * sizeof *witness);
	for (uint32_t i = from; i < s.count; i++)
		event_step(c, s.list[i], &witness[x->witness_count++]);
	x->witness_cut = c->run.events - x->witness_count;
	for (uint32_t i = 0; i < stop_count; i++) {
		witness[x->witness_count] = stops[i];
		witness[x->witness_count++].number = c->run.events + 1 + i;
	}
	x->witness = witness;
	x->stop_count = stop_count;
}

/* ---- findings ---- */

static struct norn_finding new_finding(enum norn_finding_kind kind, const struct waiting_places *p)
{
	struct norn_finding x = norn_finding_new(kind);
	x.block = x.advice = "";
	x.where = p->where;
	x.sides = p->sides;
	x.where_count = p->count;
	return x;
}

/* id and suppression go by the first so many places: what other threads did meanwhile differs from run to run. */
static void add_finding(const struct end_context *c, struct norn_finding *x, uint32_t places)
{
	struct norn_finding named = *x;
	named.where_count = places;
	struct norn_finding *same = norn_error_find_same(&named, c->findings);
	x->identity = named.identity;
	x->id = named.id;
	x->suppression = norn_error_finding_suppression(&named, c->findings);
	if (!same)
		norn_findings_add(c->findings, x);
}

static const char *at(struct norn_findings *f, const struct norn_step_text *w)
{
	return *w->file ? norn_findings_text(f, " at %s:%u", basename(w->file), w->line) : "";
}

/* ---- crashes ---- */

static bool is_open(const struct end_context *c, uint32_t thread, const char *function)
{
	const struct norn_thread_end *t = &c->run.threads[thread];
	for (uint32_t i = 0; i < t->calls.count; i++) {
		struct norn_site_info info;
		norn_trace_site(c->trace, t->calls.items[i].enter, &info);
		if (strcmp(info.name, function) == 0 || strcmp(info.function, function) == 0)
			return true;
	}
	return t->calls.count == 0; /* a forked child, whose calls are its parent's: nothing speaks against it */
}

/* The instruction, or the call that led there from code with debugging information. Words of a stack may be left from calls that
 * returned long ago: only functions that the thread was in are believed. */
static bool find_place(const struct end_context *c, const struct norn_crash *crash, struct norn_step_text *step)
{
	const char *file, *function;
	unsigned line;
	if (!c->finder || crash->thread >= c->run.count)
		return false;
	for (uint32_t i = 0; i <= crash->words; i++) {
		uint64_t address = i ? crash->stack[i - 1] : crash->pc;
		if (c->finder->find(c->finder->context, address, i > 0, &file, &line, &function) == 0 &&
		        is_open(c, crash->thread, function)) {
			if (line == 0) /* instructions of several lines in one */
				return false;
			/* The file is named as sites name it, if that is the same file. */
			if (strcmp(basename(step->file), basename(file)) != 0)
				step->file = kept(c, file);
			step->function = kept(c, function);
			step->line = line;
			return true;
		}
	}
	return false;
}

static const char *signal_name(const struct end_context *c, uint32_t signal)
{
	const char *name = sigabbrev_np((int)signal), *what = sigdescr_np((int)signal);
	if (!name)
		return norn_findings_text(c->findings, "signal %u", signal);
	return norn_findings_text(c->findings, "SIG%s (%s)", name, what ? what : "?");
}

/* The operation of the thread that caused the signal. */
static void word_crash(
        const struct end_context *c, const struct norn_crash *crash, struct norn_step_text *w, const char **ret_message)
{
	static const char *const accesses[] = {
	        [NORN_FAULT_READ] = "read", [NORN_FAULT_WRITE] = "write", [NORN_FAULT_EXECUTE] = "execute"};
	static const char *const did[] = {
	        [NORN_FAULT_READ] = "reads", [NORN_FAULT_WRITE] = "writes to", [NORN_FAULT_EXECUTE] = "jumps to"};
	struct norn_findings *f = c->findings;
	uint32_t signal = atomic_load(&crash->signal);
	w->event = "signal";
	w->what = signal_name(c, signal);
	if (crash->access > NORN_FAULT_NONE && crash->access <= NORN_FAULT_EXECUTE) {
		const char *address =
		        crash->address ? norn_findings_text(f, "address 0x%" PRIx64, crash->address) : "the null address";
		w->event = accesses[crash->access];
		w->what = norn_findings_text(f, "0x%" PRIx64, crash->address);
		*ret_message = norn_findings_text(f, "%s %s %s%s", w->thread, did[crash->access], address, at(f, w));
	} else if (signal == SIGFPE && crash->code > 0) {
		*ret_message = norn_findings_text(f, "%s divides by zero, or the like%s", w->thread, at(f, w));
	} else if (signal == SIGABRT) {
		*ret_message = norn_findings_text(f, "%s aborts%s", w->thread, at(f, w));
	} else if (signal == SIGSEGV && crash->code > 0) {
		*ret_message = norn_findings_text(f, "%s uses an address that no memory can have%s", w->thread, at(f, w));
	} else {
		*ret_message = norn_findings_text(f, "the signal came to %s%s", w->thread, at(f, w));
	}
}

static const char *crash_advice(uint32_t signal)
{
	return signal == SIGKILL ? "the system ends programs that take too much memory by this signal; or another process sent it"
	                         : "see what the threads did last; errors that Norn predicts of this run may be the cause";
}

static void add_crash(const struct end_context *c)
{
	const struct norn_run_end *end = c->end;
	struct norn_findings *f = c->findings;
	uint32_t thread = end->crashed ? end->crash.thread : NORN_NO_THREAD;
	struct waiting_places p = new_places(c, PLACES + 1);
	const char *message = "which thread it came to is not known";
	if (thread < c->run.count) {
		struct norn_step_text where = innermost(c, thread);
		bool exact = find_place(c, &end->crash, &where);
		struct norn_side side = side_of(c, thread, 0);
		word_crash(c, &end->crash, &where, &message);
		if (!exact && *where.file)
			message = norn_findings_text(f, "%s, or later in %s", message, where.function);
		add_place(&p, &where, &side);
	}
	uint32_t named = p.count;
	add_others(c, thread, &p);
	struct norn_finding x = new_finding(NORN_FINDING_CRASH, &p);
	x.outcome = norn_findings_text(f, "crash by %s", signal_name(c, end->signal));
	x.variable = norn_findings_text(f, "%s", sigabbrev_np((int)end->signal) ? sigabbrev_np((int)end->signal) : "signal");
	x.message = message;
	x.advice = crash_advice(end->signal);
	add_witness(c, thread, p.where, named, &x);
	add_finding(c, &x, named);
}

static void add_assertion(const struct end_context *c)
{
	const struct norn_assertion *a = &c->end->assertion;
	struct norn_findings *f = c->findings;
	struct waiting_places p = new_places(c, PLACES + 1);
	struct norn_step_text where = step_at(c, a->thread, a->site);
	where.event = "assert";
	where.what = kept(c, a->expression);
	/* The message is the program's: inlining, or the directory, may make the site's words differ. */
	if (!*where.file || where.line != atomic_load(&a->line)) {
		where.file = kept(c, a->file);
		where.line = atomic_load(&a->line);
	}
	struct norn_side side = side_of(c, a->thread, a->site);
	add_place(&p, &where, &side);
	add_others(c, a->thread, &p);
	struct norn_finding x = new_finding(NORN_FINDING_ASSERTION, &p);
	x.variable = where.what;
	x.outcome = norn_findings_text(f, "assertion failed: %s", a->expression);
	x.message = norn_findings_text(f, "in %s%s", where.thread, at(f, &where));
	x.advice = "see what the threads did last; errors that Norn predicts of this run may be the cause";
	add_witness(c, a->thread, &where, 1, &x);
	add_finding(c, &x, 1);
}

/* ---- deadlocks ---- */

static const char *wait_text(const struct end_context *c, uint32_t thread, const struct norn_slot_wait *w, uint32_t next)
{
	struct norn_findings *f = c->findings;
	const char *who = path_of(c, thread), *what = awaited_name(c, w);
	const char *holder = next == NORN_NO_THREAD ? "" : next == thread ? "it" : path_of(c, next);
	bool gone = next < c->run.count && c->run.threads[next].ended;
	switch (w->waiting) {
	case NORN_WAITING_JOIN:
		return norn_findings_text(f, "%s waits for the end of %s", who, what);
	case NORN_WAITING_COND:
		return norn_findings_text(f, "%s waits to be notified of %s", who, what);
	case NORN_WAITING_SEM:
		return norn_findings_text(f, "%s waits for a post of %s", who, what);
	case NORN_WAITING_BARRIER:
		return norn_findings_text(f, "%s waits for others at %s", who, what);
	case NORN_WAITING_ONCE:
		return norn_findings_text(f, "%s waits for the routine of %s%s%s%s", who, what, *holder ? ", which " : "", holder,
		        *holder ? " runs" : "");
	default:
		if (next == thread)
			return norn_findings_text(f, "%s waits for %s, which it holds itself", who, what);
		return norn_findings_text(f, "%s waits for %s%s%s%s", who, what, *holder ? ", which " : "", holder,
		        !*holder ? ""
		        : gone   ? " held when it ended"
		                 : " holds");
	}
}

static void add_deadlock(const struct end_context *c, const uint32_t *threads, uint32_t count, uint32_t left_over)
{
	struct norn_findings *f = c->findings;
	uint32_t shown = count < PLACES ? count : PLACES;
	struct waiting_places p = new_places(c, shown + 1);
	bool circle = c->stuck[threads[count - 1]].next == threads[0], joins = false;
	const char *message = "", *names = "";
	for (uint32_t i = 0; i < shown; i++) {
		uint32_t site, t = threads[i];
		const struct norn_stuck_thread *stuck = &c->stuck[t];
		struct norn_step_text where = thread_place(c, t, &site);
		struct norn_side side = side_of(c, t, site);
		add_place(&p, &where, &side);
		message = norn_findings_text(f, "%s%s%s", message, i ? "; " : "", wait_text(c, t, &stuck->wait->wait, stuck->next));
		joins |= stuck->wait->wait.waiting == NORN_WAITING_JOIN;
		if (stuck->wait->wait.waiting != NORN_WAITING_JOIN)
			names = norn_findings_text(f, "%s%s%s", names, *names ? ", " : "", where.what);
	}
	if (left_over)
		message = norn_findings_text(f, "%s; %u more thread%s wait%s for these", message, left_over,
		        left_over == 1 ? "" : "s", left_over == 1 ? "s" : "");
	if (!circle)
		message = norn_findings_text(f, "%s; no thread is left to end this", message);
	struct norn_finding x = new_finding(NORN_FINDING_DEADLOCK, &p);
	x.variable = names;
	x.outcome = norn_findings_text(f, "deadlock of %u thread%s", count, count == 1 ? "" : "s");
	x.message = message;
	x.advice = !circle      ? "see who should have notified, posted or arrived: a notify that comes before the wait is lost"
	           : count == 1 ? "release the lock first, or make it recursive"
	           : joins      ? "do not hold locks while waiting for the end of a thread that may need them"
	                        : "take these locks in the same order everywhere, or back off by trylock";
	x.ending = circle && count > 1 ? NULL
	           : circle            ? "then it waits for itself, for ever"
	                               : "then no thread is left to end the waiting";
	add_witness(c, threads[0], p.where, p.count, &x);
	add_finding(c, &x, p.count);
}

/* A thread that waits for a thread of a circle, directly or not, waits for the circle: circles are shown, or, if there are none,
 * all. */
static void add_deadlocks(const struct end_context *c, uint32_t stuck)
{
	uint32_t n = c->run.count, circles = 0;
	uint32_t *path = norn_must_calloc(n + 1ul, sizeof *path), *seen = norn_must_calloc(n + 1ul, sizeof *seen);
	uint32_t in_circles = 0;
	for (unsigned pass = 0; pass < 2; pass++) { /* at first they are counted */
		memset(seen, 0, n * sizeof *seen);
		for (uint32_t t = 0; t < n; t++) {
			uint32_t length = 0, at = t;
			for (; at < n && c->stuck[at].wait && !seen[at]; at = c->stuck[at].next) {
				seen[at] = t + 1;
				path[length++] = at;
			}
			if (at >= n || !c->stuck[at].wait || seen[at] != t + 1)
				continue;
			uint32_t from = 0;
			while (path[from] != at)
				from++;
			if (pass == 0) {
				circles++;
				in_circles += length - from;
			} else {
				add_deadlock(c, path + from, length - from, stuck - in_circles);
			}
		}
	}
	if (!circles) {
		uint32_t length = 0;
		for (uint32_t t = 0; t < n; t++)
			if (c->stuck[t].wait)
				path[length++] = t;
		add_deadlock(c, path, length, 0);
	}
	free(path);
	free(seen);
}

/* The run was ended from outside, and no thread is certain to be stuck: lists the waiting threads, and their objects. */
static void note_waits(const struct end_context *c)
{
	uint32_t noted = 0;
	for (uint32_t t = 0; t < c->run.count && noted < NOTED; t++) {
		const struct norn_thread_end *thread = &c->run.threads[t];
		uint32_t site;
		if (!thread->began || thread->ended)
			continue;
		noted++;
		const struct norn_end_wait *wait = wait_of(c, t);
		const struct norn_step_text where = thread_place(c, t, &site);
		if (wait)
			norn_findings_note(c->findings, "when the run was ended, %s%s",
			        wait_text(c, t, &wait->wait, NORN_NO_THREAD), at(c->findings, &where));
		else
			norn_findings_note(c->findings,
			        "when the run was ended, %s was not waiting for another thread; its last event: %s%s%s%s",
			        where.thread, where.event, *where.what ? " " : "", where.what, at(c->findings, &where));
	}
}

static void judge_waits(struct end_context *c)
{
	bool others = norn_trace_info(c->trace, "strangers") || norn_trace_header(c->trace)->lost_threads;
	c->stuck = norn_must_calloc(c->run.count, sizeof *c->stuck);
	uint32_t stuck = norn_find_stuck(&c->run, c->end->waits.items, c->end->waits.count, others, c->stuck);
	if (stuck)
		add_deadlocks(c, stuck);
	else
		note_waits(c);
	free(c->stuck);
}

int norn_run_end_findings(struct norn_trace *trace, const struct norn_run_end *end, const struct norn_place_finder *finder,
        struct norn_findings *findings, struct norn_error *err)
{
	struct end_context c = {.trace = trace, .end = end, .finder = finder, .findings = findings};
	bool ended_by_others = end->ended_by != NORN_ENDED_BY_ITSELF, crash = end->signal && !ended_by_others;
	if (!crash && !ended_by_others)
		return 0;
	int r = norn_run_end_threads_init(&c.run, trace, err);
	if (r < 0)
		return r;
	if (end->asserted)
		add_assertion(&c);
	else if (crash)
		add_crash(&c);
	else
		judge_waits(&c);
	norn_run_end_threads_done(&c.run);
	return 0;
}
