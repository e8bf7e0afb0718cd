/* The checker of loops: whether a run whose last steps are said to be repeated for ever could be, by the recorded run. Part of what
 * checks candidates (predict/candidate.h); it knows nothing of the search.
 *
 * The claim gives two full cuts: how many events of each thread are done before the loop, and after one iteration of it. As the
 * recorded run goes by once more, it is checked that both are cuts, nothing in them comes after anything outside; that their
 * relevant events are the steps of the claim; and that what lies between is an iteration that repeats (iteration_witness.h). */
#ifndef NORN_WITNESS_LASSO_WITNESS_H
#define NORN_WITNESS_LASSO_WITNESS_H

#include "base/error.h"
#include "trace/event.h"

struct norn_trace;

/* A run that goes on for ever: its last steps are repeated. */
struct norn_lasso {
	uint32_t begin; /* the first of these steps */
	const uint32_t *from,
	        *to; /* per thread: how many of its events, relevant or not, are done before, and after one iteration */
	uint32_t threads;
};

struct norn_lasso_witness;

/* trace: that knows of sites what is called there; NULL: that is not known. */
struct norn_lasso_witness *norn_lasso_witness_new(const struct norn_lasso *loop, const struct norn_trace *trace);
void norn_lasso_witness_free(struct norn_lasso_witness *witness);

/* The next event of the run. step: which one of the claim it is, from 1; 0: none. */
void norn_lasso_witness_event(struct norn_lasso_witness *witness, const struct norn_event *event, bool relevant, uint32_t step);
/* After the last. steps: of the claim. 0, or -EINVAL and what is wrong. */
int norn_lasso_witness_check(struct norn_lasso_witness *witness, uint32_t steps, struct norn_error *err);

#endif
