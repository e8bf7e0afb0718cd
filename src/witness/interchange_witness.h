/* The checker of runs in which threads have changed places (docs/prediction.md, R23), from the definition. */
#ifndef NORN_WITNESS_INTERCHANGE_WITNESS_H
#define NORN_WITNESS_INTERCHANGE_WITNESS_H

#include "causality/dependence_graph.h"

/* other: a run made of the events of a recorded one, recorded[e] is which one e is. Is it a run of the program, as far as it goes:
 * does each thread of the recorded run do what it did, in its order, and does another one go on for a thread only where both are
 * in the same state? */
bool norn_interchange_check(const struct norn_graph *graph, const struct norn_graph *other, const uint32_t *recorded);

#endif
