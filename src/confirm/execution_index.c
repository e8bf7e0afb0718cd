#include "confirm/execution_index.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"
#include "trace/site_table.h"

#define DEPTH 8192u /* of calls, as the runtime counts them */
#define PAGE 1024u /* ranges are recorded in pieces that do not cross its multiples */

/* ---- operations ---- */

static unsigned sync_operation(unsigned op)
{
	static const uint8_t operations[NORN_SYNC_OPS] = {
	        [NORN_SYNC_ACQUIRE] = NORN_OPERATION_LOCK,
	        [NORN_SYNC_ACQUIRE_SHARED] = NORN_OPERATION_LOCK,
	        [NORN_SYNC_TRY_FAILED] = NORN_OPERATION_LOCK,
	        [NORN_SYNC_RELEASE] = NORN_OPERATION_UNLOCK,
	        [NORN_SYNC_RELEASE_SHARED] = NORN_OPERATION_UNLOCK,
	        [NORN_SYNC_WAIT_BEGIN] = NORN_OPERATION_WAIT,
	        [NORN_SYNC_WAIT_END] = NORN_OPERATION_WAKE,
	        [NORN_SYNC_WAIT_TIMEOUT] = NORN_OPERATION_WAKE,
	        [NORN_SYNC_SIGNAL] = NORN_OPERATION_NOTIFY,
	        [NORN_SYNC_BROADCAST] = NORN_OPERATION_NOTIFY,
	        [NORN_SYNC_SEM_POST] = NORN_OPERATION_POST,
	        [NORN_SYNC_SEM_WAIT] = NORN_OPERATION_TAKE,
	        [NORN_SYNC_SEM_TRY_FAILED] = NORN_OPERATION_TAKE,
	        [NORN_SYNC_BARRIER_ARRIVE] = NORN_OPERATION_ARRIVE,
	        [NORN_SYNC_BARRIER_LEAVE] = NORN_OPERATION_DEPART,
	        [NORN_SYNC_ONCE_BEGIN] = NORN_OPERATION_ONCE,
	        [NORN_SYNC_ONCE_END] = NORN_OPERATION_ONCE,
	        [NORN_SYNC_ONCE_PASS] = NORN_OPERATION_ONCE,
	        [NORN_SYNC_SEND] = NORN_OPERATION_SEND,
	        [NORN_SYNC_RECEIVE] = NORN_OPERATION_RECEIVE,
	};
	return op < NORN_SYNC_OPS ? operations[op] : NORN_OPERATION_NONE;
}

static unsigned access_operation(const struct norn_graph_event *e, const struct norn_site *site)
{
	if (e->kind == NORN_EVENT_RMW || (site && (site->kind == NORN_SITE_RMW || site->kind == NORN_SITE_CMPXCHG)))
		return NORN_OPERATION_RMW;
	return e->kind == NORN_EVENT_READ ? NORN_OPERATION_READ : NORN_OPERATION_WRITE;
}

static unsigned thread_operation(const struct norn_graph_event *e)
{
	switch (e->op) {
	case NORN_THREAD_FORK:
		return NORN_OPERATION_FORK;
	case NORN_THREAD_JOIN:
		return NORN_OPERATION_JOIN;
	case NORN_THREAD_BEGIN:
		return NORN_OPERATION_BEGIN;
	case NORN_THREAD_EXIT:
		return NORN_OPERATION_EXIT;
	case NORN_THREAD_CALL:
		return e->site ? NORN_OPERATION_CALL : NORN_OPERATION_NONE;
	default:
		return NORN_OPERATION_NONE;
	}
}

static unsigned plain_operation(const struct norn_graph_event *e, const struct norn_site *site)
{
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		return access_operation(e, site);
	case NORN_EVENT_SYNC:
		return sync_operation(e->op);
	case NORN_EVENT_THREAD:
		return thread_operation(e);
	case NORN_EVENT_ALLOC:
		return e->op == NORN_ALLOC_UNMAP ? NORN_OPERATION_FREE : NORN_OPERATION_NONE;
	case NORN_EVENT_FREE:
		return NORN_OPERATION_FREE;
	case NORN_EVENT_MARK:
		return NORN_OPERATION_MARK;
	case NORN_EVENT_ENTER:
		return NORN_OPERATION_IN;
	case NORN_EVENT_LEAVE:
		return e->site ? NORN_OPERATION_OUT : NORN_OPERATION_NONE;
	default:
		return NORN_OPERATION_NONE;
	}
}

