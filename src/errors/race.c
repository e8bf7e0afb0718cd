#include "errors/race.h"

#include <stdlib.h>

#include "base/must.h"
#include "errors/conflict.h"
#include "errors/freed.h"
#include "errors/judged_places.h"
#include "errors/returned.h"

/* These grow with the effort. */
#define TRIES 512u
#define LOOK_BACK 64u

struct races {
	const struct norn_graph *graph;
	const struct norn_conflicts *conflicts;
	struct norn_judged_places *judged; /* NULL: not asked */
};

/* The judgement of this pair; NULL: not asked for. */
static struct norn_judged_pair_of_places *judged_of(const struct races *races, uint32_t pair)
{
	const struct norn_conflict_pair *p = races->conflicts->pairs.items + pair;
	return races->judged && !p->frees ? norn_judged_places_find(races->judged, p->place, p->other) : NULL;
}

/* Notes the outcome of these attempts in the judgements of their pairs. */
static void judge_attempts(const struct races *races, const struct norn_attempt *attempts, uint32_t count, const bool *found)
{
	for (uint32_t i = 0; i < count; i++) {
		struct norn_judged_pair_of_places *pair = judged_of(races, attempts[i].group);
		if (!pair || found[attempts[i].group])
			continue;
		pair->limits |= attempts[i].given_up;
		/* An access that must see what it saw is tried in some orders only (find_quests). */
		pair->inexact |= attempts[i].inexact || attempts[i].sees;
		pair->barred |= attempts[i].barred;
	}
}

/* Pairs that met more often than was tried, none with success. */
static void judge_pairs(const struct races *races, const bool *found)
{
	for (uint32_t i = 0; i < races->conflicts->pairs.count; i++) {
		struct norn_judged_pair_of_places *pair = judged_of(races, i);
		if (!pair)
			continue;
		pair->found = found[i];
		if (!found[i] && races->conflicts->pairs.items[i].left_out)
			pair->limits |= 1u << NORN_LIMIT_MEETINGS;
	}
}

static void fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted)
{
	const struct races *races = context;
	const struct norn_conflict_pair *pair = races->conflicts->pairs.items + attempt->group;
	predicted->kind = pair->frees ? NORN_PREDICTED_USE_AFTER_FREE : NORN_PREDICTED_RACE;
	predicted->pairs = pair->seen - pair->counted;
	predicted->first = attempt->includes[1];
	uint32_t other = attempt->count == 1 ? attempt->includes[1] : attempt->stops[1];
	if (pair->frees)
		norn_conflict_freed_bytes(races->graph, other, attempt->stops[0], &predicted->addr, &predicted->size);
	else
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
	bool frees = conflicts->pairs.items[conflict->pair].frees;
	attempt.stops[attempt.count++] = frees ? conflict->second : conflict->first;
	attempt.stops[attempt.count++] = frees ? conflict->first : conflict->second;
	if (!frees && !norn_conflict_writes(graph, conflict->first) && !norn_conflict_writes(graph, conflict->second))
		attempt.sees =
		        norn_graph_event(graph, conflict->first)->kind == NORN_EVENT_RMW ? conflict->first : conflict->second;
	return attempt;
}

enum which { UNORDERED, EARLY, LATE };

static bool is_one(const struct norn_conflict *conflict, enum which which)
{
	return which == UNORDERED ? conflict->unordered : conflict->sampled && conflict->late == (which == LATE);
}

static void try_some(struct norn_attempt_runner *attempt_runner, struct races *races, enum which which,
        __typeof__(norn_attempt_runner_try) *try, bool *found)
{
	const struct norn_conflicts *c = races->conflicts;
	struct norn_attempt *attempts = norn_must_alloc(c->list.count, sizeof *attempts);
	uint32_t count = 0;
	for (uint32_t i = 0; i < c->list.count; i++)
		if (is_one(c->list.items + i, which) && !found[c->list.items[i].pair]) {
			attempts[count] = attempt_of(races->graph, c, c->list.items + i);
			attempts[count++].tried = which != UNORDERED && c->list.items[i].unordered;
		}
	if (count)
		try(attempt_runner, attempts, count, found, fill, races);
	if (races->judged)
		judge_attempts(races, attempts, count, found);
	free(attempts);
}

