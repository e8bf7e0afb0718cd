/* Attempts: many closures (closure.h), tried in the order of their bases, so that each of them costs no more than its window.
 *
 * An *attempt* is a set of stops, and perhaps events that the schedule must contain. An attempt that succeeds becomes a prediction.
 * Attempts belong to *groups*: when one attempt of a group has succeeded, the others are not tried. There are three rounds:
 *   1. all attempts, in the observed order, from the event before their first stop on;
 *   2. attempts of the remaining groups whose stops hold locks, with open regions last, from before the first of these locks on;
 *   3. for the remaining groups a search (schedule_search.h), shortest span of events first, until the effort is used up. */
#ifndef NORN_SLICED_ATTEMPTS_H
#define NORN_SLICED_ATTEMPTS_H

#include "errors/builtin_search.h"
#include "errors/fork_order.h"
#include "sliced/closure.h"

#define NORN_ATTEMPT_RUNNER_STOPS 8u /* the most stops of an attempt */
#define NORN_ATTEMPT_FREED 12u /* the most freed reads of an attempt */

struct norn_attempt {
	uint32_t stops[NORN_ATTEMPT_RUNNER_STOPS];
	uint32_t count;
	/* pairs of events that must be in the schedule, the first of a pair before the second; 0: none */
	uint32_t includes[NORN_CLOSURE_INCLUDES];
	uint32_t sees; /* a stop that must see what it saw: a compare-and-swap, which writes only then; 0: none */
	/* an event that the schedule must not contain: an allocation of memory that the stop uses by an older pointer, or the
	 * first of two frees; 0: none */
	uint32_t reused;
	uint32_t nowhere; /* a stop that in the schedule may access other memory than recorded, or none; 0: none */
	uint32_t before; /* the base lies before this event, so that it need not have happened; 0: no such event */
	/* reads of loose decisions or of pointers, which may see anything in the schedule (norn_attempt_runner_shows) */
	uint32_t freed[NORN_ATTEMPT_FREED], freed_count;
	uint32_t asleep; /* one bit per stop: it is the end of a wait for a condition, and its thread sleeps (S17) */
	bool all_end; /* all other threads have ended */
	uint32_t group;
	uint32_t number; /* for the caller */
	bool open_last_only;
	bool tried; /* by norn_attempt_runner_try_observed */
	bool search_only; /* it needs regions in another order: only the search can find that */
	uint16_t limited; /* enum norn_builtin_limit that ended a try of it, one bit each; 0 at first */
	/* Why it did not succeed: limits that were counted (given_up); a rule that orders more than the law asks (inexact); an
	 * event that is ordered after all earlier ones (barred). Set only with norn_builtin_options.judged. */
	uint16_t given_up;
	bool inexact, barred;
};

/* The schedule must contain first before second; first 0: only second. False: there is no room for more. */
static inline bool norn_attempt_include(struct norn_attempt *attempt, uint32_t first, uint32_t second)
{
	for (uint32_t i = 0; i < NORN_CLOSURE_INCLUDES; i += 2) {
		uint32_t *pair = attempt->includes + i;
		if (pair[1] == 0) {
			pair[0] = first;
			pair[1] = second;
		}
		if (pair[0] == first && pair[1] == second)
			return true;
	}
	return false;
}

struct norn_attempt_runner;

/* Fills in the prediction of an attempt that succeeded: all members but observed, stops and schedule. */
typedef void norn_attempt_runner_fill(void *context, const struct norn_attempt *attempt, struct norn_predicted *predicted);

struct norn_attempt_runner *norn_attempt_runner_new(
        const struct norn_graph *graph, const struct norn_builtin_options *options, struct norn_predictions *predictions);
void norn_attempt_runner_free(struct norn_attempt_runner *attempt_runner);

/* The order by forks and joins; pairs that it orders are not tried. NULL: that rule is switched off. */
const struct norn_fork_order *norn_attempt_runner_order(const struct norn_attempt_runner *attempt_runner);
struct norn_builtin_stats *norn_attempt_runner_stats(struct norn_attempt_runner *attempt_runner);

/* Tries all attempts, and may sort the array. found: one per group, set when an attempt of it succeeds. Where none succeeds, the
 * attempts that limits left untried are counted. */
void norn_attempt_runner_try(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count, bool *found,
        norn_attempt_runner_fill *fill, void *context);
/* From now on a schedule counts only if look returns true for it. NULL: every schedule counts. */
typedef bool norn_attempt_runner_look(void *context, const struct norn_attempt *attempt, const struct norn_schedule *schedule);
void norn_attempt_runner_shows(struct norn_attempt_runner *attempt_runner, norn_attempt_runner_look *look, void *context);
/* As norn_attempt_runner_try, but only with the observed order. */
void norn_attempt_runner_try_observed(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        bool *found, norn_attempt_runner_fill *fill, void *context);
/* As norn_attempt_runner_try, for groups without success in a run with opaque calls, which are assumed to be harmless: what
 * succeeds is only suspected. */
void norn_attempt_runner_suspect(struct norn_attempt_runner *attempt_runner, struct norn_attempt *attempts, uint32_t count,
        bool *found, norn_attempt_runner_fill *fill, void *context);

#endif