/* Is this access more of the range that the thread's last operation is? Ranges of known size go on until they are whole. */
static bool goes_on(
        const struct norn_graph_event *e, const struct norn_site *site, unsigned operation, const struct norn_operation_state *s)
{
	if (operation != s->operation || e->site != s->site || operation == NORN_OPERATION_RMW)
		return false;
	if (e->flags & NORN_GRAPH_PIECE)
		return true;
	uint32_t bytes = site && site->kind != NORN_SITE_CALL ? site->size : 0;
	if (e->addr == s->to && s->to != s->from)
		return bytes ? s->to - s->from < bytes : e->addr % PAGE == 0;
	return e->addr + e->size == s->from && (bytes ? s->to - s->from < bytes : s->from % PAGE == 0);
}

/* The two halves of a copy come in turns, piece by piece, so each is compared with its own. */
unsigned norn_operation_of(const struct norn_trace *trace, const struct norn_graph *graph, uint32_t number,
        struct norn_operation_state *s, uint32_t *ret_begun)
{
	const struct norn_graph_event *e = norn_graph_event(graph, number);
	struct norn_site_info info = {0};
	bool access = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
	if (access)
		norn_trace_site(trace, e->site, &info);
	unsigned operation = plain_operation(e, info.site);
	*ret_begun = number;
	/* Nothing else that a thread does comes between the pieces of a range. */
	if (!access && e->kind != NORN_EVENT_EXTERNAL && (e->kind != NORN_EVENT_ALLOC || operation))
		s[0].operation = s[1].operation = NORN_OPERATION_NONE;
	if (operation == NORN_OPERATION_NONE)
		return operation;
	if (access && operation != NORN_OPERATION_RMW) {
		struct norn_operation_state *half = &s[operation == NORN_OPERATION_WRITE];
		if (goes_on(e, info.site, operation, half)) {
			*ret_begun = half->event;
			half->from = e->addr < half->from ? e->addr : half->from;
			half->to = e->addr + e->size > half->to ? e->addr + e->size : half->to;
			return operation;
		}
		*half = (struct norn_operation_state){.event = number,
		        .from = e->addr,
		        .to = e->addr + e->size,
		        .site = e->site,
		        .operation = (uint8_t)operation,
		        .once = half->once,
		        .once_event = half->once_event};
	} else if (operation == NORN_OPERATION_FREE && (e->flags & NORN_GRAPH_PIECE)) {
		*ret_begun = s->event;
	} else if (operation == NORN_OPERATION_ONCE) {
		bool same = e->op == NORN_SYNC_ONCE_END || (e->op == NORN_SYNC_ONCE_PASS && s->once == e->site);
		*ret_begun = same && s->once_event ? s->once_event : number;
		s->once = e->op == NORN_SYNC_ONCE_END ? e->site : 0;
		s->once_event = *ret_begun;
	} else if (operation == NORN_OPERATION_FREE) {
		s->event = number;
		s->operation = 0;
	}
	return operation;
}

/* ---- places ---- */

struct stack {
	struct norn_operation_state operations[2];
	struct norn_numbers frames; /* from the thread's own; none: not begun */
};

struct index_walk {
	const struct norn_trace *trace;
	const struct norn_graph *graph;
	struct norn_places *p;
	struct stack *stacks; /* by thread */
	struct norn_map sites; /* of places: site to uint32_t, from 1 */
	struct norn_map pairs; /* call << 32 | entry, likewise */
	struct norn_map times; /* frame << 32 | site's << 5 | operation to uint32_t */
	struct norn_map calls; /* frame << 32 | pair's, likewise */
};

static uint32_t number_of(struct norn_map *map, uint64_t key)
{
	uint32_t *number = norn_must_map_put(map, key);
	if (!*number)
		*number = (uint32_t)map->count;
	return *number;
}

static uint32_t count_up(struct norn_map *map, uint64_t key)
{
	return ++*(uint32_t *)norn_must_map_put(map, key);
}

static uint32_t innermost(const struct stack *s)
{
	return s->frames.items[s->frames.count - 1];
}

static void add_frame(struct index_walk *w, struct stack *s, struct norn_execution_index_frame frame)
{
	norn_must_push(&s->frames, w->p->frames.count);
	norn_must_push(&w->p->frames, frame);
}

static void enter(struct index_walk *w, struct stack *s, const struct norn_graph_event *e)
{
	uint32_t parent = innermost(s);
	if (s->frames.count >= DEPTH) {
		norn_must_push(&s->frames, parent); /* the runtime finds nothing there */
		return;
	}
	uint32_t pair = number_of(&w->pairs, (uint64_t)e->link << 32 | e->site);
	uint32_t time = count_up(&w->calls, (uint64_t)parent << 32 | pair);
	add_frame(w, s, (struct norn_execution_index_frame){parent, e->thread, e->link, e->site, time});
}

