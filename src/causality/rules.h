/* The semantics of events in prediction, one row for each kind: what must have happened before it, in which state of its object it
 * can happen, and what it does to that. docs/prediction.md has the law that each row is of, with reasons and counterexamples.
 *
 * Two forms of prediction read the same rows. The *set form* (the closure) keeps the observed order, so what an event needs is a
 * set of earlier ones: needs, and posts or notifies for the guards POSITIVE, ZERO and for wake-ups (WOKEN). The *step form*
 * (the step model) allows other orders: an event can happen if what it needs has happened and the state of its object is what
 * its guard asks for. The effect of an event on vector clocks and on happens-before stands in sync_rules.h.
 *
 * The checkers of witnesses (sliced_witness.h, replay_state.h, mvc_witness.h) do not read this table: they are written from the
 * definitions. */
#ifndef NORN_CAUSALITY_RULES_H
#define NORN_CAUSALITY_RULES_H

#include "causality/dependence_graph.h"

/* Earlier events that must have happened. */
enum norn_need {
	NORN_NEED_FORK = 1, /* link: the fork of its thread; never without one */
	NORN_NEED_CHILD = 2, /* link: the last event of the child, or its fork if it did nothing; never without one */
	NORN_NEED_LIFE = 4, /* life: the allocation of its memory, the beginning of its object */
	NORN_NEED_MEMORY = 8, /* link, a list: what had this memory before */
	NORN_NEED_HOLDER = 16, /* set form; link: the acquire that a failed try met */
	NORN_NEED_ONCE = 32, /* link: the end of the routine */
	NORN_NEED_ROUND = 64, /* link: the arrivals up to this one that must come before */
	/* all earlier events of the object; of a channel never if what was sent may be something else; of a resource but for
	 * those that only looked */
	NORN_NEED_HISTORY = 128,
	NORN_NEED_NOTIFY = 256, /* all earlier events of the condition that the thread sleeps on */
	NORN_NEED_SLEEPERS = 512, /* threads that had begun to wait for the condition sleep */
	NORN_NEED_CALLS = 1024, /* all earlier calls of code without hooks */
	NORN_NEED_WORLD = 2048, /* these, and all earlier input and output */
	NORN_NEED_WRITERS = 4096, /* if it is fixed: the writers of what it read (set form; in the step form memory has contents) */
	NORN_NEED_USES = 8192, /* step form: all earlier accesses of the memory */
	NORN_NEED_SUBMITS = 16384, /* all earlier calls that hand over a job */
	NORN_NEED_STACKS = 32768, /* step form; the same of a stack that no pointer from before leads to */
};

/* The state of the object that an event can happen in. */
enum norn_guard {
	NORN_GUARD_NONE,
	NORN_GUARD_FREE, /* no thread holds it */
	NORN_GUARD_NO_WRITER, /* no thread holds it exclusively */
	NORN_GUARD_HELD, /* a thread holds it */
	NORN_GUARD_WRITER, /* a thread holds it exclusively */
	NORN_GUARD_POSITIVE, /* of a semaphore */
	NORN_GUARD_ZERO,
	NORN_GUARD_NEVER, /* only the recorded run itself explains it */
};

enum norn_effect {
	NORN_EFFECT_NONE,
	NORN_EFFECT_LOCK,
	NORN_EFFECT_UNLOCK,
	NORN_EFFECT_SHARE,
	NORN_EFFECT_UNSHARE,
	NORN_EFFECT_UP, /* one more */
	NORN_EFFECT_DOWN, /* one less */
	NORN_EFFECT_SET, /* to the event's value */
	NORN_EFFECT_DESTROY,
	NORN_EFFECT_CREATE,
};

/* Its effect on the sleepers of a condition, beside that on a mutex. A wait that timed out has no part in it: its time may be
 * up at once (S7). */
enum norn_rule_wait {
	NORN_WAIT_NONE,
	NORN_WAIT_SLEEP,
	NORN_WAIT_WOKEN, /* it can only happen when a notify has named its thread since that slept */
	NORN_WAIT_SIGNAL, /* names the thread that has slept longest */
	NORN_WAIT_BROADCAST,
};

/* Rules that tests switch off to show that they bite. */
enum norn_rule_switch {
	NORN_RULE_FIXED = 1, /* reads that decide see what they saw */
	NORN_RULE_KNOWN = 2, /* the values that fixed reads see were written from fixed reads */
	NORN_RULE_LOCK = 4,
	NORN_RULE_BEGIN = 8,
	NORN_RULE_JOIN = 16,
	NORN_RULE_TRY = 32,
	NORN_RULE_ORDERED = 64,
	NORN_RULE_LIFE = 128,
	NORN_RULE_CALL = 256,
	NORN_RULE_EXTERNAL = 512,
	NORN_RULE_END = 1024, /* nothing after the end of the process */
	NORN_RULE_MASK = 2048, /* no fixed read sees what free reads may change */
	NORN_RULE_CERTAIN = 4096, /* kept reads, their writers, and stops happen */
	NORN_RULE_LIST = 8192, /* an event that may not happen is not listed */
	NORN_RULE_OPAQUE = 16384, /* calls that may do anything; what is found without it is only suspected (X9) */
	NORN_RULE_AFTER = 32768, /* what code without hooks came back from, or noticed, is after all before (X3, X10) */
	/* Stricter than the law. A search that fails is asked again without these; if it succeeds then, it was not complete. */
	NORN_RULE_REUSE = 65536, /* memory lies where it lay (S15, V4) */
	NORN_RULE_LOOK = 131072, /* what a call saw of a resource matters, though it may decide nothing (X7) */
	NORN_RULE_FRESH = 262144, /* what fresh memory holds is unknown, though code without hooks may have written it (V5) */
	NORN_RULE_RESULT = 524288, /* a try or timed wait whose result decides nothing comes out as it did (S2, S7, S11) */
	NORN_RULE_STRICTER = NORN_RULE_REUSE | NORN_RULE_LOOK | NORN_RULE_FRESH | NORN_RULE_RESULT,
};

