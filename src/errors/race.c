#include "errors/race.h"

#include <stdlib.h>

#include "base/must.h"
#include "errors/conflict.h"

/* These grow with the effort. */
#define TRIES 512u
#define LOOK_BACK 64u

struct races {
	const struct norn_graph *graph;
	const struct norn_conflicts *conflicts;
};

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct races *races = context;
	const struct norn_conflict_pair *pair = races->conflicts->pairs + attempt->group;
	predicted->kind = pair->frees ? NORN_PREDICTED_USE_AFTER_FREE : NORN_PREDICTED_RACE;
	predicted->pairs = pair->seen - pair->counted;
	predicted->first = attempt->includes[1];
	uint32_t other = attempt->count == 1 ? attempt->includes[1] : attempt->stops[1];
	norn_conflict_bytes(races->graph, attempt->stops[0], other, &predicted->addr, &predicted->size);
}

/* A free comes before the use that it was observed after. */
static struct norn_attempt attempt_of(
        const struct norn_graph *graph, const struct norn_conflicts *conflicts, const struct norn_conflict *conflict)
{
	struct norn_attempt attempt = {.group = conflict->pair};
	if (conflict->guarded) {
		attempt.stops[attempt.count++] = conflict->first;
		attempt.includes[1] = conflict->second;
		attempt.open_last_only = true;
		return attempt;
	}
	bool frees = conflicts->pairs[conflict->pair].frees;
	attempt.stops[attempt.count++] = frees ? conflict->second : conflict->first;
	attempt.stops[attempt.count++] = frees ? conflict->first : conflict->second;
	if (!frees && !norn_conflict_writes(graph, conflict->first) && !norn_conflict_writes(graph, conflict->second))
		attempt.sees =
		        norn_graph_event(graph, conflict->first)->kind == NORN_EVENT_RMW ? conflict->first : conflict->second;
	return attempt;
}

/* Those that are late, or those that are not. attempts: room for all. */
static void try_some(struct norn_attempt_runner *attempt_runner, struct races *races, bool late,
        __typeof__(norn_attempt_runner_try) *try, struct norn_attempt *attempts, bool *found)
{
	const struct norn_conflicts *c = races->conflicts;
	uint32_t count = 0;
	for (uint32_t i = 0; i < c->count; i++)
		if (c->list[i].late == late && !found[c->list[i].pair])
			attempts[count++] = attempt_of(races->graph, c, c->list + i);
	if (count)
		try(attempt_runner, attempts, count, found, fill, races);
}

static void try_conflicts(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_conflicts *conflicts)
{
	struct races races = {graph, conflicts};
	struct norn_attempt *attempts = norn_must_alloc(conflicts->count, sizeof *attempts);
	bool *found = norn_must_calloc(conflicts->pair_count + UINT64_C(1), sizeof *found);
	try_some(attempt_runner, &races, false, norn_attempt_runner_try, attempts, found);
	try_some(attempt_runner, &races, true, norn_attempt_runner_try, attempts, found);
	try_some(attempt_runner, &races, false, norn_attempt_runner_suspect, attempts, found);
	for (uint32_t i = 0; i < conflicts->pair_count; i++)
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_MEETINGS] += conflicts->pairs[i].left_out && !found[i];
	free(attempts);
	free(found);
}

bool norn_races_try(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, uint32_t first, uint32_t second, bool frees)
{
	struct norn_conflict_pair pair = {.frees = frees, .seen = 1};
	struct norn_conflict conflict = {.first = first, .second = second};
	const struct norn_conflicts conflicts = {.list = &conflict, .count = 1, .pairs = &pair, .pair_count = 1};
	struct races races = {graph, &conflicts};
	struct norn_attempt attempt = attempt_of(graph, &conflicts, &conflict);
	bool found = false;
	norn_attempt_runner_try(attempt_runner, &attempt, 1, &found, fill, &races);
	if (!found)
		norn_attempt_runner_suspect(attempt_runner, &attempt, 1, &found, fill, &races);
	return found;
}

/* ---- what was seen ---- */

static bool uses_memory(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW ||
	       (e->kind == NORN_EVENT_FREE && !(e->flags & NORN_GRAPH_PIECE));
}

static void fill_observed(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct norn_graph *graph = context;
	const struct norn_graph_event *use = norn_graph_event(graph, attempt->stops[0]);
	predicted->kind = use->kind == NORN_EVENT_FREE ? NORN_PREDICTED_DOUBLE_FREE : NORN_PREDICTED_USE_AFTER_FREE;
	predicted->first = attempt->includes[1];
	predicted->pairs = 1;
	predicted->addr = use->addr;
	predicted->size = use->size;
}

struct seen {
	struct norn_map pairs; /* of code positions */
	NORN_VECTOR(struct norn_attempt) attempts;
};

static void see(struct seen *seen, const struct norn_graph *graph, uint32_t use)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	uint32_t life = events[use].life;
	uint64_t places = (uint64_t)norn_graph_place(graph, events[life].site) << 32 | norn_graph_place(graph, events[use].site);
	if (norn_map_get(&seen->pairs, places))
		return;
	norn_must_map_put(&seen->pairs, places);
	uint32_t group = seen->attempts.count; /* not within norn_must_push, which changes it */
	norn_must_push(&seen->attempts, (struct norn_attempt){.stops = {use}, .count = 1, .includes = {0, life}, .group = group});
}

/* Memory that was used or freed after it had been freed, in the recorded run. */
static void find_observed(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph)
{
	const struct norn_graph_event *events = norn_graph_events(graph);
	struct seen seen = {0};
	norn_map_init(&seen.pairs, 1);
	for (uint32_t i = 1; i <= norn_graph_count(graph); i++)
		if (uses_memory(events + i) && events[i].life && events[events[i].life].kind == NORN_EVENT_FREE)
			see(&seen, graph, i);
	bool *found = norn_must_calloc(seen.attempts.count, sizeof *found);
	if (seen.attempts.count)
		norn_attempt_runner_try(
		        attempt_runner, seen.attempts.items, seen.attempts.count, found, fill_observed, (void *)(uintptr_t)graph);
	free(found);
	norn_vector_done(&seen.attempts);
	norn_map_done(&seen.pairs);
}

int norn_races_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options)
{
	struct norn_conflict_options wanted = {
	        .races = options->what & NORN_BUILTIN_RACE,
	        .frees = options->what & NORN_BUILTIN_FREE,
	        .guarded = options->guarded,
	        .seen = options->seen,
	        .tries = options->tries ? options->tries : (unsigned)norn_builtin_bound(options, TRIES),
	        .look_back = (uint32_t)norn_builtin_bound(options, LOOK_BACK),
	        .order = norn_attempt_runner_order(attempt_runner),
	};
	struct norn_conflicts conflicts;
	int r = norn_conflicts_find(graph, &wanted, &conflicts);
	if (r < 0)
		return r;
	norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_ACCESSES] += conflicts.forgotten;
	try_conflicts(attempt_runner, graph, &conflicts);
	norn_conflicts_done(&conflicts);
	if (options->what & NORN_BUILTIN_FREE && options->guarded)
		find_observed(attempt_runner, graph);
	return 0;
}
