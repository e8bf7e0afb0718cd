#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/bisect.h"
#include "causality/graph_state.h"
#include "trace/record.h"
#include "trace/site.h"

#define MADE_OF 256u /* nodes of a value that are looked at */

void norn_graph_free(struct norn_graph *graph)
{
	if (!graph)
		return;
	free(graph->events);
	free(graph->threads);
	norn_vector_done(&graph->helds);
	free(graph->numbers);
	for (uint32_t i = 0; i < graph->marks.count; i++)
		free(graph->marks.items[i].last);
	norn_vector_done(&graph->marks);
	norn_event_lists_done(&graph->lists);
	norn_value_flow_free(graph->flow);
	norn_map_done(&graph->words);
	norn_map_done(&graph->noticed);
	free(graph->masked_words);
	norn_vector_done(&graph->blocks);
	norn_vector_done(&graph->places);
	norn_vector_done(&graph->moved);
	norn_vector_done(&graph->long_writes);
	free(graph->own);
	free(graph->late);
	free(graph->deciding);
	norn_initial_memory_free(graph->initial);
	free(graph);
}

/* ---- what callees and objects are ---- */

unsigned norn_graph_object_bytes(const struct norn_event *e)
{
	static const unsigned bytes[] = {
	        [NORN_LOCK_MUTEX] = 40,
	        [NORN_LOCK_RWLOCK] = 56,
	        [NORN_LOCK_SPIN] = 4,
	        [NORN_LOCK_COND] = 48,
	        [NORN_LOCK_SEM] = 32,
	        [NORN_LOCK_BARRIER] = 32,
	        [NORN_LOCK_ONCE] = 4,
	        [NORN_LOCK_ROBUST] = 40,
	        [NORN_LOCK_WRITERS] = 56,
	};
	uint64_t kind = NORN_LOCK_MUTEX;
	if (e->op <= NORN_SYNC_TRY_FAILED || e->op == NORN_SYNC_CREATE || e->op == NORN_SYNC_DESTROY)
		kind = e->argument;
	else if (e->op <= NORN_SYNC_BROADCAST)
		kind = NORN_LOCK_COND;
	else if (e->op <= NORN_SYNC_SEM_TRY_FAILED)
		kind = NORN_LOCK_SEM;
	else if (e->op <= NORN_SYNC_BARRIER_LEAVE)
		kind = NORN_LOCK_BARRIER;
	else if (e->op <= NORN_SYNC_ONCE_PASS)
		kind = NORN_LOCK_ONCE;
	return kind < sizeof bytes / sizeof *bytes ? bytes[kind] : 4;
}

/* ---- looking ---- */

uint32_t norn_graph_count(const struct norn_graph *graph)
{
	return graph->count;
}

uint32_t norn_graph_carried(const struct norn_graph *graph)
{
	return graph->carried;
}

uint64_t norn_graph_number(const struct norn_graph *graph, uint32_t event)
{
	assert(event <= graph->count);
	return event > graph->carried ? event - graph->carried + graph->before : event ? graph->numbers[event - 1] : 0;
}

uint64_t norn_graph_until(const struct norn_graph *graph, uint32_t base)
{
	return base - graph->carried + graph->before;
}

uint32_t norn_graph_threads(const struct norn_graph *graph)
{
	return graph->thread_count;
}

uint32_t norn_graph_objects(const struct norn_graph *graph)
{
	return graph->object_count;
}

uint32_t norn_graph_first(const struct norn_graph *graph, uint32_t thread)
{
	assert(thread < graph->thread_count);
	return graph->threads[thread].first;
}

uint32_t norn_graph_last(const struct norn_graph *graph, uint32_t thread)
{
	assert(thread < graph->thread_count);
	return graph->threads[thread].last;
}