struct norn_rule {
	const char *name, *law; /* its number in docs/prediction.md */
	uint16_t needs; /* enum norn_need */
	uint16_t off; /* enum norn_rule_switch that switches its guard off */
	uint8_t guard, effect, wait; /* enum norn_guard, norn_effect, norn_rule_wait */
	bool exact; /* false: it orders more than the law asks, so a search that met it is not complete */
};

/* The row of an event of the graph; of most accesses its kind alone tells (norn_rules_by_kind, NULL: it does not). */
const struct norn_rule *norn_rule_find(const struct norn_graph *graph, uint32_t event);
extern const struct norn_rule *const norn_rules_by_kind[NORN_EVENT_RMW + 1];
static inline const struct norn_rule *norn_rule_of(const struct norn_graph *graph, uint32_t event)
{
	unsigned kind = norn_graph_event(graph, event)->kind;
	return kind <= NORN_EVENT_RMW ? norn_rules_by_kind[kind] : norn_rule_find(graph, event);
}
/* The same where rules are switched off: without NORN_RULE_RESULT what nobody asks about gets nothing, and its time is up. */
const struct norn_rule *norn_rule_without(const struct norn_graph *graph, uint32_t event, unsigned without);
/* Is the event the outcome of a try, or the end of a timed wait, that NORN_RULE_RESULT is about? */
bool norn_rule_is_ignored(const struct norn_graph *graph, uint32_t event);
/* A read with masks that is fixed though no fixed read sees them: the step model does so, the closure does not. */
extern const struct norn_rule norn_rule_masked_read;
/* An object, no lock, that keeps its observed order where open regions come last (R16). */
extern const struct norn_rule norn_rule_observed_order;
extern const struct norn_rule norn_rule_scan; /* a stop that would not read that far (R24), or may not */
extern const struct norn_rule norn_rule_reused_memory; /* NORN_RULE_REUSE */
extern const struct norn_rule norn_rule_any_look; /* NORN_RULE_LOOK */
extern const struct norn_rule norn_rule_any_result; /* NORN_RULE_RESULT */
extern const struct norn_rule norn_rule_fresh_memory; /* NORN_RULE_FRESH */
bool norn_rule_is_look(const struct norn_rule *rule); /* that NORN_RULE_LOOK is about */

/* Can only the recorded run itself explain this event? A search may begin after it. */
bool norn_rule_never(const struct norn_graph *graph, uint32_t event);
bool norn_rule_never_without(const struct norn_graph *graph, uint32_t event, unsigned without); /* with rules switched off */
/* A call of code that may do anything? */
bool norn_rule_opaque_call(const struct norn_graph *graph, uint32_t event);

/* ---- needs ---- */

/* Walks what events need, in a part of the run that begins after base. Needs are transitive: walks end
 * at an event that needs the rest. */
struct norn_rule_walk {
	const struct norn_graph *graph;
	unsigned without; /* enum norn_rule_switch */
	bool steps; /* in the step form: any holder of a lock makes a try fail */
	uint32_t base;
	uint32_t io_done; /* input and output up to this was given to an event that all later ones of its kind come after */
};

typedef void norn_need_event(void *context, uint32_t event);
bool norn_rule_walk_needs(
        struct norn_rule_walk *walk, uint32_t event, const struct norn_rule *rule, norn_need_event *need, void *context);
/* Gives each event after base that this one, whose row is rule, needs, in any order, but for those that one of them needs. False:
 * it can never happen. That it is the first event of a thread without a known fork is for the caller to ask
 * (norn_rule_from_nowhere). */
static inline bool norn_rule_needs_each(
        struct norn_rule_walk *walk, uint32_t event, const struct norn_rule *rule, norn_need_event *need, void *context)
{
	const struct norn_graph_event *e = norn_graph_event(walk->graph, event);
	if ((rule->needs & ~(unsigned)NORN_NEED_WRITERS) != NORN_NEED_LIFE || rule->guard == NORN_GUARD_NEVER || walk->without ||
	        e->flags & NORN_GRAPH_AFTER)
		return norn_rule_walk_needs(walk, event, rule, need, context);
	if (e->life > walk->base)
		need(context, e->life);
	return true;
}
/* Is it the first event of a thread without a known fork? */
bool norn_rule_from_nowhere(const struct norn_graph *graph, uint32_t event);
/* The event that woke the thread, for an acquire that ends a wait. */
bool norn_rule_needs_notify(const struct norn_rule_walk *needs, uint32_t acquire, norn_need_event *need, void *context);

/* ---- states ---- */

/* A lock: 0 free, NORN_STATE_EXCLUSIVE, NORN_STATE_DESTROYED, or how many share it. A semaphore: its value. */
#define NORN_STATE_EXCLUSIVE 0x80000000u
#define NORN_STATE_DESTROYED 0x80000001u

/* The effect of an operation of synchronisation on the state of its object, where that state is known. */
enum norn_effect norn_rule_effect(unsigned sync_op);

bool norn_rule_enabled(const struct norn_rule *rule, uint32_t state);
uint32_t norn_rule_apply(const struct norn_rule *rule, uint32_t state, uint32_t value);

/* Of the acquire that ends a wait: how the wait ended, 0: that was not recorded. */
uint32_t norn_rule_wait_end(const struct norn_graph *graph, uint32_t acquire);
/* Of the release that begins a sleep: does it end because time is up? */
bool norn_rule_times_out(const struct norn_graph *graph, uint32_t sleep);

#endif
