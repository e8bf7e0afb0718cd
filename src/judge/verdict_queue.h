/* Verdicts of engines: what happened, and which actions wait for the thread to leave the hook.
 *
 * norn_online_raise looks for the handlers of an outcome, evaluates their arguments at once (the values of this moment), and queues
 * the verdict in its thread. The runtime takes it from there: it tells the command (or writes a line), then runs the actions. A
 * violation without a handler for it is reported. A queue has room for a few verdicts, as one hook makes few; more are counted. */
#ifndef NORN_JUDGE_VERDICT_QUEUE_H
#define NORN_JUDGE_VERDICT_QUEUE_H

#include "engine/engine.h"
#include "judge/finding_id.h"

#define NORN_VERDICTS_QUEUED 16u
#define NORN_VERDICT_ACTIONS 8u
#define NORN_VERDICT_ARGUMENTS 16u
#define NORN_VERDICT_TEXT 1024u

/* A step of how it came about. */
struct norn_verdict_step {
	const char *path; /* of the thread; lives on. NULL: by its number */
	const char *what; /* name of the declared event, or "" */
	uint32_t thread;
	struct norn_footprint print;
};
#define NORN_VERDICT_STEPS 18u

struct norn_raise {
	const struct norn_property *property; /* of a scope: its check */
	uint32_t index; /* of the property in the spec; UINT32_MAX: a scope's */
	enum norn_outcome outcome;
	uint32_t
	        also; /* other outcomes, a bit each (1 << outcome), whose handlers fit, too: a failed expression is also violated */
	uint32_t state; /* STATE among them: which of the fsm */
	const char *what; /* in words, "violated at the end of the run"; NULL: by the outcome */
	const struct norn_eval_env *env; /* for the arguments of actions; NULL: all unknown that are not constant */
	const char *key; /* "c = 0x55…" or "" */
	const char
	        *details; /* sentences, one per line, that tell how the thread knows: for the report ("knowledge"); may be NULL */
	const char *values; /* "x = 1" one per line: what the property speaks of; may be NULL */
	uint32_t site; /* of the event; 0: unknown */
	uint32_t call_site; /* of a call or return: its caller; 0: unknown */
	uint8_t event_kind, event_op; /* of the event that brought it about (trace/event.h); 0: none, the end of the run */
	const struct norn_footprint
	        *first; /* of a property that is violated once more: where it was first, which is the finding's place; NULL: here */
	bool at_end; /* no event brought it about: the end of the run, or of what the key points to */
	const struct norn_verdict_step *steps; /* the last is where it is violated */
	uint32_t step_count;
};

struct norn_queued_action {
	enum norn_action_kind kind;
	const char *format, *function;
	uint32_t argument_count;
	struct norn_value arguments[NORN_VERDICT_ARGUMENTS];
};

/* VERDICT: an outcome. The others are sentences (details). NOTE: what the user should know. DOUBT: the property may be violated
 * here, what decides is not known; makes the result incomplete. WITHDRAW: all that was said about the property, or about the checks
 * of the scope of that name, does not hold; incomplete, too. */
enum norn_queued_kind { NORN_QUEUED_VERDICT, NORN_QUEUED_NOTE, NORN_QUEUED_DOUBT, NORN_QUEUED_WITHDRAW };

struct norn_queued_verdict {
	enum norn_queued_kind kind;
	const char *property; /* name; of a scope: "scope.check" */
	const char *source; /* VERDICT: the file that declares it */
	enum norn_judged_by by; /* VERDICT */
	uint32_t index, site, state, action_count;
	uint32_t call_site;
	uint8_t event_kind, event_op;
	bool at_end;
	struct norn_footprint first; /* VERDICT: the finding's place */
	enum norn_outcome outcome;
	char what[64]; /* "": by the outcome */
	uint32_t step_count;
	struct norn_verdict_step steps[NORN_VERDICT_STEPS];
	char key[120];
	char details[NORN_VERDICT_TEXT];
	char values[512];
	struct norn_queued_action actions[NORN_VERDICT_ACTIONS];
};

struct norn_verdict_queue {
	uint32_t count;
	uint64_t lost;
	struct norn_queued_verdict list[NORN_VERDICTS_QUEUED];
};

/* The actions of the handlers of these outcomes (a bit each; STATE: of this state), in order: at most NORN_VERDICT_ACTIONS. env: as
 * in norn_raise. */
void norn_handlers_actions(const struct norn_property *property, uint32_t outcomes, uint32_t state, const struct norn_eval_env *env,
        struct norn_queued_action *ret_actions, uint32_t *ret_count);
/* True if one of them asks for a reset. */
bool norn_handlers_reset(const struct norn_property *property, uint32_t outcomes, uint32_t state);

/* True if a handler asks for `reset`: the engine starts the monitor anew, then. Outcomes without a handler are not queued, but for
 * violations. */
bool norn_online_raise(struct norn_online_thread *self, const struct norn_raise *raise);

/* A sentence, without a full stop, in the engine's name. */
void norn_online_say(
        struct norn_online_thread *self, enum norn_queued_kind kind, const char *property, uint32_t site, const char *sentence);

#endif
