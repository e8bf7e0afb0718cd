/* The local monitor of each thread (DAME, section 2.3). It has the thread's knowledge vector, its ghosts, and what the
 * temporal operators keep of the position before; at each event of its thread it learns (merges), thinks (evaluates all remotes and
 * formulas), and teaches.
 *
 * One event of a thread, after the paper's three cases:
 *   learn   from what the event reads: for a read the variable's write vector, for a write its access vector
 *   think   the event's own news (writes, declared events), then every remote and formula
 *   teach   the caller stores monitor->now where the event goes: for a read into the access vector, for a write into both
 *
 * Every event that Norn sees of a thread is a position of its formulas: accesses, synchronization; and declared events and
 * norn_set, which are positions of the properties that name them. The state that a thread begins in is position 0.
 *
 * Only the thread itself uses its local monitor. */
#ifndef NORN_MTTL_LOCAL_MONITOR_H
#define NORN_MTTL_LOCAL_MONITOR_H

#include "mttl/knowledge_cache.h"
#include "mttl/knowledge.h"

struct norn_local_monitor;
struct norn_local_monitor_line;
struct norn_local_monitor_remote;
typedef int64_t norn_local_monitor_function(struct norn_local_monitor *local_monitor, const struct norn_local_monitor_line *line);

/* A line of the program (mttl.h) as it is evaluated. */
struct norn_local_monitor_line {
	norn_local_monitor_function *eval;
	const struct norn_local_monitor_line *a;
	union {
		const struct norn_local_monitor_line *b;
		uint64_t variable; /* AT, FORALL, EXISTS */
	};
	union {
		int64_t number; /* CONST, in brief */
		const struct norn_local_monitor_remote *remote; /* AT */
		const struct norn_thread_name *name; /* FORALL, EXISTS: of variable */
		uint64_t index; /* atoms and temporal operators */
	};
	uint32_t guard; /* FORALL, EXISTS: 1 + number of its guard, 0: none */
};

/* A guard: one operand of a quantified formula, if it depends only on the entries of other threads. Only for the threads for which
 * it does not decide the formula, the other operand (rest) is evaluated. */
struct norn_local_monitor_guard {
	const struct norn_local_monitor_line *line, *rest; /* rest: the other side */
	uint32_t self; /* its only other thread variable, which must be the thread itself; NORN_SLOT_NONE: none */
};

/* The result of a guard, one bit for each of at most 64 seats, computed from the entries at `time`. seats: the rest must be
 * evaluated; sure: the rest alone decides. */
struct norn_local_monitor_asked {
	uint64_t time, seats, sure;
};

/* The dependencies of a line's value, one bit each (NORN_NEED_*, norn_local_monitor_need_of_local). `own`: always; `if_subject`:
 * only if one of the line's threads is the local monitor's own. The value for other threads also depends on their entries in the
 * vector. */
struct norn_local_monitor_need {
	uint64_t own, if_subject;
};

/* A remote as it is computed. */
struct norn_local_monitor_remote {
	struct norn_local_monitor_need need;
	uint64_t any; /* all its needs, without the local that is published by itself */
	uint64_t property; /* one bit: the property that it belongs to */
	const struct norn_local_monitor_line *line;
	uint32_t variable, dimensions, dimension[NORN_MTTL_DIMENSIONS], before[NORN_MTTL_DIMENSIONS + 1]; /* as in mttl.h */
	int64_t stranger; /* its value in a stranger (a thread that it has not heard of), in brief */
	struct norn_value long_stranger; /* the same value, whole */
};

/* A published local: other threads read it by remotes that are nothing but this local. A change is copied into the thread's entry
 * at once, and no remote is evaluated. */
struct norn_published_local {
	uint32_t dimensions, before[NORN_MTTL_DIMENSIONS + 1]; /* those of the remote */
};

/* A property as it is judged. */
struct norn_local_monitor_judge {
	uint64_t need;
	const struct norn_local_monitor_line *line;
	uint32_t variable, type;
};

