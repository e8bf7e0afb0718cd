#include "sliced/scanned_stops.h"

#include "errors/conflict.h"
#include "sliced/memory_contents.h"

/* How many bytes the stop reads before the first that it has in common with this event of another thread. */
static uint64_t bytes_before(const struct norn_graph *graph, uint32_t stop, uint32_t event)
{
	const struct norn_graph_event *s = norn_graph_event(graph, stop), *e = norn_graph_event(graph, event);
	bool memory = norn_graph_is_access(e) || e->kind == NORN_EVENT_FREE || e->kind == NORN_EVENT_ALLOC;
	uint64_t addr, size = 0;
	if (event && memory && e->thread != s->thread)
		norn_conflict_bytes(graph, stop, event, &addr, &size);
	return size ? addr - s->addr : 0;
}

/* Before the last of those that an event of the attempt begins with. */
static uint64_t bytes_of(const struct norn_graph *graph, const struct norn_attempt *attempt, uint32_t stop)
{
	uint64_t bytes = 0;
	for (uint32_t i = 0; i < attempt->count + NORN_CLOSURE_INCLUDES && norn_graph_scans(norn_graph_event(graph, stop)); i++) {
		uint32_t event = i < attempt->count ? attempt->stops[i] : attempt->includes[i - attempt->count];
		uint64_t before = bytes_before(graph, stop, event);
		bytes = before > bytes ? before : bytes;
	}
	return bytes;
}

uint32_t norn_scanned_stop(const struct norn_graph *graph, const struct norn_attempt *attempt, uint64_t *ret_bytes)
{
	for (uint32_t i = 0; i < attempt->count; i++)
		if ((*ret_bytes = bytes_of(graph, attempt, attempt->stops[i])))
			return attempt->stops[i];
	return 0;
}

/* What the thread read next in this way may belong to the same call, and have decided it, too: strcmp goes through two texts at
 * once. */
static bool partner_as_then(const struct norn_graph *graph, const struct norn_schedule *schedule, uint32_t stop)
{
	const struct norn_graph_event *s = norn_graph_event(graph, stop), *e;
	uint64_t end = s->addr + s->size; /* of what the last read was of */
	bool other = false;
	for (uint32_t i = s->next; i; i = e->next) {
		e = norn_graph_event(graph, i);
		if (e->kind == NORN_EVENT_EXTERNAL)
			continue;
		if (!norn_graph_scans(e) || (e->addr != end && other))
			return true;
		other |= e->addr != end;
		end = e->addr + e->size;
		if (other && !norn_memory_contents_as_then(graph, schedule, i, e->size))
			return false;
	}
	return true;
}

bool norn_scanned_stops_as_then(
        const struct norn_graph *graph, const struct norn_attempt *attempt, const struct norn_schedule *schedule)
{
	for (uint32_t i = 0; i < attempt->count; i++) {
		uint64_t bytes = bytes_of(graph, attempt, attempt->stops[i]);
		if (bytes && (!norn_memory_contents_as_then(graph, schedule, attempt->stops[i], bytes) ||
		                     !partner_as_then(graph, schedule, attempt->stops[i])))
			return false;
	}
	return true;
}
