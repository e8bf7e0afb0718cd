/* The exploration of a plan (step_model.h): all orders of its steps at once, level by level, as the lattice does (lattice.h), but
 * under sliced causality, where a cut alone does not determine what can happen next. A node is a cut, the contents of byte groups
 * that are still to be read, who holds which lock, the valuation of the property's variables, and the monitor's belief.
 *
 * Where a level gets wider than the beam, the nodes nearest to the observed order are fixed, and the result is not complete.
 * Memory: two levels of nodes, and 8 bytes for each node of any level, for the way to it. */
#ifndef NORN_SLICED_STEP_LATTICE_H
#define NORN_SLICED_STEP_LATTICE_H

#include "sliced/step_model.h"

enum norn_step_lattice_result { NORN_STEP_LATTICE_RESULT_ON, NORN_STEP_LATTICE_RESULT_STOP, NORN_STEP_LATTICE_RESULT_FOUND };

struct norn_step_lattice_options {
	uint64_t max_nodes, max_memory; /* 0: no limit */
	uint32_t beam; /* nodes of a level; 0: as many as max_nodes and the number of steps suggest */
	uint32_t world, belief; /* at the start */
	void *context;
	/* A relevant event happens: the world and belief after it, and whether that is what was looked for, or nothing can come of
	 * it any more. 0 or -errno. */
	int (*happens)(
	        void *context, uint32_t relevant, uint32_t *world, uint32_t *belief, enum norn_step_lattice_result *ret_what);
};

struct norn_step_lattice_result_result {
	bool found, complete;
	uint64_t nodes;
	uint32_t *threads; /* found: whose step is made, one after the other; the last one is the relevant event that was found */
	uint32_t length;
	size_t memory;
};

/* 0, -ENOMEM, or what happens returned. The caller frees result.threads. */
int norn_step_lattice(const struct norn_step_model *plan, const struct norn_step_lattice_options *options,
        struct norn_step_lattice_result_result *ret_result);

#endif
