/* The search for runs that violate properties, among all that are consistent with the causality of a recorded run (mvc).
 *
 * While the run goes by, algorithm A follows every event, and the positions that concern a property that is to be predicted are
 * kept with their clocks. When it has ended, each property, and each instance of one with keys, gets the lattice of its own
 * positions (search.h). Violating runs become candidates (candidate.h), which are checked before they are believed.
 *
 * Causality is computed once for all properties. Those that have the same relevant events and keys share one lattice, each with its
 * own monitor states; the others are taken one by one. Memory: that of algorithm A; about 250 bytes per position that is kept, and
 * 8 for each thread that precedes it; and what the lattice needs, which has a limit. */
#ifndef NORN_PREDICT_PROPERTY_SEARCH_H
#define NORN_PREDICT_PROPERTY_SEARCH_H

#include "causality/dependence_graph.h"
#include "judge/recorded/recorded_property.h"
#include "lattice/lattice_picture.h"
#include "predict/candidate.h"
#include "trace/event.h"

/* For recorded and for observed runs (live_search.h), which all, the limits, workers and progress are for. */
struct norn_property_search_options {
	bool every; /* predict all properties, also those that say predict=none */
	bool all; /* violations of different places, too, not only the first */
	bool finite; /* no infinite runs: no liveness */
	uint64_t max_cuts, max_memory, beam; /* of each search; 0: no limit */
	unsigned workers; /* 0: one per core */
	const struct norn_graph *graph; /* of the same run; NULL: nothing is predicted under sliced causality */
	bool sliced; /* predict all properties so, not only those that say predict=sliced */
	void (*draw)(
	        void *context, const struct norn_lattice_picture *picture); /* gets each lattice that is searched; NULL: none */
	bool keep; /* findings keep the lattice that was searched, if it is small (lattice_picture.h) and of one property */
	void (*progress)(void *context); /* now and then during long searches; NULL: none */
	void *context;
};

struct norn_property_search;

/* binding knows all spots already. start is position 0. All must live longer. *ret_search is NULL if no property is to be
 * predicted. */
int norn_property_search_new(const struct norn_sources *sources, const struct norn_binding *binding,
        const struct norn_position *start, const struct norn_property_search_options *options,
        struct norn_property_search **ret_search, struct norn_error *err);
void norn_property_search_free(struct norn_property_search *search);

/* Each event of the merged run, in order; position is NULL if it is none. 0 or -errno. */
int norn_property_search_event(
        struct norn_property_search *search, const struct norn_event *event, const struct norn_position *position);

/* That property was violated in the merged order. Where events are causally unordered and nearer in time than the resolution of the
 * recording (INFO resolution), it is not known which came first: a violation that depends on it counts as predicted, not as
 * observed. */
void norn_property_search_violated(struct norn_property_search *search, const struct norn_property *property);

/* The run is over: searches. whole: nothing of it is missing; else nothing is predicted. */
int norn_property_search_end(
        struct norn_property_search *search, bool whole, struct norn_findings *findings, struct norn_error *err);
struct norn_candidates *norn_property_search_candidates(struct norn_property_search *search); /* those that it found */

#endif
