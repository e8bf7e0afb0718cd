/* Candidates: predicted violations that have not been checked yet.
 *
 * A candidate is a run, as a sequence of positions, that is said to violate a property. The recorded run is read once more for all
 * candidates together, and each is believed only if the checker (mvc_witness.h), which is independent of the search, agrees
 * that the program could have taken that run and that the monitor violates at its end. It is then played to a recorded
 * property of its own, which makes a finding of it. A candidate that is refused is Norn's own error: it is counted and said,
 * and never shown.
 *
 * The candidate points to what it was given, which must live longer. */
#ifndef NORN_PREDICT_CANDIDATE_H
#define NORN_PREDICT_CANDIDATE_H

#include "judge/recorded/recorded_property.h"
#include "sliced/schedule.h"
#include "trace/event.h"
#include "witness/lasso_witness.h"

struct norn_candidate {
	const struct norn_binding *binding;
	const struct norn_sources *sources;
	const struct norn_view *view;
	const struct norn_monitor *monitor;
	const struct norn_value *keys; /* of the instance, or NULL */
	const struct norn_position *start; /* position 0 */
	const struct norn_position *const *steps;
	uint32_t count;
	const struct norn_position
	        *missed; /* events observed before the last step that have not happened yet in this run; NULL: none */
	bool at_end; /* the run violates by ending */
	bool more; /* another run that violates it where one does that comes before this in the list */
	const struct norn_lasso *loop; /* NULL: none, it violates at its end */
	uint32_t order; /* of its property among those that are predicted */
	const struct norn_lattice_picture *lattice; /* that it was found in; NULL: it is not kept */
	const char *extent; /* how many runs there are, for people */
	const struct norn_graph *graph; /* under sliced causality; else NULL */
	struct norn_schedule schedule; /* the same: all events of the run, not only the steps */
	const uint32_t *valued; /* the same: events of it that must have the values that they had */
	uint32_t valued_count;
	const struct norn_graph_range *watched; /* the same: memory that the property speaks of */
	uint32_t watched_count;
	bool watches_reads;
	const uint64_t *relevant; /* numbers of all events of its computation, ascending */
	uint32_t relevant_count;
	uint32_t next; /* of relevant: the one that is to come */
	uint32_t serial; /* in the order of adding */
	struct norn_witness *witness;
	struct norn_lasso_witness *lasso;
};

struct norn_candidates {
	struct norn_candidate *list;
	uint32_t count, room;
	uint64_t number; /* of the last event */
	const struct norn_trace *trace; /* that knows of sites what is called there; NULL: that is not known */
};

void norn_candidates_done(struct norn_candidates *candidates);
void norn_candidates_add(struct norn_candidates *candidates, const struct norn_candidate *candidate);
/* In the order of their properties; those of one as they were added. */
void norn_candidates_sort(struct norn_candidates *candidates);

/* One candidate whose witness was checked, or which has none, because its order was checked otherwise: does the monitor agree? Then
 * it becomes a finding, else it is refused. */
int norn_candidate_check(const struct norn_candidate *candidate, struct norn_findings *findings, struct norn_error *err);
/* Counts and says it. */
void norn_candidate_refuse(const struct norn_candidate *candidate, const char *why, struct norn_findings *findings);

/* Each event of the merged run, once more. */
void norn_candidates_event(struct norn_candidates *candidates, const struct norn_event *event);
/* After the last: what is right becomes a finding. */
int norn_candidates_check(struct norn_candidates *candidates, struct norn_findings *findings, struct norn_error *err);

#endif
