#include "base/bisect.h"
#include "errors/values/schedule_values.h"

#include <stdlib.h>

#include "base/must.h"
#include "trace/record.h"

#define NODES_MAX 256u /* of a value that are looked at */
#define LONG 64u /* words of a write that are not noted one by one */
#define LATE_STEPS (UINT64_C(1) << 26) /* events that are looked at for words that turn out to be of interest */
#define HOPS 3u /* words of interest: those of assertions, and of what these are made of */

struct schedule_value {
	bool known;
	bool same; /* it is what it was, be it known or not */
	uint64_t value;
	uint32_t writer;
};

struct word_writers NORN_VECTOR_OF(uint32_t);

struct norn_schedule_values {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	struct norn_map words; /* address / 8 → 1 + place in lists */
	NORN_VECTOR(struct word_writers) lists;
	struct norn_numbers unseen; /* events at which code without hooks may have written, ascending */
	uint64_t late_steps; /* see LATE_STEPS */
	bool starved; /* there were more such words */
	/* Of the schedule gone through last: */
	uint32_t base;
	uint32_t at; /* the assertion that is asked for comes right after this event */
	bool called; /* there was such an event in it */
	struct norn_numbers ranges; /* long writes of the list, in its order: of words that are not in last */
	struct norn_map last; /* address / 8 → uint32_t[8]: the last writers of its bytes in the list */
	struct norn_map others; /* read → struct value: what it saw, if that is not what it had seen */
	struct norn_map left; /* write → struct value: what it left, if that is not what it had left */
	uint32_t *happened; /* by event: the number of the latest schedule that has it in its list */
	uint32_t schedules; /* from 1; before the first one nothing has happened */
	struct norn_map ends; /* thread → its last one */
};

struct norn_schedule_values *norn_schedule_values_new(const struct norn_graph *graph)
{
	struct norn_schedule_values *v = norn_must_calloc(1, sizeof *v);
	v->graph = graph;
	v->schedules = 1;
	v->events = norn_graph_events(graph);
	norn_map_init(&v->words, sizeof(uint32_t));
	norn_map_init(&v->last, 8 * sizeof(uint32_t));
	norn_map_init(&v->others, sizeof(struct schedule_value));
	norn_map_init(&v->left, sizeof(struct schedule_value));
	v->happened = norn_must_calloc((uint64_t)norn_graph_count(graph) + 1, sizeof *v->happened);
	norn_map_init(&v->ends, sizeof(uint32_t));
	return v;
}

void norn_schedule_values_free(struct norn_schedule_values *v)
{
	if (!v)
		return;
	for (uint32_t i = 0; i < v->lists.count; i++)
		norn_vector_done(&v->lists.items[i]);
	norn_vector_done(&v->lists);
	norn_vector_done(&v->unseen);
	norn_vector_done(&v->ranges);
	norn_map_done(&v->words);
	norn_map_done(&v->last);
	norn_map_done(&v->others);
	norn_map_done(&v->left);
	free(v->happened);
	norn_map_done(&v->ends);
	free(v);
}

static bool has_happened(const struct norn_schedule_values *v, uint32_t event)
{
	return event <= v->base || v->happened[event] == v->schedules;
}

static bool writes_memory(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL ||
	       e->kind == NORN_EVENT_ALLOC || e->kind == NORN_EVENT_FREE ||
	       (e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_STACK);
}

/* ---- words of interest ---- */

void norn_schedule_values_want(struct norn_schedule_values *v, uint32_t read)
{
	const struct norn_graph_event *e = v->events + read;
	uint32_t *place = norn_must_map_put(&v->words, e->addr / 8);
	if (*place == 0) {
		norn_must_add(&v->lists);
		v->lists.items[v->lists.count - 1] = (struct word_writers){0};
		*place = v->lists.count;
	}
}

static struct word_writers *writers_of(const struct norn_schedule_values *v, uint64_t word)
{
	const uint32_t *place = norn_map_get(&v->words, word);
	return place ? v->lists.items + *place - 1 : NULL;
}