uint32_t norn_graph_after(const struct norn_graph *graph, uint32_t thread, uint32_t base)
{
	uint32_t low = NORN_BISECT(0, graph->marks.count, i, graph->marks.items[i].event <= base);
	const struct mark *mark = low ? &graph->marks.items[low - 1] : NULL;
	uint32_t event = mark && thread < mark->threads ? mark->last[thread] : 0;
	if (event == 0)
		event = norn_graph_first(graph, thread);
	while (event && event <= base)
		event = graph->events[event].next;
	assert(event == 0 || graph->events[event].thread == thread);
	return event;
}

/* ---- values ---- */

#define ADDRESSES (UINT64_C(1) << 16) /* no block lies below */
#define BLOCKS_LOOKED_AT 64u /* around an address */

/* The last block beyond base, and not beyond until, that this address may point into; 0: none. UINT32_MAX: too many to tell. */
static uint32_t block_of(const struct norn_graph *graph, uint32_t base, uint32_t until, uint64_t value)
{
	if (value < ADDRESSES)
		return 0;
	uint32_t found = 0, looked = 0;
	uint32_t low = NORN_BISECT(0, graph->blocks.count, i, graph->blocks.items[i].addr <= value);
	for (uint32_t i = low; i > 0 && graph->blocks.items[i - 1].reach >= value; i--) {
		const struct graph_block *b = graph->blocks.items + i - 1;
		if (++looked > BLOCKS_LOOKED_AT)
			return UINT32_MAX;
		if (b->end >= value && b->event > base && b->event <= until && b->event > found)
			found = b->event;
	}
	return found;
}

bool norn_graph_exact(const struct norn_graph *graph, uint32_t base, uint32_t until, uint32_t size, uint64_t value)
{
	return size < 8 || block_of(graph, base, until, value) == 0;
}

const uint32_t *norn_graph_places(const struct norn_graph *graph, uint32_t *ret_count)
{
	*ret_count = graph->places.count;
	return graph->places.items;
}

uint32_t norn_graph_places_until(const struct norn_graph *graph, uint32_t event)
{
	return NORN_BISECT(0, graph->places.count, i, graph->places.items[i] <= event);
}

uint32_t norn_graph_placed_by(const struct norn_graph *graph, uint32_t base, uint32_t event)
{
	const struct norn_graph_event *e = graph->events + event;
	uint64_t value;
	if (!(e->flags & NORN_GRAPH_NUMBER) || (e->kind != NORN_EVENT_ALLOC && e->size < 8))
		return 0;
	if (e->kind != NORN_EVENT_ALLOC && norn_graph_value_read(graph, event, &value)) {
		uint32_t found = block_of(graph, base, event, value);
		if (found != UINT32_MAX)
			return found;
	}
	uint32_t before = norn_graph_places_until(graph, event);
	return before && graph->places.items[before - 1] > base ? graph->places.items[before - 1] : 0;
}

bool norn_graph_value_read(const struct norn_graph *graph, uint32_t event, uint64_t *ret_value)
{
	const struct norn_graph_event *e = graph->events + event;
	if (e->size == 0 || e->addr % 8 + e->size > 8)
		return false;
	if (e->kind == NORN_EVENT_READ) {
		*ret_value = e->value;
		return e->flags & NORN_GRAPH_VALUED;
	}
	uint64_t mask = e->size == 8 ? UINT64_MAX : (UINT64_C(1) << e->size * 8) - 1, word;
	if (e->kind == NORN_EVENT_RMW && e->link == 0 && e->life == 0 && norn_graph_initial(graph, e->addr, &word)) {
		*ret_value = word >> e->addr % 8 * 8 & mask;
		return true;
	}
	const uint32_t *writers;
	const struct norn_graph_event *w =
	        norn_graph_list(graph, &e->link, &writers) == 1 ? graph->events + writers[0] : graph->events;
	bool writes = w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW;
	if (e->kind != NORN_EVENT_RMW || !writes || !(w->flags & NORN_GRAPH_VALUED) || w->addr > e->addr ||
	        w->addr + w->size < e->addr + e->size)
		return false;
	*ret_value = w->value >> (e->addr - w->addr) * 8 & mask;
	return true;
}