#define NORN_NEED_PLACES UINT64_C(1) /* values of the program's variables */
#define NORN_NEED_SEATS UINT64_C(2) /* the entry of any other thread */
#define NORN_NEED_POSITION UINT64_C(4) /* the event itself, or the position before */
#define NORN_NEED_ANEW UINT64_C(8) /* must be computed whatever changed: it never was, or too long ago */
/* The bit for a variable of the thread; some variables share one. */
static inline uint64_t norn_local_monitor_need_of_local(uint32_t local)
{
	return UINT64_C(1) << (local % 32 + 32);
}

struct norn_local_monitor_update {
	const struct norn_local_monitor_line *line; /* NULL: fresh */
	uint64_t need; /* the bits that it makes dirty */
	uint32_t local;
	bool climbs; /* updates use the greatest value that the local had */
};

/* State that all local monitors of a process share. */
struct norn_local_monitors {
	const struct norn_spec *spec;
	struct norn_mttl program;
	/* Computed from the program once (local_monitor_prepare.c). */
	struct norn_local_monitor_line *lines;
	struct norn_local_monitor_guard *guards;
	uint32_t guard_count;
	struct norn_local_monitor_remote *remotes;
	struct norn_published_local *published_locals; /* sorted by local */
	uint32_t *first_published_local; /* per local its first published local; one more entry at the end */
	struct norn_local_monitor_judge *judges; /* per property */
	uint64_t told; /* the needs of all remotes, without published locals */
	uint64_t all; /* one bit for each property */
	struct norn_local_monitor_update *updates; /* sorted by event */
	uint32_t *first_update; /* per event of the spec its first update; one more entry at the end */
	bool *in_turn; /* per event: no update reads what an earlier one changed, so that they need no drafts */
	struct norn_value *first_places; /* per valued place: its value at the start */
	uint64_t named_types; /* thread types that formulas name */
	bool all_named; /* a formula can ask about any thread */
	bool momentary; /* formulas depend on the present event, so that the next event may change their values */
	_Atomic uint32_t seats; /* how many seats have been given out */
	_Atomic uint64_t users[NORN_SEATS_MAX]; /* per seat: 1 + the number of the last thread that had it */
	_Atomic uint64_t dropped; /* how many events were lost for lack of memory or seats */
};

/* A place of the program (mttl.h) that the event accesses. */
struct norn_touch {
	uint32_t place;
	bool reads, writes;
	bool changes; /* the place has a new value, whoever wrote it */
	struct norn_value value; /* if it changes: the new value */
};

/* A declared event that the input matches. */
struct norn_occurrence {
	uint32_t event; /* number in the spec */
	int8_t holds; /* enum norn_truth */
	const struct norn_value *slots;
	uint32_t slot_count;
};

struct norn_setting {
	uint32_t place; /* number in the spec, of a name that norn_set gives values to */
	struct norn_value value;
};

/* An event of a thread, as input of its monitor. All zero: an access to a variable that no formula names. */
struct norn_monitor_input {
	const struct norn_touch *touches;
	const struct norn_occurrence *occurrences;
	const struct norn_setting *settings;
	uint32_t touch_count, occurrence_count, setting_count;
	uint32_t site;
	bool call; /* neither access nor synchronization: a position only of the properties that name such an event */
	uint64_t positions; /* if call: one bit for each of these properties; 0: not known yet */
};

/* The origin of the newest entry of a seat. */
struct norn_knowledge_origin {
	uint32_t site; /* site of the event of this thread that brought it */
	uint64_t place; /* address that the event accessed */
};

/* The join of `from` and the local monitor's present knowledge. */
struct norn_joined {
	struct norn_knowledge *from, *result;
	bool given; /* a word refers to the result */
};

