#include "causality/value_flow.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/grow.h"
#include "base/arena.h"
#include "trace/record.h"
#include "trace/site.h"

#define SITE_PAGE 1024u
#define UNION_CACHE 4096u
#define ALIKE 1024u

/* The sources of a value, as items of facts. */
struct sources {
	const uint32_t *items;
	uint32_t count;
};

struct argument {
	uint32_t number;
	struct sources sources;
};

/* A site, and its facts unpacked. */
struct plan {
	struct norn_graph_site site;
	uint32_t number;
	bool facts; /* it has some */
	bool decides, masked;
	uint32_t slot; /* 1 + place in the frames of its function, 0: it has not happened yet */
	uint32_t slots; /* ENTER: how many sites of this function have happened */
	struct sources value; /* ENTER: of the result */
	struct sources parameters; /* ENTER: numbers of those that decide */
	struct argument *arguments; /* CALL */
	uint32_t argument_count, argument_end; /* end: 1 + the highest number */
	struct sources control; /* READ, WRITE */
	struct norn_graph_range *masks; /* READ, RMW */
	uint32_t mask_count;
};

struct slot {
	uint32_t latest, all;
};

struct frame {
	const struct plan *function;
	const struct plan *call; /* of the frame below; NULL: the caller is not known */
	uint32_t enter;
	uint32_t slots, slot_count; /* in the thread's slots */
	uint32_t parameters, parameter_count; /* in the thread's parameters, those that are not there are constants */
	bool anything; /* the parameters may come from all that was read before: */
	uint32_t everything;
};

struct thread {
	struct frame *frames;
	uint32_t depth, frame_room;
	struct slot *slots;
	uint32_t slot_used, slot_room;
	uint32_t *parameters;
	uint32_t parameter_used, parameter_room;
	uint32_t begin; /* an event before all its reads, 0: none yet */
	uint32_t marked; /* all reads up to this event decide */
	uint32_t free; /* its last read that did not decide, as far as was known then */
	uint32_t everything, everything_free; /* a node for all it had read when that one was the last */
	uint32_t copied; /* node of what the last copy has read so far */
	uint32_t last; /* its last range: for records that go on where the last one ended */
};

struct norn_value_flow {
	norn_graph_lookup *lookup;
	void *context;
	struct norn_arena arena;
	struct plan ***pages; /* of SITE_PAGE plans each */
	uint32_t page_count;
	struct plan *alike[ALIKE]; /* plans that several sites have */
	uint64_t *bare; /* a bit per site of which there is a plan, which says nothing */
	uint32_t bare_room; /* in words */
	bool says; /* some plan says something */
	struct thread *threads;
	uint32_t thread_count;
	struct norn_value_flow_pair *pairs;
	uint32_t pair_count, pair_room;
	uint8_t *marked; /* per pair: its reads decide */
	uint32_t *stack;
	uint32_t stack_used, stack_room;
	struct {
		uint32_t a, b, node;
	} cache[UNION_CACHE];
};

int norn_value_flow_new(norn_graph_lookup *lookup, void *context, struct norn_value_flow **ret_flow)
{
	struct norn_value_flow *flow = calloc(1, sizeof *flow);
	if (!flow)
		return -ENOMEM;
	flow->lookup = lookup;
	flow->context = context;
	*ret_flow = flow;
	return 0;
}

