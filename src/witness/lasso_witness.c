#include "witness/lasso_witness.h"

#include <errno.h>
#include <stdlib.h>

#include "base/must.h"
#include "witness/last_values.h"
#include "witness/iteration_witness.h"
#include "witness/mvc_witness.h"

struct norn_lasso_witness {
	const struct norn_lasso *loop;
	struct norn_witness *parts;
	struct norn_last_values values;
	struct norn_iteration_witness iteration;
	uint32_t *done; /* events so far, by thread */
	uint32_t met; /* steps */
	bool misplaced; /* a step is in another part than the claim says, or a relevant event is no step */
};

struct norn_lasso_witness *norn_lasso_witness_new(const struct norn_lasso *loop, const struct norn_trace *trace)
{
	struct norn_lasso_witness *r = norn_must_calloc(1, sizeof *r);
	r->loop = loop;
	norn_last_values_init(&r->values);
	norn_iteration_witness_init(&r->iteration, trace);
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
	norn_iteration_witness_done(&r->iteration);
	free(r->done);
	free(r);
}

static enum norn_iteration_part part_of(struct norn_lasso_witness *r, uint32_t thread)
{
	if (thread >= r->loop->threads)
		return NORN_ITERATION_AFTER;
	uint32_t nth = ++r->done[thread];
	return nth <= r->loop->from[thread] ? NORN_ITERATION_BEFORE
	       : nth <= r->loop->to[thread] ? NORN_ITERATION_INSIDE
	                                    : NORN_ITERATION_AFTER;
}

void norn_lasso_witness_event(struct norn_lasso_witness *r, const struct norn_event *event, bool relevant, uint32_t step)
{
	uint64_t before;
	enum norn_iteration_part part = part_of(r, event->thread);
	if (relevant) {
		enum norn_iteration_part claimed = !step                    ? NORN_ITERATION_AFTER
		                                   : step <= r->loop->begin ? NORN_ITERATION_BEFORE
		                                                            : NORN_ITERATION_INSIDE;
		r->misplaced |= part != claimed;
		r->met += step != 0;
	}
	bool found = norn_last_values_event(&r->values, event, &before);
	norn_witness_part(r->parts, event, part);
	norn_iteration_witness_event(&r->iteration, event, part, found ? &before : NULL);
}

int norn_lasso_witness_check(struct norn_lasso_witness *r, uint32_t steps, struct norn_error *err)
{
	int result = norn_witness_check_order(r->parts, false, err);
	if (result != 0)
		return result;
	if (r->misplaced || r->met != steps)
		return norn_error_set(err, -EINVAL, "the cuts around the loop are not those of the steps");
	const char *refusal = norn_iteration_witness_refusal(&r->iteration);
	return refusal ? norn_error_set(err, -EINVAL, "the loop could not be repeated: %s", refusal) : 0;
}
