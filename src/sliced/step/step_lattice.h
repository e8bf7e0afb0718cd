/* The exploration of a model (step_model.h): all orders of its steps at once, level by level, as the lattice does (lattice.h), but
 * under sliced causality, where a cut alone does not determine what can happen next. A node is a cut, the contents of byte groups
 * that are still to be read, the holders of locks, the valuation of the property's variables, and the monitor's belief.
 *
 * Where a level gets wider than the beam, the nodes nearest to the observed order are kept, and the result is not complete. If a
 * node is looked for, half of the limit is for levels that are wider, as long as it lasts.
 * Memory: two levels of nodes, and 8 bytes for each node of any level, for the way to it. */
#ifndef NORN_SLICED_STEP_LATTICE_H
#define NORN_SLICED_STEP_LATTICE_H

#include "sliced/step/step_model.h"

enum norn_step_lattice_answer { NORN_STEP_LATTICE_ON, NORN_STEP_LATTICE_STOP, NORN_STEP_LATTICE_FOUND };

struct norn_step_lattice_options {
	uint64_t max_nodes, max_memory; /* 0: no limit */
	uint32_t beam; /* nodes of a level; 0: as many as max_nodes and the number of steps suggest */
	uint32_t world, belief; /* at the start */
	void *context;
	/* A relevant event happens: the world and belief after it, and whether that is what was looked for, or nothing can come of
	 * it any more. */
	enum norn_step_lattice_answer (*happens)(void *context, uint32_t relevant, uint32_t *world, uint32_t *belief);
	bool (*reached)(void *context, const uint32_t *node); /* is the node what was looked for? NULL: none is */
};

struct norn_step_lattice_result {
	bool found, complete;
	uint64_t nodes;
	uint32_t *threads; /* found: whose step is made, one after the other; the last is, or leads to, what was found */
	uint32_t length;
	size_t memory;
};

/* The events of the run that was found, after those of the base, in their order: those of each step, but for what may happen or
 * not. list has room for all of the part. Returns how many they are. */
uint32_t norn_step_lattice_events(const struct norn_step_model *model, const struct norn_graph *graph,
        const struct norn_step_lattice_result *result, uint32_t *list);

/* The caller frees result.threads. */
struct norn_step_lattice_result norn_step_lattice(
        const struct norn_step_model *model, const struct norn_step_lattice_options *options);

#endif
