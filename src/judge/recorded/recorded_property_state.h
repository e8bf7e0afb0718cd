/* The inside of a recorded property: what recorded_property.c, which steps, and violation.c, which reports, share. No other file includes this. */
#ifndef NORN_JUDGE_RECORDED_RECORDED_PROPERTY_STATE_H
#define NORN_JUDGE_RECORDED_RECORDED_PROPERTY_STATE_H

#include "judge/recorded/recorded_property.h"
#include "judge/recorded/recent_positions.h"
#include "monitor/states.h"

/* One instance of a property: one for each value of its keys, or the only one. */
struct norn_instance {
	struct norn_value *keys; /* key_count of them */
	struct norn_states states;
	uint64_t last_yes; /* the last letter */
	bool last_unknown;
	bool charged; /* its violation was reported */
	bool doubtful; /* some possibility is a violation: said */
	bool given_up;
	enum norn_verdict verdict; /* of the last step, if all states agree */
	uint32_t fsm_state;
	uint32_t id; /* in the history; from 1 */
	uint64_t stepped; /* number of the position that it saw last */
	char finding[20]; /* id of what it was charged with */
	struct norn_instance *next; /* of the same hash */
};

struct norn_recorded_property {
	const struct norn_sources *sources;
	const struct norn_property *property;
	struct norn_view *view;
	struct norn_monitor *monitor;
	struct norn_recent_positions history;
	struct norn_instance *only; /* without keys the instance; else what instances that are to come will start from */
	struct norn_map instances; /* hash of the keys -> struct norn_instance * */
	uint32_t instance_count, next_id;
	uint32_t note_count; /* of handlers, so far */
	uint64_t notes_left_out;
	uint32_t doubts; /* instances that may be violated */
	bool given_up, keys_unknown;
	const char *causality, *extent; /* of a predicted run; NULL: the run was observed */
	bool charged; /* a violation was reported */
};

/* A violation, by the rules of the property's handlers: reported, counted, reset. past: the position, NULL at the end of the run. */
int norn_charge(struct norn_recorded_property *recorded_property, struct norn_instance *instance, const struct norn_moment *moment,
        const struct norn_past *past, struct norn_findings *findings);
/* The violation of an infinite run: its positions from number first on are repeated. */
int norn_charge_loop(struct norn_recorded_property *recorded_property, struct norn_instance *instance,
        const struct norn_moment *moment, const struct norn_position *first, struct norn_findings *findings);
/* Another outcome: `report` actions of its handlers become notes; true if one of them is reset. */
bool norn_remark(struct norn_recorded_property *recorded_property, const struct norn_instance *instance,
        const struct norn_moment *moment, enum norn_outcome outcome, struct norn_findings *findings);
/* "c = 0x5581", "" without keys. */
const char *norn_instance_text(const struct norn_recorded_property *recorded_property, const struct norn_instance *instance,
        struct norn_findings *findings);

/* As if it had seen nothing. */
void norn_instance_reset(const struct norn_recorded_property *recorded_property, struct norn_instance *instance);

#endif
