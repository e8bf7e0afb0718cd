/* Accesses of memory that happens-before (causality/happens_before.h) does not order, found while the run is gone through, as
 * FastTrack does.
 *
 * Of each byte the latest write is known and the latest read of each thread, but for those that a later access which they precede
 * stands for: an access that is not ordered with an earlier one of these is not ordered with that, either. Pairs of accesses of
 * common bytes, one of them at least a write and not both atomic, and of a use and the free of its memory, are told as they are
 * found. Memory that is allocated is another one then. Bytes of objects of synchronization never make a pair.
 *
 * A pair is no error yet: what raced earlier may decide whether both can happen at once. Memory: 32 bytes per word in blocks of 256
 * words that were accessed, 16 for each further thread that only read a word. Not thread-safe. */
#ifndef NORN_ERRORS_HB_RACES_H
#define NORN_ERRORS_HB_RACES_H

#include "causality/dependence_graph.h"

struct norn_hb_races_pair {
	uint64_t first, second; /* numbers of events */
	uint32_t site, other; /* their sites */
	bool frees; /* the second is a free */
};

struct norn_hb_races;

/* found: called for each pair; what it returns, if not 0, norn_hb_races_event does. */
typedef int norn_hb_races_found(void *context, const struct norn_hb_races_pair *pair);

/* lookup: what is known of sites, asked once for each; NULL: there are no atomic accesses. */
struct norn_hb_races *norn_hb_races_new(norn_graph_lookup *lookup, void *sites, norn_hb_races_found *found, void *context);
void norn_hb_races_free(struct norn_hb_races *races);

/* The next event of the run; numbers ascend from 1. 0, or -EOVERFLOW: too many threads. */
int norn_hb_races_event(struct norn_hb_races *races, const struct norn_event *event, uint64_t number);
/* The event will come soon, and memory is slow: some events later expect_more is to be called with what this returns, and some
 * events after that again. */
const void *norn_hb_races_expect(struct norn_hb_races *races, const struct norn_event *event);
void norn_hb_races_expect_more(struct norn_hb_races *races, const void *expected, uint32_t thread, bool again);

uint64_t norn_hb_races_bytes(const struct norn_hb_races *races); /* allocated */

#endif
