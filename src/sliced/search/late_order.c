#include "sliced/search/late_order.h"

#include <stdlib.h>

#include "base/must.h"

#define NONE NORN_STEP_MODEL_NONE

/* The lower, the earlier: the classes, then the observed order. */
static uint64_t rank_of(const struct norn_step_model *p, const struct norn_late_order *order, uint32_t thread, uint32_t cursor)
{
	uint32_t steps = p->first[thread + 1] - p->first[thread];
	bool stops = order->early[thread] < steps;
	uint64_t class = cursor < order->early[thread] ? order->others_first && stops : cursor < order->late[thread] ? 2 : 3;
	return class << 32 | p->steps[p->first[thread] + cursor].event;
}

/* The thread whose next step comes next; NONE: none can be made. */
static uint32_t next_thread(const struct norn_step_model *p, const struct norn_late_order *order, const uint32_t *node)
{
	uint64_t least = UINT64_MAX;
	uint32_t next = NONE;
	for (uint32_t t = 0; t < p->threads; t++) {
		uint32_t step = p->first[t] + node[t];
		if (step == p->first[t + 1])
			continue;
		uint64_t rank = rank_of(p, order, t, node[t]);
		if (rank < least && norn_step_model_enabled(p, p->steps + step, t, node)) {
			least = rank;
			next = t;
		}
	}
	return next;
}

bool norn_late_order(const struct norn_step_model *p, const struct norn_must_order_goal *goal, const struct norn_late_order *order,
        uint64_t *cost, uint32_t *ret_made, uint32_t *ret_count)
{
	uint32_t *node = norn_must_calloc(norn_step_model_words(p) + 1ul, sizeof *node), count = 0, thread;
	norn_step_model_start(p, node);
	while ((thread = next_thread(p, order, node)) != NONE) {
		uint32_t step = p->first[thread] + node[thread];
		norn_step_model_make(p, p->steps + step, thread, node);
		ret_made[count++] = step;
	}
	*cost += count;
	*ret_count = count;
	bool reached = norn_must_order_reached(p, goal, node);
	free(node);
	return reached;
}
