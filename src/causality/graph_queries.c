#include <stdlib.h>
#include <string.h>

#include "causality/graph_state.h"
#include "trace/record.h"

void norn_graph_free(struct norn_graph *graph)
{
	if (!graph)
		return;
	free(graph->events);
	free(graph->threads);
	free(graph->helds);
	free(graph->numbers);
	for (uint32_t i = 0; i < graph->mark_count; i++)
		free(graph->marks[i].last);
	free(graph->marks);
	norn_event_lists_done(&graph->lists);
	norn_value_flow_free(graph->flow);
	norn_map_done(&graph->words);
	norn_map_done(&graph->noticed);
	free(graph->masked_words);
	free(graph->blocks);
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
	return graph->threads[thread].first;
}

uint32_t norn_graph_last(const struct norn_graph *graph, uint32_t thread)
{
	return graph->threads[thread].last;
}

uint32_t norn_graph_after(const struct norn_graph *graph, uint32_t thread, uint32_t base)
{
	uint32_t low = 0, high = graph->mark_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (graph->marks[middle].event <= base)
			low = middle + 1;
		else
			high = middle;
	}
	const struct mark *mark = low ? &graph->marks[low - 1] : NULL;
	uint32_t event = mark && thread < mark->threads ? mark->last[thread] : 0;
	if (event == 0)
		event = norn_graph_first(graph, thread);
	while (event && event <= base)
		event = graph->events[event].next;
	return event;
}

/* ---- values ---- */

#define ADDRESSES (UINT64_C(1) << 16) /* no block lies below */
#define BLOCKS_LOOKED_AT 64u /* around an address */

bool norn_graph_exact(const struct norn_graph *graph, uint32_t base, uint32_t size, uint64_t value)
{
	if (size < 8 || value < ADDRESSES)
		return true;
	uint32_t low = 0, high = graph->block_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (graph->blocks[middle].addr <= value)
			low = middle + 1;
		else
			high = middle;
	}
	for (uint32_t i = low, looked = 0; i > 0 && graph->blocks[i - 1].reach >= value; i--)
		if (++looked > BLOCKS_LOOKED_AT || (graph->blocks[i - 1].end >= value && graph->blocks[i - 1].event > base))
			return false;
	return true;
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
	const uint32_t *writers;
	const struct norn_graph_event *w =
	        norn_graph_list(graph, &e->link, &writers) == 1 ? graph->events + writers[0] : graph->events;
	bool writes = w->kind == NORN_EVENT_WRITE || w->kind == NORN_EVENT_RMW;
	if (e->kind != NORN_EVENT_RMW || !writes || !(w->flags & NORN_GRAPH_VALUED) || w->addr > e->addr ||
	        w->addr + w->size < e->addr + e->size)
		return false;
	uint64_t mask = e->size == 8 ? UINT64_MAX : (UINT64_C(1) << e->size * 8) - 1;
	*ret_value = w->value >> (e->addr - w->addr) * 8 & mask;
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
	return norn_map_get(&graph->words, addr / 8);
}

uint64_t norn_graph_bytes(const struct norn_graph *graph)
{
	return sizeof *graph + (uint64_t)graph->room * sizeof *graph->events +
	       (uint64_t)graph->thread_room * sizeof *graph->threads + (uint64_t)graph->held_room * sizeof *graph->helds +
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

enum norn_graph_node norn_graph_node(const struct norn_graph *graph, uint32_t node, uint32_t *ret_a, uint32_t *ret_b)
{
	*ret_b = 0;
	if (!(node & NORN_GRAPH_LIST)) {
		*ret_a = node;
		return node ? NORN_NODE_READ : NORN_NODE_NONE;
	}
	uint32_t count;
	const struct norn_value_flow_pair *pair = norn_value_flow_pairs(graph->flow, &count) + (node & ~NORN_GRAPH_LIST);
	*ret_a = pair->a;
	if (pair->b == NORN_VALUE_FLOW_BEFORE)
		return NORN_NODE_BEFORE;
	*ret_b = pair->b;
	return NORN_NODE_UNION;
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

uint32_t norn_graph_held(const struct norn_graph *graph, uint32_t held, uint32_t *ret_rest)
{
	*ret_rest = graph->helds[held].rest;
	return graph->helds[held].acquire;
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
