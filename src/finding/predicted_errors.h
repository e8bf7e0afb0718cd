/* Predictions of built-in errors as findings: with names, stacks, the locks that were held, what matters of the schedule, and what
 * might be done about it.
 *
 * One walk over the events of the graph tells in which calls each thread was, and what locks are called; the rest is looked
 * up. Findings of one kind at the same places, about variables of the same name, are one. */
#ifndef NORN_FINDING_PREDICTED_ERRORS_H
#define NORN_FINDING_PREDICTED_ERRORS_H

#include "finding/finding.h"
#include "sliced/schedule.h"
#include "trace/reader.h"

#define NORN_DESCRIBE_STEPS 40u /* of a witness, at most, and the stops */
#define NORN_DESCRIBE_SWAPS 3u

/* Called for each prediction that became a finding, with the run that it is of. 0 or negative errno. */
struct norn_described {
	int (*take)(void *context, const struct norn_graph *graph, const struct norn_finding *finding,
	        const struct norn_predicted *predicted);
	/* A run that was made for predictions, not the recorded one, is the receiver's from now on. */
	void (*keep)(void *context, struct norn_graph *graph);
	void *context;
};

/* Adds a finding for each of count predictions on that run; told: of each new one, or NULL. ret_indices: NULL, or which finding
 * each of them became. 0, or an error of told. */
int norn_describe(struct norn_trace *trace, const struct norn_graph *graph, const struct norn_predicted *predicted, uint32_t count,
        const struct norn_described *told, struct norn_findings *findings, uint32_t *ret_indices);

/* The id of a built-in error, of all that tells it from others; again: where that id is another's, the next one to try. */
const char *norn_error_id(enum norn_finding_kind kind, const char *identity, unsigned again, struct norn_findings *findings);
/* Gives a finding its identity and id, by its kind, places and variable. The finding that is the same; NULL, and an id that no
 * other one has. */
struct norn_finding *norn_error_find_same(struct norn_finding *finding, struct norn_findings *findings);
/* A line for norn.supp, by its id in the worst case. In the arena. */
const char *norn_error_finding_suppression(const struct norn_finding *finding, struct norn_findings *findings);

#endif
