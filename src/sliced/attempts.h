/* Attempts: many closures (closure.h), tried in the order of their bases, so that each of them costs no more than its window.
 *
 * An *attempt* is a set of stops, and perhaps events that the schedule must hold. Attempts belong to *groups*, of which one is to
 * succeed: when it has, the others are not tried. What succeeds becomes a prediction. First all attempts are tried with the
 * observed order, from the event before their first stop on; then, with open regions last, those of groups without success whose
 * stops hold locks, from before the first of these on; then, for groups that are still without, a search (schedule_search.h) for
 * their attempts, those with the fewest events between the first and the last that matter first, as long as the effort lasts. */
#ifndef NORN_SLICED_ATTEMPTS_H
#define NORN_SLICED_ATTEMPTS_H

#include "errors/builtin_search.h"
#include "errors/fork_order.h"

#define NORN_ATTEMPT_RUNNER_STOPS 8u /* an attempt has no more */

struct norn_attempt {
	uint32_t stops[NORN_ATTEMPT_RUNNER_STOPS];
	uint32_t count;
	uint32_t includes[2]; /* events that must be in the schedule, in this order; 0: none */
	uint32_t sees; /* a stop that must see what it saw: a compare-and-swap, which writes only then; 0: none */
	uint32_t group;
	uint32_t number; /* the caller's */
	bool open_last_only;
	bool search_only; /* regions would have to change places */
	uint16_t limited; /* enum norn_builtin_limit that ended a try of it, one bit each; 0 at first */
};

struct norn_attempt_runner;

/* Makes the prediction of an attempt that succeeded: all but observed, stops and schedule. */
typedef void norn_attempt_runner_fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted);

struct norn_attempt_runner *norn_attempt_runner_new(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions);
void norn_attempt_runner_free(struct norn_attempt_runner *attempt_runner);

/* What forks and joins order: such pairs are not tried. NULL: that rule is switched off. */
const struct norn_fork_order *norn_attempt_runner_order(const struct norn_attempt_runner *attempt_runner);
struct norn_builtin_stats *norn_attempt_runner_stats(struct norn_attempt_runner *attempt_runner);

/* What limits left untried is counted where no attempt of the group succeeds. attempts may be sorted anew. found: per group, set
 * where one succeeds. */
void norn_attempt_runner_try(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context);
/* The same, if there are calls of code that may do anything, and these are assumed to do nothing that matters: what succeeds is
 * only suspected. For groups without success. */
void norn_attempt_runner_suspect(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        bool *found, norn_attempt_runner_fill *fill, void *context);

#endif
