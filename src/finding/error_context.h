/* The scene of a built-in error: names, stacks and locks of a recorded run, looked up by the numbers of events
 * (causality/dependence_graph.h).
 *
 * The inside of error_findings.h; no other room includes this. All texts are in the findings' arena. */
#ifndef NORN_FINDING_ERROR_CONTEXT_H
#define NORN_FINDING_ERROR_CONTEXT_H

#include "base/map.h"
#include "finding/error_findings.h"

#define NORN_LOCK_LABELS_MAX 16u
#define NORN_RECENT_EVENTS 2u /* events of a thread before a schedule leaves the observed order */

struct norn_error_context {
	struct norn_trace *trace;
	const struct norn_graph *graph;
	struct norn_findings *findings;
	bool imported; /* from RAPID's text: locks are named by their sites' names */
	struct norn_map opened; /* number of an event to uint32_t: the ENTER that it is in, 0: none */
	struct norn_map locks; /* address to uint32_t: a site that names the lock */
	/* Locks of the finding that is being described which others are called like: address and number. */
	struct {
		uint64_t addr;
		unsigned number;
	} labels[NORN_LOCK_LABELS_MAX];
	unsigned label_count;
	struct norn_map
	        recent; /* base << 32 | thread to uint32_t[NORN_RECENT_EVENTS]: its last events that matter, the latest first */
};

/* Goes through the run. */
void norn_error_context_init(struct norn_error_context *scene, struct norn_trace *trace, const struct norn_graph *graph,
        const struct norn_predicted *predicted, uint32_t count, struct norn_findings *findings);
void norn_error_context_done(struct norn_error_context *scene);

/* An event as people read it. value: show it; it is what the event had in the recorded run. */
void norn_error_context_step(const struct norn_error_context *scene, uint32_t number, bool value, struct norn_step_text *ret_step);
/* Who called, and the locks that were held when it began: of an event that a prediction names. */
void norn_error_context_side(const struct norn_error_context *scene, uint32_t number, struct norn_side *ret_side);
/* Numbers the locks that are held or waited for at these events, where several have one name. Before a finding is described. */
void norn_error_context_label(struct norn_error_context *scene, const uint32_t *numbers, uint32_t count);
const char *norn_error_context_lock(
        const struct norn_error_context *scene, uint32_t number); /* name of the lock of an acquire or release */
const char *norn_error_context_variable(
        const struct norn_error_context *scene, const uint32_t *numbers, uint32_t count); /* what accesses are of */
const char *norn_error_context_block(
        const struct norn_error_context *scene, uint32_t number); /* the block that was accessed, in words; "" */

/* Is it worth showing by itself: does it synchronize, or see what another thread wrote? */
bool norn_error_context_matters(const struct norn_error_context *scene, uint32_t number);

/* What matters of a schedule, its stops last. */
void norn_error_context_witness(
        const struct norn_error_context *scene, const struct norn_predicted *predicted, struct norn_finding *finding);
/* Which lock regions come in another order. */
void norn_error_context_swaps(
        const struct norn_error_context *scene, const struct norn_predicted *predicted, struct norn_finding *finding);

#endif