bool norn_graph_left(const struct norn_graph *graph, uint32_t write, uint64_t addr, struct norn_graph_content *ret_content)
{
	const struct norn_graph_event *e = graph->events + write;
	*ret_content = (struct norn_graph_content){.addr = e->addr, .size = (uint32_t)e->size, .value = e->value};
	if (e->size <= 8)
		return e->flags & NORN_GRAPH_VALUED && e->size;
	uint32_t low = NORN_BISECT(0, graph->long_writes.count, i, graph->long_writes.items[i].event < write);
	uint64_t word = addr & ~UINT64_C(7), begin = word > e->addr ? word : e->addr, end = e->addr + e->size;
	if (low == graph->long_writes.count || graph->long_writes.items[low].event != write)
		return false;
	*ret_content = (struct norn_graph_content){.addr = begin, .size = (uint32_t)((end < word + 8 ? end : word + 8) - begin)};
	memcpy(&ret_content->value, graph->long_writes.items[low].bytes + (begin - e->addr), ret_content->size);
	return true;
}

bool norn_graph_cut(const struct norn_graph *graph)
{
	return graph->cut;
}

bool norn_graph_lost(const struct norn_graph *graph)
{
	return graph->lost;
}

bool norn_graph_object(const struct norn_graph *graph, uint64_t addr)
{
	return norn_map_get(&graph->words, norn_graph_address(graph, addr) / 8);
}

bool norn_graph_is_own(const struct norn_graph *graph, uint32_t event)
{
	return event / 64 < graph->own_room && graph->own[event / 64] >> event % 64 & 1;
}

uint64_t norn_graph_address(const struct norn_graph *graph, uint64_t addr)
{
	if (addr < NORN_GRAPH_MOVED)
		return addr;
	uint32_t next = NORN_BISECT(0, graph->moved.count, i, graph->moved.items[i].to <= addr);
	return next ? addr - graph->moved.items[next - 1].to + graph->moved.items[next - 1].from : addr;
}

bool norn_graph_has_moved(const struct norn_graph *graph, uint64_t addr, uint64_t size)
{
	for (uint32_t i = 0; i < graph->moved.count; i++) {
		const struct moved_block *m = graph->moved.items + i;
		if (m->from < addr + size && addr < m->from + m->size)
			return true;
	}
	return false;
}

uint64_t norn_graph_bytes(const struct norn_graph *graph)
{
	return sizeof *graph + (uint64_t)graph->room * sizeof *graph->events +
	       (uint64_t)graph->thread_room * sizeof *graph->threads + (uint64_t)graph->helds.room * sizeof *graph->helds.items +
	       norn_event_lists_bytes(&graph->lists) + norn_value_flow_bytes(graph->flow) +
	       graph->words.capacity * graph->words.slot_bytes + graph->noticed.capacity * graph->noticed.slot_bytes;
}

const struct norn_graph_event *norn_graph_events(const struct norn_graph *graph)
{
	return graph->events;
}

uint32_t norn_graph_list(const struct norn_graph *graph, const uint32_t *link, const uint32_t **ret_events)
{
	return norn_event_lists_get(&graph->lists, link, ret_events);
}

bool norn_graph_ends_life(const struct norn_graph *graph, uint32_t free_event, uint32_t life)
{
	const struct norn_graph_event *f = graph->events + free_event, *begin = graph->events + life;
	if (!norn_graph_unmaps(f))
		return f->life == life;
	bool mapped = begin->kind == NORN_EVENT_ALLOC && begin->op >= NORN_ALLOC_MAP && begin->op != NORN_ALLOC_UNMAP;
	const uint32_t *before;
	uint32_t count = mapped ? norn_graph_list(graph, &f->link, &before) : 0;
	while (count && before[count - 1] != life)
		count--;
	return count;
}