void norn_value_flow_seal(struct norn_value_flow *flow)
{
	for (uint32_t i = 0; i < flow->thread_count; i++) {
		free(flow->threads[i].frames);
		free(flow->threads[i].slots);
		free(flow->threads[i].parameters);
	}
	free(flow->threads);
	flow->threads = NULL;
	flow->thread_count = 0;
	free(flow->marked);
	flow->marked = NULL;
	free(flow->bare);
	flow->bare = NULL;
	flow->bare_room = 0;
	free(flow->stack);
	flow->stack = NULL;
	flow->stack_used = flow->stack_room = 0;
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

static struct thread *get_thread(struct norn_value_flow *flow, uint32_t thread, uint32_t number)
{
	if (thread >= flow->thread_count) {
		uint32_t old = flow->thread_count, room = old;
		if (norn_grow(&flow->threads, thread + UINT64_C(1), &room, sizeof *flow->threads) < 0)
			return NULL;
		memset(flow->threads + old, 0, (room - old) * sizeof *flow->threads);
		flow->thread_count = room;
	}
	struct thread *t = flow->threads + thread;
	if (t->begin == 0)
		t->begin = number;
	return t;
}

/* ---- sites ---- */

/* Reads the items of an entry into the arena. */
static int take_items(struct norn_value_flow *flow, struct norn_facts *facts, uint32_t count, struct sources *ret_sources)
{
	if (count > (uint64_t)(facts->end - facts->p))
		return -EBADMSG;
	uint32_t *items = norn_arena_alloc(&flow->arena, (count ? count : 1) * sizeof *items);
	if (!items)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		if (!norn_facts_number(facts, &items[i]))
			return -EBADMSG;
	*ret_sources = (struct sources){items, count};
	return 0;
}

static int take_argument(struct norn_value_flow *flow, struct plan *plan, const struct sources *entry)
{
	if (entry->count == 0)
		return -EBADMSG;
	uint32_t n = plan->argument_count;
	struct argument *bigger = norn_arena_alloc(&flow->arena, (n + 1) * sizeof *bigger);
	if (!bigger)
		return -ENOMEM;
	if (n)
		memcpy(bigger, plan->arguments, n * sizeof *bigger);
	bigger[n] = (struct argument){entry->items[0], {entry->items + 1, entry->count - 1}};
	plan->arguments = bigger;
	plan->argument_count = n + 1;
	if (entry->items[0] >= plan->argument_end)
		plan->argument_end = entry->items[0] + 1;
	return 0;
}

/* A variable whose address was not recorded may be anything: then it just decides. */
static int take_masks(struct norn_value_flow *flow, struct plan *plan, const struct sources *entry)
{
	uint32_t count = entry->count / 4;
	plan->masks = norn_arena_alloc(&flow->arena, (count + UINT64_C(1)) * sizeof *plan->masks);
	if (!plan->masks)
		return -ENOMEM;
	plan->masked = plan->site.kind == NORN_SITE_READ || plan->site.kind == NORN_SITE_RMW;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *item = entry->items + (size_t)4 * i;
		if (item[0] < plan->site.variable_count)
			plan->masks[plan->mask_count++] =
			        (struct norn_graph_range){plan->site.variables[item[0]] + item[1], item[2]};
		else
			plan->masked = false;
	}
	return 0;
}

