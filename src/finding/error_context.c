#include "finding/error_context.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "base/sort.h"
#include "finding/call_frames.h"
#include "finding/own_place.h"
#include "trace/lock_kind.h"
#include "trace/record.h"

/* ---- the walk over the events ---- */

/* Is it the name of a type (pthread_mutex_t)? Code of libraries, which is given a pointer to a lock, has no other name for it. */
static bool is_type(const char *name)
{
	size_t size = strlen(name);
	return strncmp(name, "pthread_", 8) == 0 && size > 10 && strcmp(name + size - 2, "_t") == 0;
}

/* The name of the lock in the call at that site; "" if it has none. A wait gives up and takes a mutex that is not its first
 * argument. */
static const char *named_lock(const struct norn_error_context *s, uint32_t site)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, site, &info);
	if (s->imported)
		return info.name;
	bool wait = strncmp(info.name, "pthread_cond_", 13) == 0 || strncmp(info.name, "cnd_", 4) == 0;
	return info.site && info.site->kind == NORN_SITE_CALL && !wait && !is_type(info.field) ? info.field : "";
}

static void note_lock(struct norn_error_context *s, const struct norn_graph_event *e)
{
	if (!norn_map_get(&s->locks, e->addr) && *named_lock(s, e->site))
		*(uint32_t *)norn_must_map_put(&s->locks, e->addr) = e->site;
}

/* One pass over the events of the graph. */
struct event_walk {
	uint32_t *open; /* per thread: the innermost ENTER */
	uint32_t (*recent)[NORN_RECENT_EVENTS]; /* per thread */
	uint32_t *wanted, *bases; /* numbers of events, sorted */
	uint32_t wanted_count, base_count;
};

static void event_walk_init(
        struct event_walk *w, const struct norn_graph *graph, const struct norn_predicted *predicted, uint32_t count)
{
	uint32_t threads = norn_graph_threads(graph) + 1, stops = 0;
	for (uint32_t i = 0; i < count; i++)
		stops += predicted[i].stop_count + 2 + predicted[i].cycle.count;
	w->open = norn_must_calloc(threads, sizeof *w->open);
	w->recent = norn_must_calloc(threads, sizeof *w->recent);
	w->wanted = norn_must_calloc(stops, sizeof *w->wanted);
	w->bases = norn_must_calloc(count, sizeof *w->bases);
	for (uint32_t i = 0; i < count; i++) {
		w->bases[w->base_count++] = predicted[i].schedule.base;
		w->wanted[w->wanted_count++] = predicted[i].first;
		w->wanted[w->wanted_count++] = predicted[i].second;
		for (uint32_t k = 0; k < predicted[i].cycle.count; k++)
			w->wanted[w->wanted_count++] = predicted[i].cycle.events[k];
		for (uint32_t k = 0; k < predicted[i].stop_count; k++)
			w->wanted[w->wanted_count++] = predicted[i].stops[k];
	}
	norn_sort_numbers(w->wanted, w->wanted_count);
	norn_sort_numbers(w->bases, w->base_count);
}

static void event_walk_done(struct event_walk *w)
{
	free(w->open);
	free(w->recent);
	free(w->wanted);
	free(w->bases);
}

/* The schedule leaves the observed order after this event. */
static void keep_recent(struct norn_error_context *s, const struct event_walk *w, uint32_t base)
{
	for (uint32_t t = 0; t < norn_graph_threads(s->graph); t++)
		if (w->recent[t][0])
			memcpy(norn_must_map_put(&s->recent, (uint64_t)base << 32 | t), w->recent[t], sizeof w->recent[t]);
}

static void event_walk(struct norn_error_context *s, struct event_walk *w)
{
	const struct norn_graph_event *events = norn_graph_events(s->graph);
	uint32_t next = 0, next_base = 0, end = norn_graph_count(s->graph);
	for (uint32_t n = 1; n <= end; n++) {
		const struct norn_graph_event *e = &events[n];
		for (; next < w->wanted_count && w->wanted[next] <= n; next++)
			if (w->wanted[next] == n)
				*(uint32_t *)norn_must_map_put(&s->opened, n) = w->open[e->thread];
		struct norn_own_place place;
		if (e->kind == NORN_EVENT_SYNC && w->open[e->thread] && !norn_own_place(s->trace, e->site, &place))
			*(uint32_t *)norn_must_map_put(&s->opened, n) = w->open[e->thread];
		if (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FORK && w->open[e->thread])
			*(uint32_t *)norn_must_map_put(&s->creators, e->value) = w->open[e->thread];
		if (e->kind == NORN_EVENT_ENTER)
			w->open[e->thread] = n;
		else if (e->kind == NORN_EVENT_LEAVE && e->link)
			w->open[e->thread] = events[e->link].other;
		else if (norn_graph_is_acquire(e))
			note_lock(s, e);
		if (norn_error_context_matters(s, n)) {
			w->recent[e->thread][1] = w->recent[e->thread][0];
			w->recent[e->thread][0] = n;
		}
		for (; next_base < w->base_count && w->bases[next_base] <= n; next_base++)
			if (w->bases[next_base] == n && (next_base == 0 || w->bases[next_base - 1] != n))
				keep_recent(s, w, n);
	}
}