/* Adds the event to the words that it writes; of long ranges only the words of interest are looked up. */
static void note_writer(struct norn_schedule_values *v, uint32_t event)
{
	const struct norn_graph_event *e = v->events + event;
	uint64_t first = e->addr / 8, end = e->size ? (e->addr + e->size - 1) / 8 + 1 : first;
	if (end - first <= v->words.count) {
		for (uint64_t word = first; word < end; word++) {
			struct word_writers *list = writers_of(v, word);
			if (list)
				norn_must_push(list, event);
		}
		return;
	}
	size_t cursor = 0;
	uint64_t word;
	for (const uint32_t *place; (place = norn_map_next(&v->words, &cursor, &word));)
		if (word >= first && word < end)
			norn_must_push(&v->lists.items[*place - 1], event);
}

uint32_t norn_schedule_values_source(const struct norn_schedule_values *v, uint32_t write, struct norn_graph_chain *ret_chain)
{
	const struct norn_graph_event *e = v->events + write;
	uint32_t stack[64] = {e->other}, depth = 1, source = 0, a, b;
	if (!norn_graph_makes_of_two(v->graph, write, ret_chain))
		return 0;
	if (e->kind == NORN_EVENT_RMW)
		return write;
	for (unsigned looked = 0; depth && looked < NODES_MAX; looked++) {
		enum norn_graph_node kind = norn_graph_node(v->graph, stack[--depth], &a, &b);
		if (kind == NORN_NODE_READ && v->events[a].site == ret_chain->site && a > source)
			source = a;
		if (kind != NORN_NODE_UNION)
			continue;
		if (depth + 2 > sizeof stack / sizeof *stack)
			return 0;
		stack[depth++] = a;
		stack[depth++] = b;
	}
	return depth ? 0 : source;
}

void norn_schedule_values_index(struct norn_schedule_values *v)
{
	uint32_t count = norn_graph_count(v->graph);
	struct norn_graph_chain chain;
	for (unsigned hop = 1; hop < HOPS; hop++)
		for (uint32_t i = 1; i <= count; i++) {
			const struct norn_graph_event *e = v->events + i;
			bool write = e->kind == NORN_EVENT_WRITE && e->size <= 8 && norn_map_get(&v->words, e->addr / 8);
			uint32_t source = write ? norn_schedule_values_source(v, i, &chain) : 0;
			uint32_t skippers[NORN_SKIPPERS], skips = write ? norn_graph_skippers(v->graph, i, skippers) : 0;
			if (source)
				norn_schedule_values_want(v, source);
			while (skips)
				norn_schedule_values_want(v, skippers[--skips]);
		}
	for (uint32_t i = 1; i <= count; i++) {
		if (writes_memory(v->events + i))
			note_writer(v, i);
		if (norn_graph_writes_unseen(v->events + i))
			norn_must_push(&v->unseen, i);
	}
}

const uint32_t *norn_schedule_values_writers(const struct norn_schedule_values *v, uint64_t addr, uint32_t *ret_count)
{
	const struct word_writers *list = writers_of(v, addr / 8);
	*ret_count = list ? list->count : 0;
	return list ? list->items : NULL;
}

/* ---- what is there ---- */

/* May code without hooks have written after this event, up to the base? */
static bool unseen_since(const struct norn_schedule_values *v, uint32_t event)
{
	uint32_t low = NORN_BISECT(0, v->unseen.count, i, v->unseen.items[i] < event);
	return low < v->unseen.count && v->unseen.items[low] <= v->base;
}

static bool covers(const struct norn_graph_event *w, uint64_t addr)
{
	return addr >= w->addr && addr - w->addr < w->size;
}

static uint32_t recorded_writer(const struct norn_schedule_values *v, const struct norn_graph_event *e, uint64_t addr)
{
	const uint32_t *writers;
	uint32_t count = norn_graph_list(v->graph, &e->link, &writers), found = 0;
	for (uint32_t i = 0; i < count; i++)
		if (writers[i] > found && covers(v->events + writers[i], addr))
			found = writers[i];
	return found;
}