static int take_facts(struct norn_value_flow *flow, struct plan *plan)
{
	struct norn_facts facts = plan->site.facts;
	uint32_t kind, count;
	while (norn_facts_next(&facts, &kind, &count)) {
		struct sources entry;
		int r = take_items(flow, &facts, count, &entry);
		if (r < 0)
			return r;
		switch (kind) {
		case NORN_FACT_DECIDES:
			plan->decides = true;
			if (plan->site.kind == NORN_SITE_ENTER)
				plan->parameters = entry;
			break;
		case NORN_FACT_VALUE:
		case NORN_FACT_RESULT:
			plan->value = entry;
			break;
		case NORN_FACT_CONTROL:
			plan->control = entry;
			break;
		case NORN_FACT_MASKS:
			r = take_masks(flow, plan, &entry);
			break;
		case NORN_FACT_ARGUMENT:
			r = take_argument(flow, plan, &entry);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static bool is_bare(const struct norn_value_flow *flow, uint32_t site)
{
	return site / 64 < flow->bare_room && flow->bare[site / 64] >> site % 64 & 1;
}

static int note_bare(struct norn_value_flow *flow, uint32_t site)
{
	uint32_t old = flow->bare_room;
	if (norn_grow(&flow->bare, site / 64 + UINT64_C(1), &flow->bare_room, sizeof *flow->bare) < 0)
		return -ENOMEM;
	memset(flow->bare + old, 0, (flow->bare_room - old) * sizeof *flow->bare);
	flow->bare[site / 64] |= UINT64_C(1) << site % 64;
	return 0;
}

/* Of a site without facts, in a function that is not known, it does not matter which one it is: those that are alike share their
 * plan. In a text there are as many sites as variables, and most of them are alike. */
static struct plan **shared_plan(struct norn_value_flow *flow, const struct norn_graph_site *s)
{
	if (s->facts.p || s->entry || s->name || s->variable_count || s->kind == NORN_SITE_ENTER)
		return NULL;
	uint32_t hash = (s->place * 8u + s->kind) * 0x9e3779b1u;
	return &flow->alike[hash >> 16 & (ALIKE - 1)];
}

static bool is_alike(const struct norn_graph_site *a, const struct norn_graph_site *b)
{
	return a->kind == b->kind && a->order == b->order && a->indirect == b->indirect && a->own == b->own &&
	       a->waits == b->waits && a->call == b->call && a->base == b->base && a->place == b->place;
}

static struct plan *plan_of(struct norn_value_flow *flow, uint32_t number)
{
	struct norn_graph_site site = {.waits = true};
	if (flow->lookup)
		flow->lookup(flow->context, number, &site);
	struct plan **shared = shared_plan(flow, &site);
	if (shared && *shared && is_alike(&(*shared)->site, &site))
		return *shared;
	struct plan *plan = norn_arena_alloc(&flow->arena, sizeof *plan);
	if (!plan)
		return NULL;
	plan->site = site;
	plan->number = number;
	if (site.facts.p) {
		int r = take_facts(flow, plan);
		if (r == -ENOMEM)
			return NULL;
		plan->facts = r == 0;
		/* Whether it writes is decided by what it reads. */
		plan->decides |= site.kind == NORN_SITE_CMPXCHG;
	}
	if (shared)
		*shared = plan;
	return plan;
}

static struct plan *make_plan(struct norn_value_flow *flow, uint32_t site)
{
	uint32_t page = site / SITE_PAGE, old = flow->page_count, room = old;
	if (page >= old) {
		if (norn_grow(&flow->pages, page + UINT64_C(1), &room, sizeof *flow->pages) < 0)
			return NULL;
		memset(flow->pages + old, 0, (room - old) * sizeof *flow->pages);
		flow->page_count = room;
	}
	if (!flow->pages[page])
		flow->pages[page] = calloc(SITE_PAGE, sizeof **flow->pages);
	struct plan *plan = flow->pages[page] ? plan_of(flow, site) : NULL;
	if (!plan)
		return NULL;
	flow->pages[page][site % SITE_PAGE] = plan;
	flow->says |= plan->facts || plan->site.order;
	return flow->says || note_bare(flow, site) == 0 ? plan : NULL;
}

static struct plan *known_plan(const struct norn_value_flow *flow, uint32_t site)
{
	uint32_t page = site / SITE_PAGE;
	return page < flow->page_count && flow->pages[page] ? flow->pages[page][site % SITE_PAGE] : NULL;
}

static inline struct plan *get_plan(struct norn_value_flow *flow, uint32_t site)
{
	struct plan *plan = known_plan(flow, site);
	return plan ? plan : make_plan(flow, site);
}

const struct norn_graph_site *norn_value_flow_site(struct norn_value_flow *flow, uint32_t site)
{
	struct plan *plan = get_plan(flow, site);
	return plan ? &plan->site : NULL;
}

const struct norn_graph_site *norn_value_flow_known(const struct norn_value_flow *flow, uint32_t site)
{
	const struct plan *plan = known_plan(flow, site);
	return plan ? &plan->site : NULL;
}

static bool fits(const struct plan *call, const struct plan *enter)
{
	if (call->site.kind != NORN_SITE_CALL || enter->site.kind != NORN_SITE_ENTER)
		return false;
	const char *callee = call->site.name, *function = enter->site.name;
	return call->site.indirect || (callee && *callee && function && strcmp(callee, function) == 0);
}

bool norn_value_flow_fits(struct norn_value_flow *flow, uint32_t call_site, uint32_t enter_site)
{
	const struct plan *call = get_plan(flow, call_site), *enter = get_plan(flow, enter_site);
	return call && enter && fits(call, enter);
}

/* ---- nodes ---- */

static int add_pair(struct norn_value_flow *flow, uint32_t a, uint32_t b, uint32_t *ret_node)
{
	uint32_t room = flow->pair_room;
	if (flow->pair_count >= NORN_GRAPH_LIST - 1)
		return -ENOMEM;
	int r = norn_grow(&flow->pairs, flow->pair_count + UINT64_C(1), &flow->pair_room, sizeof *flow->pairs);
	if (r == 0 && flow->pair_room != room) {
		uint8_t *marked = realloc(flow->marked, flow->pair_room);
		if (!marked)
			return -ENOMEM;
		flow->marked = marked;
	}
	if (r < 0)
		return r;
	flow->pairs[flow->pair_count] = (struct norn_value_flow_pair){a, b};
	flow->marked[flow->pair_count] = 0;
	*ret_node = flow->pair_count++ | NORN_GRAPH_LIST;
	return 0;
}

static int unite(struct norn_value_flow *flow, uint32_t a, uint32_t b, uint32_t *ret_node)
{
	if (a == b || b == 0 || a == 0) {
		*ret_node = a ? a : b;
		return 0;
	}
	unsigned slot = (a * 0x9e3779b1u ^ b * 0x85ebca6bu) >> 20;
	if (flow->cache[slot].a != a || flow->cache[slot].b != b) {
		int r = add_pair(flow, a, b, &flow->cache[slot].node);
		if (r < 0) {
			flow->cache[slot].a = 0;
			return r;
		}
		flow->cache[slot].a = a;
		flow->cache[slot].b = b;
	}
	*ret_node = flow->cache[slot].node;
	return 0;
}

/* All that the thread of event, its last one, has read: one node as long as it reads nothing more that matters. */
static int everything(struct norn_value_flow *flow, struct thread *t, uint32_t event, uint32_t *ret_node)
{
	int r = 0;
	if (t->free != t->everything_free) {
		r = add_pair(flow, event, NORN_VALUE_FLOW_BEFORE, &t->everything);
		t->everything_free = r < 0 ? 0 : t->free;
	}
	*ret_node = t->free ? t->everything : 0;
	return r;
}

static void decide(struct norn_graph_event *event)
{
	event->flags = (event->flags | NORN_GRAPH_DECIDES) & ~(unsigned)NORN_GRAPH_MASKED;
}

static void mark_before(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t event)
{
	struct thread *t = flow->threads + events[event].thread;
	uint32_t i = t->marked ? t->marked : t->begin;
	for (; i && i < event; i = events[i].next) {
		if (events[i].kind == NORN_EVENT_READ || events[i].kind == NORN_EVENT_RMW)
			decide(events + i);
		t->marked = i;
	}
}

/* Every read that node comes from decides. */
static int mark(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t node)
{
	flow->stack_used = 0;
	for (;;) {
		if (node & NORN_GRAPH_LIST) {
			uint32_t i = node & ~NORN_GRAPH_LIST;
			struct norn_value_flow_pair pair = flow->pairs[i];
			if (!flow->marked[i] && pair.b == NORN_VALUE_FLOW_BEFORE) {
				mark_before(flow, events, pair.a);
			} else if (!flow->marked[i]) {
				int r = norn_grow(
				        &flow->stack, flow->stack_used + UINT64_C(2), &flow->stack_room, sizeof *flow->stack);
				if (r < 0)
					return r;
				flow->stack[flow->stack_used++] = pair.a;
				flow->stack[flow->stack_used++] = pair.b;
			}
			flow->marked[i] = 1;
		} else if (node) {
			decide(events + node);
		}
		if (flow->stack_used == 0)
			return 0;
		node = flow->stack[--flow->stack_used];
	}
}

/* ---- frames ---- */

static struct frame *top(struct thread *t)
{
	return t->depth ? t->frames + t->depth - 1 : NULL;
}

/* The slot of a site in the innermost frame, whose function it is in. */
static int get_slot(struct norn_value_flow *flow, struct thread *t, struct plan *plan, struct slot **ret_slot)
{
	struct frame *frame = top(t);
	if (plan->slot == 0)
		plan->slot = ++get_plan(flow, plan->site.entry)->slots;
	if (plan->slot > frame->slot_count) {
		int r = norn_grow(&t->slots, (uint64_t)frame->slots + plan->slot, &t->slot_room, sizeof *t->slots);
		if (r < 0)
			return r;
		memset(t->slots + frame->slots + frame->slot_count, 0, (plan->slot - frame->slot_count) * sizeof *t->slots);
		frame->slot_count = plan->slot;
		t->slot_used = frame->slots + frame->slot_count;
	}
	*ret_slot = t->slots + frame->slots + plan->slot - 1;
	return 0;
}

/* more: what the site has just read is not all of it. */
static int happened(struct norn_value_flow *flow, struct thread *t, struct plan *plan, uint32_t node, bool more)
{
	struct slot *slot;
	int r = get_slot(flow, t, plan, &slot);
	if (r == 0 && more)
		r = unite(flow, slot->latest, node, &slot->latest);
	else if (r == 0)
		slot->latest = node;
	return r < 0 ? r : unite(flow, slot->all, node, &slot->all);
}

/* Where a value of the innermost frame comes from, at event number. */
static int resolve(struct norn_value_flow *flow, struct thread *t, const struct plan *plan, const struct sources *sources,
        uint32_t number, uint32_t *ret_node)
{
	const struct frame *frame = top(t);
	uint32_t node = 0;
	for (uint32_t i = 0; i < sources->count; i++) {
		uint32_t item = sources->items[i], index = item >> 2, source = 0;
		const struct plan *from;
		int r = 0;
		switch (item & 3) {
		case NORN_SOURCE_LATEST:
		case NORN_SOURCE_ALL:
			from = known_plan(flow, plan->site.base + index);
			if (from && from->slot && from->slot <= frame->slot_count && from->site.entry == frame->function->number) {
				const struct slot *slot = t->slots + frame->slots + from->slot - 1;
				source = (item & 3) == NORN_SOURCE_ALL ? slot->all : slot->latest;
			}
			break;
		case NORN_SOURCE_PARAMETER:
			if (frame->anything)
				source = frame->everything;
			else if (index < frame->parameter_count)
				source = t->parameters[frame->parameters + index];
			break;
		default:
			r = everything(flow, t, number, &source);
		}
		if (r == 0)
			r = unite(flow, node, source, &node);
		if (r < 0)
			return r;
	}
	*ret_node = node;
	return 0;
}

/* Does this site stand in the function of the innermost frame? */
static bool at_home(struct thread *t, const struct plan *plan)
{
	const struct frame *frame = top(t);
	return frame && plan->site.entry && plan->site.entry == frame->function->number;
}

/* ---- accesses ---- */

/* Is this a record of a range that goes on where this thread's last one ended? */
static bool goes_on(const struct norn_graph_event *events, const struct thread *t, const struct norn_event *e)
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

static int from_everything(struct norn_value_flow *flow, struct thread *t, uint32_t number, uint32_t *ret_node)
{
	uint32_t all;
	int r = everything(flow, t, number, &all);
	return r < 0 ? r : unite(flow, number, all, ret_node);
}

static int flow_read(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, struct thread *t,
        struct plan *plan, const struct norn_event *e)
{
	bool home = at_home(t, plan), copy = e->kind == NORN_EVENT_READ && e->op == NORN_RANGE_COPY_FROM;
	bool call = plan->site.kind == NORN_SITE_CALL; /* the runtime reads for a function of libc: facts are about its result */
	bool decides = !plan->facts || !home || plan->decides || (call && !copy),
	     masked = decides && plan->facts && home && plan->masked && !plan->site.own;
	uint32_t node = decides && !masked ? 0 : number;
	int r = 0;
	if (plan->site.own && decides)
		mark_before(flow, events, number); /* a function without hooks made it of what it was given */
	else if (plan->site.own)
		r = from_everything(flow, t, number, &node);
	if (r < 0)
		return r;
	if (decides)
		events[number].flags |= NORN_GRAPH_DECIDES;
	if (masked)
		events[number].flags |= NORN_GRAPH_MASKED;
	if (node)
		t->free = number;
	if (home && !call)
		r = happened(flow, t, plan, node, goes_on(events, t, e));
	if (r == 0 && copy)
		r = unite(flow, e->pieces & 2 ? t->copied : 0, node, &t->copied);
	return r;
}

static int flow_write(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, struct thread *t,
        const struct plan *plan, const struct norn_event *e)
{
	uint32_t node;
	int r;
	if (e->kind == NORN_EVENT_WRITE && e->op == NORN_RANGE_COPY_TO) {
		node = t->copied;
		r = 0;
	} else if (plan->facts && plan->site.kind != NORN_SITE_CALL && at_home(t, plan)) {
		r = resolve(flow, t, plan, &plan->value, number, &node);
	} else {
		r = everything(flow, t, number, &node);
	}
	if (r == 0)
		events[number].other = node;
	return r;
}

/* The reads that control this access. An rmw has no room for it: those decide then. */
static int flow_control(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, struct thread *t,
        const struct plan *plan, const struct norn_event *e)
{
	uint32_t node;
	if (!plan->control.count)
		return 0;
	int r = at_home(t, plan) ? resolve(flow, t, plan, &plan->control, number, &node) : everything(flow, t, number, &node);
	if (r < 0)
		return r;
	if (e->kind == NORN_EVENT_READ)
		events[number].other = node;
	else if (e->kind == NORN_EVENT_WRITE)
		events[number].link = node;
	else
		r = mark(flow, events, node);
	return r;
}

int norn_value_flow_access(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e)
{
	if (!flow->lookup) {
		if (e->kind != NORN_EVENT_WRITE)
			events[number].flags |= NORN_GRAPH_DECIDES;
		return 0; /* all reads decide: nothing else can come into a value */
	}
	if (is_bare(flow, e->site) && !flow->says) {
		if (e->kind != NORN_EVENT_WRITE)
			events[number].flags |= NORN_GRAPH_DECIDES;
		return 0; /* the same, and plans are far apart in memory */
	}
	struct thread *t = get_thread(flow, e->thread, number);
	struct plan *plan = get_plan(flow, e->site);
	if (!t || !plan)
		return -ENOMEM;
	if (plan->site.order)
		events[number].flags |= NORN_GRAPH_ATOMIC;
	int r = flow_control(flow, events, number, t, plan, e);
	if (r == 0 && e->kind != NORN_EVENT_READ)
		r = flow_write(flow, events, number, t, plan, e);
	if (r == 0 && e->kind != NORN_EVENT_WRITE)
		r = flow_read(flow, events, number, t, plan, e);
	t->last = number;
	return r;
}

/* ---- calls ---- */

/* Binds the arguments of a call in the innermost frame to parameters at the end of the thread's. */
static int bind(struct norn_value_flow *flow, struct thread *t, const struct plan *call, uint32_t number)
{
	int r = norn_grow(
	        &t->parameters, t->parameter_used + (uint64_t)call->argument_end, &t->parameter_room, sizeof *t->parameters);
	if (r < 0)
		return r;
	uint32_t first = t->parameter_used;
	if (call->argument_end)
		memset(t->parameters + first, 0, call->argument_end * sizeof *t->parameters);
	for (uint32_t i = 0; i < call->argument_count && r == 0; i++) {
		uint32_t *parameter = t->parameters + first + call->arguments[i].number, node;
		r = resolve(flow, t, call, &call->arguments[i].sources, number, &node);
		if (r == 0)
			r = unite(flow, *parameter, node, parameter);
	}
	return r;
}

int norn_value_flow_passed(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number)
{
	struct thread *t = get_thread(flow, events[number].thread, number);
	struct plan *call = get_plan(flow, events[number].site);
	if (!t || !call)
		return -ENOMEM;
	if (!call->facts || !at_home(t, call)) {
		mark_before(flow, events, number);
		return 0;
	}
	int r = 0;
	for (uint32_t i = 0; i < call->argument_count && r == 0; i++) {
		uint32_t node;
		r = resolve(flow, t, call, &call->arguments[i].sources, number, &node);
		if (r == 0)
			r = mark(flow, events, node);
	}
	return r;
}

static int mark_parameter(struct norn_value_flow *flow, struct norn_graph_event *events, const struct thread *t,
        const struct frame *frame, uint32_t number)
{
	if (number < frame->parameter_count)
		return mark(flow, events, t->parameters[frame->parameters + number]);
	return 0;
}

/* The parameters of a frame that has just begun: those that decide are known to do so now. */
static int mark_parameters(
        struct norn_value_flow *flow, struct norn_graph_event *events, const struct thread *t, const struct frame *frame)
{
	const struct plan *function = frame->function;
	int r = 0;
	if (frame->anything) {
		if (!function->facts || function->parameters.count)
			mark_before(flow, events, frame->enter);
		return 0;
	}
	if (!function->facts) {
		for (uint32_t i = 0; i < frame->parameter_count && r == 0; i++)
			r = mark_parameter(flow, events, t, frame, i);
		return r;
	}
	for (uint32_t i = 0; i < function->parameters.count && r == 0; i++)
		r = mark_parameter(flow, events, t, frame, function->parameters.items[i]);
	return r;
}

int norn_value_flow_enter(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e)
{
	struct thread *t = get_thread(flow, e->thread, number);
	struct plan *function = get_plan(flow, e->site), *call = get_plan(flow, e->call_site);
	if (!t || !function || !call)
		return -ENOMEM;
	int r = norn_grow(&t->frames, t->depth + UINT64_C(1), &t->frame_room, sizeof *t->frames);
	if (r == 0)
		r = norn_grow(&t->slots, (uint64_t)t->slot_used + function->slots, &t->slot_room, sizeof *t->slots);
	if (r < 0)
		return r;
	struct frame frame = {.function = function, .enter = number, .slots = t->slot_used, .slot_count = function->slots};
	frame.parameters = t->parameter_used;
	if (fits(call, function) && call->facts && at_home(t, call)) {
		r = bind(flow, t, call, number);
		if (r < 0)
			return r;
		frame.call = call;
		frame.parameter_count = call->argument_end;
	} else {
		frame.anything = true;
		r = everything(flow, t, number, &frame.everything);
		if (r < 0)
			return r;
	}
	t->parameter_used += frame.parameter_count;
	if (function->slots)
		memset(t->slots + frame.slots, 0, function->slots * sizeof *t->slots);
	t->slot_used += function->slots;
	t->frames[t->depth++] = frame;
	return mark_parameters(flow, events, t, &frame);
}

static void pop(struct thread *t)
{
	const struct frame *frame = t->frames + --t->depth;
	t->slot_used = frame->slots;
	t->parameter_used = frame->parameters;
}

/* The innermost frame, which may be left by returning or otherwise: what it returns, if that is used. */
static int give_result(
        struct norn_value_flow *flow, struct norn_graph_event *events, struct thread *t, uint32_t number, bool returns)
{
	const struct frame frame = *top(t);
	uint32_t node = 0;
	int r = 0;
	if (returns && frame.function->facts)
		r = resolve(flow, t, frame.function, &frame.function->value, number, &node);
	else if (returns)
		r = everything(flow, t, number, &node);
	if (r < 0)
		return r;
	pop(t);
	if (!returns)
		return 0;
	if (!frame.call)
		return mark(flow, events, node);
	if (frame.call->decides) {
		r = mark(flow, events, node);
		if (r < 0)
			return r;
	}
	return happened(flow, t, known_plan(flow, frame.call->number), node, false);
}

int norn_value_flow_leave(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number,
        const struct norn_event *e, uint32_t *ret_enter)
{
	struct thread *t = get_thread(flow, e->thread, number);
	if (!t)
		return -ENOMEM;
	uint32_t depth = t->depth;
	while (depth && t->frames[depth - 1].function->number != e->site)
		depth--;
	*ret_enter = depth ? t->frames[depth - 1].enter : 0;
	int r = 0;
	while (depth && t->depth >= depth && r == 0)
		r = give_result(flow, events, t, number, t->depth == depth && !(e->argument & NORN_LEAVE_UNWOUND));
	return r;
}

/* ---- masks ---- */

uint32_t norn_value_flow_masks(const struct norn_value_flow *flow, uint32_t site, const struct norn_graph_range **ret_ranges)
{
	const struct plan *plan = known_plan(flow, site);
	*ret_ranges = plan ? plan->masks : NULL;
	return plan && plan->masked ? plan->mask_count : 0;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static int add_words(const struct plan *plan, uint64_t **words, uint32_t *count, uint32_t *room)
{
	for (uint32_t i = 0; plan && plan->masked && i < plan->mask_count; i++) {
		const struct norn_graph_range *m = plan->masks + i;
		for (uint64_t word = m->addr / 8; m->size && word <= (m->addr + m->size - 1) / 8; word++) {
			int r = norn_grow(words, *count + UINT64_C(1), room, sizeof **words);
			if (r < 0)
				return r;
			(*words)[(*count)++] = word;
		}
	}
	return 0;
}

int norn_value_flow_masked_words(const struct norn_value_flow *flow, uint64_t **ret_words, uint32_t *ret_count)
{
	uint64_t *words = NULL;
	uint32_t count = 0, room = 0, kept = 0;
	for (uint32_t p = 0; p < flow->page_count; p++)
		for (uint32_t i = 0; flow->pages[p] && i < SITE_PAGE; i++)
			if (add_words(flow->pages[p][i], &words, &count, &room) < 0) {
				free(words);
				return -ENOMEM;
			}
	if (count)
		qsort(words, count, sizeof *words, by_number);
	for (uint32_t i = 0; i < count; i++)
		if (i == 0 || words[i] != words[i - 1])
			words[kept++] = words[i];
	*ret_words = words;
	*ret_count = kept;
	return 0;
}

uint32_t norn_value_flow_entered(const struct norn_value_flow *flow, uint32_t thread)
{
	if (thread >= flow->thread_count || flow->threads[thread].depth == 0)
		return 0;
	return flow->threads[thread].frames[flow->threads[thread].depth - 1].enter;
}
