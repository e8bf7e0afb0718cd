#include "causality/values/value_flow.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "causality/values/value_flow_state.h"
#include "effects/job_functions.h"
#include "trace/record.h"
#include "trace/site.h"

struct norn_value_flow *norn_value_flow_new(norn_graph_lookup *lookup, void *context)
{
	struct norn_value_flow *flow = norn_must_calloc(1, sizeof *flow);
	flow->lookup = lookup;
	flow->context = context;
	norn_map_init(&flow->called, sizeof(uint32_t));
	norn_map_init(&flow->free_until, sizeof(uint32_t));
	norn_map_init(&flow->decision_of, sizeof(uint32_t));
	norn_map_init(&flow->pointers, 2 * sizeof(uint32_t));
	norn_map_init(&flow->condition_of, sizeof(uint32_t));
	return flow;
}

void norn_value_flow_seal(struct norn_value_flow *flow)
{
	for (uint32_t i = 0; i < flow->thread_count; i++) {
		free(flow->threads[i].frames);
		free(flow->threads[i].slots);
		free(flow->threads[i].parameters);
		norn_vector_done(&flow->threads[i].waits);
	}
	free(flow->threads);
	flow->threads = NULL;
	flow->thread_count = 0;
	free(flow->marked);
	flow->marked = NULL;
	free(flow->bare);
	flow->bare = NULL;
	flow->bare_room = 0;
	norn_map_done(&flow->pointers);
	norn_vector_done(&flow->stack);
}

void norn_value_flow_free(struct norn_value_flow *flow)
{
	if (!flow)
		return;
	norn_value_flow_seal(flow);
	for (uint32_t i = 0; i < flow->page_count; i++)
		free(flow->pages[i]);
	free(flow->pages);
	free(flow->pairs);
	norn_arena_done(&flow->arena);
	norn_vector_done(&flow->called_tests);
	norn_vector_done(&flow->assertions);
	norn_vector_done(&flow->conditions);
	norn_map_done(&flow->condition_of);
	norn_vector_done(&flow->dereferences);
	norn_vector_done(&flow->doubts);
	norn_map_done(&flow->called);
	norn_map_done(&flow->free_until);
	norn_map_done(&flow->decision_of);
	norn_vector_done(&flow->decisions);
	free(flow);
}

const struct norn_value_flow_pair *norn_value_flow_pairs(const struct norn_value_flow *flow, uint32_t *ret_count)
{
	*ret_count = flow->pair_count;
	return flow->pairs;
}

uint64_t norn_value_flow_bytes(const struct norn_value_flow *flow)
{
	return (uint64_t)flow->pair_room * (sizeof *flow->pairs + (flow->marked ? 1 : 0));
}

struct flow_thread *norn_value_flow_thread(struct norn_value_flow *flow, uint32_t thread)
{
	if (thread >= flow->thread_count) {
		uint32_t old = flow->thread_count, room = old;
		norn_must_grow(&flow->threads, thread + UINT64_C(1), &room, sizeof *flow->threads);
		memset(flow->threads + old, 0, (room - old) * sizeof *flow->threads);
		flow->thread_count = room;
	}
	return flow->threads + thread;
}

static struct flow_thread *get_thread(struct norn_value_flow *flow, uint32_t thread, uint32_t number)
{
	struct flow_thread *t = norn_value_flow_thread(flow, thread);
	if (t->begin == 0)
		t->begin = number;
	return t;
}

/* ---- nodes ---- */

static uint32_t add_pair(struct norn_value_flow *flow, uint32_t a, uint32_t b)
{
	uint32_t room = flow->pair_room;
	if (flow->pair_count >= NORN_GRAPH_LIST - 1)
		norn_out_of_memory();
	norn_must_grow(&flow->pairs, flow->pair_count + UINT64_C(1), &flow->pair_room, sizeof *flow->pairs);
	if (flow->pair_room != room)
		flow->marked = norn_must_realloc(flow->marked, flow->pair_room, 1);
	flow->pairs[flow->pair_count] = (struct norn_value_flow_pair){a, b};
	flow->marked[flow->pair_count] = 0;
	return flow->pair_count++ | NORN_GRAPH_LIST;
}