#define NORN_JOINS 8u
#define NORN_DEFERRED_RELEASES 16u
#define NORN_HELD 256u
#define NORN_SPARE_REFERENCES (1u << 16)
#define NORN_SPARE_LEAST 16u

/* References to a vector that words have dropped, and that are not subtracted from its count yet. */
struct norn_deferred_release {
	uint32_t id, count;
};

/* The cached value of a line. */
struct norn_local_monitor_memo {
	uint64_t stamp;
	int64_t brief;
	struct norn_value whole;
};

struct norn_local_monitor {
	struct norn_local_monitors *world;
	struct norn_knowledge *now; /* its knowledge; this reference keeps the vector alive for the local monitor */
	uint32_t seat, number;
	uint32_t self; /* the value of `assigned` that stands for the thread itself */
	char name[NORN_KNOWN_NAME];
	uint64_t types;
	uint64_t sequence; /* number of its own entry in the vector */
	int64_t *locals; /* in brief */
	struct norn_value *long_locals, *greatest; /* values of the long ones; greatest values, where updates use them */
	int64_t *drafts; /* per local: its value after the updates of this event */
	struct norn_value *long_drafts;

	/* Its knowledge of the other threads: that of `now`, and the news, which are valid until think has returned. */
	struct norn_known *heard; /* per seat below heard_count; its own seat has no entry */
	struct norn_known_place *heard_places; /* valid if news */
	uint32_t heard_count, heard_room;
	struct norn_others *others; /* the list of `now`, if it equals heard; NULL: it does not */
	uint64_t time; /* incremented whenever any of this may change */
	struct norn_local_monitor_asked *asked; /* per guard */
	struct norn_knowledge *source; /* a vector with all of the news and all that it knew before; NULL: there is none */
	bool news;
	struct norn_knowledge_origin *origins; /* per seat */

	/* Thinking. */
	uint32_t width; /* how many seats the tables have room for */
	uint32_t *who; /* per seat below width: 1 + number of the thread whose values the tables have */
	int8_t *kept, *next; /* truth values of the tables: of the previous position, and of this one */
	int64_t *values; /* values of the remotes, in brief: a draft of its own entry */
	uint32_t *cells; /* per published local: its index in values; UINT32_MAX: none, without a seat */
	struct norn_value *longs; /* values of the remotes, whole, where they are long */
	bool has_longs; /* some value was long */
	uint32_t *fresh, fresh_count; /* the seats whose entries are news */
	uint64_t dirty; /* the needs that changed since the previous position; POSITION always */
	bool whole; /* everything must be computed again */
	/* properties that had no position when something changed: their verdicts are stale, their remotes are untold */
	uint64_t stale, untold;
	uint64_t unpublished; /* other needs that changed since the remotes were computed */
	/* per thread variable: 1 + seat, 0: a stranger, NORN_SEAT_NONE: itself, without a seat */
	uint32_t assigned[NORN_MTTL_VARIABLES_MAX];
	struct norn_local_monitor_memo *memo; /* per line */
	uint64_t stamp;
	struct norn_value long_value; /* the value computed last, if it is long */
	const struct norn_monitor_input *input;
	const struct norn_occurrence *updating; /* the event whose parameters updates read */
	uint64_t stepping; /* one bit for each property of which this is a position */
	bool first, was_first; /* this is position 0; the last evaluated one was */
	bool usual; /* there are no news, and evaluation needs only the thread's own variables */
	bool stable; /* an event without input would change nothing */
	bool ended, retyped;
	bool late; /* its own entry in `now` is out of date; the next event that can pass knowledge on updates it */
	uint32_t late_site;
	bool *wanted; /* per event, and one for norn_set: after the last such event its changes were needed before the next call */
	uint32_t last_call; /* the event of the last call */
	uint64_t violated, unknown; /* one bit for each property whose last verdict was false, or unknown */
	struct norn_evidence *evidence; /* not NULL while evidence is collected */

