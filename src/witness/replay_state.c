#include "witness/replay_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/record.h"

struct word {
	uint32_t writer[8]; /* 0: nobody */
};

static const struct norn_graph_event *event_of(const struct norn_replay_state *s, uint32_t number)
{
	return norn_graph_event(s->graph, number);
}

/* ---- making and asking ---- */

static void begin_threads(struct norn_replay_state *s)
{
	size_t bytes = s->threads * sizeof(*s->next);
	if (s->below) {
		memcpy(s->next, s->below->next, bytes);
		memcpy(s->last, s->below->last, bytes);
		memcpy(s->waiting, s->below->waiting, bytes);
		memcpy(s->asleep, s->below->asleep, bytes);
		memcpy(s->slept, s->below->slept, bytes);
		memcpy(s->wrong, s->below->wrong, bytes);
		return;
	}
	for (uint32_t t = 0; t < s->threads; t++)
		s->next[t] = norn_graph_first(s->graph, t);
}

int norn_replay_state_init(struct norn_replay_state *s, const struct norn_graph *graph, const struct norn_replay_state *below)
{
	*s = (struct norn_replay_state){.graph = graph, .below = below, .threads = norn_graph_threads(graph)};
	norn_map_init(&s->words, sizeof(struct word));
	norn_map_init(&s->objects, sizeof(struct norn_replay_state_object));
	norn_map_init(&s->holders, sizeof(uint32_t));
	norn_map_init(&s->freed, sizeof(uint32_t));
	norn_map_init(&s->doubtful, 1);
	norn_map_init(&s->unsettled, 1);
	s->next = calloc(s->threads + 1, sizeof(*s->next));
	s->last = calloc(s->threads + 1, sizeof(*s->last));
	s->waiting = calloc(s->threads + 1, sizeof(*s->waiting));
	s->asleep = calloc(s->threads + 1, sizeof(*s->asleep));
	s->slept = calloc(s->threads + 1, sizeof(*s->slept));
	s->wrong = calloc(s->threads + 1, sizeof(*s->wrong));
	if (!s->next || !s->last || !s->waiting || !s->asleep || !s->slept || !s->wrong)
		return -ENOMEM;
	if (below) {
		s->call = below->call;
		s->io = below->io;
		s->loose = below->loose;
		s->sleeps = below->sleeps;
	}
	begin_threads(s);
	return 0;
}

void norn_replay_state_done(struct norn_replay_state *s)
{
	norn_map_done(&s->words);
	norn_map_done(&s->objects);
	norn_map_done(&s->holders);
	norn_map_done(&s->freed);
	norn_map_done(&s->doubtful);
	norn_map_done(&s->unsettled);
	free(s->next);
	free(s->last);
	free(s->waiting);
	free(s->asleep);
	free(s->slept);
	free(s->wrong);
	*s = (struct norn_replay_state){.below = NULL};
}

/* The map of this kind in the situation below. */
static const struct norn_map *lower(const struct norn_replay_state *s, const struct norn_map *map)
{
	return (const struct norn_map *)((const char *)s->below + ((const char *)map - (const char *)s));
}

static const void *find(const struct norn_replay_state *s, const struct norn_map *map, uint64_t key)
{
	const void *value = norn_map_get(map, key);
	return value || !s->below ? value : find(s->below, lower(s, map), key);
}

/* As find, for change. */
static int change(struct norn_replay_state *s, struct norn_map *map, uint64_t key, void *ret_value)
{
	void **place = ret_value;
	bool there = norn_map_get(map, key);
	int r = norn_map_put(map, key, place);
	if (r < 0 || there || !s->below)
		return r;
	const void *old = find(s->below, lower(s, map), key);
	if (old)
		memcpy(*place, old, map->value_bytes);
	return 0;
}

static uint32_t number_at(const struct norn_replay_state *s, const struct norn_map *map, uint64_t key)
{
	const uint32_t *number = find(s, map, key);
	return number ? *number : 0;
}

static uint64_t holder_key(uint32_t thread, uint32_t object)
{
	return (uint64_t)(thread + 1) << 32 | object;
}

bool norn_replay_state_happened(const struct norn_replay_state *s, uint32_t event)
{
	uint32_t next = s->next[event_of(s, event)->thread];
	return next == 0 || event < next;
}

bool norn_replay_state_all_before(const struct norn_replay_state *s, uint32_t event)
{
	if (s->loose && s->loose < event)
		return false;
	for (uint32_t t = 0; t < s->threads; t++)
		if (s->next[t] && s->next[t] < event)
			return false;
	return true;
}

const struct norn_replay_state_object *norn_replay_state_object(const struct norn_replay_state *s, uint32_t object)
{
	return find(s, &s->objects, object);
}