void norn_error_context_init(struct norn_error_context *s, struct norn_trace *trace, const struct norn_graph *graph,
        const struct norn_predicted *predicted, uint32_t count, struct norn_findings *findings)
{
	const char *source = norn_trace_info(trace, "source");
	*s = (struct norn_error_context){
	        .trace = trace, .graph = graph, .findings = findings, .imported = source && strcmp(source, "rapid") == 0};
	norn_map_init(&s->opened, sizeof(uint32_t));
	norn_map_init(&s->creators, sizeof(uint32_t));
	norn_map_init(&s->locks, sizeof(uint32_t));
	norn_map_init(&s->recent, NORN_RECENT_EVENTS * sizeof(uint32_t));
	struct event_walk w = {0};
	event_walk_init(&w, graph, predicted, count);
	event_walk(s, &w);
	event_walk_done(&w);
}

void norn_error_context_done(struct norn_error_context *s)
{
	norn_map_done(&s->opened);
	norn_map_done(&s->creators);
	norn_map_done(&s->locks);
	norn_map_done(&s->recent);
}

/* ---- names ---- */

/* The trace's texts live only as long as it. */
static const char *kept(const struct norn_error_context *s, const char *text)
{
	return *text ? norn_findings_text(s->findings, "%s", text) : "";
}

const char *norn_error_context_lock(const struct norn_error_context *s, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	const char *name = named_lock(s, e->site);
	const uint32_t *site = norn_map_get(&s->locks, e->addr);
	if (!*name && site)
		name = named_lock(s, *site);
	if (*name)
		return kept(s, name);
	return norn_findings_text(s->findings, "a %s", norn_lock_word(e->value));
}

static unsigned label_of(const struct norn_error_context *s, uint64_t addr)
{
	for (unsigned i = 0; i < s->label_count; i++)
		if (s->labels[i].addr == addr)
			return s->labels[i].number;
	return 0;
}

/* The name of the lock of an acquire or release, with its number: "account #2". */
static const char *lock_label(const struct norn_error_context *s, uint32_t number)
{
	const char *name = norn_error_context_lock(s, number);
	unsigned label = label_of(s, norn_graph_event(s->graph, number)->addr);
	return label ? norn_findings_text(s->findings, "%s #%u", name, label) : name;
}

struct locks {
	uint32_t acquires[NORN_LOCK_LABELS_MAX]; /* one for each lock */
	unsigned count;
};

static void add_lock(const struct norn_error_context *s, uint32_t acquire, struct locks *locks)
{
	uint64_t addr = norn_graph_event(s->graph, acquire)->addr;
	for (unsigned i = 0; i < locks->count; i++)
		if (norn_graph_event(s->graph, locks->acquires[i])->addr == addr)
			return;
	if (locks->count < NORN_LOCK_LABELS_MAX)
		locks->acquires[locks->count++] = acquire;
}

void norn_error_context_label(struct norn_error_context *s, const uint32_t *numbers, uint32_t count)
{
	struct locks locks = {.count = 0};
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *e = norn_graph_event(s->graph, numbers[i]);
		for (uint32_t held = e->held, rest; held; held = rest)
			add_lock(s, norn_graph_held(s->graph, held, &rest), &locks);
		if (norn_graph_is_acquire(e))
			add_lock(s, numbers[i], &locks);
	}
	s->label_count = 0;
	for (unsigned i = 0; i < locks.count; i++) {
		const char *name = norn_error_context_lock(s, locks.acquires[i]);
		unsigned alike = 0, number = 0;
		for (unsigned k = 0; k < locks.count; k++)
			if (strcmp(norn_error_context_lock(s, locks.acquires[k]), name) == 0) {
				alike++;
				number += k <= i;
			}
		if (alike > 1) {
			s->labels[s->label_count].addr = norn_graph_event(s->graph, locks.acquires[i])->addr;
			s->labels[s->label_count++].number = number;
		}
	}
}

