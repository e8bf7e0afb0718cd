/* Instances: the monitor states of one property, one for each value of its keys, and what its positions make of them.
 *
 * An event that names the keys goes to that instance, one that does not goes to all, and also to those that are still to come. An
 * instance ends, as at the end of the run, when the memory that a key points to is freed.
 *
 * Where an atom's value is unknown the monitor may be in several states at once, one for each possibility (monitor/states.h). Only
 * what holds in all of them is an outcome. Beyond NORN_STATES_MAX states, or NORN_UNKNOWN_MAX unknown atoms at once, an instance is
 * given up, which is told.
 *
 * The reaction to an outcome is the caller's: inside the program a queued verdict (live_outcomes.c), on a recorded run a finding
 * (judge/recorded/recorded_property.c). */
#ifndef NORN_JUDGE_INSTANCES_H
#define NORN_JUDGE_INSTANCES_H

#include "base/map.h"
#include "monitor/states.h"
#include "judge/finding_id.h"
#include "judge/moment.h"

struct norn_instance {
	struct norn_states states;
	enum norn_verdict verdict; /* of the last step, if all states agree */
	uint32_t fsm_state;
	bool violated;
	bool doubtful; /* some possibility is a violation */
	bool given_up;
	bool last_unknown; /* of the last letter: something was */
	uint64_t last_yes;
	uint64_t stepped; /* serial of its last position */
	uint32_t id; /* from 1, in the order in which they came up */
	struct norn_instance *next; /* of the same hash */
	struct norn_value keys[]; /* key_count of them */
};

struct norn_instances {
	const struct norn_property_terms *terms;
	const struct norn_monitor *monitor;
	struct norn_instance *only; /* for those without keys, and what those to come begin with */
	struct norn_map map; /* hash of keys -> struct norn_instance * */
	uint64_t count;
	uint32_t next_id;
	uint32_t doubts; /* instances that may be violated */
	bool keys_unknown; /* it is not judged any more */
	bool gave_up;
};

enum norn_when { NORN_WHEN_EVENT, NORN_WHEN_START, NORN_WHEN_FREED, NORN_WHEN_END };

/* The caller's reaction. */
struct norn_outcomes {
	/* The instance has a position with this letter; NULL: all have, and those that are still to come. May be NULL. */
	void (*position)(void *context, const struct norn_instance *instance, const struct norn_letter *letter);
	/* Formulas about the past are violated again and again. True: a handler asks for a reset. */
	bool (*violation)(void *context, struct norn_instance *instance, enum norn_when when);
	/* Another outcome, for its handlers. True: one asks for a reset. */
	bool (*outcome)(void *context, const struct norn_instance *instance, enum norn_outcome outcome);
	/* For the first of a property only. */
	void (*doubt)(void *context, const struct norn_instance *instance);
	void (*give_up)(void *context, const struct norn_instance *instance, const char *why);
};

/* The outcomes, a bit each, whose handlers a violation in this state of an fsm calls, too. */
uint32_t norn_outcomes_also(const struct norn_property *property, uint32_t fsm_state);

struct norn_judging {
	const struct norn_moment *moment;
	uint64_t serial; /* another one for each position, from 1; 0 at the start of the run */
	const struct norn_outcomes *outcomes;
	void *context;
};

/* terms and monitor must live longer. norn_instances_done is called in any case. */
int norn_instances_init(
        struct norn_instances *instances, const struct norn_property_terms *terms, const struct norn_monitor *monitor);
void norn_instances_done(struct norn_instances *instances);

/* NULL: it has none, or no event has named them yet. */
static inline const struct norn_value *norn_instance_keys(const struct norn_instances *n, const struct norn_instance *i)
{
	return i == n->only ? NULL : i->keys;
}
/* The instance of these keys, made from what events for all have led to if there is none; NULL: no memory. */
struct norn_instance *norn_instance_of(struct norn_instances *instances, const struct norn_value *keys);

/* Steps the instances that have a position here, after norn_moment_concerns: 1 if there is one, 0, or -ENOMEM. */
int norn_instances_position(struct norn_instances *instances, const struct norn_judging *judging);
/* A block is freed: what keys point into it ends. */
void norn_instances_freed(struct norn_instances *instances, const struct norn_judging *judging, uint64_t address, uint64_t size);
/* Events are missing, perhaps some of its own: those that speak of events are given up. */
void norn_instances_lost(struct norn_instances *instances, const struct norn_judging *judging, const char *why);
/* The end of the run. */
void norn_instances_end(struct norn_instances *instances, const struct norn_judging *judging);

#endif
