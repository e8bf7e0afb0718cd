#include "witness/lasso_witness.h"

#include <errno.h>
#include <stdlib.h>

#include "witness/last_values.h"
#include "liveness/repeatable.h"
#include "witness/mvc_witness.h"

struct norn_lasso_witness {
	const struct norn_lasso *loop;
	struct norn_witness *parts;
	struct norn_last_values cells;
	struct norn_repeatable turn;
	uint32_t *done; /* events so far, by thread */
	uint32_t met; /* steps */
	bool misplaced; /* a step is in another part than the claim says, or a relevant event is no step */
};

int norn_lasso_witness_new(const struct norn_lasso *loop, struct norn_lasso_witness **ret_witness)
{
	struct norn_lasso_witness *r = calloc(1, sizeof *r);
	if (!r)
		return -ENOMEM;
	r->loop = loop;
	norn_last_values_init(&r->cells);
	norn_repeatable_init(&r->turn);
	r->done = calloc(loop->threads + 1ul, sizeof *r->done);
	if (!r->done || norn_witness_new(NULL, 0, &r->parts) != 0) {
		norn_lasso_witness_free(r);
		return -ENOMEM;
	}
	*ret_witness = r;
	return 0;
}

void norn_lasso_witness_free(struct norn_lasso_witness *r)
{
	if (!r)
		return;
	norn_witness_free(r->parts);
	norn_last_values_done(&r->cells);
	norn_repeatable_done(&r->turn);
	free(r->done);
	free(r);
}

static enum norn_repeatable_place place_of(struct norn_lasso_witness *r, uint32_t thread)
{
	if (thread >= r->loop->threads)
		return NORN_REPEATABLE_AFTER;
	uint32_t nth = ++r->done[thread];
	return nth <= r->loop->from[thread] ? NORN_REPEATABLE_BEFORE
	       : nth <= r->loop->to[thread] ? NORN_REPEATABLE_INSIDE
	                                    : NORN_REPEATABLE_AFTER;
}

int norn_lasso_witness_event(struct norn_lasso_witness *r, const struct norn_event *event, bool relevant, uint32_t step)
{
	uint64_t before;
	enum norn_repeatable_place place = place_of(r, event->thread);
	if (relevant) {
		enum norn_repeatable_place claimed = !step                    ? NORN_REPEATABLE_AFTER
		                                     : step <= r->loop->begin ? NORN_REPEATABLE_BEFORE
		                                                              : NORN_REPEATABLE_INSIDE;
		r->misplaced |= place != claimed;
		r->met += step != 0;
	}
	int found = norn_last_values_event(&r->cells, event, &before);
	if (found < 0)
		return found;
	int result = norn_witness_part(r->parts, event, place);
	return result != 0 ? result : norn_repeatable_event(&r->turn, event, place, found ? &before : NULL);
}

int norn_lasso_witness_check(struct norn_lasso_witness *r, uint32_t steps, struct norn_error *err)
{
	int result = norn_witness_check_order(r->parts, false, err);
	if (result != 0)
		return result;
	if (r->misplaced || r->met != steps)
		return norn_error_set(err, -EINVAL, "the cuts around the loop are not those of the steps");
	const char *refusal = norn_repeatable_refusal(&r->turn);
	return refusal ? norn_error_set(err, -EINVAL, "the loop could not be repeated: %s", refusal) : 0;
}
