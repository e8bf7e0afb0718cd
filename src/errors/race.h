/* Data races, and uses after free: of each conflict (conflict.h), can both events come next at once? A race is that; memory that
 * can be freed while another thread is about to use it is used after the free. */
#ifndef NORN_ERRORS_RACE_H
#define NORN_ERRORS_RACE_H

#include "sliced/attempts.h"

void norn_races_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph,
        const struct norn_builtin_options *options, struct norn_predictions *predictions);
/* The same of one given pair: second comes later, and frees what first uses if frees. True: a prediction was made. */
bool norn_races_try(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, uint32_t first, uint32_t second, bool frees);

#endif
