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

/* One side of what is quantified, if it depends only on what others say: so only those for whom it does not decide are asked for
 * the other. */
struct norn_local_monitor_guard {
	const struct norn_local_monitor_line *line, *rest; /* rest: the other side */
	uint32_t self; /* the only other variable that it speaks of, which must be the thread itself; NORN_SLOT_NONE: none */
};

/* The seats that a guard leaves, a bit for each of at most 64, as of what the thread had heard at that time; sure: the rest alone
 * decides. */
struct norn_local_monitor_asked {
	uint64_t time, seats, sure;
};

/* The dependencies of a line's value, a bit each: some of the thread's variables, and those below. `own`: in any case;
 * `if_subject`: only where one of the threads that it speaks of is the local monitor's own. Its value for others depends on their
 * entries in the vector, besides. */
struct norn_local_monitor_need {
	uint64_t own, if_subject;
};

/* A remote as it is computed. */
struct norn_local_monitor_remote {
	struct norn_local_monitor_need need;
	uint64_t any; /* of all its needs, but the local that is published by itself */
	uint64_t property; /* a bit */
	const struct norn_local_monitor_line *line;
	uint32_t variable, dimensions, dimension[NORN_MTTL_DIMENSIONS], before[NORN_MTTL_DIMENSIONS + 1]; /* as in mttl.h */
	int64_t stranger; /* its value in a thread that is a stranger, in brief */
	struct norn_value long_stranger; /* the same, whole */
};

/* A local that other threads read as it is, by the remotes `x`, or `@i x` with i being its own thread: a change of the local is
 * copied into the thread's entry at once, and no remote is evaluated. */
struct norn_published_local {
	uint32_t dimensions, before[NORN_MTTL_DIMENSIONS + 1]; /* as of the remote */
};

/* A property as it is judged. */
struct norn_local_monitor_judge {
	uint64_t need;
	const struct norn_local_monitor_line *line;
	uint32_t variable, type;
};

#define NORN_NEED_PLACES UINT64_C(1) /* values of the program's variables */
#define NORN_NEED_SEATS UINT64_C(2) /* any thread's entry */
#define NORN_NEED_POSITION UINT64_C(4) /* the event itself, or the position before */
#define NORN_NEED_ANEW UINT64_C(8) /* whatever else it needs: has never been computed, or too long ago */
/* One for some of the thread's variables. */
static inline uint64_t norn_local_monitor_need_of_local(uint32_t local)
{
	return UINT64_C(1) << (local % 32 + 32);
}

struct norn_local_monitor_update {
	const struct norn_local_monitor_line *line; /* NULL: fresh */
	uint64_t need; /* the bits that it makes dirty */
	uint32_t local;
	bool climbs; /* updates ask for the greatest value that the local had */
};

/* State that all local monitors of a process share. */
struct norn_local_monitors {
	const struct norn_spec *spec;
	struct norn_mttl program;
	/* Made of the program once (local_monitor_prepare.c). */
	struct norn_local_monitor_line *lines;
	struct norn_local_monitor_guard *guards;
	uint32_t guard_count;
	struct norn_local_monitor_remote *remotes;
	struct norn_published_local *published_locals; /* by local */
	uint32_t *first_published_local; /* per local, and one more */
	struct norn_local_monitor_judge *judges; /* per property */
	uint64_t told; /* the needs of remotes, but for published locals */
	uint64_t all; /* properties */
	struct norn_local_monitor_update *updates; /* by event */
	uint32_t *first_update; /* per event of the spec, and one more */
	bool *in_turn; /* per event: its updates need not be drafted, as none sees what one before it has changed */
	struct norn_value *first_places; /* per valued place: its value at the start */
	uint64_t named_types; /* thread types that a formula can ask about */
	bool all_named; /* it can ask about any thread */
	bool momentary; /* formulas speak of the event itself, so that the next one may change what they say */
	_Atomic uint32_t seats; /* given out for the first time */
	_Atomic uint64_t users[NORN_SEATS_MAX]; /* per seat: 1 + the number of the last thread that had it */
	_Atomic uint64_t dropped; /* events that were lost for lack of memory or seats */
};

/* A place of the program (mttl.h) that the event accesses. */
struct norn_touch {
	uint32_t place;
	bool reads, writes;
	bool changes; /* it has a new value, by whomever */
	struct norn_value value; /* changes: afterwards */
};

/* A declared event that it is. */
struct norn_occurrence {
	uint32_t event; /* of the spec */
	int8_t holds; /* enum norn_truth */
	const struct norn_value *slots;
	uint32_t slot_count;
};

struct norn_setting {
	uint32_t place; /* of the spec: a name that norn_set gives values to */
	struct norn_value value;
};

