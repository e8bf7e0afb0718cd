/* Inside live_monitors.c and live_outcomes.c: a machine (a property and its monitor), and an event that is being judged. */
#ifndef NORN_JUDGE_LIVE_MONITORS_STATE_H
#define NORN_JUDGE_LIVE_MONITORS_STATE_H

#include "judge/instances.h"
#include "engine/lock.h"
#include "judge/live_monitors.h"

struct norn_property_machine {
	struct norn_property_terms terms;
	const struct norn_monitor *monitor;
	uint32_t index; /* of the property */
};

struct norn_live_monitors {
	const struct norn_spec *spec;
	struct norn_event_match *event_match;
	enum norn_watch_mode mode;
	bool values_needed, locked;
	struct norn_property_machine *list;
	uint32_t count;
	_Atomic bool over, incomplete;
	_Atomic uint64_t relevant;
	struct norn_online_lock lock;
	/* Under the lock, if there is one. */
	struct norn_place_values values;
	struct norn_instances *instances; /* global mode: per machine */
	uint64_t serial;
	bool begun;
};

struct norn_judge_scratch {
	struct norn_moment moment; /* of the event that is being judged */
	void *memory; /* the moment's, and the ghosts' */
	struct norn_instances *instances; /* thread mode: per machine */
	struct norn_change changes[NORN_CHANGES_MAX]; /* the moment's: here, since the thread's stack may be small */
	uint64_t serial, relevant;
	bool begun;
};

/* One event, being judged. */
struct norn_now {
	struct norn_live_monitors *machines;
	struct norn_online_thread *self;
	struct norn_judge_scratch *scratch;
	struct norn_moment *moment; /* the scratch's */
	const struct norn_event *event;
	struct norn_instances *instances;
	uint32_t i; /* of the machine that judges it */
};

/* The reaction to outcomes: verdicts in the thread's queue. The context is a struct norn_now. */
extern const struct norn_outcomes norn_live_outcomes;
/* There is not enough memory to judge the machine's property any more. */
void norn_live_no_memory(struct norn_now *now);

#endif