static void step(struct index_walk *w, uint32_t number, uint32_t *next)
{
	const struct norn_graph_event *e = norn_graph_event(w->graph, number);
	struct stack *s = &w->stacks[e->thread];
	uint32_t begun, time = 0;
	if (!s->frames.count)
		add_frame(w, s, (struct norn_execution_index_frame){.thread = e->thread});
	unsigned operation = norn_operation_of(w->trace, w->graph, number, s->operations, &begun);
	const uint32_t *site = operation && begun == number ? norn_map_get(&w->sites, e->site) : NULL;
	if (site)
		time = count_up(&w->times, (uint64_t)innermost(s) << 32 | *site << 5 | operation);
	struct norn_execution_place *place = *next < w->p->list.count ? &w->p->list.items[*next] : NULL;
	if (place && place->number == number) {
		place->frame = innermost(s);
		place->operation = operation;
		place->time = time;
		++*next;
	}
	if (e->kind == NORN_EVENT_ENTER)
		enter(w, s, e);
	else if (e->kind == NORN_EVENT_LEAVE && s->frames.count > 1)
		s->frames.count--;
}

void norn_execution_index_place(const struct norn_trace *trace, const struct norn_graph *graph, struct norn_places *p)
{
	struct index_walk w = {.trace = trace, .graph = graph, .p = p};
	uint32_t threads = norn_graph_threads(graph), next = 0;
	norn_map_init(&w.sites, sizeof(uint32_t));
	norn_map_init(&w.pairs, sizeof(uint32_t));
	norn_map_init(&w.times, sizeof(uint32_t));
	norn_map_init(&w.calls, sizeof(uint32_t));
	w.stacks = norn_must_calloc(threads, sizeof *w.stacks);
	norn_must_add(&p->frames);
	for (uint32_t i = 0; i < p->list.count; i++)
		number_of(&w.sites, norn_graph_event(graph, p->list.items[i].number)->site);
	for (uint32_t i = 1; next < p->list.count && i <= norn_graph_count(graph); i++)
		step(&w, i, &next);
	for (uint32_t i = 0; i < threads; i++)
		norn_vector_done(&w.stacks[i].frames);
	free(w.stacks);
	norn_map_done(&w.sites);
	norn_map_done(&w.pairs);
	norn_map_done(&w.times);
	norn_map_done(&w.calls);
}

/* ---- schedules ---- */

struct draft {
	const struct norn_trace *trace;
	const struct norn_graph *graph;
	const struct norn_places *p;
	struct norn_schedule_file *schedule;
	struct norn_error *err;
	struct norn_map units, sites, threads, nodes; /* table, site, thread, frame to uint32_t: 1 + number */
};

static int get_thread(struct draft *d, uint32_t thread, uint32_t *ret_number)
{
	uint32_t chain[64], depth = 0;
	const struct norn_thread_info *info;
	for (uint32_t t = thread; depth < 64; t = info->parent) {
		const uint32_t *known = norn_map_get(&d->threads, t);
		if (known)
			break;
		info = norn_trace_thread(d->trace, t);
		if (!info || strchr(info->path, '?'))
			return norn_error_set(d->err, -ENOTSUP, "the creator of one of its threads is not known");
		chain[depth++] = t;
		if (strcmp(info->path, "main") == 0)
			break;
	}
	if (depth == 64)
		return norn_error_set(d->err, -ENOTSUP, "a thread of it is too many generations from main");
	while (depth > 0) {
		uint32_t number, t = chain[--depth];
		if (norn_schedule_file_add_thread(d->schedule, norn_trace_thread(d->trace, t)->path, &number) != 0)
			return norn_error_set(d->err, -ENOTSUP, "the paths of its threads are odd");
		*(uint32_t *)norn_must_map_put(&d->threads, t) = number + 1;
	}
	*ret_number = *(uint32_t *)norn_map_get(&d->threads, thread) - 1;
	return 0;
}

/* "" if it is the executable: the module of the name that the command begins with. Its path is without links. */
static const char *library_of(const struct norn_trace *trace, const char *module)
{
	const char *command = norn_trace_info(trace, "command"), *base = basename(module), *word = command;
	size_t length = strlen(base);
	for (const char *c = command; c && *c && *c != ' '; c++)
		word = *c == '/' ? c + 1 : word;
	bool executable = word && strncmp(word, base, length) == 0 && (word[length] == ' ' || word[length] == 0);
	return executable ? "" : base;
}

