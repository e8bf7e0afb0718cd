#include "predict/recurrence.h"

#include <errno.h>
#include <stdlib.h>

#include "predict/cells.h"
#include "predict/turn.h"
#include "predict/witness.h"

struct norn_recurrence {
	const struct norn_claim_loop *loop;
	struct norn_witness *parts;
	struct norn_cells cells;
	struct norn_turn turn;
	uint32_t *done; /* events so far, by thread */
	uint32_t met; /* steps */
	bool misplaced; /* a step is in another part than the claim says, or a relevant event is no step */
};

int norn_recurrence_new(const struct norn_claim_loop *loop, struct norn_recurrence **ret_recurrence)
{
	struct norn_recurrence *r = calloc(1, sizeof *r);
	if (!r)
		return -ENOMEM;
	r->loop = loop;
	norn_cells_init(&r->cells);
	norn_turn_init(&r->turn);
	r->done = calloc(loop->threads + 1ul, sizeof *r->done);
	if (!r->done || norn_witness_new(NULL, 0, &r->parts) != 0) {
		norn_recurrence_free(r);
		return -ENOMEM;
	}
	*ret_recurrence = r;
	return 0;
}

void norn_recurrence_free(struct norn_recurrence *r)
{
	if (!r)
		return;
	norn_witness_free(r->parts);
	norn_cells_done(&r->cells);
	norn_turn_done(&r->turn);
	free(r->done);
	free(r);
}

static enum norn_turn_place place_of(struct norn_recurrence *r, uint32_t thread)
{
	if (thread >= r->loop->threads)
		return NORN_TURN_AFTER;
	uint32_t nth = ++r->done[thread];
	return nth <= r->loop->from[thread] ? NORN_TURN_BEFORE : nth <= r->loop->to[thread] ? NORN_TURN_INSIDE : NORN_TURN_AFTER;
}

int norn_recurrence_event(struct norn_recurrence *r, const struct norn_event *event, bool relevant, uint32_t step)
{
	uint64_t before;
	enum norn_turn_place place = place_of(r, event->thread);
	if (relevant) {
		enum norn_turn_place claimed = !step                    ? NORN_TURN_AFTER
		                               : step <= r->loop->begin ? NORN_TURN_BEFORE
		                                                        : NORN_TURN_INSIDE;
		r->misplaced |= place != claimed;
		r->met += step != 0;
	}
	int found = norn_cells_event(&r->cells, event, &before);
	if (found < 0)
		return found;
	int result = norn_witness_part(r->parts, event, place);
	return result != 0 ? result : norn_turn_event(&r->turn, event, place, found ? &before : NULL);
}

int norn_recurrence_check(struct norn_recurrence *r, uint32_t steps, struct norn_error *err)
{
	int result = norn_witness_check_order(r->parts, false, err);
	if (result != 0)
		return result;
	if (r->misplaced || r->met != steps)
		return norn_error_set(err, -EINVAL, "the cuts around the loop are not those of the steps");
	const char *refusal = norn_turn_refusal(&r->turn);
	return refusal ? norn_error_set(err, -EINVAL, "the loop could not be repeated: %s", refusal) : 0;
}
