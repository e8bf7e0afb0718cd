/* The inside of a recorded property: what recorded_property.c, which hears the run, and violation.c, which reports, share. No other
 * file includes this. */
#ifndef NORN_JUDGE_RECORDED_RECORDED_PROPERTY_STATE_H
#define NORN_JUDGE_RECORDED_RECORDED_PROPERTY_STATE_H

#include "judge/instances.h"
#include "judge/recorded/recorded_property.h"
#include "judge/recorded/recent_positions.h"

struct norn_recorded_property {
	const struct norn_sources *sources;
	const struct norn_property *property;
	struct norn_view *view;
	struct norn_monitor *monitor;
	struct norn_recent_positions recent;
	struct norn_instances instances;
	uint32_t note_count; /* of handlers, so far */
	uint64_t notes_left_out;
	const char *causality, *extent; /* of a predicted run; NULL: the run was observed */
	bool violated; /* a violation was reported */
	bool more; /* that run is another one that violates where a finding is */
};

/* The property being judged: the context of norn_recorded_outcomes. */
struct norn_recorded_step {
	struct norn_recorded_property *recorded_property;
	const struct norn_moment *moment;
	struct norn_findings *findings;
	struct norn_past past; /* of the position, once there is one */
};
/* Findings and notes. */
extern const struct norn_outcomes norn_recorded_outcomes;

/* The violation of an infinite run: its positions from number first on are repeated. */
void norn_violated_by_loop(struct norn_recorded_property *recorded_property, struct norn_instance *instance,
        const struct norn_moment *moment, const struct norn_position *first, struct norn_findings *findings);

#endif