static uint32_t get_unit(struct draft *d, const struct norn_site_info *info)
{
	const struct norn_site_table *t = info->table;
	uint32_t *unit = norn_must_map_put(&d->units, (uintptr_t)t);
	if (!*unit) {
		size_t strings = norn_site_open_bytes(t) - t->strings;
		struct norn_schedule_file_unit u = {.source = (const char *)t + strings + (t->source < t->strings ? t->source : 0),
		        .library = library_of(d->trace, info->module),
		        .hash = norn_replay_area_table_hash(t, strings + t->strings),
		        .sites = t->sites};
		*unit = norn_schedule_file_add_unit(d->schedule, &u) + 1;
	}
	return *unit - 1;
}

/* 1 + number; 0: a site that is not known. */
static uint32_t get_site(struct draft *d, uint32_t number)
{
	struct norn_site_info info;
	norn_trace_site(d->trace, number, &info);
	if (!info.site)
		return 0;
	uint32_t *site = norn_must_map_put(&d->sites, number);
	if (!*site) {
		struct norn_schedule_file_site s = {.unit = get_unit(d, &info),
		        .index = (uint32_t)(info.site - (const struct norn_site *)(info.table + 1)),
		        .file = info.file,
		        .function = info.function,
		        .line = info.line,
		        .column = info.column};
		*site = norn_schedule_file_add_site(d->schedule, &s) + 1;
	}
	return *site;
}

/* The node of a frame, and of those around it first. */
static int get_node(struct draft *d, uint32_t frame, uint32_t *ret_node)
{
	for (;;) {
		uint32_t outermost = frame;
		const uint32_t *known = NULL;
		while (!(known = norn_map_get(&d->nodes, outermost)) && d->p->frames.items[outermost].parent &&
		        !norn_map_get(&d->nodes, d->p->frames.items[outermost].parent))
			outermost = d->p->frames.items[outermost].parent;
		if (known) {
			*ret_node = *known - 1;
			return 0;
		}
		const struct norn_execution_index_frame *f = &d->p->frames.items[outermost];
		struct norn_schedule_file_node node = {.time = f->time};
		int r = get_thread(d, f->thread, &node.thread);
		if (r != 0)
			return r;
		uint32_t number = node.thread;
		if (f->parent) {
			node.parent = *(const uint32_t *)norn_map_get(&d->nodes, f->parent) - 1;
			node.call = get_site(d, f->call);
			node.entry = get_site(d, f->entry);
			number = norn_schedule_file_add_call(d->schedule, &node);
		}
		*(uint32_t *)norn_must_map_put(&d->nodes, outermost) = number + 1;
	}
}

static int add_step(struct draft *d, const struct norn_execution_place *place)
{
	const struct norn_graph_event *e = norn_graph_event(d->graph, place->number);
	struct norn_schedule_file_step step = {.operation = place->operation, .time = place->time, .hold = place->hold, .what = ""};
	struct norn_site_info info;
	int r = get_thread(d, e->thread, &step.thread);
	if (r == 0)
		r = get_node(d, place->frame, &step.node);
	if (r != 0)
		return r;
	if (place->operation != NORN_OPERATION_BEGIN)
		step.site = get_site(d, e->site);
	if (!step.time || (!step.site && place->operation != NORN_OPERATION_BEGIN))
		return norn_error_set(d->err, -ENOTSUP, "it has an event whose place in the program is not known");
	norn_trace_site(d->trace, e->site, &info);
	if (info.site)
		step.what = info.site->kind == NORN_SITE_CALL ? (place->operation == NORN_OPERATION_CALL ? info.name : info.field)
		                                              : info.name;
	norn_schedule_file_add_step(d->schedule, &step);
	return 0;
}

int norn_execution_index_write(const struct norn_trace *trace, const struct norn_graph *graph, const struct norn_places *places,
        const uint32_t *order, void (*before)(void *context, uint32_t place, struct norn_schedule_file *schedule), void *context,
        struct norn_schedule_file *schedule, struct norn_error *err)
{
	struct draft d = {.trace = trace, .graph = graph, .p = places, .schedule = schedule, .err = err};
	norn_map_init(&d.units, sizeof(uint32_t));
	norn_map_init(&d.sites, sizeof(uint32_t));
	norn_map_init(&d.threads, sizeof(uint32_t));
	norn_map_init(&d.nodes, sizeof(uint32_t));
	int r = 0;
	uint32_t number;
	for (uint32_t i = 0; r == 0 && i < places->list.count; i++) /* all threads come before the first call */
		r = get_thread(&d, norn_graph_event(graph, places->list.items[i].number)->thread, &number);
	for (uint32_t i = 0; r == 0 && i < places->list.count; i++) {
		before(context, order[i], schedule);
		r = add_step(&d, &places->list.items[order[i]]);
	}
	norn_map_done(&d.units);
	norn_map_done(&d.sites);
	norn_map_done(&d.threads);
	norn_map_done(&d.nodes);
	return r;
}