/* The last writer of the byte in the base; 0: none. False: the word is none of interest. */
static bool writer_at_base(const struct norn_schedule_values *v, uint64_t addr, uint32_t *ret_writer)
{
	const struct word_writers *list = writers_of(v, addr / 8);
	*ret_writer = 0;
	for (uint32_t i = list ? list->count : 0; i > 0; i--)
		if (list->items[i - 1] <= v->base && covers(v->events + list->items[i - 1], addr)) {
			*ret_writer = list->items[i - 1];
			break;
		}
	return list;
}

static uint32_t writer_in_ranges(const struct norn_schedule_values *v, uint64_t addr)
{
	for (uint32_t i = v->ranges.count; i > 0; i--)
		if (covers(v->events + v->ranges.items[i - 1], addr))
			return v->ranges.items[i - 1];
	return 0;
}

struct schedule_byte {
	bool known;
	bool same; /* from the same write, which left what it left */
	unsigned value;
	uint32_t writer;
};

/* As this write left it, another one than the read saw when recorded. */
static struct schedule_byte byte_left(
        const struct norn_schedule_values *v, const struct norn_graph_event *e, uint32_t writer, uint64_t addr)
{
	const struct norn_graph_event *w = v->events + writer;
	const struct schedule_value *left = norn_map_get(&v->left, writer);
	struct schedule_byte byte = {.writer = writer};
	if (v->called || (writer <= v->base && unseen_since(v, writer)))
		return byte;
	if (w->kind == NORN_EVENT_ALLOC && w->op == NORN_ALLOC_CALLOC && e->life == writer) {
		byte.known = true;
		return byte;
	}
	bool external = w->kind == NORN_EVENT_EXTERNAL, write = w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW;
	if (!(external || (write && w->life == e->life)))
		return byte;
	struct norn_graph_content content = {.addr = w->addr};
	byte.known = left ? left->known
	                  : norn_graph_left(v->graph, writer, addr, &content) &&
	                             norn_graph_exact(v->graph, v->base, writer, content.size, content.value);
	byte.value = (left ? left->value : content.value) >> (addr - content.addr) * 8 & 0xff;
	return byte;
}

static struct schedule_byte byte_initial(const struct norn_schedule_values *v, const struct norn_graph_event *e, uint64_t addr)
{
	uint64_t word;
	struct schedule_byte byte = {.known = false};
	if (e->life || v->called || unseen_since(v, 0) || !norn_graph_initial(v->graph, addr, &word))
		return byte;
	byte.known = true;
	byte.value = word >> addr % 8 * 8 & 0xff;
	return byte;
}

/* recorded: what the read saw then. */
static struct schedule_byte byte_seen(
        const struct norn_schedule_values *v, const struct norn_graph_event *e, uint64_t addr, unsigned recorded)
{
	uint32_t then = recorded_writer(v, e, addr);
	const uint32_t *last = norn_map_get(&v->last, addr / 8);
	uint32_t now = last ? last[addr % 8] : writer_in_ranges(v, addr);
	const struct schedule_value *left = now ? norn_map_get(&v->left, now) : NULL;
	if (now && now == then && !left)
		return (struct schedule_byte){true, true, recorded, now};
	if (now)
		return byte_left(v, e, now, addr);
	if (then <= v->base)
		return (struct schedule_byte){true, true, recorded, then};
	if (!writer_at_base(v, addr, &now))
		return (struct schedule_byte){.known = false};
	return now ? byte_left(v, e, now, addr) : byte_initial(v, e, addr);
}

