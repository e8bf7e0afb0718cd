/* Judgements of pairs of places: two code positions at which two threads accessed the same bytes, at least one of them to
 * write. Asked for by norn_builtin_options.judged, and noted by the searches for races themselves as they go (conflict.h, race.h,
 * memory_order.h), so that what is told of a pair is what was done about it.
 *
 * Each meeting of a pair is counted once: as one that needs no search, by what it needs none for, or as a candidate. */
#ifndef NORN_ERRORS_JUDGED_PLACES_H
#define NORN_ERRORS_JUDGED_PLACES_H

#include "base/map.h"
#include "base/vector.h"
#include "causality/dependence_graph.h"
#include "finding/judged_pairs.h"

struct norn_judged_pair_of_places {
	uint32_t place, other; /* norn_graph_place of both, the lower one first; other UINT32_MAX: all that came later */
	uint32_t first, second; /* events: one of its meetings; second 0: none */
	uint64_t atomic, locked, joined,
	        candidates; /* meetings: both atomic; under a common lock; ordered by forks and joins; others */
	uint16_t limits; /* a bit for each enum norn_builtin_limit by which something of it was left untried */
	bool found; /* one of its candidates became a prediction */
	bool inexact; /* a rule that orders more than the law asks stood in the way of one */
	bool barred; /* only what comes after all before it stood in the way of one */
};

struct norn_judged_places {
	NORN_VECTOR(struct norn_judged_pair_of_places) pairs;
	struct norn_map by_places; /* → 1 + number of a pair */
};

void norn_judged_places_init(struct norn_judged_places *judged);
void norn_judged_places_done(struct norn_judged_places *judged);

/* The pair of the places of these events, which is added if it is not there; second 0: of the first with all that come later. Lives
 * until the next one is added. */
struct norn_judged_pair_of_places *norn_judged_places_get(
        struct norn_judged_places *judged, const struct norn_graph *graph, uint32_t first, uint32_t second);
/* The same by places; NULL: it is not there. */
struct norn_judged_pair_of_places *norn_judged_places_find(struct norn_judged_places *judged, uint32_t place, uint32_t other);

/* The pair as it is told, with the finding of its places: NULL, if it has none. observed: what is not in the observed order was not
 * asked for. */
void norn_judged_places_tell(const struct norn_judged_pair_of_places *pair, const struct norn_finding *finding, bool observed,
        const struct norn_trace *trace, const struct norn_graph *graph, struct norn_findings *findings);

#endif
