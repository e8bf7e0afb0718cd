#include "witness/replay_state.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "trace/record.h"

struct replay_word {
	uint32_t writer[8]; /* 0: none */
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

void norn_replay_state_init(struct norn_replay_state *s, const struct norn_graph *graph, const struct norn_replay_state *below)
{
	*s = (struct norn_replay_state){.graph = graph, .below = below, .threads = norn_graph_threads(graph)};
	norn_map_init(&s->words, sizeof(struct replay_word));
	norn_map_init(&s->begun, sizeof(uint32_t));
	norn_map_init(&s->objects, sizeof(struct norn_replay_state_object));
	norn_map_init(&s->holders, sizeof(uint32_t));
	norn_map_init(&s->freed, sizeof(uint32_t));
	norn_map_init(&s->taken, sizeof(uint32_t));
	norn_map_init(&s->apart, sizeof(uint32_t));
	norn_map_init(&s->doubtful, 1);
	norn_map_init(&s->reads, sizeof(uint64_t));
	norn_map_init(&s->leaves, sizeof(uint64_t));
	norn_map_init(&s->unsettled, 1);
	s->next = norn_must_calloc(s->threads + 1ul, sizeof(*s->next));
	s->last = norn_must_calloc(s->threads + 1ul, sizeof(*s->last));
	s->waiting = norn_must_calloc(s->threads + 1ul, sizeof(*s->waiting));
	s->asleep = norn_must_calloc(s->threads + 1ul, sizeof(*s->asleep));
	s->slept = norn_must_calloc(s->threads + 1ul, sizeof(*s->slept));
	s->wrong = norn_must_calloc(s->threads + 1ul, sizeof(*s->wrong));
	if (below) {
		s->call = below->call;
		s->overwritten = below->overwritten;
		s->io = below->io;
		s->loose = below->loose;
		s->sleeps = below->sleeps;
	}
	begin_threads(s);
}

void norn_replay_state_done(struct norn_replay_state *s)
{
	norn_map_done(&s->words);
	norn_map_done(&s->begun);
	norn_map_done(&s->objects);
	norn_map_done(&s->holders);
	norn_map_done(&s->freed);
	norn_map_done(&s->taken);
	norn_map_done(&s->apart);
	norn_map_done(&s->doubtful);
	norn_map_done(&s->reads);
	norn_map_done(&s->leaves);
	norn_map_done(&s->unsettled);
	free(s->next);
	free(s->last);
	free(s->waiting);
	free(s->asleep);
	free(s->slept);
	free(s->wrong);
	*s = (struct norn_replay_state){.below = NULL};
}

/* The map of this kind in the state below. */
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
static void *change(struct norn_replay_state *s, struct norn_map *map, uint64_t key)
{
	void *there = norn_map_get(map, key);
	if (there)
		return there;
	void *value = norn_must_map_put(map, key);
	const void *old = s->below ? find(s->below, lower(s, map), key) : NULL;
	return old ? memcpy(value, old, map->value_bytes) : value;
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
	assert(event && (next == 0 || event_of(s, next)->thread == event_of(s, event)->thread));
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

bool norn_replay_state_apart(const struct norn_replay_state *s, uint32_t alloc)
{
	return number_at(s, &s->apart, alloc);
}

bool norn_replay_state_near_apart(const struct norn_replay_state *s, uint64_t addr, uint64_t size)
{
	size_t cursor = 0;
	uint64_t alloc;
	while (norn_map_next(&s->apart, &cursor, &alloc)) {
		const struct norn_graph_event *e = event_of(s, (uint32_t)alloc);
		uint64_t lay = norn_graph_address(s->graph, e->addr);
		if (lay < addr + size && addr < lay + e->size)
			return true;
	}
	return s->below && norn_replay_state_near_apart(s->below, addr, size);
}

uint32_t norn_replay_state_taken(const struct norn_replay_state *s, uint32_t alloc)
{
	return number_at(s, &s->taken, alloc);
}

/* ---- what an event leaves behind ---- */

static void step_write(struct norn_replay_state *s, uint64_t addr, uint64_t size, uint32_t number)
{
	for (uint64_t end = addr + size; addr < end;) {
		struct replay_word *word = change(s, &s->words, addr / 8);
		do
			word->writer[addr % 8] = number;
		while (++addr < end && addr % 8);
	}
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

static void step_change(struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t number)
{
	bool begins = e->op == NORN_SYNC_SEND && e->value == NORN_SEND_CHANGES;
	if (begins || (e->op == NORN_SYNC_RECEIVE && e->value == NORN_RECEIVE_CHANGED))
		*(uint32_t *)change(s, &s->holders, holder_key(e->thread, e->size)) = begins ? number : 0;
}

static void step_sync(struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t number)
{
	struct norn_replay_state_object *object = change(s, &s->objects, e->size);
	/* A call that only looked at a resource left it as it was. */
	if (e->op != NORN_SYNC_RECEIVE || e->value != NORN_RECEIVE_LOOKED) {
		object->last = number;
		object->disordered |= number < object->largest;
		object->largest = number > object->largest ? number : object->largest;
	}
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
		object->destroyed = false;
		return;
	case NORN_SYNC_SEM_POST:
		object->value++;
		return;
	case NORN_SYNC_SEM_WAIT:
		object->value--;
		return;
	case NORN_SYNC_SIGNAL:
	case NORN_SYNC_BROADCAST:
		wake(s, e->size, e->op == NORN_SYNC_BROADCAST);
		return;
	case NORN_SYNC_CREATE:
	case NORN_SYNC_DESTROY:
		object->destroyed = e->op == NORN_SYNC_DESTROY;
		return;
	case NORN_SYNC_SEND:
	case NORN_SYNC_RECEIVE:
		s->io = number > s->io ? number : s->io;
		step_change(s, e, number);
		return;
	default:
		return;
	}
	uint32_t *holder = change(s, &s->holders, holder_key(e->thread, e->size));
	*holder = acquire ? number : 0;
}

static void step_free(struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t number)
{
	if (!e->life || e->flags & NORN_GRAPH_PIECE)
		return;
	uint32_t *freed = change(s, &s->freed, e->life);
	*freed = number;
}

static void step_alloc(struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t number)
{
	const uint32_t *before;
	uint32_t count = e->op <= NORN_ALLOC_ALIGNED ? norn_graph_list(s->graph, &e->link, &before) : 0;
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *b = event_of(s, before[i]);
		if (!norn_replay_state_happened(s, before[i]) ||
		        norn_replay_state_apart(s, b->kind == NORN_EVENT_FREE ? b->life : before[i]))
			*(uint32_t *)change(s, &s->apart, number) = 1;
	}
}

static void step_stack(struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t number)
{
	const uint32_t *before;
	uint32_t count = norn_graph_list(s->graph, &e->link, &before);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *taken = change(s, &s->taken, before[i]);
		*taken = number;
	}
}

