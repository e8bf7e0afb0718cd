#include "witness/lasso_witness.h"

#include <errno.h>
#include <stdlib.h>

#include "base/must.h"
#include "witness/last_values.h"
#include "witness/turn_witness.h"
#include "witness/mvc_witness.h"

struct norn_lasso_witness {
	const struct norn_lasso *loop;
	struct norn_witness *parts;
	struct norn_last_values values;
	struct norn_turn_witness turn;
	uint32_t *done; /* events so far, by thread */
	uint32_t met; /* steps */
	bool misplaced; /* a step is in another part than the claim says, or a relevant event is no step */
};

struct norn_lasso_witness *norn_lasso_witness_new(const struct norn_lasso *loop)
{
	struct norn_lasso_witness *r = norn_must_calloc(1, sizeof *r);
	r->loop = loop;
	norn_last_values_init(&r->values);
	norn_turn_witness_init(&r->turn);
	r->done = norn_must_calloc(loop->threads + 1ul, sizeof *r->done);
	r->parts = norn_witness_new(NULL, 0);
	return r;
}

void norn_lasso_witness_free(struct norn_lasso_witness *r)
{
	if (!r)
		return;
	norn_witness_free(r->parts);
	norn_last_values_done(&r->values);
	norn_turn_witness_done(&r->turn);
	free(r->done);
	free(r);
}

static enum norn_turn_part part_of(struct norn_lasso_witness *r, uint32_t thread)
{
	if (thread >= r->loop->threads)
		return NORN_TURN_AFTER;
	uint32_t nth = ++r->done[thread];
	return nth <= r->loop->from[thread] ? NORN_TURN_BEFORE : nth <= r->loop->to[thread] ? NORN_TURN_INSIDE : NORN_TURN_AFTER;
}

void norn_lasso_witness_event(struct norn_lasso_witness *r, const struct norn_event *event, bool relevant, uint32_t step)
{
	uint64_t before;
	enum norn_turn_part part = part_of(r, event->thread);
	if (relevant) {
		enum norn_turn_part claimed = !step                    ? NORN_TURN_AFTER
		                              : step <= r->loop->begin ? NORN_TURN_BEFORE
		                                                       : NORN_TURN_INSIDE;
		r->misplaced |= part != claimed;
		r->met += step != 0;
	}
	bool found = norn_last_values_event(&r->values, event, &before);
	norn_witness_part(r->parts, event, part);
	norn_turn_witness_event(&r->turn, event, part, found ? &before : NULL);
}

int norn_lasso_witness_check(struct norn_lasso_witness *r, uint32_t steps, struct norn_error *err)
{
	int result = norn_witness_check_order(r->parts, false, err);
	if (result != 0)
		return result;
	if (r->misplaced || r->met != steps)
		return norn_error_set(err, -EINVAL, "the cuts around the loop are not those of the steps");
	const char *refusal = norn_turn_witness_refusal(&r->turn);
	return refusal ? norn_error_set(err, -EINVAL, "the loop could not be repeated: %s", refusal) : 0;
}