static uint32_t unite(struct norn_value_flow *flow, uint32_t a, uint32_t b)
{
	if (a == b || b == 0 || a == 0)
		return a ? a : b;
	unsigned slot = (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> 20;
	if (flow->cache[slot].a != a || flow->cache[slot].b != b) {
		flow->cache[slot].node = add_pair(flow, a, b);
		flow->cache[slot].a = a;
		flow->cache[slot].b = b;
	}
	return flow->cache[slot].node;
}

/* All that the thread of event, its last one, has read: one node as long as it reads nothing more that matters. */
static uint32_t everything(struct norn_value_flow *flow, struct flow_thread *t, uint32_t event)
{
	if (t->free != t->everything_free) {
		t->everything = add_pair(flow, event, NORN_VALUE_FLOW_BEFORE);
		t->everything_free = t->free;
	}
	return t->free ? t->everything : 0;
}

#define BOTH (NORN_GRAPH_DECIDES | NORN_GRAPH_NUMBER)

/* Any of DECIDES, NUMBER and NORN_FLOW_DOUBTED. */
static void give_flags(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, unsigned flags)
{
	struct norn_graph_event *event = events + number;
	if (flags & NORN_FLOW_DOUBTED)
		norn_assertions_doubt(flow, number);
	flags &= BOTH;
	if (flags & NORN_GRAPH_DECIDES)
		norn_late_reads_decide(flow, events, number);
	bool after = event->kind == NORN_EVENT_READ && event->flags & NORN_GRAPH_POINTER && event->flags & NORN_GRAPH_DEREFERENCED;
	event->flags |= flags;
	event->later &= !(flags & NORN_GRAPH_DECIDES);
	if (flags & NORN_GRAPH_DECIDES && !after) /* a pointer that has been dereferenced may decide */
		event->flags &= ~(unsigned)(NORN_GRAPH_MASKED | NORN_GRAPH_TESTED | NORN_GRAPH_LOOSE |
		                            (event->kind == NORN_EVENT_READ ? NORN_GRAPH_POINTER : 0));
}

static void mark_one_before(struct norn_value_flow *flow, const struct flow_thread *t, struct norn_graph_event *events,
        uint32_t event, unsigned flag, uint32_t *until)
{
	uint32_t i = *until ? *until : t->begin;
	for (; i && i < event; i = events[i].next) {
		if (events[i].kind == NORN_EVENT_READ || events[i].kind == NORN_EVENT_RMW)
			give_flags(flow, events, i, flag);
		*until = i;
	}
}

static void mark_before(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t event, unsigned flags)
{
	struct flow_thread *t = flow->threads + events[event].thread;
	if (flags & NORN_GRAPH_DECIDES)
		mark_one_before(flow, t, events, event, NORN_GRAPH_DECIDES, &t->marked);
	if (flags & NORN_GRAPH_NUMBER)
		mark_one_before(flow, t, events, event, NORN_GRAPH_NUMBER, &t->numbered);
	if (flags & NORN_FLOW_DOUBTED)
		mark_one_before(flow, t, events, event, NORN_FLOW_DOUBTED, &t->doubted);
}

void norn_value_flow_mark(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t node, unsigned flags)
{
	flow->stack.count = 0;
	for (;;) {
		if (node & NORN_GRAPH_LIST) {
			uint32_t i = node & ~NORN_GRAPH_LIST;
			struct norn_value_flow_pair pair = flow->pairs[i];
			bool done = (flow->marked[i] & flags) == flags;
			if (!done && pair.b == NORN_VALUE_FLOW_BEFORE) {
				mark_before(flow, events, pair.a, flags);
			} else if (!done) {
				norn_must_push(&flow->stack, pair.a);
				norn_must_push(&flow->stack, pair.b);
			}
			flow->marked[i] |= (uint8_t)flags;
		} else if (node) {
			give_flags(flow, events, node, flags);
		}
		if (flow->stack.count == 0)
			return;
		node = flow->stack.items[--flow->stack.count];
	}
}

/* ---- frames ---- */

static struct flow_frame *top(struct flow_thread *t)
{
	return t->depth ? t->frames + t->depth - 1 : NULL;
}

struct flow_slot *norn_value_flow_slot(struct norn_value_flow *flow, struct flow_thread *t, struct norn_site_plan *plan)
{
	struct flow_frame *frame = top(t);
	if (plan->slot == 0)
		plan->slot = ++norn_site_plan_get(flow, plan->site.entry)->slots;
	if (plan->slot > frame->slot_count) {
		norn_must_grow(&t->slots, (uint64_t)frame->slots + plan->slot, &t->slot_room, sizeof *t->slots);
		memset(t->slots + frame->slots + frame->slot_count, 0, (plan->slot - frame->slot_count) * sizeof *t->slots);
		frame->slot_count = plan->slot;
		t->slot_used = frame->slots + frame->slot_count;
	}
	return t->slots + frame->slots + plan->slot - 1;
}

/* more: what the site has just read is not all of it. read, yields, origin: see struct slot. */
static void happened(struct norn_value_flow *flow, struct flow_thread *t, struct norn_site_plan *plan, uint32_t node, bool more,
        uint32_t read, const struct norn_site_plan *yields, uint32_t origin)
{
	struct flow_slot *slot = norn_value_flow_slot(flow, t, plan);
	slot->read = more ? 0 : read;
	slot->yields = yields;
	slot->origin = more ? NORN_ORIGIN_UNKNOWN : origin;
	slot->origin_all = slot->happened ? norn_origin_join(slot->origin_all, slot->origin) : slot->origin;
	slot->happened = true;
	slot->latest = more ? unite(flow, slot->latest, node) : node;
	slot->all = unite(flow, slot->all, node);
}

uint32_t norn_value_flow_resolve(struct norn_value_flow *flow, struct flow_thread *t, const struct norn_site_plan *plan,
        const struct flow_sources *sources, uint32_t number)
{
	const struct flow_frame *frame = top(t);
	uint32_t node = 0;
	for (uint32_t i = 0; i < sources->count; i++) {
		uint32_t item = sources->items[i], index = item >> 2, source = 0;
		const struct norn_site_plan *from;
		switch (item & 3) {
		case NORN_SOURCE_LATEST:
		case NORN_SOURCE_ALL:
			from = norn_site_plan_known(flow, plan->site.base + index);
			if (from && from->slot && from->slot <= frame->slot_count && from->site.entry == frame->function->number) {
				const struct flow_slot *slot = t->slots + frame->slots + from->slot - 1;
				source = (item & 3) == NORN_SOURCE_ALL ? slot->all : slot->latest;
			}
			break;
		case NORN_SOURCE_PARAMETER:
			if (index == NORN_SOURCE_PRIVATE)
				break;
			if (frame->anything)
				source = frame->everything;
			else if (index < frame->parameter_count)
				source = t->parameters[frame->parameters + index].node;
			break;
		default:
			source = everything(flow, t, number);
		}
		node = unite(flow, node, source);
	}
	return node;
}

/* Does this site stand in the function of the innermost frame? */
static bool at_home(struct flow_thread *t, const struct norn_site_plan *plan)
{
	const struct flow_frame *frame = top(t);
	return frame && plan->site.entry && plan->site.entry == frame->function->number;
}

/* ---- pointers ---- */

/* The only read that a source of an address is; 0: there is none. A result is one if its function returns it as it was read. */
static uint32_t pointer_read(struct norn_value_flow *flow, const struct flow_thread *t, const struct norn_site_plan *plan,
        const struct flow_sources *sources)
{
	const struct flow_frame *frame = top((struct flow_thread *)t);
	uint32_t item = sources->count == 1 ? sources->items[0] : NORN_SOURCE_ANYTHING;
	if ((item & 3) == NORN_SOURCE_PARAMETER)
		return !frame->anything && item >> 2 < frame->parameter_count
		               ? t->parameters[frame->parameters + (item >> 2)].pointer
		               : 0;
	const struct norn_site_plan *from =
	        (item & 3) == NORN_SOURCE_LATEST ? norn_site_plan_known(flow, plan->site.base + (item >> 2)) : NULL;
	if (!from || !from->slot || from->slot > frame->slot_count || from->site.entry != frame->function->number)
		return 0;
	const struct flow_slot *slot = t->slots + frame->slots + from->slot - 1;
	bool changed = slot->yields && (slot->yields->yields.count < 2 || slot->yields->yields.items[1]);
	return changed ? 0 : slot->read;
}

/* The event accesses memory by what was read before. */
static void note_dereference(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, struct flow_thread *t,
        struct norn_site_plan *plan)
{
	uint32_t read = pointer_read(flow, t, plan, &plan->address);
	struct norn_graph_event *e = events + read;
	if (!read) {
		norn_value_flow_mark(
		        flow, events, norn_value_flow_resolve(flow, t, plan, &plan->address, number), NORN_GRAPH_DECIDES);
		return;
	}
	if (e->kind != NORN_EVENT_READ || !(e->flags & NORN_GRAPH_POINTER) || e->flags & NORN_GRAPH_DEREFERENCED)
		return;
	e->flags |= NORN_GRAPH_DEREFERENCED;
	e->later = 0;
	bool calls = events[number].kind == NORN_EVENT_ENTER || events[number].kind == NORN_EVENT_THREAD;
	if (e->size == 8 && e->value && (calls || events[number].addr - e->value < NORN_NULL_PAGE))
		norn_must_push(&flow->dereferences, (struct norn_graph_dereference){read, number});
}

const struct norn_graph_dereference *norn_value_flow_dereferences(const struct norn_value_flow *flow, uint32_t *ret_count)
{
	*ret_count = flow->dereferences.count;
	return flow->dereferences.items;
}

/* ---- accesses ---- */

/* Does this record continue the range of the thread's last one? */
static bool goes_on(const struct norn_graph_event *events, const struct flow_thread *t, const struct norn_event *e)
{
	if (e->pieces & 2)
		return true;
	if (t->last == 0)
		return false;
	const struct norn_graph_event *last = events + t->last;
	/* A scalar comes in two records only where the runtime cuts. */
	if (e->size <= 8 && (last->size >= 8 || e->addr % NORN_RANGE_PIECE))
		return false;
	return last->site == e->site && last->kind == e->kind && last->addr + last->size == e->addr;
}

/* Functions of libc that read bytes look for places there, but for these. */
static bool compares_bytes(const char *name)
{
	return !name || strstr(name, "cmp") || strstr(name, "sort") || strstr(name, "search");
}

static void flow_read(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, struct flow_thread *t,
        struct norn_site_plan *plan, const struct norn_event *e, uint32_t origin)
{
	if (plan->doubts && at_home(t, plan))
		norn_assertions_doubt(flow, number);
	bool home = at_home(t, plan), copy = e->kind == NORN_EVENT_READ && e->op == NORN_RANGE_COPY_FROM;
	/* The runtime recorded this read for a function of libc: the site's facts are about that function's result. */
	bool call = plan->site.kind == NORN_SITE_CALL;
	bool decides = !plan->facts || !home || plan->decides || (call && !copy),
	     masked = decides && plan->facts && home && plan->masked && !plan->site.own;
	bool valued = plan->facts && home && !call && !plan->site.own && e->kind == NORN_EVENT_READ &&
	              events[number].flags & NORN_GRAPH_VALUED;
	bool tested = decides && valued && plan->tests.count && !plan->pointer, loose = decides && valued && plan->loose && !masked,
	     pointer = decides && valued && plan->pointer && !masked;
	bool later = decides && valued && plan->later && !masked;
	bool waits = decides && valued && plan->waits && !masked;
	uint32_t node = decides && !masked && !tested && !loose && !pointer && !later && !waits ? 0 : number;
	if (plan->site.own && decides && !(plan->own && home))
		mark_before(flow, events, number, BOTH); /* written by a function without hooks, from its arguments */
	else if (plan->site.own && !decides)
		node = unite(flow, number, everything(flow, t, number));
	bool numeric = !plan->facts || !home || plan->numeric || (call && compares_bytes(plan->site.name));
	events[number].flags |= (decides ? NORN_GRAPH_DECIDES : 0) | (masked ? NORN_GRAPH_MASKED : 0) |
	                        (tested ? NORN_GRAPH_TESTED : 0) | (loose ? NORN_GRAPH_LOOSE : 0) |
	                        (pointer ? NORN_GRAPH_POINTER : 0) | (numeric ? NORN_GRAPH_NUMBER : 0);
	events[number].later = later;
	if (waits)
		norn_late_reads_wait(t, plan, number, e->site);
	if (node)
		t->free = number;
	if (home && !call)
		happened(flow, t, plan, node, goes_on(events, t, e), number, NULL, origin);
	if (copy)
		t->copied = unite(flow, e->pieces & 2 ? t->copied : 0, node);
}

static void flow_write(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, struct flow_thread *t,
        const struct norn_site_plan *plan, const struct norn_event *e)
{
	if (e->kind == NORN_EVENT_WRITE && e->op == NORN_RANGE_COPY_TO)
		events[number].other = t->copied;
	else if (plan->facts && plan->site.kind != NORN_SITE_CALL && at_home(t, plan)) {
		events[number].other = norn_value_flow_resolve(flow, t, plan, &plan->value, number);
		norn_origin_write(flow, events, number, t, plan);
	} else
		events[number].other = everything(flow, t, number);
}

/* The reads that control this access. An rmw has no room for it: those decide then. */
static void flow_control(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, struct flow_thread *t,
        const struct norn_site_plan *plan, const struct norn_event *e)
{
	if (!plan->control.count)
		return;
	uint32_t node =
	        at_home(t, plan) ? norn_value_flow_resolve(flow, t, plan, &plan->control, number) : everything(flow, t, number);
	if (e->kind == NORN_EVENT_READ)
		events[number].other = node;
	else if (e->kind == NORN_EVENT_WRITE)
		events[number].link = node;
	else
		norn_value_flow_mark(flow, events, node, NORN_GRAPH_DECIDES);
}

/* Code without hooks that allocates on the way: what it leaves in that memory is its own, and depends on what it was given. */
static bool allocates_for_itself(const char *name)
{
	return name && *name && !strstr(name, "alloc") && !strstr(name, "memalign") && strncmp(name, "_Zn", 3) != 0;
}

void norn_value_flow_allocated(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number)
{
	struct norn_graph_event *e = events + number;
	const struct norn_site_plan *plan = flow->lookup ? norn_site_plan_get(flow, e->site) : NULL;
	bool call = plan && plan->site.kind == NORN_SITE_CALL;
	if (call && plan->numeric)
		e->flags |= NORN_GRAPH_NUMBER;
	if (!norn_origin_allocated(flow, events, number))
		e->flags |= NORN_GRAPH_STRAY;
	bool zeroed = e->op != NORN_ALLOC_MALLOC && e->op != NORN_ALLOC_REALLOC && e->op != NORN_ALLOC_ALIGNED;
	if (!zeroed && !(call && allocates_for_itself(plan->site.name)))
		e->flags |= NORN_GRAPH_FRESH;
}

void norn_value_flow_access(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e)
{
	if (!flow->lookup) {
		if (e->kind != NORN_EVENT_WRITE)
			events[number].flags |= BOTH;
		return; /* all reads decide anyway */
	}
	if (norn_site_plan_is_bare(flow, e->site) && !flow->says) {
		if (e->kind != NORN_EVENT_WRITE)
			events[number].flags |= BOTH;
		return; /* the same, and plans are far apart in memory */
	}
	struct flow_thread *t = get_thread(flow, e->thread, number);
	struct norn_site_plan *plan = norn_site_plan_get(flow, e->site);
	if (plan->site.order)
		events[number].flags |= NORN_GRAPH_ATOMIC;
	flow_control(flow, events, number, t, plan, e);
	if (plan->address.count && at_home(t, plan))
		note_dereference(flow, events, number, t, plan);
	uint32_t origin = e->kind != NORN_EVENT_WRITE ? norn_origin_read(flow, events, number) : NORN_ORIGIN_UNKNOWN;
	if (e->kind != NORN_EVENT_READ)
		flow_write(flow, events, number, t, plan, e);
	if (e->kind != NORN_EVENT_WRITE)
		flow_read(flow, events, number, t, plan, e, origin);
	if (norn_site_plan_asserts(plan) && plan->site.kind != NORN_SITE_CALL && at_home(t, plan))
		norn_assertions_note(flow, events, t, plan, number);
	t->last = number;
}

/* ---- calls ---- */

/* Binds the arguments of a call in the innermost frame to parameters at the end of the thread's. */
static void bind(struct norn_value_flow *flow, struct flow_thread *t, const struct norn_site_plan *call, uint32_t number)
{
	norn_must_grow(&t->parameters, t->parameter_used + (uint64_t)call->argument_end, &t->parameter_room, sizeof *t->parameters);
	uint32_t first = t->parameter_used;
	for (uint32_t i = 0; i < call->argument_end; i++)
		t->parameters[first + i] = (struct flow_parameter){.origin = NORN_ORIGIN_NUMBER};
	for (uint32_t i = 0; i < call->argument_count; i++) {
		struct flow_parameter *parameter = t->parameters + first + call->arguments[i].number;
		parameter->node =
		        unite(flow, parameter->node, norn_value_flow_resolve(flow, t, call, &call->arguments[i].sources, number));
		parameter->origin = norn_origin_of(flow, t, call, &call->arguments[i].sources);
	}
	for (uint32_t i = 0; i < call->pass_count; i++)
		if (call->passes[i].number < call->argument_end)
			t->parameters[first + call->passes[i].number].pointer =
			        pointer_read(flow, t, call, &call->passes[i].sources);
}

void norn_value_flow_passed(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number)
{
	struct flow_thread *t = get_thread(flow, events[number].thread, number);
	struct norn_site_plan *call = norn_site_plan_get(flow, events[number].site);
	if (!call->facts || !at_home(t, call)) {
		mark_before(flow, events, number, BOTH);
		return;
	}
	for (uint32_t i = 0; i < call->argument_count; i++) {
		norn_value_flow_mark(
		        flow, events, norn_value_flow_resolve(flow, t, call, &call->arguments[i].sources, number), BOTH);
		norn_origin_used(events, norn_origin_of(flow, t, call, &call->arguments[i].sources), BOTH);
	}
}

static void mark_parameter(struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_thread *t,
        const struct flow_frame *frame, uint32_t number, unsigned flags)
{
	if (number >= frame->parameter_count)
		return;
	norn_value_flow_mark(flow, events, t->parameters[frame->parameters + number].node, flags);
	norn_origin_used(events, t->parameters[frame->parameters + number].origin, flags);
}

/* May this read, which has not decided otherwise yet, decide as a pointer, too? Tests that it has go on to count. */
static bool may_point(const struct norn_graph_event *e)
{
	bool free = !(e->flags & NORN_GRAPH_DECIDES) || e->flags & (NORN_GRAPH_TESTED | NORN_GRAPH_POINTER);
	return e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_VALUED && !(e->flags & NORN_GRAPH_MASKED) && free;
}

static void make_pointer(struct norn_graph_event *e)
{
	e->flags |= NORN_GRAPH_DECIDES | NORN_GRAPH_POINTER;
	e->later = 0;
	e->flags &= ~(unsigned)(NORN_GRAPH_TESTED | NORN_GRAPH_LOOSE);
}

/* A parameter that decides only as a pointer, and is what one read saw: so does that. */
static bool give_pointer(
        struct norn_graph_event *events, const struct flow_thread *t, const struct flow_frame *frame, uint32_t number)
{
	const struct flow_sources *pointers = &frame->function->pointers;
	const struct flow_parameter *p = number < frame->parameter_count ? t->parameters + frame->parameters + number : NULL;
	uint32_t i = 0;
	while (i < pointers->count && pointers->items[i] != number)
		i++;
	if (!p || !p->pointer || i == pointers->count || p->node != p->pointer || !may_point(events + p->pointer))
		return false;
	make_pointer(events + p->pointer);
	return true;
}

/* The parameters of a frame that has just begun: those that decide are known to do so now. */
static void mark_parameters(
        struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_thread *t, const struct flow_frame *frame)
{
	const struct norn_site_plan *function = frame->function;
	const struct flow_sources *doubted = &function->doubted_parameters;
	if (frame->anything && doubted->count)
		mark_before(flow, events, frame->enter, NORN_FLOW_DOUBTED);
	for (uint32_t i = 0; i < doubted->count && !frame->anything; i++)
		mark_parameter(flow, events, t, frame, doubted->items[i], NORN_FLOW_DOUBTED);
	if (frame->anything) {
		unsigned flags = (!function->facts || function->parameters.count ? NORN_GRAPH_DECIDES : 0) |
		                 (!function->facts || function->numbers.count ? NORN_GRAPH_NUMBER : 0);
		mark_before(flow, events, frame->enter, flags);
		return;
	}
	if (!function->facts) {
		for (uint32_t i = 0; i < frame->parameter_count; i++)
			mark_parameter(flow, events, t, frame, i, BOTH);
		return;
	}
	for (uint32_t i = 0; i < function->parameters.count; i++)
		if (!give_pointer(events, t, frame, function->parameters.items[i]) &&
		        !norn_assertions_give_later(flow, events, t, function->parameters.items[i]) &&
		        !norn_assertions_give(flow, events, t, function->parameters.items[i]))
			mark_parameter(flow, events, t, frame, function->parameters.items[i], NORN_GRAPH_DECIDES);
	for (uint32_t i = 0; i < function->numbers.count; i++)
		mark_parameter(flow, events, t, frame, function->numbers.items[i], NORN_GRAPH_NUMBER);
}

void norn_value_flow_enter(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e)
{
	struct flow_thread *t = get_thread(flow, e->thread, number);
	struct norn_site_plan *function = norn_site_plan_get(flow, e->site), *call = norn_site_plan_get(flow, e->call_site);
	if (call->address.count && call->site.indirect && norn_site_plan_fits(call, function) && at_home(t, call))
		note_dereference(flow, events, number, t, call);
	bool ends = t->depth == 0 && norn_job_function_ends(function->site.name, t->begin == number);
	bool begins = ends || (t->depth == 0 && t->begin == number);
	norn_must_grow(&t->frames, t->depth + UINT64_C(1), &t->frame_room, sizeof *t->frames);
	norn_must_grow(&t->slots, (uint64_t)t->slot_used + function->slots, &t->slot_room, sizeof *t->slots);
	struct flow_frame frame = {.function = function, .enter = number, .slots = t->slot_used, .slot_count = function->slots};
	frame.parameters = t->parameter_used;
	frame.outermost = t->depth == 0 && t->begin == number && t->created;
	if (norn_site_plan_fits(call, function) && call->facts && at_home(t, call)) {
		bind(flow, t, call, number);
		frame.call = call;
		frame.parameter_count = call->argument_end;
	} else {
		frame.anything = true;
		frame.everything = ends ? 0 : everything(flow, t, number);
		frame.argument = begins ? t->argument : NORN_ORIGIN_UNKNOWN;
	}
	t->parameter_used += frame.parameter_count;
	if (function->slots)
		memset(t->slots + frame.slots, 0, function->slots * sizeof *t->slots);
	t->slot_used += function->slots;
	t->frames[t->depth++] = frame;
	if (!ends)
		mark_parameters(flow, events, t, &frame);
	norn_assertions_note(flow, events, t, function, number);
}

void norn_value_flow_synced(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e)
{
	struct norn_site_plan *plan = norn_site_plan_get(flow, e->site);
	bool uses = plan->address.count && !plan->site.indirect;
	if ((!norn_site_plan_asserts(plan) && !uses) || plan->site.kind != NORN_SITE_CALL)
		return;
	struct flow_thread *t = get_thread(flow, e->thread, number);
	if (at_home(t, plan) && uses)
		note_dereference(flow, events, number, t, plan);
	if (at_home(t, plan))
		norn_assertions_note(flow, events, t, plan, number);
}

static void pop(struct flow_thread *t)
{
	const struct flow_frame *frame = t->frames + --t->depth;
	t->slot_used = frame->slots;
	t->parameter_used = frame->parameters;
}

static void add_called_tests(
        struct norn_value_flow *flow, const struct norn_site_plan *yields, const struct norn_site_plan *call, uint32_t read)
{
	uint32_t *last = norn_must_map_put(&flow->called, read);
	norn_must_push(&flow->called_tests, (struct called_tests){yields, call, *last});
	*last = flow->called_tests.count;
}

/* The result is what a function (yields) makes of one read, and its call decides no more than some tests of it: so does the read
 * then. */
static bool give_tests(struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_frame *frame,
        const struct norn_site_plan *yields, uint32_t read)
{
	const struct flow_sources *made = &yields->yields;
	struct norn_graph_event *e = events + read;
	if (read == 0 || read & NORN_GRAPH_LIST || made->count < 2 || (made->items[0] & 3) != NORN_SOURCE_LATEST)
		return false;
	if (e->site != yields->site.base + (made->items[0] >> 2) || e->kind != NORN_EVENT_READ || !(e->flags & NORN_GRAPH_VALUED) ||
	        (e->flags & NORN_GRAPH_DECIDES && !(e->flags & NORN_GRAPH_TESTED)))
		return false;
	add_called_tests(flow, yields, frame->call, read);
	e->flags |= NORN_GRAPH_DECIDES | NORN_GRAPH_TESTED;
	e->later = 0;
	e->flags &= ~(unsigned)NORN_GRAPH_MASKED; /* its own tests are to come out the same as well */
	if (!frame->call->loose || frame->call->loose_tests.count)
		e->flags &= ~(unsigned)NORN_GRAPH_LOOSE;
	return true;
}

bool norn_value_flow_tests(
        const struct norn_value_flow *flow, uint32_t site, uint32_t read, uint32_t i, struct norn_graph_tests *ret_tests)
{
	const struct norn_site_plan *plan = norn_site_plan_known(flow, site);
	if (plan && plan->site.kind != NORN_SITE_CALL && plan->tests.count && i-- == 0) {
		const uint32_t *items = plan->tests.items; /* before it is nothing: an empty chain, but no null pointer */
		*ret_tests = (struct norn_graph_tests){.before = items, .tests = items, .count = plan->tests.count};
		return true;
	}
	const uint32_t *last = norn_map_get(&flow->called, read);
	uint32_t at = last ? *last : 0;
	for (; at && i; i--)
		at = flow->called_tests.items[at - 1].next;
	if (at == 0)
		return false;
	const struct called_tests *t = flow->called_tests.items + at - 1;
	*ret_tests = (struct norn_graph_tests){.before = t->function->yields.items + 1,
	        .before_count = t->function->yields.count - 1,
	        .tests = t->call->tests.items,
	        .count = t->call->tests.count};
	return true;
}

/* The read that the function of the innermost frame makes its result of, and the function that says how: another one, if it only
 * passes on what that has returned. 0: there is none. */
static uint32_t yielded(const struct norn_value_flow *flow, const struct flow_thread *t, const struct flow_frame *frame,
        const struct norn_site_plan **ret_yields)
{
	const struct flow_sources *yields = &frame->function->yields;
	*ret_yields = frame->function;
	if (yields->count < 2 || (yields->items[0] & 3) != NORN_SOURCE_LATEST)
		return 0;
	const struct norn_site_plan *from = norn_site_plan_known(flow, frame->function->site.base + (yields->items[0] >> 2));
	if (!from || !from->slot || from->slot > frame->slot_count || from->site.entry != frame->function->number)
		return 0;
	const struct flow_slot *slot = t->slots + frame->slots + from->slot - 1;
	if (slot->yields)
		*ret_yields = slot->yields;
	return slot->yields && yields->items[1] ? 0 : slot->read;
}

/* The result decides loosely: so does the read that it is made of, if it does not decide otherwise. */
static bool give_loosely(const struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_frame *frame,
        uint32_t read, bool tested)
{
	struct norn_graph_event *e = events + read;
	if (!read || !frame->call->loose || frame->call->loose_tests.count || e->kind != NORN_EVENT_READ ||
	        !(e->flags & NORN_GRAPH_VALUED))
		return false;
	if (e->flags & NORN_GRAPH_MASKED || (e->flags & NORN_GRAPH_DECIDES && !(e->flags & (NORN_GRAPH_TESTED | NORN_GRAPH_LOOSE))))
		return false;
	if (!tested && norn_map_get(&flow->called, read))
		return false; /* by tests of another call */
	e->flags |= NORN_GRAPH_DECIDES | NORN_GRAPH_LOOSE;
	if (!tested)
		e->flags &= ~(unsigned)NORN_GRAPH_TESTED;
	return true;
}

/* The result, which is what was read, decides as a pointer: so does the read. */
static bool give_result_pointer(struct norn_value_flow *flow, struct norn_graph_event *events, const struct flow_frame *frame,
        const struct norn_site_plan *yields, uint32_t read)
{
	if (!read || yields->yields.items[1] || !may_point(events + read))
		return false;
	if (frame->call->tests.count)
		add_called_tests(flow, yields, frame->call, read);
	make_pointer(events + read);
	return true;
}

/* The innermost frame, which may be left by returning or otherwise: what it returns, if that is used. */
static void give_result(
        struct norn_value_flow *flow, struct norn_graph_event *events, struct flow_thread *t, uint32_t number, bool returns)
{
	const struct flow_frame frame = *top(t);
	uint32_t node = 0;
	if (returns && frame.function->facts)
		node = norn_value_flow_resolve(flow, t, frame.function, &frame.function->value, number);
	else if (returns)
		node = everything(flow, t, number);
	const struct norn_site_plan *yields = frame.function;
	uint32_t read = returns ? yielded(flow, t, &frame, &yields) : 0;
	uint32_t origin = returns && frame.function->facts ? norn_origin_of(flow, t, frame.function, &frame.function->value)
	                                                   : NORN_ORIGIN_UNKNOWN;
	pop(t);
	if (!returns) {
		/* Left by an exception: what the function wrote to its arguments may come from anything. */
		if (frame.call)
			happened(flow, t, norn_site_plan_known(flow, frame.call->number), everything(flow, t, number), false, 0,
			        NULL, NORN_ORIGIN_UNKNOWN);
		return;
	}
	bool only = node == read; /* its value is that read's, and has no other source */
	bool pointer = frame.call && frame.call->decides && frame.call->pointer && only &&
	               give_result_pointer(flow, events, &frame, yields, read);
	bool tests = frame.call && frame.call->decides && !frame.call->pointer && frame.call->tests.count;
	bool tested = tests && give_tests(flow, events, &frame, yields, node);
	bool loose = !pointer && frame.call && frame.call->decides && only && give_loosely(flow, events, &frame, read, tested);
	bool later = !pointer && !tested && !loose && frame.call && frame.call->decides && only && frame.call->later &&
	             norn_assertions_later(events, read);
	if (frame.outermost && !frame.call) {
		t->returned = true;
		t->result = node;
		t->result_origin = origin;
		return;
	}
	unsigned decides = (!frame.call || frame.call->decides) && !tested && !loose && !pointer && !later ? NORN_GRAPH_DECIDES : 0;
	unsigned flags = decides | (!frame.call || frame.call->numeric ? NORN_GRAPH_NUMBER : 0) |
	                 (frame.call && frame.call->doubts ? NORN_FLOW_DOUBTED : 0);
	if (flags)
		norn_value_flow_mark(flow, events, node, flags);
	norn_origin_used(events, origin, flags);
	if (frame.call)
		happened(flow, t, norn_site_plan_known(flow, frame.call->number), node, false, read, yields, origin);
	if (frame.call && norn_site_plan_asserts(frame.call))
		norn_assertions_note(flow, events, t, norn_site_plan_known(flow, frame.call->number), number);
}

uint32_t norn_value_flow_leave(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e)
{
	struct flow_thread *t = get_thread(flow, e->thread, number);
	uint32_t depth = t->depth;
	while (depth && t->frames[depth - 1].function->number != e->site)
		depth--;
	uint32_t enter = depth ? t->frames[depth - 1].enter : 0;
	while (depth && t->depth >= depth)
		give_result(flow, events, t, number, t->depth == depth && !(e->argument & NORN_LEAVE_UNWOUND));
	return enter;
}

uint32_t norn_value_flow_entered(const struct norn_value_flow *flow, uint32_t thread)
{
	if (thread >= flow->thread_count || flow->threads[thread].depth == 0)
		return 0;
	return flow->threads[thread].frames[flow->threads[thread].depth - 1].enter;
}