/* A wait that timed out when recorded may do so at any time, whether its sleepers are known or not: a thread that falls asleep by
 * this event is not to be woken. */
static bool times_out(const struct norn_replay_state *s, const struct norn_graph_event *e)
{
	const struct norn_graph_event *acquire = event_of(s, e->next), *end = event_of(s, acquire->next);
	return e->next && acquire->next && end->kind == NORN_EVENT_SYNC && end->op == NORN_SYNC_WAIT_TIMEOUT;
}

bool norn_replay_state_places(const struct norn_replay_state *s, uint32_t number)
{
	uint32_t count, before = norn_graph_places_until(s->graph, number);
	const uint32_t *places = norn_graph_places(s->graph, &count);
	return !s->displaced && number > s->placed && (before < 2 || places[before - 2] <= s->placed);
}

static bool is_place(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_ALLOC || (e->kind == NORN_EVENT_FREE && !(e->flags & NORN_GRAPH_PIECE)) ||
	       (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK && e->size);
}

static void step_place(struct norn_replay_state *s, uint32_t number)
{
	if (!s->below || !is_place(event_of(s, number)))
		return;
	s->displaced = !norn_replay_state_places(s, number);
	if (!s->displaced)
		s->placed = number;
}

static void step_thread(struct norn_replay_state *s, const struct norn_graph_event *e, uint32_t number)
{
	bool call = e->op == NORN_THREAD_CALL, submits = call && norn_graph_submits(e);
	if (e->flags & NORN_GRAPH_CALLED || (!call && e->op != NORN_THREAD_BACK))
		return;
	if (call && !submits)
		s->call = number > s->call ? number : s->call;
	if (!submits && number > s->overwritten)
		s->overwritten = number;
	s->overwritten_here |= call && s->below;
}