/* The value that the event would read now. */
static struct schedule_value see(const struct norn_schedule_values *v, uint32_t read)
{
	const struct norn_graph_event *e = v->events + read;
	struct schedule_value seen = {.same = true};
	uint64_t then = 0;
	bool was = norn_graph_value_read(v->graph, read, &then);
	seen.known = was && !(e->flags & NORN_GRAPH_ODD);
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++) {
		unsigned shift = was ? (unsigned)(addr - e->addr) * 8 : 0;
		struct schedule_byte byte = byte_seen(v, e, addr, then >> shift & 0xff);
		seen.known &= byte.known;
		seen.same &= byte.same;
		seen.value |= (uint64_t)byte.value << shift;
		if (addr == e->addr)
			seen.writer = byte.writer;
	}
	seen.same |= seen.known && seen.value == then;
	if (!seen.same)
		seen.known &= norn_graph_exact(v->graph, v->base, UINT32_MAX, e->size, seen.value);
	return seen;
}

bool norn_schedule_values_read(const struct norn_schedule_values *v, uint32_t read, uint64_t *ret_value, uint32_t *ret_writer)
{
	const struct schedule_value *other = norn_map_get(&v->others, read);
	struct schedule_value seen;
	bool happened = has_happened(v, read);
	if (happened && !other) {
		*ret_writer = recorded_writer(v, v->events + read, v->events[read].addr);
		return norn_graph_value_read(v->graph, read, ret_value);
	}
	seen = happened ? *other : see(v, read);
	*ret_value = seen.value;
	*ret_writer = seen.writer;
	return seen.known;
}

bool norn_schedule_values_assertion(const struct norn_schedule_values *v, const struct norn_graph_assertion *a, uint64_t *ret_value)
{
	uint64_t values[NORN_ASSERT_SOURCES];
	uint32_t writer;
	for (uint32_t i = 0; i < a->count; i++)
		if (!a->known || !norn_schedule_values_read(v, a->reads[i], &values[i], &writer))
			return false;
	return norn_graph_assertion_value(a, values, ret_value);
}

/* ---- going through ---- */

/* Do reads of the node see something else; and is that the source alone? */
static bool node_changed(const struct norn_schedule_values *v, uint32_t node, uint32_t source, bool *ret_only)
{
	uint32_t stack[64] = {node}, depth = 1, a, b;
	bool changed = false;
	*ret_only = true;
	for (unsigned looked = 0; depth; looked++) {
		if (looked == NODES_MAX || depth + 2 > sizeof stack / sizeof *stack) {
			*ret_only = false;
			return v->others.count;
		}
		switch (norn_graph_node(v->graph, stack[--depth], &a, &b)) {
		case NORN_NODE_READ:
			if (norn_map_get(&v->others, a)) {
				changed = true;
				*ret_only &= a == source;
			}
			break;
		case NORN_NODE_UNION:
			stack[depth++] = a;
			stack[depth++] = b;
			break;
		case NORN_NODE_BEFORE:
			changed |= v->others.count;
			*ret_only = false;
			break;
		default:
			break;
		}
	}
	return changed;
}

static uint64_t within(uint64_t value, uint32_t size)
{
	return size >= 8 ? value : value & ((UINT64_C(1) << size * 8) - 1);
}

/* The value that the write leaves, by what the reads before it saw; sees: of an rmw, what it reads itself, NULL: what it had read.
 * False: it is what it had left. */
static bool make(
        const struct norn_schedule_values *v, uint32_t write, const struct schedule_value *sees, struct schedule_value *left)
{
	const struct norn_graph_event *e = v->events + write;
	struct norn_graph_chain chain;
	bool rmw = e->kind == NORN_EVENT_RMW, any = v->others.count || sees, only;
	uint32_t source = any ? norn_schedule_values_source(v, write, &chain) : 0;
	bool changed = any && node_changed(v, e->other, rmw ? 0 : source, &only);
	if (!changed && !sees)
		return false;
	if (!rmw)
		sees = source ? norn_map_get(&v->others, source) : NULL;
	*left = (struct schedule_value){.known = false};
	uint64_t then;
	bool alone = rmw ? !changed : only;
	if (source && alone && sees && sees->known && norn_graph_value_read(v->graph, source, &then) &&
	        within(norn_graph_follow(&chain, then), e->size) == e->value) {
		left->value = within(norn_graph_follow(&chain, sees->value), e->size);
		left->known = norn_graph_exact(v->graph, v->base, UINT32_MAX, e->size, left->value);
	}
	return !left->known || left->value != e->value;
}

