/* The scene of a built-in error: names, stacks and locks of a recorded run, looked up by the numbers of events (causality/slice.h).
 *
 * The inside of describe.h; no other room includes this. All texts are in the findings' arena. */
#ifndef NORN_PREDICT_SCENE_H
#define NORN_PREDICT_SCENE_H

#include "base/map.h"
#include "predict/describe.h"

#define NORN_LABELS 16u
#define NORN_RECENT 2u /* events of a thread before a schedule leaves the observed order */

struct norn_scene {
	struct norn_trace *trace;
	const struct norn_slice *slice;
	struct norn_findings *findings;
	bool imported; /* from RAPID's text: locks are named by their sites' names */
	struct norn_map opened; /* number of an event to uint32_t: the ENTER that it is in, 0: none */
	struct norn_map locks; /* address to uint32_t: a site that names the lock */
	/* Locks of the finding that is being described which others are called like: address and number. */
	struct {
		uint64_t addr;
		unsigned number;
	} labels[NORN_LABELS];
	unsigned label_count;
	struct norn_map recent; /* base << 32 | thread to uint32_t[NORN_RECENT]: its last events that matter, the latest first */
};

/* Goes through the run. 0 or -ENOMEM. */
int norn_scene_init(struct norn_scene *scene, struct norn_trace *trace, const struct norn_slice *slice,
        const struct norn_predicted *predicted, uint32_t count, struct norn_findings *findings);
void norn_scene_done(struct norn_scene *scene);

/* An event as people read it. value: show it; it is what the event had in the recorded run. */
void norn_scene_step(const struct norn_scene *scene, uint32_t number, bool value, struct norn_step_text *ret_step);
/* Who called, and the locks that were held when it began: of an event that a prediction names. */
int norn_scene_side(const struct norn_scene *scene, uint32_t number, struct norn_side *ret_side);
/* Numbers the locks that are held or waited for at these events, where several have one name. Before a finding is described. */
void norn_scene_label(struct norn_scene *scene, const uint32_t *numbers, uint32_t count);
const char *norn_scene_lock(const struct norn_scene *scene, uint32_t number); /* name of the lock of an acquire or release */
const char *norn_scene_lock_label(const struct norn_scene *scene, uint32_t number); /* the same, with its number: "account #2" */
const char *norn_scene_variable(const struct norn_scene *scene, const uint32_t *numbers, uint32_t count); /* what accesses are of */
const char *norn_scene_block(const struct norn_scene *scene, uint32_t number); /* the block that was accessed, in words; "" */

/* Is it worth showing by itself: does it synchronize, or see what another thread wrote? */
bool norn_scene_matters(const struct norn_scene *scene, uint32_t number);

/* What matters of a schedule, its stops last. */
int norn_scene_witness(const struct norn_scene *scene, const struct norn_predicted *predicted, struct norn_finding *finding);
/* Which lock regions come in another order. */
int norn_scene_swaps(const struct norn_scene *scene, const struct norn_predicted *predicted, struct norn_finding *finding);

#endif