void norn_replay_state_step(struct norn_replay_state *s, uint32_t number)
{
	const struct norn_graph_event *e = event_of(s, number);
	assert(number && s->next[e->thread] == number); /* the next event of its thread */
	s->next[e->thread] = e->next;
	s->last[e->thread] = number;
	s->asleep[e->thread] = s->waiting[e->thread];
	s->slept[e->thread] = s->asleep[e->thread] && !times_out(s, e) ? ++s->sleeps : 0;
	s->waiting[e->thread] = e->kind == NORN_EVENT_SYNC && e->op == NORN_SYNC_WAIT_BEGIN ? e->size : 0;
	step_place(s, number);
	switch (e->kind) {
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
	case NORN_EVENT_EXTERNAL:
		step_write(s, e->addr, e->size, number);
		if (e->kind == NORN_EVENT_EXTERNAL && e->size == 0 && !s->below)
			*(uint32_t *)change(s, &s->begun, e->addr / 8) = number;
		break;
	case NORN_EVENT_SYNC:
		step_sync(s, e, number);
		break;
	case NORN_EVENT_ALLOC:
		if (e->op == NORN_ALLOC_UNMAP)
			step_free(s, e, number);
		else
			step_alloc(s, e, number);
		break;
	case NORN_EVENT_FREE:
		step_free(s, e, number);
		break;
	case NORN_EVENT_THREAD:
		if (e->op == NORN_THREAD_STACK)
			step_stack(s, e, number);
		step_thread(s, e, number);
	}
}

void norn_replay_state_step_harmless(struct norn_replay_state *s, uint32_t number)
{
	uint32_t overwritten = s->overwritten;
	bool here = s->overwritten_here;
	norn_replay_state_step(s, number);
	s->overwritten = overwritten;
	s->overwritten_here = here;
}

/* ---- values ---- */

static uint32_t writer_at(const struct norn_replay_state *s, uint64_t addr)
{
	const struct replay_word *word = find(s, &s->words, addr / 8);
	return word ? word->writer[addr % 8] : 0;
}

static bool covers(const struct norn_graph_event *e, uint64_t addr)
{
	return addr >= e->addr && addr - e->addr < e->size;
}

/* The last recorded writer of the byte that this event saw. */
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
	NOT_RIGHT = 1, /* it reads something else, and may decide otherwise, or may not happen */
	NOT_KNOWN = 2, /* it may leave another value */
	CHANGED = 4, /* it reads another value, which is known */
	MADE = 8, /* it leaves another value, which is known */
};

static bool doubtful(const struct norn_replay_state *s, uint32_t number, unsigned doubts)
{
	const uint8_t *found = find(s, &s->doubtful, number);
	return found && *found & doubts;
}

static void note_doubt(struct norn_replay_state *s, uint32_t number, unsigned doubts)
{
	uint8_t *noted = change(s, &s->doubtful, number);
	*noted |= (uint8_t)doubts;
}

/* An address that is used as a number is the one that it was. */
static bool in_place(const struct norn_replay_state *s, uint32_t number)
{
	return norn_graph_placed_by(s->graph, s->placed, number) == 0;
}

/* Has nothing of this life of the memory been written, as far as writers are known? */
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

/* The byte as this event, which has a value, read or left it, if that is no address of memory that may lie elsewhere now. */
static bool byte_of(const struct norn_replay_state *s, uint32_t number, uint64_t addr, unsigned *ret_byte)
{
	struct norn_graph_content content;
	if (!norn_graph_left(s->graph, number, addr, &content) ||
	        !norn_graph_exact(s->graph, s->placed, number, content.size, content.value))
		return false;
	*ret_byte = content.value >> 8 * (addr - content.addr) & 255;
	return true;
}

static bool initial_byte(const struct norn_replay_state *s, const struct norn_graph_event *e, uint64_t addr, unsigned *ret_byte)
{
	uint64_t word;
	if (e->life || !norn_graph_initial(s->graph, addr, &word))
		return false;
	*ret_byte = word >> 8 * (addr % 8) & 255;
	return true;
}

/* The byte that was read when it was recorded. The value of an rmw is what it left, that of a long read is not in the graph: what
 * they saw is what was written then. */
