/* Inside live_monitors.c: a machine (a property and its monitor), a instances (its states, one for each value of the keys), and a moment at which it is judged. */
#ifndef NORN_JUDGE_INSTANCES_H
#define NORN_JUDGE_INSTANCES_H

#include "base/map.h"
#include "monitor/states.h"
#include "engine/lock.h"
#include "judge/live_monitors.h"
#include "judge/property_terms.h"

struct norn_property_machine {
	struct norn_property_terms topic;
	const struct norn_monitor *monitor;
	uint32_t index; /* of the property */
};

/* One monitor state. */
struct norn_instances_seat {
	struct norn_value keys[NORN_KEYS_MAX];
	struct norn_states states;
	enum norn_verdict verdict;
	uint32_t fsm_state;
	bool charged, doubtful, given_up;
	bool last_unknown;
	uint64_t last_yes;
	uint64_t stepped; /* serial of its last position */
	struct norn_instances_seat *next; /* of the same hash */
};

struct norn_instances {
	struct norn_instances_seat *only; /* for those without keys, and what those to come begin with */
	struct norn_map seats; /* hash of keys -> struct norn_instances_seat * */
	uint64_t count;
	bool keys_unknown, doubted, gave_up;
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
	struct norn_instances *dockets; /* global mode: per machine */
	uint64_t serial;
	bool begun;
};

struct norn_bench {
	struct norn_value *ghosts; /* per ghost: its value, and the greatest that it had */
	struct norn_value *news; /* scratch */
	void *memory;
	bool *set; /* per ghost: it was set by this event, or may have been */
	int8_t *events; /* per event: enum norn_truth of this event's being one */
	struct norn_instances *dockets; /* thread mode */
	struct norn_change
	        changes[NORN_CHANGES_MAX]; /* of the event that is being judged: here, since the thread's stack may be small */
	uint64_t serial, relevant;
	bool begun;
};

/* One event, being judged. */
struct norn_now {
	struct norn_live_monitors *machines;
	struct norn_online_thread *self;
	struct norn_bench *bench;
	const struct norn_event *event;
	struct norn_look *look;
	struct norn_instances *dockets;
	struct norn_change *changes; /* the bench's */
	uint32_t change_count;
	uint64_t serial;
	bool decided; /* bench->events is of this event */
	bool starts; /* position 0 */
};

/* Where the leaves of an expression get their values. */
struct norn_instance_scene {
	const struct norn_now *now;
	const struct norn_online_hit *hit; /* NULL: none */
	const struct norn_value *keys; /* NULL: unknown */
};
struct norn_value norn_moment_leaf(void *scene, const struct norn_expr *leaf);

/* keys: the seat's, NULL: one that no event has named yet. False if the event is no position of this property (seat). */
bool norn_property_machine_letter(const struct norn_property_machine *machine, const struct norn_now *now,
        const struct norn_value *keys, struct norn_letter *ret_letter);

int norn_dockets_new(const struct norn_live_monitors *machines, struct norn_instances **ret_dockets);
void norn_dockets_free(const struct norn_live_monitors *machines, struct norn_instances *dockets);
/* Steps machine number i where this is one of its positions: whether it is. */
bool norn_instances_position(struct norn_now *now, uint32_t i);
void norn_instances_freed(struct norn_now *now, uint32_t i); /* the event frees a block: what keys point into it ends */
void norn_instances_end(struct norn_now *now, uint32_t i);

#endif