uint64_t norn_graph_local_end(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_graph_event *e = graph->events + event;
	if (e->flags & NORN_GRAPH_PIECE || (e->kind == NORN_EVENT_SYNC && !norn_graph_uses_object(e)))
		return 0;
	uint32_t room = norn_value_flow_frame(graph->flow, e->site, e->kind == NORN_EVENT_SYNC ? 0 : e->size);
	return room ? e->addr + room : 0;
}

enum norn_graph_node norn_graph_node(const struct norn_graph *graph, uint32_t node, uint32_t *ret_a, uint32_t *ret_b)
{
	*ret_b = 0;
	if (!(node & NORN_GRAPH_LIST)) {
		*ret_a = node;
		return node ? NORN_NODE_READ : NORN_NODE_NONE;
	}
	uint32_t count;
	const struct norn_value_flow_pair *pair = norn_value_flow_pairs(graph->flow, &count) + (node & ~NORN_GRAPH_LIST);
	assert((node & ~NORN_GRAPH_LIST) < count);
	*ret_a = pair->a;
	if (pair->b == NORN_VALUE_FLOW_BEFORE)
		return NORN_NODE_BEFORE;
	*ret_b = pair->b;
	return NORN_NODE_UNION;
}

bool norn_graph_tests(const struct norn_graph *graph, uint32_t read, uint32_t i, struct norn_graph_tests *ret_tests)
{
	return norn_value_flow_tests(graph->flow, graph->events[read].site, read, i, ret_tests);
}

static bool is_in_word(const struct norn_graph_event *e)
{
	return e->flags & NORN_GRAPH_VALUED && e->addr % 8 + e->size <= 8;
}

/* The value of a copy: one record has all bytes that were read, the other all that were written. */
static bool copies(const struct norn_graph *graph, uint32_t write, struct norn_graph_chain *ret_chain)
{
	static const uint32_t as_it_is[] = {0};
	const struct norn_graph_event *e = graph->events + write;
	if (e->kind != NORN_EVENT_WRITE || e->op != NORN_RANGE_COPY_TO || !e->other || e->other & NORN_GRAPH_LIST)
		return false;
	const struct norn_graph_event *from = graph->events + e->other;
	if (from->kind != NORN_EVENT_READ || from->op != NORN_RANGE_COPY_FROM || from->site != e->site || from->size != e->size ||
	        !is_in_word(from) || !is_in_word(e))
		return false;
	*ret_chain = (struct norn_graph_chain){.site = e->site, .items = as_it_is, .count = 1};
	return true;
}

static bool makes(const struct norn_graph *graph, uint32_t write, struct norn_graph_chain *ret_chain)
{
	const struct norn_graph_event *e = graph->events + write;
	if (copies(graph, write, ret_chain))
		return true;
	return (e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW) && e->flags & NORN_GRAPH_VALUED && e->op == 0 &&
	       e->addr % 8 + e->size <= 8 && norn_value_flow_makes(graph->flow, e->site, ret_chain);
}

/* The latest read at this site that the value comes from; 0: none, or too many to tell. */
static uint32_t latest_read(const struct norn_graph *graph, uint32_t node, uint32_t site)
{
	uint32_t stack[64] = {node}, depth = 1, found = 0, a, b;
	for (unsigned looked = 0; depth; looked++) {
		enum norn_graph_node kind = norn_graph_node(graph, stack[--depth], &a, &b);
		if (looked == MADE_OF || kind == NORN_NODE_BEFORE || depth + 2 > sizeof stack / sizeof *stack)
			return 0;
		if (kind == NORN_NODE_READ && graph->events[a].site == site && a > found)
			found = a;
		if (kind == NORN_NODE_UNION) {
			stack[depth++] = a;
			stack[depth++] = b;
		}
	}
	return found;
}

/* The operand of a sum of which only the result was recorded: that result less what the chain makes of the value read. */
static bool find_added(const struct norn_graph *graph, uint32_t write, struct norn_graph_chain *chain)
{
	const struct norn_graph_event *e = graph->events + write;
	uint32_t source = e->kind == NORN_EVENT_RMW ? write : latest_read(graph, e->other, chain->site);
	uint64_t then;
	chain->operand = 0;
	if (!source || !norn_graph_value_read(graph, source, &then))
		return false;
	chain->operand = e->value - norn_graph_follow(chain, then);
	return true;
}

