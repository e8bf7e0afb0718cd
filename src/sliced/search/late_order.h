/* The set form of S18: one order in which threads get stuck, made without a search. All steps of a part (step_model.h) are made as
 * observed, but for those that keep others from going on: the acquires of locks that are held at a stop come late, with all that
 * their threads do after them, and last the steps by which threads fall asleep, or arrive at a barrier, for ever. A step that
 * cannot be made yet is passed over until it can.
 *
 * It costs no more than the part, threads times steps, so it serves runs that are too long for must-order, too. That it fails
 * proves nothing. */
#ifndef NORN_SLICED_LATE_ORDER_H
#define NORN_SLICED_LATE_ORDER_H

#include "sliced/search/must_order.h"

/* Of each thread: so many of its first steps may come at any time, so many more late; the rest last. */
struct norn_late_order {
	const uint32_t *early, *late;
	bool others_first; /* threads that make all their steps early come before all others */
};

/* True: ret_made (room for all steps of the part) has the *ret_count steps that are made, in their order. *cost is increased by the
 * steps that were gone through. */
bool norn_late_order(const struct norn_step_model *part, const struct norn_must_order_goal *goal,
        const struct norn_late_order *order, uint64_t *cost, uint32_t *ret_made, uint32_t *ret_count);

#endif
