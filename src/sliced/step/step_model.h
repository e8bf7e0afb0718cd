/* The step form of prediction: a transition system over the events base + 1 … end of a recorded run, under sliced causality.
 *
 * Of each thread it has the *steps* that matter: relevant events, and those by which threads get into each other's way. The events
 * of a thread between two steps can be done just before the second one. A step can be made if
 *   - the steps of other threads that its event needs by its rule (rules.h) have been made. Where a rule asks for an object's
 *     history, later events of the object need that event, too; what goes through a channel with receives keeps its
 *     order; a free needs all accesses before it;
 *   - the state of its object is what its rule's guard asks for, and its thread is awake;
 *   - each group that a fixed read of it reads has the content that it had then. A group is a few bytes that are always accessed
 *     together. Contents are numbers; equal values that are known to be the same in all orders have equal numbers, all others are
 *     told apart by their writers;
 *   - it can be explained: a step that never can be (norn_rule_never, a read of freed memory, …) is not made; a part may begin
 *     after it.
 * Groups that no fixed read is going to read have content 0: their writers do not matter any more.
 *
 * Of a property, a violating run may end anywhere, so that only decisions of events that were made count (V1). Fixed reads whose
 * threads can go on when they see something else are *soft* (step_flow.h): then a node also has what they saw, as far as a step
 * ahead depends on it.
 *
 * Memory: about 70 bytes for each event of the part. */
#ifndef NORN_SLICED_STEP_MODEL_H
#define NORN_SLICED_STEP_MODEL_H

#include "causality/rules.h"
#include "sliced/step/fixed_reads.h"

#define NORN_STEP_MODEL_NONE UINT32_MAX

struct norn_step_flows;

struct norn_step_model_need {
	uint32_t thread, count; /* so many steps of that thread */
};

struct norn_step_model_access {
	uint32_t group, content;
};

struct norn_step_model_step {
	uint32_t event; /* the last of its events */
	uint32_t relevant; /* number among the relevant events, or NORN_STEP_MODEL_NONE */
	uint32_t need, need_count; /* in needs */
	uint32_t read, read_count; /* in accesses */
	uint32_t write, write_count;
	const struct norn_rule *rule;
	uint32_t object; /* whose state it depends on or changes; NORN_STEP_MODEL_NONE: none */
	uint32_t condition; /* that its thread sleeps on, or that it notifies; NORN_STEP_MODEL_NONE: none */
	uint32_t value; /* of an init */
	bool opaque; /* cannot be explained */
};

struct norn_step_model {
	uint32_t base, end; /* the part: events base+1 … end; those before have happened as observed */
	uint32_t threads, byte_groups, objects, conditions;
	struct norn_step_flows *flows; /* of a property: what soft reads lead to; NULL: every fixed read must see what it saw */
	uint32_t slots; /* words of a node for what soft reads saw */
	bool masked; /* a read with masks must see what it saw, which R6 does not ask for */
	const struct norn_rule *inexact; /* of a step, that orders more than the law asks; NULL: none */
	const struct norn_rule *stricter; /* the same, that can be switched off: NORN_RULE_LOOK and NORN_RULE_RESULT */
	uint64_t cost; /* of making it: events and words that were gone through */
	uint32_t *numbers; /* of the threads in the run */
	uint32_t *first; /* per thread, and one more: its first step */
	struct norn_step_model_step *steps; /* by thread */
	struct norn_step_model_need *needs;
	struct norn_step_model_access *accesses;
	uint32_t *contents; /* of byte groups, at the start */
	uint32_t *states; /* of objects, at the start (norn_rule_apply) */
	uint32_t *sleepers; /* per condition, at the start: how many sleep on it */
	/* per thread, at the start: 0 awake, NORN_STEP_MODEL_WOKEN, or (condition + 1) << 16 | place among its sleepers, from 1 */
	uint32_t *sleep;
	uint32_t *last_read; /* [byte groups × threads]: no step of the thread from this one on reads the group */
	uint32_t *order; /* threads, in the order in which the steps were observed */
};
#define NORN_STEP_MODEL_WOKEN UINT32_MAX

/* The events that a property is about. */
struct norn_step_model_property {
	const uint64_t *relevant; /* numbers of events, ascending, those outside the part too */
	uint32_t relevant_count;
	const uint64_t *valued; /* those of them that must have the values that they had, ascending */
	uint32_t valued_count;
	const struct norn_graph_range *watched; /* memory that it speaks of: any write there would be a relevant event */
	uint32_t watched_count;
	bool reads; /* and any read */
};

/* All that property points to must outlive the call only. */
struct norn_step_model *norn_step_model_new(
        const struct norn_fixed_reads *fixed, const struct norn_step_model_property *property, uint32_t base, uint32_t end);
void norn_step_model_free(struct norn_step_model *model);

/* The events up to which threads go, and no further. */
struct norn_step_model_target {
	/* events: neither they nor what their threads did later is in the model; what they did last before is a step */
	const uint32_t *stops;
	uint32_t stop_count;
	const uint32_t *steps; /* events that are steps, whatever they do; 0: none */
	uint32_t step_count;
	const uint32_t *ordered; /* events, in pairs: the second needs the first; 0: none */
	uint32_t ordered_count;
	unsigned without; /* enum norn_rule_switch */
};

/* The same for a target. */
struct norn_step_model *norn_step_model_until(
        const struct norn_fixed_reads *fixed, const struct norn_step_model_target *target, uint32_t base, uint32_t end);

/* After so many steps of it the thread of this event, which it has in the model, has made it happen. *ret_thread is its number
 * there; NORN_STEP_MODEL_NONE: it has none. */
uint32_t norn_step_model_count(const struct norn_step_model *model, uint32_t thread, uint32_t event, uint32_t *ret_thread);

/* A *node* is where an order of steps has led to: a cursor per thread, the contents of byte groups, the states of objects; if there
 * are conditions, how many sleep on each, and what each thread sleeps on; what soft reads saw: norn_step_model_words of them. */
static inline uint32_t norn_step_model_words(const struct norn_step_model *model)
{
	return model->threads + model->byte_groups + model->objects + (model->conditions ? model->conditions + model->threads : 0) +
	       model->slots;
}
static inline const uint32_t *norn_step_model_sleep(
        const struct norn_step_model *model, const uint32_t *node) /* per thread; model->conditions is not 0 */
{
	return node + model->threads + model->byte_groups + model->objects + model->conditions;
}
void norn_step_model_start(const struct norn_step_model *model, uint32_t *node);
/* Will a step still read the group? */
bool norn_step_model_live(const struct norn_step_model *model, const uint32_t *node, uint32_t group);
bool norn_step_model_enabled(
        const struct norn_step_model *model, const struct norn_step_model_step *step, uint32_t thread, const uint32_t *node);
/* The way in which a step is made. Only soft reads, and what they control, are made otherwise than as recorded. */
enum norn_step_way {
	NORN_STEP_AS_RECORDED,
	NORN_STEP_CHANGED, /* it reads another value, and decides the same */
	NORN_STEP_BROKEN, /* it reads something else: what it controls may happen or not */
	NORN_STEP_PASSED, /* it is one that may happen or not */
};
enum norn_step_way norn_step_model_make(const struct norn_step_model *model, const struct norn_step_model_step *step,
        uint32_t thread, uint32_t *node); /* the next step of its thread */

static inline uint32_t norn_step_model_total(const struct norn_step_model *model) /* steps */
{
	return model->first[model->threads];
}

#endif