static void leave(struct norn_schedule_values *v, uint32_t write)
{
	const struct norn_graph_event *e = v->events + write;
	struct schedule_value left;
	if (make(v, write, e->kind == NORN_EVENT_RMW ? norn_map_get(&v->others, write) : NULL, &left))
		*(struct schedule_value *)norn_must_map_put(&v->left, write) = left;
}

bool norn_schedule_values_written(const struct norn_schedule_values *v, uint32_t write, uint64_t *ret_value)
{
	const struct norn_graph_event *e = v->events + write;
	const struct schedule_value *other = norn_map_get(&v->left, write);
	bool happened = has_happened(v, write), rmw = e->kind == NORN_EVENT_RMW;
	struct schedule_value left = {.known = e->flags & NORN_GRAPH_VALUED, .value = e->value}, sees = {.same = true};
	if (happened && other)
		left = *other;
	if (!happened && rmw)
		sees = see(v, write);
	struct schedule_value made;
	if (!happened && make(v, write, sees.same ? NULL : &sees, &made))
		left = made;
	*ret_value = left.value;
	return left.known && e->size <= 8 && norn_graph_exact(v->graph, v->base, UINT32_MAX, e->size, left.value);
}

static bool is_one_of(uint32_t event, const uint32_t *list, uint32_t count)
{
	while (count && list[count - 1] != event)
		count--;
	return count;
}

/* What the base left where the event reads is asked for, and the word is none of interest: it becomes one. */
static void want_late(struct norn_schedule_values *v, uint32_t read)
{
	const struct norn_graph_event *e = v->events + read;
	const uint32_t *last = norn_map_get(&v->last, e->addr / 8);
	bool missing = false;
	if (!e->size || e->addr % 8 + e->size > 8 || writers_of(v, e->addr / 8))
		return;
	for (uint64_t addr = e->addr; addr < e->addr + e->size; addr++)
		missing |= !(last ? last[addr % 8] : writer_in_ranges(v, addr)) && recorded_writer(v, e, addr) > v->base;
	if (!missing)
		return;
	uint32_t count = norn_graph_count(v->graph);
	if (v->late_steps > LATE_STEPS) {
		v->starved = true;
		return;
	}
	norn_schedule_values_want(v, read);
	struct word_writers *list = writers_of(v, e->addr / 8);
	for (uint32_t i = 1; i <= count; i++) {
		const struct norn_graph_event *w = v->events + i;
		if (writes_memory(w) && w->size && w->addr / 8 <= e->addr / 8 && e->addr / 8 <= (w->addr + w->size - 1) / 8)
			norn_must_push(list, i);
	}
	v->late_steps += count;
}

bool norn_schedule_values_starved(const struct norn_schedule_values *v)
{
	return v->starved;
}

/* ends: its thread goes no further, so what it decides does not matter (V1). False: it would decide otherwise. */
static bool look(struct norn_schedule_values *v, uint32_t read, const uint32_t *freed, uint32_t freed_count, bool ends)
{
	const struct norn_graph_event *e = v->events + read;
	want_late(v, read);
	struct schedule_value seen = see(v, read);
	if (e->flags & NORN_GRAPH_MASKED && is_one_of(read, freed, freed_count)) { /* what it controls is not in the schedule */
		*(struct schedule_value *)norn_must_map_put(&v->others, read) = seen;
		return seen.known && norn_graph_skips(v->graph, read, seen.value);
	}
	if (seen.same && !(e->flags & NORN_GRAPH_ODD))
		return true;
	*(struct schedule_value *)norn_must_map_put(&v->others, read) = seen;
	if (!(e->flags & NORN_GRAPH_DECIDES) || ends)
		return true;
	if (!seen.known)
		return false;
	return norn_graph_decides_same(v->graph, read, seen.value) ||
	       (is_one_of(read, freed, freed_count) && (norn_graph_loose_same(v->graph, read, seen.value, v->at) ||
	                                                       norn_graph_pointer_same(v->graph, read, seen.value)));
}

