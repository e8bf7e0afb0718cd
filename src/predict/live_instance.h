/* The inside of an live search: what live_search.c, which tells events apart, and live_instance.c, which searches for one instance of a property, share. No
 * other file includes this. */
#ifndef NORN_PREDICT_LIVE_INSTANCE_H
#define NORN_PREDICT_LIVE_INSTANCE_H

#include "base/arena.h"
#include "predict/influence.h"
#include "predict/live_search.h"
#include "judge/recorded/recorded_match.h"
#include "lattice/lattice.h"
#include "predict/valuation_table.h"

#define NORN_LIVE_INSTANCE_FINDINGS 16u /* of one instance, of different kinds */

/* A position that is kept, with its clock as it came. */
struct norn_live_kept_entry {
	uint32_t thread, count;
};

struct norn_live_kept {
	const struct norn_position *position;
	uint32_t thread, sent; /* sent: its number among all events of its thread that came, from 1 */
	uint64_t number; /* in the observed order, 0 unknown */
	uint32_t entries;
	struct norn_live_kept_entry clock[]; /* ascending threads */
};

/* A property that is judged. */
struct norn_live_view {
	struct norn_live_search *live_search;
	const struct norn_property *property;
	struct norn_view *view;
	struct norn_influence concern;
	struct norn_monitor *monitor;
	struct norn_live_instance **prospects; /* one for each instance; without keys there is at most one */
	uint32_t count, room;
	struct norn_map index; /* hash of keys -> 1 + the newest of its instances */
	const struct norn_live_kept **common; /* what concerns all instances, also those to come */
	uint32_t common_count, common_room;
	bool common_events; /* there may be such */
	bool given_up; /* and said so */
};

struct norn_live_search {
	const struct norn_sources *sources;
	struct norn_binding *binding;
	struct norn_live_search_options options;
	struct norn_findings *findings;
	struct norn_recorded_match *relevant;
	const struct norn_position *start;
	struct norn_live_view *vistas;
	uint32_t vista_count;
	struct norn_arena arena;
	uint64_t kept_bytes;
	uint64_t numbered, highest; /* events with a number, and the highest one */
	uint32_t room; /* threads that valuations have room for */
	uint64_t complete_to; /* all events up to this number have come */
	uint64_t changes, probed; /* changes grows with all that comes; probed: as it was when it looked ahead last */
	struct norn_live_search_thread {
		struct norn_live_kept_entry *clock; /* of what it did last, or of its fork */
		uint32_t entries, room;
		uint32_t version; /* grows with it; 0: nothing has come */
		uint32_t waits_for; /* 1 + the thread that it joins, 0: none */
		bool known, ended;
	} *threads;
	uint32_t thread_count;
};

/* One instance. */
struct norn_live_instance {
	struct norn_live_view *live_view;
	const struct norn_value *keys; /* NULL: the property has none */
	struct norn_lattice *stream;
	struct norn_valuation_table valuation_table;
	const struct norn_position *looked; /* what worlds.moment is about, NULL: nothing; and where */
	uint32_t looked_in;
	struct norn_lane {
		uint32_t thread;
		const struct norn_live_kept **list; /* its events of this thread */
		uint32_t count, room;
		bool ended;
	} *lanes; /* threads that have events in it; the stream knows them by their number here */
	uint32_t lane_count;
	struct norn_mark {
		uint64_t bound; /* how many events all that the thread may still do comes after */
		uint32_t version; /* of its clock that this was made of */
		uint32_t lane; /* 1 + its lane, 0: it has none */
	} *marks; /* by thread */
	uint32_t mark_count;
	uint64_t changes; /* of the live search that it has taken in */
	uint64_t probed; /* how many events there were when it looked ahead last */
	uint32_t shown; /* violations that were looked at */
	uint32_t findings[NORN_LIVE_INSTANCE_FINDINGS], finding_count; /* what became of them, as indices of findings->list */
	uint32_t chain; /* 1 + the next instance of the same hash */
	bool ended; /* its object was freed */
	bool finished;
};

int norn_live_instance_new(
        struct norn_live_view *live_view, const struct norn_value *keys, struct norn_live_instance **ret_prospect);
void norn_live_instance_free(struct norn_live_instance *live_instance);
int norn_live_instance_widen(
        struct norn_live_instance *live_instance, uint32_t threads); /* the binding had room for so many threads */
int norn_live_instance_add(struct norn_live_instance *live_instance, const struct norn_live_kept *kept);
int norn_live_instance_climb(struct norn_live_instance *live_instance, bool whole, struct norn_error *err); /* whole is not used */
int norn_live_instance_probe(struct norn_live_instance *live_instance, bool whole, struct norn_error *err); /* whole is not used */
int norn_live_instance_finish(struct norn_live_instance *live_instance, bool whole, struct norn_error *err);
uint64_t norn_live_instance_bytes(const struct norn_live_instance *live_instance);

#endif
