/* Predictions that the checker of witnesses (sliced_witness.h) agrees to. */
#ifndef NORN_WITNESS_CHECK_WITNESSES_H
#define NORN_WITNESS_CHECK_WITNESSES_H

#include "errors/builtin_search.h"

/* Drops the others, and adds their number to *refused: they are Norn's own errors. */
void norn_check_witnesses(const struct norn_graph *graph, struct norn_predictions *predictions, uint64_t *refused);

#endif