static bool byte_seen(const struct norn_replay_state *s, uint32_t read, uint64_t addr, uint32_t then, unsigned *ret_byte)
{
	const struct norn_graph_event *e = event_of(s, read);
	if (e->kind == NORN_EVENT_READ && e->flags & NORN_GRAPH_VALUED)
		return byte_of(s, read, addr, ret_byte);
	return then ? byte_of(s, then, addr, ret_byte) : initial_byte(s, e, addr, ret_byte);
}

/* The byte that is there now. Code without hooks may have overwritten a value since, and been overwritten when recorded. */
static bool byte_there(
        const struct norn_replay_state *s, const struct norn_graph_event *e, uint64_t addr, uint32_t now, unsigned *ret_byte)
{
	const struct norn_graph_event *w = event_of(s, now), *alloc = event_of(s, e->life);
	uint32_t since = now ? now : number_at(s, &s->begun, addr / 8);
	if (s->overwritten_here || (s->overwritten && s->overwritten >= since))
		return false;
	if (now && doubtful(s, now, MADE) && !doubtful(s, now, NOT_KNOWN) && w->life == e->life) {
		*ret_byte = *(const uint64_t *)find(s, &s->leaves, now) >> 8 * (addr - w->addr) & 255;
		return true;
	}
	if (now && (w->kind == NORN_EVENT_EXTERNAL || w->life == e->life))
		return !doubtful(s, now, NOT_KNOWN | MADE) && byte_of(s, now, addr, ret_byte);
	*ret_byte = 0;
	if (e->life)
		return alloc->kind == NORN_EVENT_ALLOC && alloc->op == NORN_ALLOC_CALLOC && s->overwritten < e->life;
	return !now && initial_byte(s, e, addr, ret_byte);
}

static bool right_byte(const struct norn_replay_state *s, uint32_t read, uint64_t addr)
{
	const struct norn_graph_event *e = event_of(s, read);
	if (unsettled(s, addr))
		return false;
	uint32_t now = writer_at(s, addr), then = recorded_writer(s, e, addr);
	switch (then ? event_of(s, then)->kind : NORN_EVENT_WRITE) {
	case NORN_EVENT_FREE: /* the bytes that free leaves depend on all that was freed before */
		return false;
	case NORN_EVENT_ALLOC: /* the bytes that malloc leaves are those of the last owner */
		return untouched(s, e, now) && (then <= s->base || !(event_of(s, then)->flags & NORN_GRAPH_FRESH));
	case NORN_EVENT_THREAD: /* STACK */
		return untouched(s, e, now);
	}
	if (now == then && (!now || !doubtful(s, now, MADE)))
		return !now || !doubtful(s, now, NOT_KNOWN);
	unsigned saw, sees;
	return byte_seen(s, read, addr, then, &saw) && byte_there(s, e, addr, now, &sees) && saw == sees;
}

bool norn_replay_state_right_before(const struct norn_replay_state *s, uint32_t read, uint64_t end)
{
	for (uint64_t addr = event_of(s, read)->addr; addr < end; addr++)
		if (!right_byte(s, read, addr))
			return false;
	return in_place(s, read);
}

bool norn_replay_state_right(const struct norn_replay_state *s, uint32_t read)
{
	const struct norn_graph_event *e = event_of(s, read);
	return norn_replay_state_right_before(s, read, e->addr + e->size);
}

bool norn_replay_state_value(const struct norn_replay_state *s, uint32_t read, uint64_t *ret_value)
{
	const struct norn_graph_event *e = event_of(s, read);
	uint64_t then;
	*ret_value = 0;
	if (!norn_graph_value_read(s->graph, read, &then)) /* of one within a word only */
		return false;
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++) {
		unsigned byte = then >> 8 * (addr - e->addr) & 255;
		if (unsettled(s, addr) || (!right_byte(s, read, addr) && !byte_there(s, e, addr, writer_at(s, addr), &byte)))
			return false;
		*ret_value |= (uint64_t)byte << 8 * (addr - e->addr);
	}
	return norn_graph_exact(s->graph, s->placed, UINT32_MAX, e->size, *ret_value);
}

