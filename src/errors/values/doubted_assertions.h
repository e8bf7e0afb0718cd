/* Assertions that cannot be evaluated: what they go by might have been read otherwise, so that nobody knows if they fail in another
 * run. Nothing is claimed of them; the verdict is not complete. */
#ifndef NORN_ERRORS_VALUES_DOUBTED_ASSERTIONS_H
#define NORN_ERRORS_VALUES_DOUBTED_ASSERTIONS_H

#include "errors/builtin_search.h"
#include "errors/values/changed_reads.h"

/* Reads that such assertions go by, and those that what these saw is made of. */
struct norn_doubted_read {
	uint32_t read, asserted; /* asserted: the assertion goes by this one; the same, or what it saw is made of the read */
};

struct norn_doubted_reads {
	NORN_VECTOR(struct norn_doubted_read) list;
	struct norn_map seen;
};

/* All of the run, noted as words of interest; the values are not indexed yet. */
void norn_doubted_reads_find(
        struct norn_doubted_reads *ret_doubted, const struct norn_graph *graph, struct norn_schedule_values *values);
void norn_doubted_reads_done(struct norn_doubted_reads *doubted);
/* Looks for runs in which they see other values: the first, and at how many places (norn_builtin_stats). changed: indexed. */
void norn_doubted_reads_judge(struct norn_attempt_runner *attempt_runner, const struct norn_doubted_reads *doubted,
        struct norn_changed_reads *changed, struct norn_predictions *predictions);

#endif