uint32_t norn_replay_state_holds(const struct norn_replay_state *s, uint32_t thread, uint32_t object)
{
	return number_at(s, &s->holders, holder_key(thread, object));
}

uint32_t norn_replay_state_freed(const struct norn_replay_state *s, uint32_t alloc)
{
	return number_at(s, &s->freed, alloc);
}

/* ---- what an event leaves behind ---- */

static int step_write(struct norn_replay_state *s, uint64_t addr, uint64_t size, uint32_t number)
{
	for (uint64_t end = addr + size; addr < end;) {
		struct word *word;
		int r = change(s, &s->words, addr / 8, &word);
		if (r < 0)
			return r;
		do
			word->writer[addr % 8] = number;
		while (++addr < end && addr % 8);
	}
	return 0;
}

/* A signal wakes the thread that has slept longest, a broadcast all that sleep. */
static void wake(struct norn_replay_state *s, uint32_t condition, bool all)
{
	uint32_t first = UINT32_MAX;
	for (uint32_t t = 0; t < s->threads; t++)
		if (s->asleep[t] == condition && s->slept[t] && (all || first == UINT32_MAX || s->slept[t] < s->slept[first])) {
			first = t;
			if (all)
				s->slept[t] = 0;
		}
	if (first != UINT32_MAX)
		s->slept[first] = 0;
}

static int step_sync(struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t number)
{
	struct norn_replay_state_object *object;
	uint32_t *holder;
	int r = change(s, &s->objects, e->size, &object);
	if (r < 0)
		return r;
	object->last = number;
	object->disordered |= number < object->largest;
	object->largest = number > object->largest ? number : object->largest;
	bool acquire = e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED;
	switch (e->op) {
	case NORN_SYNC_ACQUIRE:
		object->owner = e->thread + 1;
		break;
	case NORN_SYNC_RELEASE:
		object->owner = 0;
		break;
	case NORN_SYNC_ACQUIRE_SHARED:
		object->shared++;
		break;
	case NORN_SYNC_RELEASE_SHARED:
		object->shared -= object->shared > 0;
		break;
	case NORN_SYNC_SEM_INIT:
		object->value = (int32_t)e->value;
		return 0;
	case NORN_SYNC_SEM_POST:
		object->value++;
		return 0;
	case NORN_SYNC_SEM_WAIT:
		object->value--;
		return 0;
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
		wake(s, e->size, e->op == NORN_SYNC_BROADCAST);
		return 0;
	case NORN_SYNC_CREATE:
	case NORN_SYNC_DESTROY:
		object->destroyed = e->op == NORN_SYNC_DESTROY;
		return 0;
	case NORN_SYNC_SEND:
	case NORN_SYNC_RECEIVE:
		s->io = number > s->io ? number : s->io;
		return 0;
	default:
		return 0;
	}
	r = change(s, &s->holders, holder_key(e->thread, e->size), &holder);
	if (r == 0)
		*holder = acquire ? number : 0;
	return r;
}

static int step_free(struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t number)
{
	uint32_t *freed;
	if (!e->life || e->flags & NORN_GRAPH_PIECE)
		return 0;
	int r = change(s, &s->freed, e->life, &freed);
	if (r == 0)
		*freed = number;
	return r;
}

/* A wait that timed out when recorded may do so at any time: whoever falls asleep by this event is not to be woken. */
static bool times_out(const struct norn_replay_state *s, const struct norn_graph_event *e)
{
	const struct norn_graph_event *acquire = event_of(s, e->next), *end = event_of(s, acquire->next);
	return e->next && acquire->next && end->kind == NORN_EVENT_SYNC && end->op == NORN_SYNC_WAIT_TIMEOUT &&
	       end->flags & NORN_GRAPH_COUNTED;
}

int norn_replay_state_step(struct norn_replay_state *s, uint32_t number)
{
	const struct norn_graph_event *e = event_of(s, number);
	s->next[e->thread] = e->next;
	s->last[e->thread] = number;
	s->asleep[e->thread] = s->waiting[e->thread];
	s->slept[e->thread] = s->asleep[e->thread] && !times_out(s, e) ? ++s->sleeps : 0;
	s->waiting[e->thread] = e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_WAIT_BEGIN ? e->size : 0;
	switch (e->kind) {
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		return step_write(s, e->addr, e->size, number);
	case NORN_EVENT_SYNC:
		return step_sync(s, e, number);
	case NORN_EVENT_ALLOC:
		return e->op == NORN_ALLOC_UNMAP ? step_free(s, e, number) : 0;
	case NORN_EVENT_FREE:
		return step_free(s, e, number);
	case NORN_EVENT_THREAD:
		if (e->op != NORN_THREAD_CALL || e->flags & NORN_GRAPH_CALLED)
			return 0;
		s->call = number > s->call ? number : s->call;
		s->called = s->below;
	}
	return 0;
}

