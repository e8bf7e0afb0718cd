/* The search driver: from events with clocks to candidates, for recorded and for observed runs. Shared by the files of this room;
 * others include property_search.h (recorded runs) or live_search.h (observed ones).
 *
 *   an event's position, with its clock     kept once for all properties                          search.c
 *   instances                               those that its events name; all, if they name none    search.c
 *   projection of an instance               its events by thread, with clocks that count them     projection.c
 *   lattice                                 valuations and letters of its cuts                    instance_search.c
 *   violation                               becomes a candidate (candidate.h)                     instance_search.c
 *
 * A recorded run is one whose events are all there: its instances are opened one at a time, when it is over, and finished at once.
 * While a run is observed, each instance is open from its first event on. A whole run allows more: several properties in one
 * lattice, pictures, sliced causality, loops. */
#ifndef NORN_PREDICT_SEARCH_H
#define NORN_PREDICT_SEARCH_H

#include "base/must.h"
#include "lattice/lattice.h"
#include "liveness/loop_log.h"
#include "predict/influence.h"
#include "predict/letter_cache.h"
#include "predict/projection.h"
#include "predict/property_search.h"
#include "predict/valuation_table.h"

#define NORN_SEARCH_VIOLATIONS 16u /* of one instance, of different kinds, with options.all */

/* A property that is searched. */
struct norn_searched_property {
	const struct norn_property *property;
	struct norn_view *view;
	struct norn_influence influence;
	struct norn_monitor *monitor;
	uint32_t order; /* among all that are searched */
	bool liveness; /* infinite runs are searched, too */
	bool violated; /* by the observed order */
	bool done; /* nothing is to be searched */
};

/* An instance of a property, by its keys. A property without keys has one. */
struct norn_searched_instance {
	const struct norn_value *keys; /* NULL: no keys */
	struct norn_projected_list own; /* events that name its keys, unless it is open */
	struct norn_instance_search *open; /* NULL: it is not */
	bool ended; /* its object was freed */
	uint32_t chain; /* 1 + the next instance of the same hash */
};

/* Properties that have the same relevant events, and tell instances apart alike: one lattice per instance serves them all. */
struct norn_property_group {
	struct norn_property_search *search;
	struct norn_searched_property **members;
	uint32_t count;
	NORN_VECTOR(struct norn_searched_instance *) instances;
	struct norn_map index; /* hash of keys -> 1 + the newest of its instances */
	struct norn_projected_list common; /* events that name no keys: of all instances, also of later ones */
	bool may_be_common; /* there may be such events */
	const char *given_up; /* why it is not searched any further; NULL: it is */
};

struct norn_property_search {
	const struct norn_sources *sources;
	const struct norn_binding *binding;
	const struct norn_position *start; /* position 0 */
	struct norn_property_search_options options;
	struct norn_findings *findings;
	bool live; /* the run is observed */
	struct norn_searched_property *properties;
	uint32_t property_count;
	struct norn_property_group *groups;
	uint32_t group_count;
	struct norn_arena arena;
	struct norn_projected_list kept;
	uint64_t kept_bytes;
	uint64_t complete_to; /* all events up to this number have come */
	/* A violation of the instance: steps, their count, at_end, extent and missed are set. The candidate and its steps are the
	 * caller's. */
	int (*found)(struct norn_instance_search *instance, const struct norn_lattice_violation *violation,
	        struct norn_candidate *candidate, struct norn_error *err);
	/* Of a recorded run: */
	struct norn_mvc *mvc;
	struct norn_loop_log *loop_log; /* NULL: no property asks for liveness */
	bool lost, full;
	uint64_t resolution; /* nanoseconds: events that are further apart happened in the order of their times */
	struct norn_candidates candidates;
};

/* ---- search.c ---- */

/* The search has sources, binding, start, options; all else is zero. */
void norn_search_init(struct norn_property_search *search);
void norn_search_done(struct norn_property_search *search);
bool norn_search_wants(const struct norn_property *property, const struct norn_property_search_options *options);
int norn_search_add_property(struct norn_property_search *search, const struct norn_property *property, struct norn_error *err);
/* After the last property. together: properties that can share lattices do. */
void norn_search_make_groups(struct norn_property_search *search, bool together);

/* Does the position concern a property? */
bool norn_search_concerns(const struct norn_property_search *search, const struct norn_position *position);
/* Keeps a copy of the position. Its clock has room for so many entries, which the caller sets, and nth. */
struct norn_projected *norn_search_keep(
        struct norn_property_search *search, const struct norn_position *position, uint32_t entries, uint64_t number);
/* Gives the position to the instances that it concerns, and ends those whose object it frees. kept: NULL if it concerns no
 * property. 0 or -errno: of lattices that are open. */
int norn_search_distribute(
        struct norn_property_search *search, const struct norn_position *position, const struct norn_projected *kept);