/* First what the observed order itself shows, without exception (C6), then other orders. */
static void try_conflicts(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph,
        const struct norn_conflict_options *options, struct norn_conflicts *conflicts)
{
	struct races races = {graph, conflicts, options->judged};
	bool *found = norn_must_calloc(conflicts->pairs.count + UINT64_C(1), sizeof *found);
	try_some(attempt_runner, &races, UNORDERED, norn_attempt_runner_try_observed, found);
	__typeof__(conflicts->list) first = conflicts->list;
	conflicts->list = (__typeof__(first)){0};
	while (norn_conflicts_more(graph, options, found, conflicts))
		try_some(attempt_runner, &races, UNORDERED, norn_attempt_runner_try_observed, found);
	norn_vector_done(&conflicts->list);
	conflicts->list = first;
	try_some(attempt_runner, &races, EARLY, norn_attempt_runner_try, found);
	try_some(attempt_runner, &races, LATE, norn_attempt_runner_try, found);
	try_some(attempt_runner, &races, EARLY, norn_attempt_runner_suspect, found);
	for (uint32_t i = 0; i < conflicts->pairs.count; i++)
		norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_MEETINGS] +=
		        conflicts->pairs.items[i].left_out && !found[i];
	if (races.judged)
		judge_pairs(&races, found);
	free(found);
}

bool norn_races_try(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, uint32_t first, uint32_t second, bool frees)
{
	const struct norn_graph_event *f = norn_graph_event(graph, second);
	if (frees && (!f->life || norn_graph_event(graph, f->life)->kind == NORN_EVENT_FREE ||
	                     norn_graph_memory(graph, first) != f->life))
		return false;
	struct norn_conflict_pair pair = {.frees = frees, .seen = 1};
	struct norn_conflict conflict = {.first = first, .second = second};
	const struct norn_conflicts conflicts = {.list = {&conflict, 1, 1}, .pairs = {&pair, 1, 1}};
	struct races races = {graph, &conflicts, NULL};
	struct norn_attempt attempt = attempt_of(graph, &conflicts, &conflict);
	bool found = false;
	norn_attempt_runner_try(attempt_runner, &attempt, 1, &found, fill, &races);
	if (!found)
		norn_attempt_runner_suspect(attempt_runner, &attempt, 1, &found, fill, &races);
	return found;
}

static bool same_free(const struct norn_predicted *a, const struct norn_predicted *b)
{
	return a->kind == NORN_PREDICTED_USE_AFTER_FREE && b->kind == a->kind && a->stop_count == b->stop_count &&
	       (a->stop_count == 1 ? a->first == b->first : a->stops[0] == b->stops[0]);
}

/* The release of a lock whose acquire is after the same free adds nothing. */
static bool is_rest(const struct norn_graph *graph, const struct norn_predictions *p, const struct norn_predicted *one)
{
	const struct norn_graph_event *use = norn_graph_event(graph, one->stops[one->stop_count - 1]);
	bool releases = use->kind == NORN_EVENT_SYNC && (use->op == NORN_SYNC_RELEASE || use->op == NORN_SYNC_RELEASE_SHARED);
	for (uint32_t i = 0; i < p->count && releases; i++)
		if (same_free(one, p->list + i) && p->list[i].stops[one->stop_count - 1] == use->link)
			return true;
	return false;
}

static void drop_rest(const struct norn_graph *graph, struct norn_predictions *p)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < p->count; i++)
		if (!is_rest(graph, p, p->list + i))
			p->list[kept++] = p->list[i];
	p->count = kept;
}

void norn_races_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph,
        const struct norn_builtin_options *options, struct norn_predictions *predictions)
{
	struct norn_conflict_options wanted = {
	        .races = options->what & NORN_BUILTIN_RACE,
	        .frees = options->what & NORN_BUILTIN_FREE,
	        .guarded = options->guarded,
	        .seen = options->seen,
	        .tries = options->tries ? options->tries : (unsigned)norn_builtin_bound(options, TRIES),
	        .look_back = (uint32_t)norn_builtin_bound(options, LOOK_BACK),
	        .order = norn_attempt_runner_order(attempt_runner),
	        .only = options->only,
	        .judged = options->judged,
	};
	struct norn_conflicts conflicts;
	norn_conflicts_find(graph, &wanted, &conflicts);
	norn_attempt_runner_stats(attempt_runner)->limits[NORN_LIMIT_ACCESSES] += conflicts.forgotten;
	try_conflicts(attempt_runner, graph, &wanted, &conflicts);
	norn_conflicts_done(&conflicts);
	if (options->what & NORN_BUILTIN_FREE && options->guarded) {
		norn_freed_find(attempt_runner, graph);
		norn_returned_find(attempt_runner, graph);
	}
	drop_rest(graph, predictions);
}