static void write_word(struct norn_schedule_values *v, uint32_t event, uint64_t word, uint32_t *last)
{
	for (unsigned b = 0; b < 8; b++)
		if (covers(v->events + event, word * 8 + b))
			last[b] = event;
}

static void write_bytes(struct norn_schedule_values *v, uint32_t event)
{
	const struct norn_graph_event *e = v->events + event;
	uint64_t first = e->addr / 8, end = e->size ? (e->addr + e->size - 1) / 8 + 1 : first, word;
	if (end - first > LONG) { /* words that are not there yet are found in ranges */
		size_t cursor = 0;
		for (uint32_t *last; (last = norn_map_next(&v->last, &cursor, &word));)
			write_word(v, event, word, last);
		norn_must_push(&v->ranges, event);
		return;
	}
	for (word = first; word < end; word++) {
		bool there = norn_map_get(&v->last, word);
		uint32_t *last = norn_must_map_put(&v->last, word);
		for (unsigned b = 0; b < 8 && !there; b++)
			last[b] = writer_in_ranges(v, word * 8 + b);
		write_word(v, event, word, last);
	}
}

/* Do the assertions right after this event pass, as they did? */
static bool pass(const struct norn_schedule_values *v, uint32_t event)
{
	uint32_t count;
	const struct norn_graph_assertion *a = norn_graph_assertions_after(v->graph, event, &count);
	for (; count; a++, count--) {
		bool changed = false;
		uint64_t value;
		for (uint32_t i = 0; i < a->count; i++)
			changed |= norn_map_get(&v->others, a->reads[i]) != NULL;
		if (changed && (!norn_schedule_values_assertion(v, a, &value) || value == a->fails_if))
			return false;
	}
	return true;
}

static bool go_through(struct norn_schedule_values *v, const struct norn_schedule *schedule, const uint32_t *freed,
        uint32_t freed_count, uint32_t stop)
{
	for (uint32_t i = 0; i < schedule->count; i++) {
		uint32_t number = schedule->events[i];
		const struct norn_graph_event *e = v->events + number;
		bool read = e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW;
		v->happened[number] = v->schedules;
		/* Events after the last one of a thread are not decided yet (V1). */
		bool goes_on = *(const uint32_t *)norn_map_get(&v->ends, e->thread) != number || (stop && e->next == stop);
		bool ends = !goes_on && e->kind == NORN_EVENT_RMW && is_one_of(number, freed, freed_count);
		if (read && !look(v, number, freed, freed_count, ends))
			return false;
		if (e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW)
			leave(v, number);
		/* It left other bytes of its word to those who wrote before. */
		if (e->kind == NORN_EVENT_EXTERNAL && !see(v, number).same)
			*(struct schedule_value *)norn_must_map_put(&v->left, number) = (struct schedule_value){.known = false};
		if (writes_memory(e))
			write_bytes(v, number);
		v->called |= norn_graph_writes_unseen(e);
		if (v->others.count && goes_on && !pass(v, number))
			return false;
	}
	return true;
}

void norn_schedule_values_at(struct norn_schedule_values *v, uint32_t at)
{
	v->at = at;
}

bool norn_schedule_values_run(struct norn_schedule_values *v, const struct norn_schedule *schedule, const uint32_t *freed,
        uint32_t freed_count, uint32_t stop)
{
	struct norn_map *maps[] = {&v->last, &v->others, &v->left, &v->ends};
	for (unsigned i = 0; i < sizeof maps / sizeof *maps; i++)
		norn_map_done(maps[i]);
	v->schedules++;
	v->base = schedule->base;
	v->called = false;
	v->ranges.count = 0;
	for (uint32_t i = 0; i < schedule->count; i++)
		*(uint32_t *)norn_must_map_put(&v->ends, v->events[schedule->events[i]].thread) = schedule->events[i];
	return go_through(v, schedule, freed, freed_count, stop);
}