/* ---- values ---- */

static uint32_t writer_at(const struct norn_replay_state *s, uint64_t addr)
{
	const struct word *word = find(s, &s->words, addr / 8);
	return word ? word->writer[addr % 8] : 0;
}

static bool covers(const struct norn_graph_event *e, uint64_t addr)
{
	return addr >= e->addr && addr - e->addr < e->size;
}

/* Who wrote the byte that this event saw when it was recorded: of those that wrote it, the last. */
static uint32_t recorded_writer(const struct norn_replay_state *s, const struct norn_graph_event *e, uint64_t addr)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(s->graph, &e->link, &writers), found = 0;
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] > found && covers(event_of(s, writers[i]), addr))
			found = writers[i];
	return found;
}

/* Of a read-modify-write one may hold without the other. */
enum doubt {
	NOT_RIGHT = 1, /* it reads something else, or may not happen */
	NOT_KNOWN = 2, /* what it leaves behind may be something else */
};

static bool doubtful(const struct norn_replay_state *s, uint32_t number, unsigned doubts)
{
	const uint8_t *found = find(s, &s->doubtful, number);
	return found && *found & doubts;
}

static int note_doubt(struct norn_replay_state *s, uint32_t number, unsigned doubts)
{
	uint8_t *noted;
	int r = change(s, &s->doubtful, number, &noted);
	if (r >= 0)
		*noted |= (uint8_t)doubts;
	return r;
}

/* The byte that a read saw, or that a write left, is the same in both. */
static bool same_value(const struct norn_graph_event *a, const struct norn_graph_event *b, uint64_t addr)
{
	if (!(a->flags & b->flags & NORN_GRAPH_VALUED))
		return false;
	return (a->value >> 8 * (addr - a->addr) & 255) == (b->value >> 8 * (addr - b->addr) & 255);
}

/* Is its value no address of memory that may lie elsewhere in another run? */
static bool is_number(const struct norn_replay_state *s, const struct norn_graph_event *e)
{
	return norn_graph_exact(s->graph, s->base, e->size, e->value);
}

/* Has nothing of this life of the memory been written, as far as is known who wrote? */
static bool untouched(const struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t writer)
{
	const struct norn_graph_event *w = event_of(s, writer);
	return !writer || (w->kind != NORN_EVENT_EXTERNAL && w->life != e->life);
}

static bool unsettled(const struct norn_replay_state *s, uint64_t addr)
{
	const uint8_t *bytes = find(s, &s->unsettled, addr / 8);
	return bytes && *bytes >> addr % 8 & 1;
}

static bool right_byte(const struct norn_replay_state *s, const struct norn_graph_event *e, uint64_t addr)
{
	if (unsettled(s, addr))
		return false;
	uint32_t now = writer_at(s, addr), then = recorded_writer(s, e, addr);
	const struct norn_graph_event *w = event_of(s, now);
	switch (then ? event_of(s, then)->kind : NORN_EVENT_WRITE) {
	case NORN_EVENT_FREE: /* what free leaves behind depends on all that was freed before */
		return false;
	case NORN_EVENT_ALLOC:
	case NORN_EVENT_THREAD: /* STACK */
		return untouched(s, e, now);
	}
	if (now == then)
		return !now || !doubtful(s, now, NOT_KNOWN);
	/* The value of an rmw is what it left, that of a long range is not in the graph: what they saw is what was written then.
	 * Code that nobody sees may have overwritten a value since, and been overwritten when recorded. */
	bool told = e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_VALUED;
	const struct norn_graph_event *saw = told ? e : event_of(s, then);
	return now && (told || then) && s->call < now && !s->called && !doubtful(s, now, NOT_KNOWN) &&
	       (w->kind == NORN_EVENT_EXTERNAL || w->life == e->life) && same_value(w, saw, addr) && is_number(s, w) &&
	       is_number(s, saw);
}

bool norn_replay_state_right(const struct norn_replay_state *s, uint32_t read)
{
	const struct norn_graph_event *e = event_of(s, read);
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++)
		if (!right_byte(s, e, addr))
			return false;
	return true;
}

bool norn_replay_state_kept(const struct norn_replay_state *s, uint32_t external)
{
	const struct norn_graph_event *e = event_of(s, external);
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++) {
		uint32_t now = writer_at(s, addr), then = recorded_writer(s, e, addr);
		bool memory = then && event_of(s, then)->kind > NORN_EVENT_EXTERNAL;
		if (unsettled(s, addr) || (memory ? now > then : now != then || (now && doubtful(s, now, NOT_KNOWN))))
			return false;
	}
	return true;
}