bool norn_error_context_copies(const struct norn_error_context *s, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	struct norn_site_info info;
	norn_trace_site(s->trace, e->site, &info);
	if (e->kind != NORN_EVENT_READ || !info.site || info.site->kind != NORN_SITE_COPY)
		return false;
	const struct norn_graph_event *next = e;
	while (next->next && next->kind == NORN_EVENT_READ && next->site == e->site)
		next = norn_graph_event(s->graph, next->next);
	return next->kind == NORN_EVENT_WRITE && next->site == e->site;
}

/* The precision with which a name tells what was accessed: a variable, a field of some object, what a pointer points at,
 * nothing. */
static unsigned rank(const struct norn_site_info *info)
{
	if (!*info->name)
		return 0;
	if (info->name[0] == '*' || info->site->kind == NORN_SITE_CALL)
		return 1;
	return info->site->flags & NORN_SITE_MEMBER ? 2 : 3;
}

const char *norn_error_context_variable(const struct norn_error_context *s, const uint32_t *numbers, uint32_t count)
{
	struct norn_site_info best = {.name = ""}, info;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *e = norn_graph_event(s->graph, numbers[i]);
		bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
		if (!access || norn_error_context_copies(s, numbers[i]))
			continue;
		norn_trace_site(s->trace, e->site, &info);
		/* Of names of equal rank the same one is chosen, whichever access came first. */
		if (rank(&info) > rank(&best) || (rank(&info) && rank(&info) == rank(&best) && strcmp(info.name, best.name) < 0))
			best = info;
	}
	/* The runtime made the record, at the site of a call. */
	if (best.site && best.site->kind == NORN_SITE_CALL)
		return norn_findings_text(s->findings, "memory given to %s()", best.name);
	return kept(s, best.name);
}

/* The thread of the trace: of jobs that were given to another thread (errors/jobs.h), the one that ran them. */
static const struct norn_thread_info *thread_info(const struct norn_error_context *s, uint64_t thread)
{
	uint64_t count = norn_trace_threads(s->trace), recorded = thread < count ? thread : thread - count;
	return recorded < count ? norn_trace_thread(s->trace, (uint32_t)recorded) : NULL;
}

static const char *thread_path(const struct norn_error_context *s, uint64_t thread)
{
	const struct norn_thread_info *info = thread_info(s, thread);
	if (info && thread >= norn_trace_threads(s->trace))
		return norn_findings_text(s->findings, "%s (another)", info->path);
	return info ? kept(s, info->path) : "?";
}

const char *norn_error_context_thread(const struct norn_error_context *s, uint32_t thread)
{
	return thread_path(s, thread);
}

const char *norn_error_context_worker(const struct norn_error_context *s, uint32_t job)
{
	const struct norn_thread_info *info = thread_info(s, norn_graph_event(s->graph, job)->thread);
	return info ? kept(s, info->path) : "?";
}

const char *norn_error_context_block(const struct norn_error_context *s, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	const struct norn_graph_event *alloc = e->life ? norn_graph_event(s->graph, e->life) : NULL;
	struct norn_site_info info;
	if (!alloc || alloc->kind != NORN_EVENT_ALLOC)
		return "";
	norn_trace_site(s->trace, alloc->site, &info);
	const char *by = thread_path(s, alloc->thread);
	if (!*info.file)
		return norn_findings_text(s->findings, "a block with room for %u bytes that %s allocated", alloc->size, by);
	return norn_findings_text(s->findings, "a block with room for %u bytes that %s allocated at %s:%u, %s", alloc->size, by,
	        info.file, info.line, *info.function ? info.function : "?");
}

/* ---- steps ---- */

static const char *address_text(const struct norn_error_context *s, const struct norn_graph_event *e)
{
	return norn_findings_text(s->findings, "0x%" PRIx64, norn_graph_address(s->graph, e->addr));
}

static bool is_lock_op(const struct norn_graph_event *e)
{
	return e->op >= NORN_SYNC_ACQUIRE && e->op <= NORN_SYNC_TRY_FAILED;
}