bool norn_replay_state_kept(const struct norn_replay_state *s, uint32_t external)
{
	const struct norn_graph_event *e = event_of(s, external);
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++) {
		uint32_t now = writer_at(s, addr), then = recorded_writer(s, e, addr);
		bool memory = then && event_of(s, then)->kind > NORN_EVENT_EXTERNAL;
		if (unsettled(s, addr) || (memory ? now > then : now != then || (now && doubtful(s, now, NOT_KNOWN | MADE))))
			return false;
	}
	return true;
}

/* The bytes that nobody wrote are what the memory began with, the others what was written. */
bool norn_replay_state_initial(const struct norn_replay_state *s, uint32_t external)
{
	const struct norn_graph_event *e = event_of(s, external);
	const uint32_t *writers;
	uint32_t count = norn_graph_list(s->graph, &e->other, &writers);
	uint64_t word;
	if (e->size || !(e->flags & NORN_GRAPH_VALUED) || !norn_graph_initial(s->graph, e->addr, &word))
		return false;
	for (unsigned b = 0; b < 8; b++) {
		const struct norn_graph_event *last = NULL;
		for (uint32_t i = 0; i < count; i++)
			if (covers(event_of(s, writers[i]), e->addr + b) && (!last || event_of(s, writers[i]) > last))
				last = event_of(s, writers[i]);
		bool known = !last || (last->flags & NORN_GRAPH_VALUED && last->size <= 8 &&
		                              (last->kind == NORN_EVENT_WRITE || last->kind == NORN_EVENT_RMW));
		uint64_t byte = last ? last->value >> (e->addr + b - last->addr) * 8 : word >> b * 8;
		if (!known || (byte & 0xff) != (e->value >> b * 8 & 0xff))
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
		return !doubtful(s, event, NOT_RIGHT | NOT_KNOWN | CHANGED | MADE);
	default: /* the sources of arguments are not in the graph */
		return !s->wrong[e->thread] || s->wrong[e->thread] > event;
	}
}

void norn_replay_state_doubt(struct norn_replay_state *s, uint32_t event)
{
	const struct norn_graph_event *e = event_of(s, event);
	if (e->kind != NORN_EVENT_WRITE && !s->wrong[e->thread])
		s->wrong[e->thread] = event;
	note_doubt(s, event, NOT_RIGHT | NOT_KNOWN);
}

void norn_replay_state_change(struct norn_replay_state *s, uint32_t read, uint64_t value)
{
	*(uint64_t *)change(s, &s->reads, read) = value;
	uint32_t *wrong = &s->wrong[event_of(s, read)->thread];
	*wrong = *wrong ? *wrong : read;
	note_doubt(s, read, CHANGED);
}

void norn_replay_state_undecide(struct norn_replay_state *s, uint32_t read)
{
	note_doubt(s, read, NOT_RIGHT);
}

void norn_replay_state_make(struct norn_replay_state *s, uint32_t write, uint64_t value)
{
	*(uint64_t *)change(s, &s->leaves, write) = value;
	note_doubt(s, write, MADE);
}

bool norn_replay_state_read(const struct norn_replay_state *s, uint32_t read, uint64_t *ret_value)
{
	const uint64_t *value = find(s, &s->reads, read);
	*ret_value = value ? *value : 0;
	return value && doubtful(s, read, CHANGED);
}

bool norn_replay_state_doubtful_read(const struct norn_replay_state *s, uint32_t read)
{
	return doubtful(s, read, NOT_RIGHT | CHANGED);
}

void norn_replay_state_doubt_value(struct norn_replay_state *s, uint32_t write)
{
	note_doubt(s, write, NOT_KNOWN);
}

/* Nodes that are still to be looked at, each once. */
struct worklist {
	struct norn_numbers nodes;
	struct norn_map seen;
};

static void worklist_add(struct worklist *worklist, uint32_t node)
{
	if (norn_map_get(&worklist->seen, node))
		return;
	norn_must_map_put(&worklist->seen, node);
	norn_must_push(&worklist->nodes, node);
}

/* Are the reads right that the node itself stands for? Nodes that it is made of are added. */
static bool look_at(const struct norn_replay_state *s, uint32_t thread, uint32_t node, unsigned doubts, struct worklist *worklist)
{
	uint32_t a, b;
	switch (norn_graph_node(s->graph, node, &a, &b)) {
	case NORN_NODE_READ:
		return !doubtful(s, a, doubts);
	case NORN_NODE_BEFORE:
		return !s->wrong[thread] || s->wrong[thread] >= a;
	case NORN_NODE_UNION:
		worklist_add(worklist, a);
		worklist_add(worklist, b);
		return true;
	default:
		return true;
	}
}

