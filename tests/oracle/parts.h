/* The engines on part of a recording, as something that makes claims: from the middle of it on (causality/prefix_state.h), and by
 * happens-before. */
#ifndef NORN_ORACLE_PARTS_H
#define NORN_ORACLE_PARTS_H

#include <stdio.h>

#include "engine.h"
#include "record.h"

/* What norn reports of the events after the first so many. Claims are in the numbers of the whole recording, and the checker has
 * taken them on the part. -EINVAL: it refused one. */
int parts_window(const struct recording *recording, uint32_t before, norn_graph_lookup *lookup, void *sites,
        const struct engine_options *options, engine_claim *claim, void *context);
/* What norn reports under mvc. */
int parts_mvc(const struct recording *recording, norn_graph_lookup *lookup, void *sites, const struct norn_graph *graph,
        engine_claim *claim, void *context);

#endif