static const char *sync_object(const struct norn_error_context *s, uint32_t number, const struct norn_site_info *info)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	if (e->op == NORN_SYNC_SEND || e->op == NORN_SYNC_RECEIVE)
		return *info->name ? norn_findings_text(s->findings, "%s()", info->name) : "";
	if (is_lock_op(e))
		return lock_label(s, number);
	return *info->field ? kept(s, info->field) : address_text(s, e);
}

/* For a lock, wait or notify inside of a library, the place shown is that of the program's call. */
static void leave_library(const struct norn_error_context *s, uint32_t number, struct norn_step_text *step)
{
	const uint32_t *open = norn_map_get(&s->opened, number);
	struct norn_own_place place;
	bool known = norn_own_place(s->trace, norn_graph_event(s->graph, number)->site, &place);
	for (uint32_t enter = open ? *open : 0; !known && enter; enter = norn_graph_event(s->graph, enter)->other)
		known = norn_own_place(s->trace, norn_graph_event(s->graph, enter)->link, &place);
	if (!known)
		return;
	step->file = kept(s, place.file);
	step->function = kept(s, place.function);
	step->line = place.line;
}

void norn_error_context_step(const struct norn_error_context *s, uint32_t number, bool value, struct norn_step_text *ret_step)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	const struct norn_thread_info *thread = thread_info(s, e->thread);
	struct norn_site_info info;
	norn_trace_site(s->trace, e->site, &info);
	*ret_step = (struct norn_step_text){.thread = thread_path(s, e->thread),
	        .thread_name = thread && thread->name ? kept(s, thread->name) : "",
	        .event = norn_event_kind_name(e->kind),
	        .what = "",
	        .before = "",
	        .after = "",
	        .file = kept(s, info.file),
	        .function = kept(s, info.function),
	        .line = info.line,
	        .number = norn_graph_number(s->graph, number)};
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		ret_step->what = *info.name && !norn_error_context_copies(s, number) ? kept(s, info.name) : address_text(s, e);
		if (e->flags & NORN_GRAPH_VALUED)
			*(value ? &ret_step->after : &ret_step->recorded) =
			        norn_access_value_text(s->findings, &info, e->size, e->value);
		break;
	case NORN_EVENT_SYNC:
		ret_step->event = norn_sync_op_name(e->op);
		ret_step->what = sync_object(s, number, &info);
		leave_library(s, number, ret_step);
		break;
	case NORN_EVENT_THREAD:
		ret_step->event = norn_thread_op_name(e->op);
		ret_step->what = e->op == NORN_THREAD_FORK || e->op == NORN_THREAD_JOIN ? thread_path(s, e->value) : "";
		break;
	case NORN_EVENT_ALLOC:
		if (norn_graph_unmaps(e))
			ret_step->event = "unmap";
		ret_step->what = norn_findings_text(s->findings, "%u bytes", e->size);
		break;
	case NORN_EVENT_FREE:
		ret_step->what = *info.field ? kept(s, info.field) : address_text(s, e);
		break;
	case NORN_EVENT_MARK:
		ret_step->event = norn_mark_op_name(e->op);
		ret_step->what = e->op == NORN_MARK_ATOMIC_END ? "" : kept(s, norn_trace_name(s->trace, (uint32_t)e->value));
		break;
	}
}

/* Is it a read of another thread's write? */
static bool sees_others(const struct norn_error_context *s, const struct norn_graph_event *e)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(s->graph, &e->link, &writers);
	for (uint32_t i = 0; i < count; i++)
		if (norn_graph_event(s->graph, writers[i])->thread != e->thread)
			return true;
	return false;
}

/* The members of a container: they tell a reader less than the program's own calls. An atomic's value is the program's. */
static bool is_of_library(const struct norn_error_context *s, const struct norn_graph_event *e)
{
	struct norn_site_info info;
	norn_trace_site(s->trace, e->site, &info);
	return info.site && !(e->flags & NORN_GRAPH_ATOMIC) && norn_is_library_file(info.file);
}

bool norn_error_context_matters(const struct norn_error_context *s, uint32_t number)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	switch (e->kind) {
	case NORN_EVENT_READ: /* a read that decides nothing may see any value */
		return e->flags & NORN_GRAPH_DECIDES && sees_others(s, e) && !is_of_library(s, e);
	case NORN_EVENT_RMW:
		return sees_others(s, e);
	case NORN_EVENT_WRITE:
		return e->flags & NORN_GRAPH_ATOMIC;
	case NORN_EVENT_SYNC:
		return e->op != NORN_SYNC_CREATE && e->op != NORN_SYNC_DESTROY;
	case NORN_EVENT_THREAD:
		return e->op == NORN_THREAD_JOIN;
	case NORN_EVENT_FREE:
	case NORN_EVENT_MARK:
		return true;
	default:
		return false;
	}
}