/* An event of a thread, as input of its monitor. All zero: an access to a variable that no formula names. */
struct norn_monitor_input {
	const struct norn_touch *touches;
	const struct norn_occurrence *occurrences;
	const struct norn_setting *settings;
	uint32_t touch_count, occurrence_count, setting_count;
	uint32_t site;
	bool call; /* no access and no synchronization: a position only of the properties that name what it is */
	uint64_t positions; /* call: which these are; 0: not known yet */
};

/* The origin of the newest entry of a seat. */
struct norn_knowledge_origin {
	uint32_t site; /* of this thread's event */
	uint64_t place; /* its address */
};

/* The join of `from` and the local monitor's present knowledge. */
struct norn_joined {
	struct norn_knowledge *from, *result;
	bool given; /* a word has it */
};

#define NORN_JOINS 8u
#define NORN_DEFERRED_RELEASES 16u
#define NORN_HELD 256u
#define NORN_SPARE_REFERENCES (1u << 16)
#define NORN_SPARE_LEAST 16u

/* References to a vector that were let go of, but are not counted down yet: many words have the same. */
struct norn_deferred_release {
	uint32_t id, count;
};

/* The value of a line that is kept. */
struct norn_local_monitor_memo {
	uint64_t stamp;
	int64_t brief;
	struct norn_value whole;
};

struct norn_local_monitor {
	struct norn_local_monitors *world;
	struct norn_knowledge *now; /* its knowledge; ours is the only reference that matters to the local monitor */
	uint32_t seat, number;
	uint32_t self; /* itself, as thread variables are assigned */
	char name[NORN_KNOWN_NAME];
	uint64_t types;
	uint64_t sequence; /* of its own entry */
	int64_t *locals; /* in brief */
	struct norn_value *long_locals, *greatest; /* of those that are long; if updates ask for it */
	int64_t *drafts; /* per local: what it is going to be */
	struct norn_value *long_drafts;

	/* Its knowledge of the others: as in now, and the news, which are valid until think is over. */
	struct norn_known *heard; /* per seat, below heard_count; its own is none of them */
	struct norn_known_place *heard_places; /* valid if news */
	uint32_t heard_count, heard_room;
	struct norn_others *others; /* now has it, and it says the same; NULL: there is none that does */
	uint64_t time; /* grows whenever any of this may change */
	struct norn_local_monitor_asked *asked; /* per guard */
	struct norn_knowledge
	        *source; /* the one vector that all of the news is in, with all that it knew before; NULL: there is none */
	bool news;
	struct norn_knowledge_origin *origins; /* per seat */

	/* Thinking. */
	uint32_t width; /* of tables: seats that they have room for */
	uint32_t *who; /* per seat below width: 1 + number of the thread that tables mean */
	int8_t *kept, *next; /* truths of the tables */
	int64_t *values; /* of the remotes, in brief: a draft of its own entry */
	uint32_t *cells; /* per published local: its index in values; UINT32_MAX: none, without a seat */
	struct norn_value *longs; /* the same, where they are long */
	bool has_longs; /* there was one */
	uint32_t *fresh, fresh_count; /* seats whose entries are news */
	uint64_t dirty; /* changes since the position before: bits as of needs, POSITION always */
	bool whole; /* everything is to be computed anew */
	uint64_t stale, untold; /* properties that did not take part when something changed: their verdicts, their remotes are */
	uint64_t unpublished; /* other changes since remotes were computed, as of dirty */
	/* per thread variable: 1 + seat, 0: a stranger, NORN_SEAT_NONE: itself, without a seat */
	uint32_t assigned[NORN_MTTL_VARIABLES_MAX];
	struct norn_local_monitor_memo *memo; /* per line */
	uint64_t stamp;
	struct norn_value long_value; /* the value computed last, if it is long */
	const struct norn_monitor_input *input;
	const struct norn_occurrence *updating; /* whose parameters an update sees */
	uint64_t stepping; /* properties whose position this is */
	bool first, was_first; /* position 0; the last one thought about was */
	bool usual; /* neither news nor anything else that takes more than its own variables to think about */
	bool stable; /* an event that brings nothing would change nothing */
	bool ended, retyped;
	bool late; /* its own entry in now is not up to date: the next event that can teach others brings it up to date */
	uint32_t late_site;
	bool *wanted; /* per event, and one for norn_set: what it changed the last time was asked for before the next call */
	uint32_t last_call; /* the event that it was */
	uint64_t violated, unknown; /* properties whose last verdict was false, or unknown */
	struct norn_evidence *evidence; /* while it is collected */