bool norn_graph_makes_of_two(const struct norn_graph *graph, uint32_t write, struct norn_graph_chain *ret_chain)
{
	if (!makes(graph, write, ret_chain))
		return false;
	if (!ret_chain->operand_site)
		return true;
	if (ret_chain->operand_site == NORN_GRAPH_RECORDED)
		return find_added(graph, write, ret_chain);
	uint32_t read = latest_read(graph, graph->events[write].other, ret_chain->operand_site);
	return read && norn_graph_value_read(graph, read, &ret_chain->operand);
}

bool norn_graph_makes(const struct norn_graph *graph, uint32_t write, struct norn_graph_chain *ret_chain)
{
	return makes(graph, write, ret_chain) && !ret_chain->operand_site;
}

const struct norn_graph_assertion *norn_graph_assertions(const struct norn_graph *graph, uint32_t *ret_count)
{
	return norn_value_flow_assertions(graph->flow, ret_count);
}

const uint32_t *norn_graph_doubts(const struct norn_graph *graph, uint32_t *ret_count)
{
	return norn_value_flow_doubts(graph->flow, ret_count);
}

const struct norn_graph_assertion *norn_graph_condition(const struct norn_graph *graph, uint32_t read, uint32_t i)
{
	return norn_value_flow_condition(graph->flow, read, i);
}

const struct norn_graph_assertion *norn_graph_assertions_after(const struct norn_graph *graph, uint32_t event, uint32_t *ret_count)
{
	uint32_t count;
	const struct norn_graph_assertion *all = norn_value_flow_assertions(graph->flow, &count);
	uint32_t low = NORN_BISECT(0, count, i, all[i].event < event);
	for (*ret_count = 0; low + *ret_count < count && all[low + *ret_count].event == event;)
		++*ret_count;
	return low ? all + low : all; /* there may be none */
}

static bool has_bit(const uint64_t *bits, uint32_t number)
{
	return bits && bits[number / 64] >> number % 64 & 1;
}

bool norn_graph_is_late(const struct norn_graph *graph, uint32_t read)
{
	return has_bit(graph->late, read);
}

bool norn_graph_finds_decided(const struct norn_graph *graph, uint32_t event)
{
	return has_bit(graph->deciding, event);
}

uint32_t norn_graph_decision(const struct norn_graph *graph, uint32_t read)
{
	return norn_graph_is_late(graph, read) ? norn_value_flow_decision(graph->flow, read) : 0;
}

const struct norn_graph_decision *norn_graph_decisions(const struct norn_graph *graph, uint32_t event, uint32_t *ret_count)
{
	uint32_t count;
	const struct norn_graph_decision *all = norn_value_flow_decisions(graph->flow, &count);
	uint32_t first = NORN_BISECT(0, count, i, all[i].event < event);
	*ret_count = count - first;
	return all + first;
}

const struct norn_graph_dereference *norn_graph_dereferences(const struct norn_graph *graph, uint32_t *ret_count)
{
	return norn_value_flow_dereferences(graph->flow, ret_count);
}

uint32_t norn_graph_dereferenced(const struct norn_graph *graph, uint32_t event)
{
	uint32_t count;
	const struct norn_graph_dereference *all = norn_value_flow_dereferences(graph->flow, &count);
	uint32_t low = NORN_BISECT(0, count, i, all[i].event < event);
	bool found = low < count && all[low].event == event;
	return found && graph->events[all[low].read].flags & NORN_GRAPH_POINTER ? all[low].read : 0;
}

bool norn_graph_loose_tests(const struct norn_graph *graph, uint32_t read, uint32_t i, struct norn_graph_tests *ret_tests)
{
	return norn_value_flow_loose_tests(graph->flow, graph->events[read].site, read, i, ret_tests);
}

