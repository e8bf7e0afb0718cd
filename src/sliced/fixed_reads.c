#include "sliced/fixed_reads.h"

#include <errno.h>
#include <stdlib.h>

#include "base/grow.h"
#include "trace/record.h"

#define NODES_MAX 256u /* of a value that are looked at to tell whether it is known */

static bool reads(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_RMW;
}

static int push(struct norn_fixed_reads *k, uint32_t item)
{
	int r = norn_grow(&k->work, k->count + UINT64_C(1), &k->room, sizeof *k->work);
	if (r == 0)
		k->work[k->count++] = item;
	return r;
}

static int fix(struct norn_fixed_reads *k, uint32_t event)
{
	if (norn_fixed_reads_has(k, event) || event > k->end)
		return 0;
	uint32_t i = event - k->base;
	k->events[i / 64] |= UINT64_C(1) << i % 64;
	return push(k, event);
}

static int fix_before(struct norn_fixed_reads *k, uint32_t event)
{
	const struct norn_graph_event *events = norn_graph_events(k->graph);
	uint32_t *next = &k->next[events[event].thread];
	int r = 0;
	for (; r == 0 && *next && *next < event; *next = events[*next].next)
		if (reads(&events[*next]))
			r = fix(k, *next);
	return r;
}

static int note_seen(struct norn_fixed_reads *k, uint32_t node)
{
	int r = norn_grow(&k->seen, k->seen_count + UINT64_C(1), &k->seen_room, sizeof *k->seen);
	if (r == 0)
		k->seen[k->seen_count++] = node;
	else
		k->nodes[node / 64] &= ~(UINT64_C(1) << node % 64);
	return r;
}

/* What the node stands for is fixed. Unions wait on the same stack as events: their numbers are beyond those of events. */
static int fix_node(struct norn_fixed_reads *k, uint32_t node)
{
	uint32_t a, b;
	switch (norn_graph_node(k->graph, node, &a, &b)) {
	case NORN_NODE_READ:
		return fix(k, a);
	case NORN_NODE_BEFORE:
		return fix_before(k, a);
	case NORN_NODE_UNION: {
		uint32_t i = node - NORN_GRAPH_LIST;
		if (k->nodes[i / 64] >> i % 64 & 1)
			return 0;
		k->nodes[i / 64] |= UINT64_C(1) << i % 64;
		int r = k->whole ? note_seen(k, i) : 0;
		return r == 0 ? push(k, node) : r;
	}
	default:
		return 0;
	}
}

/* Where the value of a write comes from. */
static int fix_value(struct norn_fixed_reads *k, uint32_t write)
{
	const struct norn_graph_event *e = norn_graph_event(k->graph, write);
	/* An external write leaves some of its word's bytes to who wrote before; it has these writers, as a read has. */
	int r = e->kind == NORN_EVENT_RMW || e->kind == NORN_EVENT_EXTERNAL ? fix(k, write) : 0;
	return r == 0 && (e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW) ? fix_node(k, e->other) : r;
}

static int work_off(struct norn_fixed_reads *k)
{
	int r = 0;
	while (r == 0 && k->count) {
		uint32_t item = k->work[--k->count], a, b;
		if (item >= NORN_GRAPH_LIST) {
			norn_graph_node(k->graph, item, &a, &b);
			r = fix_node(k, a);
			if (r == 0)
				r = fix_node(k, b);
			continue;
		}
		const uint32_t *writers;
		uint32_t count = norn_graph_list(k->graph, &norn_graph_event(k->graph, item)->link, &writers);
		for (uint32_t i = 0; r == 0 && i < count; i++)
			r = fix_value(k, writers[i]);
	}
	return r;
}

/* An event that properties speak of, with its value. */
static int keep_relevant(struct norn_fixed_reads *k, uint32_t event)
{
	switch (norn_graph_event(k->graph, event)->kind) {
	case NORN_EVENT_READ:
		return fix(k, event);
	case NORN_EVENT_WRITE:
	case NORN_EVENT_RMW:
		return fix_value(k, event);
	case NORN_EVENT_ENTER:
	case NORN_EVENT_LEAVE:
	case NORN_EVENT_MARK:
		return fix_before(k, event); /* where arguments come from is not in the slice */
	default:
		return 0;
	}
}

/* It happens: who controls it sees what it saw. */
static int keep_control(struct norn_fixed_reads *k, uint32_t event)
{
	uint32_t node = norn_graph_control(k->graph, event);
	return node ? fix_node(k, node) : 0;
}

static bool is_unseen(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && !(e->flags & NORN_GRAPH_CALLED);
}

static int note_call(struct norn_fixed_reads *k, uint32_t event)
{
	int r = norn_grow(&k->calls, k->call_count + UINT64_C(1), &k->call_room, sizeof *k->calls);
	if (r == 0)
		k->calls[k->call_count++] = event;
	return r;
}

uint32_t norn_fixed_reads_call(const struct norn_fixed_reads *k, uint32_t event)
{
	if (k->whole)
		return norn_fixed_reads_call(k->whole, event);
	uint32_t from = 0, to = k->call_count;
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (k->calls[middle] <= event)
			from = middle + 1;
		else
			to = middle;
	}
	return from ? k->calls[from - 1] : 0;
}

