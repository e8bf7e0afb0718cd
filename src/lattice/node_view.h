/* Shows a level's nodes to someone, as struct norn_lattice_node has them. */
#ifndef NORN_LATTICE_NODE_VIEW_H
#define NORN_LATTICE_NODE_VIEW_H

#include "lattice/level_merge.h"

int norn_level_visit(const struct norn_search *search, const struct norn_level *level, uint64_t number,
        void (*visit)(void *context, const struct norn_lattice_node *node), void *context);

#endif
