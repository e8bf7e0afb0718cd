/* Must-order: does any order of the steps of a part (step_model.h) lead to a goal? (docs/prediction.md, section 8, Must-order)
 *
 * 1. *Cone*: the steps that every such order makes: those of the goal, what they need, the only write that a fixed read can
 * see, the
 *    release of a region that another one must come after.
 * 2. *Saturation*: which step comes before which in every such order, as a vector clock per step of the cone, to a fixpoint. If a
 *    step would have to come before itself, or one is needed that cannot be made, there is no such order: that is a proof.
 * 3. *Order*: the cone is gone through, as observed where nothing forbids it. Mostly that is the answer.
 * 4. *Branch*: where no step can be made, one of a few orders that the clocks leave open must be the other way: two regions of a
 *    lock, a write and a read, a post and a wait. Each is tried, saturating again, depth first. Only this has a bound.
 *
 * Memory: 4 bytes per step and thread, about 100 per step. Where that is more than 128 MiB (thousands of threads) it gives up. */
#ifndef NORN_SLICED_MUST_ORDER_H
#define NORN_SLICED_MUST_ORDER_H

#include "sliced/step/step_model.h"

enum norn_must_order_result {
	NORN_MUST_ORDER_NEVER, /* no order leads there */
	NORN_MUST_ORDER_FOUND,
	NORN_MUST_ORDER_GIVEN_UP, /* after so many branches, or because of what the branches do not cover */
};

/* Of a thread whose last step makes it sleep: */
enum norn_must_order_wake {
	NORN_MUST_ORDER_ANY,
	NORN_MUST_ORDER_WOKEN, /* it has been woken since */
	NORN_MUST_ORDER_ASLEEP, /* it has not */
};

struct norn_must_order_goal {
	const uint32_t *counts; /* per thread: so many steps are made, or more */
	const uint8_t *wakes; /* per thread: enum norn_must_order_wake */
};

bool norn_must_order_reached(const struct norn_step_model *part, const struct norn_must_order_goal *goal, const uint32_t *node);

/* FOUND: ret_made (room for all steps of the part) has the *ret_count steps that are made, in their order. *cost is increased
 * by the steps that were gone through. */
enum norn_must_order_result norn_must_order(const struct norn_step_model *part, const struct norn_must_order_goal *goal,
        unsigned branches, uint64_t *cost, uint32_t *ret_made, uint32_t *ret_count);

#endif
