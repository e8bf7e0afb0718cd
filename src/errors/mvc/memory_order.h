/* Races that only memory orders leave (S20): in the recorded run itself happens-before does not order two conflicting accesses, one
 * of them at least plain, though they came one after the other, by way of atomic accesses that would order them if all were
 * sequentially consistent. The run up to the second access is the witness.
 *
 * Pairs that atomics would not order, whatever their order, are left to the search for both accesses at once (race.h): what races
 * may decide whether they happen (C6). */
#ifndef NORN_ERRORS_MEMORY_ORDER_H
#define NORN_ERRORS_MEMORY_ORDER_H

#include "errors/builtin_search.h"

/* Does nothing order first, which was observed before second, by C11, and only memory orders are missing? Tells which. */
bool norn_memory_order_missing(
        const struct norn_graph *graph, uint32_t first, uint32_t second, struct norn_missing_order *ret_missing);
/* Makes the prediction of such a pair. */
void norn_memory_order_add(const struct norn_graph *graph, uint32_t first, uint32_t second,
        const struct norn_missing_order *missing, struct norn_predictions *predictions);

/* All of a graph, on that memory alone if only is not NULL, but for pairs of code positions that are predicted already. */
void norn_memory_order_find(const struct norn_graph *graph, struct norn_judged_places *judged, const struct norn_named_memory *only,
        struct norn_predictions *predictions);

#endif