/* Are all reads right that this node of the thread stands for? */
static bool right_node(const struct norn_replay_state *s, uint32_t thread, uint32_t node, unsigned doubts)
{
	if (!s->wrong[thread])
		return true;
	struct worklist worklist = {0};
	norn_map_init(&worklist.seen, 1);
	worklist_add(&worklist, node);
	bool right = true;
	while (worklist.nodes.count && right)
		right = look_at(s, thread, worklist.nodes.items[--worklist.nodes.count], doubts, &worklist);
	norn_map_done(&worklist.seen);
	norn_vector_done(&worklist.nodes);
	return right;
}

bool norn_replay_state_known(const struct norn_replay_state *s, uint32_t write)
{
	const struct norn_graph_event *e = event_of(s, write);
	return right_node(s, e->thread, e->other, NOT_RIGHT | CHANGED);
}

/* ---- what may happen or not ---- */

bool norn_replay_state_certain(const struct norn_replay_state *s, uint32_t event)
{
	uint32_t node = norn_graph_control(s->graph, event);
	return !node || right_node(s, event_of(s, event)->thread, node, NOT_RIGHT);
}

static void loosen(struct norn_replay_state *s, uint32_t event)
{
	if (!s->loose || event < s->loose)
		s->loose = event;
}

static void unsettle(struct norn_replay_state *s, uint64_t addr, uint64_t size)
{
	for (uint64_t end = addr + size; addr < end; addr++) {
		uint8_t *bytes = change(s, &s->unsettled, addr / 8);
		*bytes |= (uint8_t)(1u << addr % 8);
	}
}

void norn_replay_state_unsettle(struct norn_replay_state *s, uint32_t read)
{
	const struct norn_graph_range *masks;
	uint32_t count = norn_graph_masks(s->graph, event_of(s, read)->site, &masks);
	loosen(s, read);
	for (uint32_t i = 0; i < count; i++)
		unsettle(s, masks[i].addr, masks[i].size);
}

#define SKIPPERS_MAX 64u /* nodes of what controls an event that are looked at */

/* Does a read that controls the event skip it, whatever others do (V11)? */
static bool is_skipped(const struct norn_replay_state *s, uint32_t event)
{
	struct norn_numbers nodes = {0};
	bool skipped = false;
	uint32_t a, b;
	norn_must_push(&nodes, norn_graph_control(s->graph, event));
	for (unsigned looked = 0; nodes.count && looked < SKIPPERS_MAX && !skipped; looked++)
		switch (norn_graph_node(s->graph, nodes.items[--nodes.count], &a, &b)) {
		case NORN_NODE_READ:
			skipped = norn_replay_state_skips(s, a);
			break;
		case NORN_NODE_UNION:
			norn_must_push(&nodes, a);
			norn_must_push(&nodes, b);
			break;
		default:
			break;
		}
	norn_vector_done(&nodes);
	return skipped;
}

void norn_replay_state_pass(struct norn_replay_state *s, uint32_t event)
{
	const struct norn_graph_event *e = event_of(s, event);
	s->next[e->thread] = e->next;
	s->asleep[e->thread] = s->waiting[e->thread] = 0;
	loosen(s, event);
	norn_replay_state_doubt(s, event);
	if (e->kind != NORN_EVENT_EXTERNAL && is_skipped(s, event))
		return;
	if (e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_EXTERNAL)
		unsettle(s, e->addr, e->size);
	if (e->flags & NORN_GRAPH_MASKED)
		norn_replay_state_unsettle(s, event);
}

bool norn_replay_state_unsettled(const struct norn_replay_state *s, uint64_t addr, uint64_t size)
{
	size_t cursor = 0;
	uint64_t word;
	for (const uint8_t *bytes; (bytes = norn_map_next(&s->unsettled, &cursor, &word));)
		for (unsigned b = 0; b < 8; b++)
			if (*bytes >> b & 1 && word * 8 + b >= addr && word * 8 + b - addr < size)
				return true;
	return s->below && norn_replay_state_unsettled(s->below, addr, size);
}