int norn_fixed_reads_init(struct norn_fixed_reads *k, const struct norn_graph *graph, const uint64_t *relevant, uint32_t count)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	uint32_t total = norn_graph_count(graph), threads = norn_graph_threads(graph);
	*k = (struct norn_fixed_reads){.graph = graph,
	        .end = total,
	        .events = calloc(total / 64 + 1ul, sizeof *k->events),
	        .nodes = calloc(norn_graph_nodes(graph) / 64 + 1ul, sizeof *k->nodes),
	        .next = calloc(threads + 1ul, sizeof *k->next)};
	int r = k->events && k->nodes && k->next ? 0 : -ENOMEM;
	for (uint32_t t = 0; r == 0 && t < threads; t++)
		k->next[t] = norn_graph_first(graph, t);
	for (uint32_t i = 1; r == 0 && i <= total; i++)
		r = keep_control(k, i);
	for (uint32_t i = 1; r == 0 && i <= total; i++)
		if (reads(&events[i]) && events[i].flags & NORN_GRAPH_DECIDES)
			r = fix(k, i);
		else if (is_unseen(&events[i]))
			r = note_call(k, i);
	for (uint32_t i = 0; r == 0 && i < count; i++)
		if (relevant[i] && relevant[i] <= total)
			r = keep_relevant(k, (uint32_t)relevant[i]);
	if (r == 0)
		r = work_off(k);
	if (r != 0)
		norn_fixed_reads_done(k);
	return r;
}

int norn_fixed_reads_init_whole(struct norn_fixed_reads *k, const struct norn_graph *graph)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	*k = (struct norn_fixed_reads){.graph = graph, .nodes = calloc(norn_graph_nodes(graph) / 64 + 1ul, sizeof *k->nodes)};
	int r = k->nodes ? 0 : -ENOMEM;
	for (uint32_t i = 1; r == 0 && i <= norn_graph_count(graph); i++)
		if (is_unseen(&events[i]))
			r = note_call(k, i);
	if (r != 0)
		norn_fixed_reads_done(k);
	return r;
}

/* The first event of each thread in the part. */
static void find_first(struct norn_fixed_reads *k)
{
	const struct norn_graph_event *events = norn_graph_events(k->graph);
	for (uint32_t i = k->end; i > k->base; i--)
		k->next[events[i].thread] = i;
}

static bool is_up_to_stop(const struct norn_graph_event *events, uint32_t event, const uint32_t *stops, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (events[stops[i]].thread == events[event].thread)
			return event <= stops[i];
	return true;
}

static bool is_stop(uint32_t event, const uint32_t *stops, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (stops[i] == event)
			return true;
	return false;
}

int norn_fixed_reads_part(struct norn_fixed_reads *k, struct norn_fixed_reads *whole, uint32_t base, uint32_t end, uint32_t last,
        const uint32_t *stops, uint32_t stop_count)
{
	const struct norn_graph *graph = whole->graph;
	const struct norn_graph_event *events = norn_graph_events(graph);
	*k = (struct norn_fixed_reads){.graph = graph,
	        .whole = whole,
	        .base = base,
	        .end = end,
	        .events = calloc((end - base) / 64 + 1ul, sizeof *k->events),
	        .nodes = whole->nodes,
	        .next = calloc(norn_graph_threads(graph) + 1ul, sizeof *k->next)};
	int r = k->events && k->next ? 0 : -ENOMEM;
	if (r == 0)
		find_first(k);
	for (uint32_t i = base + 1; r == 0 && i <= last; i++) {
		if (!is_up_to_stop(events, i, stops, stop_count))
			continue;
		r = keep_control(k, i);
		if (r == 0 && reads(&events[i]) && events[i].flags & NORN_GRAPH_DECIDES && !is_stop(i, stops, stop_count))
			r = fix(k, i);
	}
	if (r == 0)
		r = work_off(k);
	if (r != 0)
		norn_fixed_reads_done(k);
	return r;
}

void norn_fixed_reads_done(struct norn_fixed_reads *k)
{
	for (uint32_t i = 0; i < k->seen_count; i++)
		k->nodes[k->seen[i] / 64] = 0;
	if (!k->whole)
		free(k->nodes);
	free(k->events);
	free(k->seen);
	free(k->next);
	free(k->work);
	free(k->calls);
	*k = (struct norn_fixed_reads){0};
}

/* Are all reads of the node fixed? In doubt: no. */
static bool has_all(const struct norn_fixed_reads *k, uint32_t node)
{
	uint32_t stack[64] = {node}, depth = 1, a, b;
	for (unsigned seen = 0; depth; seen++) {
		if (seen == NODES_MAX)
			return false;
		switch (norn_graph_node(k->graph, stack[--depth], &a, &b)) {
		case NORN_NODE_READ:
			if (!norn_fixed_reads_has(k, a))
				return false;
			break;
		case NORN_NODE_BEFORE: {
			uint32_t next = k->next[norn_graph_event(k->graph, a)->thread];
			if (next && next < a)
				return false;
			break;
		}
		case NORN_NODE_UNION:
			if (depth + 2 > sizeof stack / sizeof *stack)
				return false;
			stack[depth++] = a;
			stack[depth++] = b;
			break;
		default:
			break;
		}
	}
	return true;
}

bool norn_fixed_reads_knows(const struct norn_fixed_reads *k, uint32_t write)
{
	const struct norn_graph_event *e = norn_graph_event(k->graph, write);
	if ((e->kind != NORN_EVENT_WRITE && e->kind != NORN_EVENT_RMW) ||
	        (e->kind == NORN_EVENT_RMW && !norn_fixed_reads_has(k, write)))
		return false;
	return has_all(k, e->other);
}

bool norn_fixed_reads_certain(const struct norn_fixed_reads *k, uint32_t event)
{
	uint32_t node = norn_graph_control(k->graph, event);
	return node == 0 || has_all(k, node);
}
