/* Attempts: many closures (closure.h), tried in the order of their bases, so that each of them costs no more than its window.
 *
 * An *attempt* is a set of stops, and perhaps events that the schedule must hold. Attempts belong to *groups*, of which one is to
 * succeed: when it has, the others are not tried. An attempt that succeeds becomes a prediction. First all attempts are tried with
 * the observed order, from the event before their first stop on; then, with open regions last, those of groups without success
 * whose stops hold locks, from before the first of these on; then, for groups that are still without, a search (schedule_search.h)
 * for their attempts, those with the fewest events between the first and the last that matter first, as long as the effort
 * lasts. */
#ifndef NORN_SLICED_ATTEMPTS_H
#define NORN_SLICED_ATTEMPTS_H

#include "errors/builtin_search.h"
#include "errors/fork_order.h"
#include "sliced/closure.h"

#define NORN_ATTEMPT_RUNNER_STOPS 8u /* an attempt has no more */

struct norn_attempt {
	uint32_t stops[NORN_ATTEMPT_RUNNER_STOPS];
	uint32_t count;
	/* events that must be in the schedule, 0: none; of the first two, and the next two, and so on, the one before the other */
	uint32_t includes[NORN_CLOSURE_INCLUDES];
	uint32_t sees; /* a stop that must see what it saw: a compare-and-swap, which writes only then; 0: none */
	/* an allocation of memory that the stop uses by an older pointer, or a free before another one: it is not in the schedule;
	 * 0: none */
	uint32_t reused;
	uint32_t nowhere; /* a stop whose memory need not be there: it accesses other memory, or none; 0: none */
	uint32_t before; /* an event that need not have happened: the base lies before it; 0: none */
	/* reads that decide loosely, or as pointers, and may see anything (norn_attempt_runner_shows) */
	uint32_t freed[NORN_ASSERT_SOURCES], freed_count;
	uint32_t asleep; /* a bit per stop: the end of a wait for a condition whose thread sleeps (S17) */
	bool all_end; /* all other threads have ended */
	uint32_t group;
	uint32_t number; /* the caller's */
	bool open_last_only;
	bool tried; /* by norn_attempt_runner_try_observed */
	bool search_only; /* regions would have to change places */
	uint16_t limited; /* enum norn_builtin_limit that ended a try of it, one bit each; 0 at first */
	/* What became of it, if it had no success: the limits that were counted; a rule that orders more than the law asks was met;
	 * only what comes after all before it stood in its way (all of them have this only where norn_builtin_options.judged is) */
	uint16_t given_up;
	bool inexact, barred;
};

struct norn_attempt_runner;

/* Makes the prediction of an attempt that succeeded: all but observed, stops and schedule. */
typedef void norn_attempt_runner_fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted);

struct norn_attempt_runner *norn_attempt_runner_new(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions);
void norn_attempt_runner_free(struct norn_attempt_runner *attempt_runner);

/* The order by forks and joins: such pairs are not tried. NULL: that rule is switched off. */
const struct norn_fork_order *norn_attempt_runner_order(const struct norn_attempt_runner *attempt_runner);
struct norn_builtin_stats *norn_attempt_runner_stats(struct norn_attempt_runner *attempt_runner);

/* Attempts that limits left untried are counted where no attempt of the group succeeds. attempts may be sorted anew. found: per
 * group, set where one succeeds. */
void norn_attempt_runner_try(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context);
/* From now on a schedule must show the error, too: what else it must have. NULL: nothing. */
typedef bool norn_attempt_runner_look(void *context, const struct norn_attempt *attempt, const struct norn_schedule *schedule);
void norn_attempt_runner_shows(struct norn_attempt_runner *attempt_runner, norn_attempt_runner_look *look, void *context);
/* The same, of the observed order alone: nothing changes places. */
void norn_attempt_runner_try_observed(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        bool *found, norn_attempt_runner_fill *fill, void *context);
/* The same, if there are calls of code that may do anything, and these are assumed to do nothing that matters: what succeeds is
 * only suspected. For groups without success. */
void norn_attempt_runner_suspect(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        bool *found, norn_attempt_runner_fill *fill, void *context);

#endif