uint32_t norn_graph_nodes(const struct norn_graph *graph)
{
	uint32_t count;
	norn_value_flow_pairs(graph->flow, &count);
	return count;
}

uint32_t norn_graph_masks(const struct norn_graph *graph, uint32_t site, const struct norn_graph_range **ret_ranges)
{
	return norn_value_flow_masks(graph->flow, site, ret_ranges);
}

const uint64_t *norn_graph_masked_words(const struct norn_graph *graph, uint32_t *ret_count)
{
	*ret_count = graph->masked_count;
	return graph->masked_words;
}

uint32_t norn_graph_control(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_graph_event *e = graph->events + event;
	while (e->kind == NORN_EVENT_EXTERNAL && e->next) {
		uint32_t number = (uint32_t)(e - graph->events);
		const uint32_t *noticed = number % NORN_GRAPH_SKIP ? NULL : norn_map_get(&graph->noticed, number);
		e = graph->events + (noticed && *noticed != number ? *noticed : e->next);
	}
	return e->kind == NORN_EVENT_READ ? e->other : e->kind == NORN_EVENT_WRITE ? e->link : 0;
}

bool norn_graph_skip_outcome(const struct norn_graph *graph, uint32_t read, unsigned *ret_outcome)
{
	const struct norn_graph_event *e = graph->events + read;
	unsigned needed = NORN_GRAPH_MASKED | NORN_GRAPH_TESTED | NORN_GRAPH_VALUED;
	return e->kind == NORN_EVENT_READ && (e->flags & needed) == needed &&
	       norn_value_flow_skips(graph->flow, e->site, ret_outcome);
}

uint32_t norn_graph_skippers(const struct norn_graph *graph, uint32_t event, uint32_t ret_reads[NORN_SKIPPERS])
{
	uint32_t nodes[8] = {norn_graph_control(graph, event)}, count = 1, found = 0, a, b;
	for (unsigned looked = 0; count && looked < 32 && found < NORN_SKIPPERS; looked++) {
		unsigned outcome;
		enum norn_graph_node kind = norn_graph_node(graph, nodes[--count], &a, &b);
		if (kind == NORN_NODE_READ && norn_graph_skip_outcome(graph, a, &outcome))
			ret_reads[found++] = a;
		if (kind != NORN_NODE_UNION || count + 2 > sizeof nodes / sizeof *nodes)
			continue;
		nodes[count++] = a;
		nodes[count++] = b;
	}
	return found;
}

uint32_t norn_graph_held(const struct norn_graph *graph, uint32_t held, uint32_t *ret_rest)
{
	*ret_rest = graph->helds.items[held].rest;
	return graph->helds.items[held].acquire;
}

void norn_graph_site(const struct norn_graph *graph, uint32_t site, struct norn_graph_site *ret_site)
{
	const struct norn_graph_site *known = norn_value_flow_known(graph->flow, site);
	*ret_site = known ? *known : (struct norn_graph_site){0};
}

uint32_t norn_graph_place(const struct norn_graph *graph, uint32_t site)
{
	const struct norn_graph_site *known = norn_value_flow_known(graph->flow, site);
	return known && known->place ? known->place : site;
}

unsigned norn_graph_order(const struct norn_graph *graph, uint32_t event)
{
	const struct norn_graph_event *e = norn_graph_event(graph, event);
	bool fence = e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_FENCE;
	const struct norn_graph_site *site = norn_value_flow_known(graph->flow, e->site);
	if (!fence && !(e->flags & NORN_GRAPH_ATOMIC))
		return NORN_ORDER_NONE;
	bool failed = site && site->kind == NORN_SITE_CMPXCHG && e->kind == NORN_EVENT_READ;
	unsigned order = !site ? NORN_ORDER_NONE : failed ? site->order_failure : site->order;
	return order ? order : NORN_ORDER_SEQ_CST;
}

bool norn_graph_weak(const struct norn_graph *graph)
{
	return norn_value_flow_weak(graph->flow);
}
