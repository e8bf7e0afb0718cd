/* The nodes of a level, unpacked, for a caller that wants to see them. */
#ifndef NORN_LATTICE_NODE_VIEW_H
#define NORN_LATTICE_NODE_VIEW_H

#include "lattice/level_merge.h"

struct norn_node_view {
	const struct norn_search *search;
	uint32_t threads; /* of the lattice */
	const uint32_t *base; /* by thread: events that all cuts have, for threads outside the window */
	void (*visit)(void *context, const struct norn_lattice_node *node);
	void *context;
};

void norn_level_visit(const struct norn_node_view *view, const struct norn_level *level, uint64_t number);

#endif