	/* Caches, valid until the local monitor learns something. */
	struct norn_knowledge_cache *knowledge_cache, own_cache; /* the cache in use: own_cache, unless the program has one */
	struct norn_id_tables tables; /* tables of the cache in use; their second half stays valid, since nothing is forgotten */
	uint32_t held[NORN_HELD], held_count; /* the numbers whose entries in the first half are set */
	struct norn_joined joined[NORN_JOINS];
	bool has_joined;
	uint32_t spare_references; /* references to `now` that are counted already, but that no word has yet */
	struct norn_deferred_release deferred_releases[NORN_DEFERRED_RELEASES];
	void *event_buffer; /* belongs to the engine, which frees it */
};

/* A remote value that decided a verdict. */
struct norn_evidence_item {
	uint32_t remote, seat, number; /* number: of the thread whose value it is */
	char name[NORN_KNOWN_NAME];
	uint32_t site; /* of that thread's event */
	struct norn_value value;
	struct norn_knowledge_origin origin; /* by which event it became known here */
};

#define NORN_EVIDENCE_MAX 8u
struct norn_evidence {
	uint32_t count;
	struct norn_evidence_item items[NORN_EVIDENCE_MAX];
};

/* Takes over the program. */
int norn_local_monitors_init(struct norn_local_monitors *local_monitors, const struct norn_spec *spec, struct norn_mttl *program);
void norn_local_monitors_done(struct norn_local_monitors *local_monitors);
void norn_local_monitors_drop(
        struct norn_local_monitors *local_monitors); /* notes that something was lost for lack of memory, numbers or seats */
/* Sets the values that variables have at the start: before the first local monitor. */
void norn_local_monitors_first(struct norn_local_monitors *local_monitors, uint32_t place, struct norn_value value);
void norn_local_monitors_ready(struct norn_local_monitors *local_monitors); /* after the initial values are set */

/* The local monitor of a new thread. parent: the knowledge of the thread that created it, or NULL. Returns NULL without memory. */
struct norn_local_monitor *norn_local_monitor_new(struct norn_local_monitors *local_monitors, uint32_t number, const char *name,
        uint64_t types, const struct norn_knowledge *parent);
void norn_local_monitor_free(struct norn_local_monitor *local_monitor);
/* From now on this is its cache: thread-local memory of the thread that uses it. */
void norn_local_monitor_show(struct norn_local_monitor *local_monitor, struct norn_knowledge_cache *knowledge_cache);
void norn_local_monitor_retype_slowly(struct norn_local_monitor *local_monitor, uint64_t types);
static inline void norn_local_monitor_retype(
        struct norn_local_monitor *local_monitor, uint64_t types) /* sets its types, from its next event on */
{
	if (local_monitor->types != types)
		norn_local_monitor_retype_slowly(local_monitor, types);
}

void norn_local_monitor_learn_slowly(
        struct norn_local_monitor *local_monitor, struct norn_knowledge *from, struct norn_knowledge_origin origin);

/* Merges `from` into its knowledge. The caller holds the lock of `from`, so that it stays alive until think has returned. */
static inline void norn_local_monitor_learn(
        struct norn_local_monitor *local_monitor, struct norn_knowledge *from, struct norn_knowledge_origin origin)
{
	if (!norn_knowledge_covers(&local_monitor->world->program, local_monitor->now, from))
		norn_local_monitor_learn_slowly(local_monitor, from, origin);
}

/* Evaluates the event. Returns the properties that are violated now, and were not before. After it `violated` has all properties
 * that are false, and `unknown` those that are unknown. */
uint64_t norn_local_monitor_think(struct norn_local_monitor *local_monitor, const struct norn_monitor_input *input);
/* The same for an event without input, if it cannot violate anything: publishes the changes that were put off. False: nothing was
 * done. */
bool norn_local_monitor_tell(struct norn_local_monitor *local_monitor);
/* Evaluates the end of the thread, its last event. */
uint64_t norn_local_monitor_end(struct norn_local_monitor *local_monitor);

