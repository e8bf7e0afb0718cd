#include "errors/freed.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/must.h"
#include "trace/record.h"
#include "trace/site.h"

#define TRIES 16u /* of a pair of positions: what they have in common mostly decides */

static bool uses_memory(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW ||
	       (e->kind == NORN_EVENT_FREE && !(e->flags & NORN_GRAPH_PIECE)) || norn_graph_uses_object(e);
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct norn_graph *graph = context;
	const struct norn_graph_event *use = norn_graph_event(graph, attempt->stops[attempt->count - 1]);
	predicted->kind = use->kind == NORN_EVENT_FREE ? NORN_PREDICTED_DOUBLE_FREE : NORN_PREDICTED_USE_AFTER_FREE;
	predicted->first = attempt->includes[1];
	predicted->pairs = 1;
	predicted->addr = use->addr;
	predicted->size = use->kind == NORN_EVENT_SYNC ? 8 : use->size;
}

/* Attempts, and how many of each pair of code positions. */
struct block_uses {
	const struct norn_graph *graph;
	struct norn_map pairs; /* → the number of its group from 1 on, and of attempts */
	uint32_t groups;
	NORN_VECTOR(struct norn_attempt) attempts;
};

struct tried {
	uint32_t group, count, last;
};

/* Gives the attempt its group; false: enough of its places were tried. last: what it leaves out, 0: nothing. */
static bool wanted(struct block_uses *uses, uint32_t free_event, uint32_t use, uint32_t last, struct norn_attempt *attempt)
{
	const struct norn_graph_event *events = norn_graph_events(uses->graph);
	uint32_t freed = norn_graph_place(uses->graph, events[free_event].site),
	         used = norn_graph_place(uses->graph, events[use].site);
	struct tried *tried = norn_must_map_put(&uses->pairs, (uint64_t)freed << 32 | used);
	if (tried->count && (tried->count >= (last ? TRIES : 1) || tried->last == last))
		return false;
	if (tried->count++ == 0)
		tried->group = uses->groups++;
	tried->last = last;
	attempt->group = tried->group;
	return true;
}

/* alloc: that the memory was allocated by once more, 0: it was not. */
static void add_use(struct block_uses *uses, uint32_t free_event, uint32_t alloc, uint32_t use)
{
	struct norn_attempt attempt = {.stops = {use}, .count = 1, .includes = {0, free_event}, .reused = alloc};
	if (wanted(uses, free_event, use, alloc, &attempt))
		norn_must_push(&uses->attempts, attempt);
}

static void try_uses(struct block_uses *uses, struct norn_attempt_runner *attempt_runner)
{
	bool *found = norn_must_calloc(uses->groups + UINT64_C(1), sizeof *found);
	if (uses->attempts.count)
		norn_attempt_runner_try(
		        attempt_runner, uses->attempts.items, uses->attempts.count, found, fill, (void *)(uintptr_t)uses->graph);
	free(found);
	norn_vector_done(&uses->attempts);
	norn_map_done(&uses->pairs);
}

/* Memory that was used or freed after it had been freed, in the recorded run. */
static void find_observed(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	struct block_uses uses = {.graph = graph};
	norn_map_init(&uses.pairs, sizeof(struct tried));
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		uint32_t memory = uses_memory(events + i) ? norn_graph_memory(graph, i) : 0;
		if (events[memory].kind == NORN_EVENT_FREE)
			add_use(&uses, memory, 0, i);
	}
	try_uses(&uses, attempt_runner);
}

/* ---- memory that was allocated again ---- */

/* Is this what code with hooks asked for, so that its address can be known by events alone? */
static bool is_asked_for(const struct norn_graph *graph, const struct norn_graph_event *e)
{
	struct norn_graph_site site;
	if (e->kind != NORN_EVENT_ALLOC || e->op > NORN_ALLOC_ALIGNED)
		return false;
	norn_graph_site(graph, e->site, &site);
	return site.kind == NORN_SITE_CALL && site.name &&
	       (strstr(site.name, "alloc") || strstr(site.name, "memalign") || strncmp(site.name, "_Zn", 3) == 0);
}

/* The free of what had the memory of this use before it was allocated; 0: none. */
static uint32_t freed_before(
        const struct norn_graph *graph, const struct norn_graph_event *alloc, const struct norn_graph_event *use)
{
	const uint32_t *before;
	uint32_t count = norn_graph_list(graph, &alloc->link, &before);
	for (uint32_t i = 0; i < count; i++) {
		const struct norn_graph_event *e = norn_graph_event(graph, before[i]);
		if (e->kind == NORN_EVENT_FREE && e->life && e->addr < use->addr + use->size && use->addr < e->addr + e->size)
			return before[i];
	}
	return 0;
}

static void find_stale(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	struct block_uses uses = {.graph = graph};
	norn_map_init(&uses.pairs, sizeof(struct tried));
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++) {
		uint32_t alloc = uses_memory(events + i) && events[i].kind != NORN_EVENT_SYNC ? events[i].life : 0;
		if (events[alloc].kind == NORN_EVENT_FREE)
			alloc = events[alloc].life; /* freed once more, too */
		if (alloc <= norn_graph_carried(graph) || events[alloc].thread == events[i].thread ||
		        !is_asked_for(graph, events + alloc))
			continue;
		uint32_t freed = freed_before(graph, events + alloc, events + i);
		if (freed)
			add_use(&uses, freed, alloc, i);
	}
	try_uses(&uses, attempt_runner);
}

/* ---- memory that was freed twice ---- */

/* The first of two frees, by the second: what it would free, had the first not come. */
static uint32_t freed_twice(const struct norn_graph *graph, uint32_t second)
{
	const struct norn_graph_event *e = norn_graph_event(graph, second);
	bool again = e->kind == NORN_EVENT_FREE && !(e->flags & NORN_GRAPH_PIECE) && e->life > norn_graph_carried(graph) &&
	             norn_graph_event(graph, e->life)->kind == NORN_EVENT_FREE;
	return again ? norn_graph_event(graph, e->life)->life : 0;
}

/* The second free may as well be the one that others use the memory after: then the first has not come. */
static void find_after_second(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	struct block_uses uses = {.graph = graph};
	struct norn_map seconds; /* allocation → its second free */
	norn_map_init(&uses.pairs, sizeof(struct tried));
	norn_map_init(&seconds, sizeof(uint32_t));
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++)
		if (freed_twice(graph, i))
			*(uint32_t *)norn_must_map_put(&seconds, freed_twice(graph, i)) = i;
	for (uint32_t i = 1; i <= norn_graph_count(graph) && seconds.count; i++) {
		uint32_t memory = events[i].kind != NORN_EVENT_FREE && uses_memory(events + i) ? norn_graph_memory(graph, i) : 0;
		uint32_t alloc = events[memory].kind == NORN_EVENT_FREE ? events[memory].life : memory;
		const uint32_t *second = alloc ? norn_map_get(&seconds, alloc) : NULL;
		if (!second || events[i].thread == events[*second].thread)
			continue;
		struct norn_attempt attempt = {.stops = {*second, i}, .count = 2, .reused = events[*second].life};
		if (wanted(&uses, *second, i, attempt.reused, &attempt))
			norn_must_push(&uses.attempts, attempt);
	}
	norn_map_done(&seconds);
	try_uses(&uses, attempt_runner);
}

void norn_freed_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph)
{
	find_observed(attempt_runner, graph);
	find_stale(attempt_runner, graph);
	find_after_second(attempt_runner, graph);
}