/* The one instance of a group without keys, made if no event has made it. */
int norn_search_only_instance(struct norn_property_group *group, struct norn_searched_instance **ret_instance);
/* All events of an instance that is not open, as they were kept. Fills an empty list. */
void norn_search_events(const struct norn_property_group *group, const struct norn_searched_instance *instance,
        struct norn_projected_list *ret_events);

/* ---- instance_search.c ---- */

struct norn_instance_search {
	struct norn_property_search *search;
	struct norn_searched_property *const *properties; /* monitor m of the lattice is that of properties[m] */
	uint32_t count;
	const struct norn_value *keys;
	const struct norn_projected_list *events; /* of a recorded run: all, in the observed order; else NULL */
	struct norn_projection projection;
	struct norn_lattice *lattice; /* NULL: none was begun, or it is finished and its memory freed */
	struct norn_valuation_table valuations;
	struct norn_letter_cache *letters; /* by property */
	const struct norn_position *looked; /* the position of valuations.moment, NULL: none; and at which valuation */
	uint32_t looked_at;
	struct norn_lattice_picture *picture; /* NULL: none is wanted */
	uint32_t shown; /* violations that search->found got */
	bool finished;
	/* While the run is observed: */
	struct norn_thread_bound {
		uint64_t bound; /* how many events all that the thread may still do comes after */
		uint32_t version; /* of its clock that this was made of */
	} *bounds; /* by thread */
	uint32_t bound_count;
	uint64_t changes; /* of the search that it has taken in */
	uint64_t probed; /* how many events there were at the last probe */
	uint32_t findings[NORN_SEARCH_VIOLATIONS], finding_count; /* indices of findings->list */
};

/* events: those that the instance has already, in the order in which they were kept; may be NULL. */
struct norn_instance_search *norn_instance_search_new(struct norn_property_search *search,
        struct norn_searched_property *const *properties, uint32_t count, const struct norn_value *keys,
        const struct norn_projected_list *events);
void norn_instance_search_free(struct norn_instance_search *instance);
/* The meaning of events, for lattices of this instance, and for other searches through its computation. */
struct norn_lattice_model norn_instance_search_model(struct norn_instance_search *instance);
const struct norn_position *norn_instance_search_position(
        const struct norn_instance_search *instance, struct norn_lattice_event event);

/* The lattice begins, with the events that are there. */
int norn_instance_search_begin(struct norn_instance_search *instance);
int norn_instance_search_add(struct norn_instance_search *instance, const struct norn_projected *kept);
int norn_instance_search_advance(struct norn_instance_search *instance, struct norn_error *err);
int norn_instance_search_probe(struct norn_instance_search *instance, struct norn_error *err);
/* The last level; ended: the run has ended, and all of it has come. Then report: the rest of what was found, limits, and the final
 * extents. */
int norn_instance_search_finish(struct norn_instance_search *instance, bool ended, struct norn_error *err);
int norn_instance_search_report(struct norn_instance_search *instance, struct norn_error *err);

/* Gives the violation to search->found. more: another run that violates where one does that was given. */
int norn_instance_search_show(
        struct norn_instance_search *instance, const struct norn_lattice_violation *violation, bool more, struct norn_error *err);

/* Adds a candidate that violates the property by candidate->steps, which live as long as the search; fills in what the instance
 * knows. */
void norn_instance_search_candidate(const struct norn_instance_search *instance, const struct norn_searched_property *property,
        struct norn_candidate *candidate);

/* ---- of a whole run ---- */

/* sliced_search.c: all runs under sliced causality, near the observed one. A violation becomes a candidate. options.graph is
 * there. */
void norn_search_sliced(struct norn_instance_search *instance, struct norn_searched_property *property);
/* counterexamples.c: all other runs that violate the property, near the observed one first, up to a bound; of lattices that are
 * finished. */
int norn_search_counterexamples(struct norn_instance_search *instance, uint32_t monitor, struct norn_error *err);
/* loop_search.c: infinite runs that violate the property, which is the instance's only one. */
int norn_search_loops(struct norn_instance_search *instance, struct norn_error *err);

/* search_picture.c: a node of the lattice for the picture, with its edges to the next level; at last the picture, for
 * options.draw, and for candidates from that number on. Of instances with one property. */
void norn_search_picture_node(void *instance, const struct norn_lattice_node *node);
void norn_search_picture_show(const struct norn_instance_search *instance, uint32_t from, const struct norn_lattice_result *result);

/* certain_order.c: whether all that was reported of the property was observed for certain; what was not is now a prediction. Either
 * way it was judged under mvc. */
bool norn_certain(const struct norn_property_search *search, const struct norn_searched_property *property);
/* All runs violate it: so did the one that was observed, whatever its order was. */
void norn_certain_after_all(
        const struct norn_searched_property *property, const struct norn_value *keys, struct norn_findings *findings);

#endif