/* ---- sides ---- */

static uint32_t site_of(const struct norn_error_context *s, uint32_t number)
{
	return number ? norn_graph_event(s->graph, number)->site : 0;
}

static bool ends_in_library(const struct norn_call_frames *f)
{
	return f->count && norn_is_library_file(f->list[f->count - 1].file);
}

/* Where a header created the thread (std::thread's constructor), its callers up to the program's own code. */
static void add_creator(const struct norn_error_context *s, uint32_t thread, struct norn_call_frames *f)
{
	const uint32_t *creator = norn_map_get(&s->creators, thread);
	for (uint32_t enter = creator ? *creator : 0; enter && ends_in_library(f) && f->count < NORN_DESCRIBE_FRAMES;) {
		const struct norn_graph_event *e = norn_graph_event(s->graph, enter);
		if (e->other)
			norn_call_frames_caller(f, e->link, site_of(s, e->other), true);
		enter = e->other;
	}
}

/* The caller of the frame that e entered. */
static void add_caller(const struct norn_error_context *s, const struct norn_graph_event *e, struct norn_call_frames *f)
{
	bool created = e->other == 0 && e->thread != 0;
	norn_call_frames_caller(f, e->link, site_of(s, e->other), created);
	if (created)
		add_creator(s, e->thread, f);
}

static void find_frames(const struct norn_error_context *s, uint32_t number, struct norn_call_frames *f)
{
	norn_call_frames_inlined(f, norn_graph_event(s->graph, number)->site);
	const uint32_t *open = norn_map_get(&s->opened, number);
	for (uint32_t enter = open ? *open : 0; enter && f->count < NORN_DESCRIBE_FRAMES;) {
		const struct norn_graph_event *e = norn_graph_event(s->graph, enter);
		add_caller(s, e, f);
		enter = e->other;
	}
}

/* The callers shown begin outside the step's own place: frames of the library, and that place, are left out. */
static void drop_left(const struct norn_error_context *s, uint32_t number, struct norn_call_frames *f)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, number);
	struct norn_site_info info;
	struct norn_step_text step;
	norn_trace_site(s->trace, e->site, &info);
	if (e->kind != NORN_EVENT_SYNC || !norn_is_library_file(info.file))
		return;
	norn_error_context_step(s, number, false, &step);
	for (uint32_t i = 0; i < f->count; i++)
		if (f->list[i].line == step.line && strcmp(f->list[i].file, step.file) == 0) {
			f->list += i + 1;
			f->count -= i + 1;
			return;
		}
}

void norn_error_context_side(const struct norn_error_context *s, uint32_t number, struct norn_side *ret_side)
{
	uint32_t count = 0, held = norn_graph_event(s->graph, number)->held, rest;
	for (uint32_t h = held; h; h = rest) {
		norn_graph_held(s->graph, h, &rest);
		count++;
	}
	struct norn_call_frames f;
	norn_call_frames_init(&f, s->trace, s->findings);
	struct norn_step_text *locks = norn_must_arena_alloc(&s->findings->arena, count * sizeof *locks);
	find_frames(s, number, &f);
	drop_left(s, number, &f);
	for (uint32_t i = count; i-- > 0; held = rest) /* in the order in which they were taken */
		norn_error_context_step(s, norn_graph_held(s->graph, held, &rest), false, &locks[i]);
	*ret_side = (struct norn_side){f.list, locks, f.count, count};
}

struct norn_step_text *norn_error_context_places(
        const struct norn_error_context *s, const uint32_t *numbers, struct norn_finding *finding)
{
	struct norn_arena *arena = &s->findings->arena;
	struct norn_step_text *where = norn_must_arena_alloc(arena, finding->where_count * sizeof *where);
	struct norn_side *sides = norn_must_arena_alloc(arena, finding->where_count * sizeof *sides);
	for (uint32_t i = 0; i < finding->where_count; i++) {
		norn_error_context_step(s, numbers[i], false, &where[i]);
		norn_error_context_side(s, numbers[i], &sides[i]);
	}
	finding->where = where;
	finding->sides = sides;
	return where;
}
