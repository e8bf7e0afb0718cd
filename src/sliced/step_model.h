/* A plan: what can happen when, in a part of a recorded run, if it may be run in all orders that sliced causality allows (slicing.md, rules 7 to 22).
 *
 * Of each thread it has the *steps* that matter: relevant events, and those by which threads get into each other's way. What a thread does
 * between two steps can be done just before the second one. A step can be made if
 *   - steps of other threads that it needs have been made: a fork, a notify, what came before on an object whose events keep their order;
 *   - the lock that it takes is free;
 *   - each tile that a kept read of it reads has the content that it had then. A tile is a few bytes that are always accessed together. Contents
 *     are numbers; equal values that are known to be the same in all orders have equal numbers, all others are told apart by who wrote them;
 *   - it can be explained: a step of which too little is known (a call of opaque code, the end of the process) needs the recorded run itself before
 *     it, and so is never made; a part may begin after it.
 * Tiles that no kept read is going to read have content 0: who wrote them does not matter any more.
 *
 * Memory: about 64 bytes for each event of the part. */
#ifndef NORN_SLICED_STEP_MODEL_H
#define NORN_SLICED_STEP_MODEL_H

#include "sliced/fixed_reads.h"

#define NORN_STEP_MODEL_NONE UINT32_MAX

struct norn_step_model_need {
	uint32_t thread, count; /* so many steps of that thread */
};

struct norn_step_model_access {
	uint32_t tile, content;
};

enum norn_step_model_lock {
	NORN_STEP_MODEL_NO_LOCK,
	NORN_STEP_MODEL_TAKE,
	NORN_STEP_MODEL_TAKE_SHARED,
	NORN_STEP_MODEL_GIVE,
	NORN_STEP_MODEL_GIVE_SHARED,
	NORN_STEP_MODEL_FAIL, /* a try that fails: somebody else holds it */
};

struct norn_step_model_step {
	uint32_t event; /* the last of its events */
	uint32_t relevant; /* number among the relevant events, or NORN_STEP_MODEL_NONE */
	uint32_t need, need_count; /* in needs */
	uint32_t read, read_count; /* in accesses */
	uint32_t write, write_count;
	uint32_t lock; /* number */
	uint8_t locking; /* enum norn_step_model_lock */
	bool opaque; /* cannot be explained */
};

struct norn_step_model {
	uint32_t base, end; /* the part: events base+1 … end; those before have happened as observed */
	uint32_t threads, byte_groups, locks;
	uint64_t cost; /* of making it: events and words that were gone through */
	uint32_t *numbers; /* of the threads in the run */
	uint32_t *first; /* per thread, and one more: its first step */
	struct norn_step_model_step *steps; /* by thread */
	struct norn_step_model_need *needs;
	struct norn_step_model_access *accesses;
	uint32_t *contents; /* of byte groups, at the start */
	uint32_t *held; /* per lock, at the start: 0 free, NORN_STEP_MODEL_EXCLUSIVE, or how many share it */
	uint32_t *last_read; /* [byte groups × threads]: no step of the thread from this one on reads the tile */
	uint32_t *order; /* threads, in the order in which the steps were observed */
};
#define NORN_STEP_MODEL_EXCLUSIVE 0x80000000u

/* Can the event not be explained but by the recorded run itself? There are more such, which depend on what else is in the part. */
bool norn_step_model_is_opaque(const struct norn_graph_event *event);

/* relevant: numbers of events, ascending, those outside the part too. 0 or -ENOMEM. */
int norn_step_model_new(const struct norn_fixed_reads *kept, const uint64_t *relevant, uint32_t relevant_count, uint32_t base,
        uint32_t end, struct norn_step_model **ret_plan);
void norn_step_model_free(struct norn_step_model *plan);

/* Where threads are to get to, and no further. */
struct norn_step_model_target {
	const uint32_t *
	        stops; /* events: neither they nor what their threads did later is in the plan; what they did last before is a step */
	uint32_t stop_count;
	const uint32_t *steps; /* events that are steps, whatever they do; 0: none */
	uint32_t step_count;
	uint32_t first, second; /* events: the second needs the first; 0: none */
};

/* The same for a target. */
int norn_step_model_until(const struct norn_fixed_reads *kept, const struct norn_step_model_target *target, uint32_t base,
        uint32_t end, struct norn_step_model **ret_plan);

/* After so many steps of it the thread of this event, which it has in the plan, has made it happen. *ret_thread is its number there; NORN_STEP_MODEL_NONE: it has none. */
uint32_t norn_step_model_count(const struct norn_step_model *plan, uint32_t thread, uint32_t event, uint32_t *ret_thread);

/* A *node* is where an order of steps has led to: a cursor per thread, the contents of byte groups, and the states of locks, norn_step_model_words of them. */
static inline uint32_t norn_step_model_words(const struct norn_step_model *plan)
{
	return plan->threads + plan->byte_groups + plan->locks;
}
void norn_step_model_start(const struct norn_step_model *plan, uint32_t *node);
bool norn_step_model_lockable(const struct norn_step_model *plan, const struct norn_step_model_step *step, const uint32_t *node);
bool norn_step_model_enabled(const struct norn_step_model *plan, const struct norn_step_model_step *step, const uint32_t *node);
void norn_step_model_make(const struct norn_step_model *plan, const struct norn_step_model_step *step, uint32_t thread,
        uint32_t *node); /* the next step of its thread */

static inline uint32_t norn_step_model_total(const struct norn_step_model *plan) /* steps */
{
	return plan->first[plan->threads];
}

#endif
