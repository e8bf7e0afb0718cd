/* The engine under test, as something that makes claims. */
#ifndef NORN_ORACLE_ENGINE_H
#define NORN_ORACLE_ENGINE_H

#include "causality/dependence_graph.h"
#include "sliced/schedule.h"
#include "witness/sliced_witness.h"

/* predicted: where the claim comes from, NULL if from a bare closure. */
typedef void engine_claim(void *context, const struct norn_sliced_claim *claim, const struct norn_predicted *predicted);

struct engine_options {
	unsigned without; /* rules of closure.h that are switched off */
	uint32_t atomic_site; /* ENTER of a function that is meant to be atomic, 0: none */
	unsigned effort;
	bool infer; /* broken atomicity of guessed blocks, and nothing else */
};

/* What norn reports. */
int engine_builtin(const struct norn_graph *graph, const struct engine_options *options, engine_claim *claim, void *context);
/* The closure of every candidate, whatever an engine's filters would say; without: rules of closure.h that are switched off. */
int engine_closures(const struct norn_graph *graph, unsigned without, engine_claim *claim, void *context);

#endif
