#include "errors/harm/update.h"

#define NODES_MAX 64u /* of a value that are looked at */

bool norn_same_bytes(const struct norn_graph_event *a, const struct norn_graph_event *b)
{
	return a->addr == b->addr && a->size == b->size && a->size <= 8;
}

uint32_t norn_update_read(const struct norn_graph *graph, uint32_t write, uint32_t only)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	uint32_t stack[NODES_MAX] = {events[write].other}, depth = 1, found = 0, a, b;
	for (unsigned looked = 0; depth && looked < NODES_MAX; looked++) {
		enum norn_graph_node kind = norn_graph_node(graph, stack[--depth], &a, &b);
		if (kind == NORN_NODE_READ && events[a].kind == NORN_EVENT_READ && a > found && (!only || a == only) &&
		        events[a].thread == events[write].thread && norn_same_bytes(events + a, events + write))
			found = a;
		if (kind == NORN_NODE_UNION && depth + 2 <= NODES_MAX) {
			stack[depth++] = a;
			stack[depth++] = b;
		}
	}
	return found;
}
