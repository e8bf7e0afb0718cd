#include "errors/judged_places.h"

#include <string.h>

#include "base/must.h"
#include "errors/builtin_search.h"

void norn_judged_places_init(struct norn_judged_places *judged)
{
	*judged = (struct norn_judged_places){0};
	norn_map_init(&judged->by_places, sizeof(uint32_t));
}

void norn_judged_places_done(struct norn_judged_places *judged)
{
	norn_vector_done(&judged->pairs);
	norn_map_done(&judged->by_places);
}

static uint64_t key_of(uint32_t place, uint32_t other)
{
	return place < other ? (uint64_t)place << 32 | other : (uint64_t)other << 32 | place;
}

struct norn_judged_pair_of_places *norn_judged_places_find(struct norn_judged_places *judged, uint32_t place, uint32_t other)
{
	const uint32_t *number = norn_map_get(&judged->by_places, key_of(place, other));
	return number ? judged->pairs.items + *number - 1 : NULL;
}

struct norn_judged_pair_of_places *norn_judged_places_get(
        struct norn_judged_places *judged, const struct norn_graph *graph, uint32_t first, uint32_t second)
{
	uint32_t a = norn_graph_place(graph, norn_graph_event(graph, first)->site);
	uint32_t b = second ? norn_graph_place(graph, norn_graph_event(graph, second)->site) : UINT32_MAX;
	uint32_t *number = norn_must_map_put(&judged->by_places, key_of(a, b));
	if (*number == 0) {
		norn_must_push(
		        &judged->pairs, (struct norn_judged_pair_of_places){
		                                .place = a < b ? a : b, .other = a < b ? b : a, .first = first, .second = second});
		*number = judged->pairs.count;
	}
	return judged->pairs.items + *number - 1;
}

/* The reason for which something of the pair was left unjudged; NONE: there is none. */
static enum norn_pair_reason unjudged_reason(
        const struct norn_judged_pair_of_places *pair, const struct norn_finding *finding, bool observed)
{
	const uint16_t sampled = 1u << NORN_LIMIT_MEETINGS, forgotten = 1u << NORN_LIMIT_ACCESSES;
	if (finding || pair->barred)
		return NORN_PAIR_CALL; /* the finding is only suspected */
	if (pair->found)
		return observed ? NORN_PAIR_NOT_ASKED : NORN_PAIR_REFUSED;
	if (pair->limits & ~(sampled | forgotten))
		return NORN_PAIR_GIVEN_UP;
	if (pair->limits)
		return pair->limits & forgotten ? NORN_PAIR_FORGOTTEN : NORN_PAIR_SAMPLED;
	return pair->inexact ? NORN_PAIR_ORDER : NORN_PAIR_NONE;
}

/* The strongest proof that any of its meetings needed: a pair that was searched for is not shown as proved by a lock. */
static enum norn_pair_reason proved_reason(const struct norn_judged_pair_of_places *pair)
{
	return pair->candidates ? NORN_PAIR_SEARCHED
	       : pair->joined   ? NORN_PAIR_FORK_JOIN
	       : pair->locked   ? NORN_PAIR_LOCK
	                        : NORN_PAIR_ATOMIC;
}

void norn_judged_places_tell(const struct norn_judged_pair_of_places *pair, const struct norn_finding *finding, bool observed,
        const struct norn_trace *trace, const struct norn_graph *graph, struct norn_findings *findings)
{
	const uint32_t events[] = {pair->first, pair->second};
	struct norn_judged_pair told = {.meetings = pair->atomic + pair->locked + pair->joined + pair->candidates};
	norn_judged_pair_name(trace, graph, events, findings, &told);
	bool suspected = finding && strcmp(finding->status, "suspected") == 0;
	told.finding = finding ? finding->id : "";
	told.reason = finding && !suspected ? NORN_PAIR_FINDING : unjudged_reason(pair, finding, observed);
	if (told.reason == NORN_PAIR_NONE)
		told.reason = proved_reason(pair);
	norn_judged_pairs_add(findings, &told);
}