bool norn_replay_state_carries(const struct norn_replay_state *s, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(s->graph, event);
	switch (e->kind) {
	case NORN_EVENT_READ:
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		return !doubtful(s, event, NOT_RIGHT | NOT_KNOWN);
	default: /* where arguments come from is not in the graph */
		return !s->wrong[e->thread] || s->wrong[e->thread] > event;
	}
}

int norn_replay_state_doubt(struct norn_replay_state *s, uint32_t event)
{
	const struct norn_graph_event *e = event_of(s, event);
	if (e->kind != NORN_EVENT_WRITE && !s->wrong[e->thread])
		s->wrong[e->thread] = event;
	return note_doubt(s, event, NOT_RIGHT | NOT_KNOWN);
}

int norn_replay_state_doubt_value(struct norn_replay_state *s, uint32_t write)
{
	return note_doubt(s, write, NOT_KNOWN);
}

/* Nodes that are still to be looked at, each once. */
struct agenda {
	uint32_t *nodes;
	size_t count, room;
	struct norn_map seen;
};

static int agenda_add(struct agenda *agenda, uint32_t node)
{
	void *nothing;
	if (norn_map_get(&agenda->seen, node))
		return 0;
	if (agenda->count == agenda->room) {
		size_t room = agenda->room ? 2 * agenda->room : 64;
		uint32_t *more = realloc(agenda->nodes, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		agenda->nodes = more;
		agenda->room = room;
	}
	agenda->nodes[agenda->count++] = node;
	return norn_map_put(&agenda->seen, node, &nothing);
}

static int look_at(const struct norn_replay_state *s, uint32_t thread, uint32_t node, struct agenda *agenda)
{
	uint32_t a, b;
	int r;
	switch (norn_graph_node(s->graph, node, &a, &b)) {
	case NORN_NODE_READ:
		return !doubtful(s, a, NOT_RIGHT);
	case NORN_NODE_BEFORE:
		return !s->wrong[thread] || s->wrong[thread] >= a;
	case NORN_NODE_UNION:
		r = agenda_add(agenda, a);
		if (r == 0)
			r = agenda_add(agenda, b);
		return r < 0 ? r : 1;
	default:
		return 1;
	}
}

/* Are all reads right that this node of the thread stands for? */
static int right_node(const struct norn_replay_state *s, uint32_t thread, uint32_t node)
{
	if (!s->wrong[thread])
		return 1;
	struct agenda agenda = {.count = 0};
	norn_map_init(&agenda.seen, 1);
	int r = agenda_add(&agenda, node);
	r = r < 0 ? r : 1;
	while (agenda.count && r == 1)
		r = look_at(s, thread, agenda.nodes[--agenda.count], &agenda);
	norn_map_done(&agenda.seen);
	free(agenda.nodes);
	return r;
}

int norn_replay_state_known(const struct norn_replay_state *s, uint32_t write)
{
	const struct norn_graph_event *e = event_of(s, write);
	return right_node(s, e->thread, e->other);
}

/* ---- what may happen or not ---- */

int norn_replay_state_certain(const struct norn_replay_state *s, uint32_t event)
{
	uint32_t node = norn_graph_control(s->graph, event);
	return node ? right_node(s, event_of(s, event)->thread, node) : 1;
}

static void loosen(struct norn_replay_state *s, uint32_t event)
{
	if (!s->loose || event < s->loose)
		s->loose = event;
}

static int unsettle(struct norn_replay_state *s, uint64_t addr, uint64_t size)
{
	for (uint64_t end = addr + size; addr < end; addr++) {
		uint8_t *bytes;
		int r = change(s, &s->unsettled, addr / 8, &bytes);
		if (r < 0)
			return r;
		*bytes |= (uint8_t)(1u << addr % 8);
	}
	return 0;
}

int norn_replay_state_unsettle(struct norn_replay_state *s, uint32_t read)
{
	const struct norn_graph_range *masks;
	uint32_t count = norn_graph_masks(s->graph, event_of(s, read)->site, &masks);
	int r = 0;
	loosen(s, read);
	for (uint32_t i = 0; i < count && r == 0; i++)
		r = unsettle(s, masks[i].addr, masks[i].size);
	return r;
}

int norn_replay_state_pass(struct norn_replay_state *s, uint32_t event)
{
	const struct norn_graph_event *e = event_of(s, event);
	s->next[e->thread] = e->next;
	s->asleep[e->thread] = s->waiting[e->thread] = 0;
	loosen(s, event);
	int r = norn_replay_state_doubt(s, event);
	if (r == 0 && e->kind == NORN_EVENT_WRITE)
		r = unsettle(s, e->addr, e->size);
	return r == 0 && e->flags & NORN_GRAPH_MASKED ? norn_replay_state_unsettle(s, event) : r;
}