	/* Shortcuts, until the local monitor knows more. */
	struct norn_knowledge_cache *knowledge_cache, own_cache; /* the one in use; what it is unless the program has one */
	struct norn_id_tables
	        tables; /* of the cache in use; what the second half says holds for good, since nothing is forgotten */
	uint32_t held[NORN_HELD], held_count; /* numbers whose entries in the first half are set */
	struct norn_joined joined[NORN_JOINS];
	bool has_joined;
	uint32_t spare_references; /* references to now that are counted already, and not given away yet */
	struct norn_deferred_release deferred_releases[NORN_DEFERRED_RELEASES];
	void *event_buffer; /* of the engine that feeds it, which frees it, too */
};

/* A remote value that decided a verdict. */
struct norn_evidence_item {
	uint32_t remote, seat, number; /* whose value: thread number */
	char name[NORN_KNOWN_NAME];
	uint32_t site; /* of that thread, then */
	struct norn_value value;
	struct norn_knowledge_origin origin; /* how it came here */
};

#define NORN_EVIDENCE_MAX 8u
struct norn_evidence {
	uint32_t count;
	struct norn_evidence_item items[NORN_EVIDENCE_MAX];
};

/* Takes over the program. first_places: per valued place; unknown ones may be. */
int norn_local_monitors_init(struct norn_local_monitors *local_monitors, const struct norn_spec *spec, struct norn_mttl *program);
void norn_local_monitors_done(struct norn_local_monitors *local_monitors);
void norn_local_monitors_drop(
        struct norn_local_monitors *local_monitors); /* something is lost for lack of memory, numbers or seats */
/* Sets the values that variables have at the start: before the first local monitor. */
void norn_local_monitors_first(struct norn_local_monitors *local_monitors, uint32_t place, struct norn_value value);
void norn_local_monitors_ready(struct norn_local_monitors *local_monitors); /* after that */

/* A thread begins; parent: what it knows from the one that created it, or NULL. NULL: no memory. */
struct norn_local_monitor *norn_local_monitor_new(struct norn_local_monitors *local_monitors, uint32_t number, const char *name,
        uint64_t types, const struct norn_knowledge *parent);
void norn_local_monitor_free(struct norn_local_monitor *local_monitor);
/* From now on its cache is there: thread-local memory of the thread that uses it. */
void norn_local_monitor_show(struct norn_local_monitor *local_monitor, struct norn_knowledge_cache *knowledge_cache);
void norn_local_monitor_retype_slowly(struct norn_local_monitor *local_monitor, uint64_t types);
static inline void norn_local_monitor_retype(
        struct norn_local_monitor *local_monitor, uint64_t types) /* it has other types from its next event on */
{
	if (local_monitor->types != types)
		norn_local_monitor_retype_slowly(local_monitor, types);
}

void norn_local_monitor_learn_slowly(
        struct norn_local_monitor *local_monitor, struct norn_knowledge *from, struct norn_knowledge_origin origin);

/* Merges what from knows. from stays alive until think is over: the caller holds its lock. */
static inline void norn_local_monitor_learn(
        struct norn_local_monitor *local_monitor, struct norn_knowledge *from, struct norn_knowledge_origin origin)
{
	if (!norn_knowledge_covers(&local_monitor->world->program, local_monitor->now, from))
		norn_local_monitor_learn_slowly(local_monitor, from, origin);
}

/* The properties that are violated by this event, and were not before; monitor->violated: all that are false now, monitor->unknown:
 * unknown ones. */
uint64_t norn_local_monitor_think(struct norn_local_monitor *local_monitor, const struct norn_monitor_input *input);
/* The same of an event that brings nothing, where it can violate nothing either: what the local monitor has put off is told.
 * False: nothing has happened. */
bool norn_local_monitor_tell(struct norn_local_monitor *local_monitor);
/* Its last event. */
uint64_t norn_local_monitor_end(struct norn_local_monitor *local_monitor);

/* The knowledge that led to the last verdict of a property: number within the program. */
void norn_local_monitor_explain(struct norn_local_monitor *local_monitor, const struct norn_monitor_input *input, uint32_t property,
        struct norn_evidence *ret_evidence);

/* The maximum of what it knows now and access (may be NULL): a reference for the caller. NULL: no memory. */
struct norn_knowledge *norn_local_monitor_join(struct norn_local_monitor *local_monitor, struct norn_knowledge *access);
/* A reference to what it knows now, for a word; and one that a word had. Cheaper than keep and drop. A few references are always
 * there, so that a word may get them before they are counted as given away. */
#define NORN_LOCAL_MONITOR_SELDOM __attribute__((preserve_most, cold, noinline)) /* called from where registers matter */
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
