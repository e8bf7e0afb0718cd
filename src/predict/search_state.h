/* The inside of a forecast: what property_search.c, which follows the run, and lattice_search.c, sliced_search.c, search_picture.c and certain_order.c, which work when it is over,
 * share. No other file includes this. */
#ifndef NORN_PREDICT_SEARCH_STATE_H
#define NORN_PREDICT_SEARCH_STATE_H

#include "predict/influence.h"
#include "liveness/cycle_log.h"
#include "predict/property_search.h"
#include "judge/recorded/recent_positions.h"
#include "lattice/lattice.h"
#include "predict/projection.h"
#include "predict/letter_cache.h"
#include "predict/valuation_table.h"

/* A property that is predicted. */
struct norn_search_state {
	const struct norn_property *property;
	struct norn_view *view;
	struct norn_influence concern;
	struct norn_monitor *monitor;
	bool liveness; /* infinite runs are searched, too */
	bool charged; /* in the observed order */
	bool done; /* nothing is to be searched, or it was */
};

struct norn_property_search {
	const struct norn_sources *sources;
	const struct norn_binding *binding;
	const struct norn_position *start;
	struct norn_property_search_options options;
	struct norn_search_state *auguries;
	uint32_t augury_count;
	struct norn_mvc *mvc;
	struct norn_computation_builder *builder;
	struct norn_cycle_log *cycle_log; /* NULL: no property asks for liveness */
	struct norn_arena arena;
	const struct norn_position **kept; /* in the observed order; a payload is an index here */
	uint32_t kept_count, kept_room;
	bool lost, full;
	uint64_t resolution; /* nanoseconds: events that are further apart happened in the order of their times */
	struct norn_candidates claims;
};

/* One walk through a lattice: properties that have the same relevant events and keys, each with a monitor of its own. */
struct norn_search_model {
	struct norn_property_search *forecast;
	struct norn_search_state *const *auguries;
	uint32_t count;
	const struct norn_value *keys;
	struct norn_computation *computation;
	uint64_t *places; /* per event: its number in the observed run */
	struct norn_valuation_table valuation_table;
	struct norn_letter_cache *shortcuts; /* per search state */
	const struct norn_position *looked; /* what worlds.moment is about, NULL: nothing; and where */
	uint32_t looked_in;
	struct norn_lattice_picture *picture; /* NULL: none is wanted */
	struct norn_findings *findings;
	bool failed; /* to draw it */
};

/* The model's forecast, auguries, keys and findings are set. */
int norn_search_model_init(struct norn_search_model *model, const struct norn_projection *projection, struct norn_error *err);
void norn_search_model_done(struct norn_search_model *model);
struct norn_lattice_model norn_search_model_lattice(struct norn_search_model *model);
const struct norn_position *norn_search_model_position(const struct norn_search_model *model, struct norn_lattice_event event);

/* Adds a claim that the property is violated by claim->steps; fills in what the model knows. */
int norn_search_model_claim(const struct norn_search_model *model, const struct norn_projection *projection,
        const struct norn_search_state *search_state, struct norn_candidate *claim, struct norn_error *err);

/* lattice_search.c: all runs of one projection. Violations become claims of the forecast. */
int norn_search_state_search(struct norn_property_search *forecast, struct norn_search_state *const *auguries, uint32_t count,
        const struct norn_projection *projection, struct norn_findings *findings, struct norn_error *err);

/* sliced_search.c: all runs under sliced causality, near the observed one. A violation becomes a claim. options.slice is there. */
int norn_search_state_slice(struct norn_property_search *forecast, struct norn_search_state *search_state,
        const struct norn_projection *projection, struct norn_findings *findings, struct norn_error *err);

/* liveness.c: infinite runs of one projection that violate the property. */
int norn_search_state_loops(struct norn_property_search *forecast, struct norn_search_state *search_state,
        const struct norn_projection *projection, struct norn_findings *findings, struct norn_error *err);

/* search_picture.c: a node of the lattice for the picture, with the edges that lead on from it; at last the picture, to whoever wants it.
 * Of models with one property. */
void norn_sketch_node(void *model, const struct norn_lattice_node *node);
int norn_sketch_show(const struct norn_search_model *model, const struct norn_lattice_result *result, struct norn_error *err);

/* certain_order.c: whether all that was reported of the property was seen for certain; what was not is now a prediction. Either way it was
 * judged under mvc. seats: of all (projection.h). */
bool norn_certain(const struct norn_property_search *forecast, const struct norn_search_state *search_state,
        const struct norn_computation *all, const uint32_t *seats, struct norn_findings *findings);
/* All runs violate it: so did the one that was observed, whatever its order was. */
void norn_certain_after_all(
        const struct norn_search_state *search_state, const struct norn_value *keys, struct norn_findings *findings);

#endif