/* The remote values that decided the last verdict of a property (its number within the program). */
void norn_local_monitor_explain(struct norn_local_monitor *local_monitor, const struct norn_monitor_input *input, uint32_t property,
        struct norn_evidence *ret_evidence);

/* The join of its knowledge and access (may be NULL): a reference for the caller. Returns NULL without memory. */
struct norn_knowledge *norn_local_monitor_join(struct norn_local_monitor *local_monitor, struct norn_knowledge *access);
/* A reference to what it knows now, for a word; and one that a word had. Cheaper than keep and drop. A few references are always
 * there, so that a word may get them before they are counted as given away. */
#define NORN_LOCAL_MONITOR_SELDOM __attribute__((preserve_most, cold, noinline)) /* for callers whose registers should be spared */
NORN_LOCAL_MONITOR_SELDOM void norn_local_monitor_take_references(struct norn_local_monitor *local_monitor);
static inline __attribute__((always_inline)) void norn_local_monitor_share_many(
        struct norn_local_monitor *local_monitor, uint32_t count)
{
	assert(local_monitor->spare_references >= NORN_SPARE_LEAST && count <= NORN_SPARE_LEAST);
	if ((local_monitor->spare_references -= count) < NORN_SPARE_LEAST)
		norn_local_monitor_take_references(local_monitor);
}
static inline struct norn_knowledge *norn_local_monitor_share(struct norn_local_monitor *local_monitor)
{
	norn_local_monitor_share_many(local_monitor, 1);
	return local_monitor->now;
}
NORN_LOCAL_MONITOR_SELDOM void norn_local_monitor_release_deferred(struct norn_deferred_release *deferred);
static inline __attribute__((always_inline)) void norn_local_monitor_defer_release(
        struct norn_local_monitor *local_monitor, uint32_t id, uint32_t count)
{
	struct norn_deferred_release *deferred = &local_monitor->deferred_releases[id % NORN_DEFERRED_RELEASES];
	if (id <= NORN_ID_NONE)
		return;
	if (deferred->id != id || deferred->count >= 1u << 20) {
		norn_local_monitor_release_deferred(deferred);
		deferred->id = id;
	}
	deferred->count += count;
}
static inline void norn_local_monitor_take_back_id(struct norn_local_monitor *local_monitor, uint32_t id)
{
	if (id == local_monitor->now->id)
		local_monitor->spare_references++;
	else
		norn_local_monitor_defer_release(local_monitor, id, 1);
}
static inline void norn_local_monitor_take_back(struct norn_local_monitor *local_monitor, struct norn_knowledge *knowledge)
{
	assert(norn_knowledge_id(knowledge));
	norn_local_monitor_take_back_id(local_monitor, norn_knowledge_id(knowledge));
}
static inline bool norn_local_monitor_is_known(const struct norn_local_monitor *local_monitor, uint32_t id)
{
	return norn_knowledge_cache_entry(local_monitor->tables.entries, NORN_KNOWLEDGE_CACHE_KNOWN + id);
}
static inline bool norn_local_monitor_is_holding(const struct norn_local_monitor *local_monitor, uint32_t id)
{
	return norn_knowledge_cache_entry(local_monitor->tables.entries, id);
}
/* Remembers a vector of which it knows everything. */
void norn_local_monitor_recognize(struct norn_local_monitor *local_monitor, struct norn_knowledge *knowledge);
/* Remembers a pair of vectors that a read changes nothing of. */
void norn_local_monitor_befriend(
        struct norn_local_monitor *local_monitor, struct norn_knowledge *write, struct norn_knowledge *access);

/* The local monitor's values of places and locals, for handlers; place and ghost numbers are the spec's. */
struct norn_value norn_local_monitor_place(const struct norn_local_monitor *local_monitor, uint32_t place);
struct norn_value norn_local_monitor_ghost(const struct norn_local_monitor *local_monitor, uint32_t ghost);

#endif
