/* The context of a built-in error: names, stacks and locks of a recorded run, looked up by the numbers of events
 * (causality/dependence_graph.h).
 *
 * The inside of predicted_errors.h; no other room includes this. All texts are in the findings' arena. */
#ifndef NORN_FINDING_ERROR_CONTEXT_H
#define NORN_FINDING_ERROR_CONTEXT_H

#include "base/map.h"
#include "finding/predicted_errors.h"

#define NORN_LOCK_LABELS_MAX 16u
#define NORN_RECENT_EVENTS 2u /* events of a thread before a schedule leaves the observed order */

struct norn_error_context {
	struct norn_trace *trace;
	const struct norn_graph *graph;
	struct norn_findings *findings;
	bool imported; /* from RAPID's text: locks are named by their sites' names */
	struct norn_map creators; /* a thread to uint32_t: the ENTER that its creator was in */
	struct norn_map opened; /* number of an event to uint32_t: the ENTER that it is in, 0: none */
	struct norn_map locks; /* address to uint32_t: a site that names the lock */
	/* Locks of the finding that is being described which others are called like: address and number. */
	struct {
		uint64_t addr;
		unsigned number;
	} labels[NORN_LOCK_LABELS_MAX];
	unsigned label_count;
	struct norn_map
	        recent; /* base << 32 | thread to uint32_t[NORN_RECENT_EVENTS]: its last events that matter, the latest first */
};

/* Collects names, stacks and recent events, in one pass over the run. */
void norn_error_context_init(struct norn_error_context *context, struct norn_trace *trace, const struct norn_graph *graph,
        const struct norn_predicted *predicted, uint32_t count, struct norn_findings *findings);
void norn_error_context_done(struct norn_error_context *context);

/* An event as people read it. value: show it; it is what the event had in the recorded run. */
void norn_error_context_step(
        const struct norn_error_context *context, uint32_t number, bool value, struct norn_step_text *ret_step);
/* The caller, and the locks that were held when it began: of an event that a prediction names. */
void norn_error_context_side(const struct norn_error_context *context, uint32_t number, struct norn_side *ret_side);
/* Gives the finding the steps and sides of its where_count events; returns the steps. */
struct norn_step_text *norn_error_context_places(
        const struct norn_error_context *context, const uint32_t *numbers, struct norn_finding *finding);
/* Numbers the locks that are held or waited for at these events, where several have one name. Before a finding is described. */
void norn_error_context_label(struct norn_error_context *context, const uint32_t *numbers, uint32_t count);
const char *norn_error_context_thread(const struct norn_error_context *context, uint32_t thread); /* its path */
const char *norn_error_context_lock(
        const struct norn_error_context *context, uint32_t number); /* name of the lock of an acquire or release */
const char *norn_error_context_variable(
        const struct norn_error_context *context, const uint32_t *numbers, uint32_t count); /* the blocks that accesses are of */
const char *norn_error_context_block(
        const struct norn_error_context *context, uint32_t number); /* the block that was accessed, in words; "" */

/* The thread that ran a job which was given to another one (errors/jobs.h). */
const char *norn_error_context_worker(const struct norn_error_context *s, uint32_t job);

/* deadlock_words.c. The event that a stop is shown as: of a thread that sleeps, the beginning of its wait. */
uint32_t norn_error_context_stop(const struct norn_error_context *context, const struct norn_predicted *predicted, uint32_t stop);
/* Is it a deadlock only because all other threads wait, too, or have ended? */
bool norn_error_context_all_stopped(const struct norn_error_context *context, const struct norn_predicted *predicted);
/* Outcome, message and advice. */
void norn_error_context_deadlock(
        const struct norn_error_context *context, const struct norn_predicted *predicted, struct norn_finding *finding);

/* assertion_words.c. The events of where: at most three. */
uint32_t norn_error_context_asserted(const struct norn_predicted *predicted, uint32_t *numbers);
const char *norn_error_context_value(const struct norn_error_context *context, uint32_t read, uint64_t value); /* that it sees */
/* Places, operands, outcome, message and advice. */
void norn_error_context_assertion(const struct norn_error_context *context, const struct norn_predicted *predicted,
        const uint32_t *numbers, struct norn_finding *finding);

/* consequence_words.c. What a race leads to, if that is graver than what the finding has. */
void norn_error_context_consequence(
        const struct norn_error_context *context, const struct norn_predicted *predicted, struct norn_finding *finding);

/* null_words.c. The same of a null dereference: the access, the read of the pointer, and what cleared it, if anything did. */
uint32_t norn_error_context_nulls(const struct norn_predicted *predicted, uint32_t *numbers);
void norn_error_context_null(const struct norn_error_context *context, const struct norn_predicted *predicted,
        const uint32_t *numbers, struct norn_finding *finding);

/* Is the event shown in any case: does it synchronize, or read another thread's write? */
bool norn_error_context_matters(const struct norn_error_context *context, uint32_t number);

/* The steps of a schedule that matter, its stops last. */
void norn_error_context_witness(
        const struct norn_error_context *context, const struct norn_predicted *predicted, struct norn_finding *finding);
/* The order that the steps had to come in (step_order.c). numbers: of those steps that are no stops. */
void norn_error_context_step_order(const struct norn_error_context *context, const struct norn_predicted *predicted,
        const uint32_t *numbers, uint32_t count, struct norn_finding *finding);
/* Is it the read of a copy that writes shared memory, too? Its site names what is written. */
bool norn_error_context_copies(const struct norn_error_context *context, uint32_t number);
/* The lock regions that come in another order. */
void norn_error_context_swaps(
        const struct norn_error_context *context, const struct norn_predicted *predicted, struct norn_finding *finding);
/* Of two accesses: which came first when recorded, though it need not. */
void norn_error_context_order(
        const struct norn_error_context *context, const struct norn_predicted *predicted, struct norn_finding *finding);

#endif
