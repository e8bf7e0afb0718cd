/* Which allocation an address comes from (V4): a pointer is of the block that an allocator gave, through loads, stores, arguments
 * and results, as far as facts of the pass tell. What is not told is not known; that is safe. */
#include <string.h>

#include "base/must.h"
#include "causality/values/value_flow_state.h"
#include "trace/record.h"
#include "trace/site.h"

#define LOOK_BACK 4096u /* events that others may have had since */
#define ADDRESSES (UINT64_C(1) << 16) /* what is less, or does not fit into 47 bits, points nowhere */

static bool is_address(uint64_t value)
{
	return value >= ADDRESSES && value >> 47 == 0;
}

/* Functions that do nothing but give a new block. */
static bool is_allocator(const char *name)
{
	static const char *const names[] = {"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "memalign", "valloc",
	        "pvalloc", "strdup", "strndup", "__strdup", "__strndup"};
	for (size_t i = 0; name && i < sizeof names / sizeof *names; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return name && (strncmp(name, "_Znw", 4) == 0 || strncmp(name, "_Zna", 4) == 0);
}

/* std::thread: the call is given the place of a pointer to the state that its thread begins with. */
static bool creates_cxx_thread(const struct norn_site_plan *plan)
{
	const char *name = plan->site.name ? plan->site.name : "";
	return strcmp(name, "std::thread::_M_start_thread") == 0 || strncmp(name, "_ZNSt6thread15_M_start_threadE", 30) == 0;
}

static bool creates_thread(const struct norn_site_plan *plan)
{
	const char *name = plan->site.name ? plan->site.name : "";
	return strcmp(name, "pthread_create") == 0 || strcmp(name, "thrd_create") == 0 || creates_cxx_thread(plan);
}

static bool contains(const struct norn_graph_event *alloc, uint64_t value)
{
	return value >= alloc->addr && value - alloc->addr <= alloc->size;
}

/* ---- sources ---- */

static uint32_t slot_origin(
        struct norn_value_flow *flow, const struct flow_thread *t, const struct norn_site_plan *plan, uint32_t item)
{
	const struct flow_frame *frame = t->frames + t->depth - 1;
	const struct norn_site_plan *from = norn_site_plan_get(flow, plan->site.base + (item >> 2));
	bool there = from->slot && from->slot <= frame->slot_count && from->site.entry == frame->function->number;
	const struct flow_slot *slot = there ? t->slots + frame->slots + from->slot - 1 : NULL;
	/* A read that did not happen in this frame adds nothing; the result of a call that did not is unknown. */
	if (!slot || !slot->happened)
		return from->site.kind == NORN_SITE_CALL || frame->carried ? NORN_ORIGIN_UNKNOWN : NORN_ORIGIN_NUMBER;
	if (from->site.kind == NORN_SITE_CALL && from->site.indirect)
		return NORN_ORIGIN_UNKNOWN;
	return (item & 3) == NORN_SOURCE_ALL ? slot->origin_all : slot->origin;
}

static uint32_t source_origin(
        struct norn_value_flow *flow, const struct flow_thread *t, const struct norn_site_plan *plan, uint32_t item)
{
	const struct flow_frame *frame = t->frames + t->depth - 1;
	uint32_t index = item >> 2;
	switch (item & 3) {
	case NORN_SOURCE_LATEST:
	case NORN_SOURCE_ALL:
		return slot_origin(flow, t, plan, item);
	case NORN_SOURCE_PARAMETER:
		if (index == NORN_SOURCE_PRIVATE || frame->carried)
			return NORN_ORIGIN_UNKNOWN;
		if (frame->anything)
			return index == 0 ? frame->argument : NORN_ORIGIN_UNKNOWN;
		return index < frame->parameter_count ? t->parameters[frame->parameters + index].origin : NORN_ORIGIN_NUMBER;
	default:
		return NORN_ORIGIN_UNKNOWN;
	}
}

uint32_t norn_origin_join(uint32_t a, uint32_t b)
{
	if (a == b || b == NORN_ORIGIN_NUMBER)
		return a;
	return a == NORN_ORIGIN_NUMBER ? b : NORN_ORIGIN_UNKNOWN;
}

uint32_t norn_origin_of(struct norn_value_flow *flow, const struct flow_thread *t, const struct norn_site_plan *plan,
        const struct flow_sources *sources)
{
	uint32_t origin = NORN_ORIGIN_NUMBER;
	for (uint32_t i = 0; i < sources->count && origin != NORN_ORIGIN_UNKNOWN; i++)
		origin = norn_origin_join(origin, source_origin(flow, t, plan, sources->items[i]));
	return origin;
}

/* The origin of a value that is known: of several blocks, the one that the value lies in. */
static uint32_t origin_at(struct norn_value_flow *flow, const struct norn_graph_event *events, const struct flow_thread *t,
        const struct norn_site_plan *plan, const struct flow_sources *sources, uint64_t value)
{
	uint32_t found = NORN_ORIGIN_NUMBER;
	for (uint32_t i = 0; i < sources->count; i++) {
		uint32_t origin = source_origin(flow, t, plan, sources->items[i]);
		if (origin == NORN_ORIGIN_UNKNOWN)
			return origin;
		if (origin == NORN_ORIGIN_NUMBER || origin == found || !contains(events + origin, value))
			continue;
		if (found != NORN_ORIGIN_NUMBER)
			return NORN_ORIGIN_UNKNOWN;
		found = origin;
	}
	return found;
}

/* ---- values ---- */

/* A word that holds a pointer, as long as this is its last writer. */
struct held_pointer {
	uint32_t writer, origin;
};

uint32_t norn_origin_read(const struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t read)
{
	const struct norn_graph_event *e = events + read;
	if (e->size < 8)
		return NORN_ORIGIN_NUMBER;
	if (e->size > 8 || e->addr % 8)
		return NORN_ORIGIN_UNKNOWN;
	if (e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_VALUED && !is_address(e->value))
		return NORN_ORIGIN_NUMBER;
	const struct held_pointer *held = norn_map_get(&flow->pointers, e->addr / 8);
	return held && e->link && held->writer == e->link ? held->origin : NORN_ORIGIN_UNKNOWN;
}

void norn_origin_write(struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t write,
        const struct flow_thread *t, const struct norn_site_plan *plan)
{
	const struct norn_graph_event *e = events + write;
	if (e->size != 8 || e->addr % 8 || !(e->flags & NORN_GRAPH_VALUED) || !is_address(e->value) || e->op)
		return;
	uint32_t origin = origin_at(flow, events, t, plan, &plan->value, e->value);
	if (origin != NORN_ORIGIN_UNKNOWN && origin != NORN_ORIGIN_NUMBER)
		*(struct held_pointer *)norn_must_map_put(&flow->pointers, e->addr / 8) = (struct held_pointer){write, origin};
}

/* ---- uses ---- */

static bool at_home(const struct flow_thread *t, const struct norn_site_plan *plan)
{
	return t->depth && plan->site.entry && plan->site.entry == t->frames[t->depth - 1].function->number;
}

bool norn_value_flow_from(struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t number, uint32_t alloc)
{
	const struct norn_graph_event *e = events + number;
	if (!flow->lookup || e->thread >= flow->thread_count)
		return false;
	const struct flow_thread *t = flow->threads + e->thread;
	const struct norn_site_plan *plan = norn_site_plan_get(flow, e->site);
	if (!plan->facts || !at_home(t, plan))
		return false;
	bool based = plan->address.count && !plan->site.indirect;
	if (plan->site.kind != NORN_SITE_CALL || plan->place.count || based)
		return origin_at(flow, events, t, plan, plan->place.count ? &plan->place : &plan->address, e->addr) == alloc;
	/* Which argument the access goes through is not known, so the origin of each must be. */
	bool found = false;
	for (uint32_t i = 0; i < plan->argument_count; i++) {
		uint32_t origin = origin_at(flow, events, t, plan, &plan->arguments[i].sources, e->addr);
		if (origin == NORN_ORIGIN_UNKNOWN)
			return false;
		found |= origin == alloc;
	}
	return found;
}

bool norn_origin_allocated(struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t number)
{
	const struct norn_graph_event *e = events + number;
	if (!flow->lookup || e->thread >= flow->thread_count)
		return false;
	struct flow_thread *t = flow->threads + e->thread;
	struct norn_site_plan *plan = norn_site_plan_get(flow, e->site);
	if (!plan->facts || plan->site.kind != NORN_SITE_CALL || plan->site.indirect || !at_home(t, plan))
		return false;
	if (creates_thread(plan)) /* libc keeps the memory that it allocates for the thread to itself */
		return true;
	if (!is_allocator(plan->site.name))
		return false;
	struct flow_slot *slot = norn_value_flow_slot(flow, t, plan);
	slot->origin_all = slot->happened ? norn_origin_join(slot->origin_all, number) : number;
	slot->origin = number;
	slot->happened = true;
	return true;
}

void norn_origin_used(struct norn_graph_event *events, uint32_t origin, unsigned flags)
{
	if (origin != NORN_ORIGIN_UNKNOWN && origin != NORN_ORIGIN_NUMBER)
		events[origin].flags |= flags & NORN_GRAPH_NUMBER;
}

/* What the call read just before of the memory that it is given: a pointer, and nothing else. */
static uint32_t state_origin(const struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t fork)
{
	uint32_t read = fork - 1, least = fork > LOOK_BACK ? fork - LOOK_BACK : 1;
	while (read >= least && events[read].thread != events[fork].thread)
		read--;
	bool is_read = read >= least && events[read].kind == NORN_EVENT_READ && events[read].size == 8;
	return is_read ? norn_origin_read(flow, events, read) : NORN_ORIGIN_UNKNOWN;
}

/* The argument that a thread begins with. */
void norn_value_flow_forks(struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t number, uint32_t child)
{
	const struct norn_graph_event *e = events + number;
	const struct norn_site_plan *plan = norn_site_plan_get(flow, e->site);
	uint32_t origin = NORN_ORIGIN_UNKNOWN;
	if (flow->lookup && creates_cxx_thread(plan))
		origin = state_origin(flow, events, number);
	else if (flow->lookup && creates_thread(plan) && plan->facts && plan->place.count && e->thread < flow->thread_count &&
	         at_home(flow->threads + e->thread, plan))
		origin = norn_origin_of(flow, flow->threads + e->thread, plan, &plan->place);
	bool created = creates_thread(plan);
	if (origin == NORN_ORIGIN_UNKNOWN && !created && child >= flow->thread_count)
		return;
	struct flow_thread *t = norn_value_flow_thread(flow, child);
	t->argument = origin;
	t->created = created;
}

void norn_value_flow_started(struct norn_value_flow *flow, uint32_t thread)
{
	if (thread >= flow->thread_count)
		return;
	flow->threads[thread].argument = NORN_ORIGIN_UNKNOWN;
	flow->threads[thread].created = false;
}

void norn_value_flow_taken(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t child)
{
	if (child >= flow->thread_count || !flow->threads[child].returned)
		return;
	struct flow_thread *t = flow->threads + child;
	norn_value_flow_mark(flow, events, t->result, NORN_GRAPH_DECIDES | NORN_GRAPH_NUMBER);
	norn_origin_used(events, t->result_origin, NORN_GRAPH_DECIDES | NORN_GRAPH_NUMBER);
	t->returned = false;
}

void norn_value_flow_carried(struct norn_value_flow *flow)
{
	for (uint32_t i = 0; i < flow->thread_count; i++)
		for (uint32_t k = 0; k < flow->threads[i].depth; k++)
			flow->threads[i].frames[k].carried = true;
}
