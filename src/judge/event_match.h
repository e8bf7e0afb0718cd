/* Matching: the names of a spec are bound to this process, and each event to the declared events that it is.
 *
 * Looking takes no lock and allocates nothing: many threads look at once, while modules are added (dlopen) and pointers lead to new
 * objects. Sites that no selector names are told apart by one or two loads. Additions are made under its lock. A *range* is a piece
 * of memory that a place stands for: fixed for variables, found as the run goes by where pointers lead there. */
#ifndef NORN_JUDGE_EVENT_MATCH_H
#define NORN_JUDGE_EVENT_MATCH_H

#include "judge/modules.h"
#include "engine/engine.h"
#include "judge/place_values.h"

struct norn_plan;

struct norn_selector_list {
	struct norn_event_selector {
		uint32_t event, selector;
	} *list;
	uint32_t count;
};

/* The events of the spec that a site may be. */
struct norn_event_match_site {
	struct norn_selector_list calls, returns; /* ENTER */
	uint32_t arguments; /* ENTER: a bit for each argument that will be told */
	uint32_t field; /* others: 1 + the FIELD place that it accesses or locks, 0: none */
};

#define NORN_EVENT_MATCH_CHUNK_BITS 12u
#define NORN_EVENT_MATCH_CHUNKS (1u << (NORN_SITE_BITS - NORN_EVENT_MATCH_CHUNK_BITS))
#define NORN_EVENT_MATCH_SITES 65535u
#define NORN_EVENT_MATCH_LOCKS 65536u
#define NORN_EVENT_MATCH_LOCKS_RECORDED (1u << 20)

struct norn_event_match {
	const struct norn_plan *plan;
	const struct norn_spec *spec;
	const struct norn_modules *modules;
	struct norn_place_index place_index;
	_Atomic(_Atomic uint16_t *) *chunks; /* per 4096 sites: 1 + index in sites, or NULL: none is wanted */
	struct norn_event_match_site *sites; /* written before the chunk's entry is */
	uint32_t site_count;
	struct norn_selector_list notes, locks, accesses, starts, joins;
	bool has_fields, has_sets, has_keys;
	const char **inlined; /* per event: a function whose calls it misses, as the optimiser inlined some; or NULL */
	_Atomic uint64_t *field_locks; /* locks that are fields: 1 + place << 48 | address */
	uint32_t lock_room;
	uint64_t unbound; /* sites that could not be told apart: there are too many */
};

/* The hits of one event. */
struct norn_look {
	uint32_t count, room;
	uint64_t missed; /* there was no room for them */
	const char *bitfield; /* the access is of this bit-field, not its neighbours; or NULL */
	struct norn_online_hit *hits;
	struct norn_value *slots; /* each hit's, so many for each */
	uint32_t slots_each;
};

/* plan: of a run inside the program; NULL: of a recorded run, whose ranges grow. modules must live longer. */
int norn_event_match_init(struct norn_event_match *event_match, const struct norn_plan *plan, const struct norn_spec *spec,
        const struct norn_modules *modules);
void norn_event_match_done(struct norn_event_match *event_match); /* also after a failed init */
/* A module's sites. */
int norn_event_match_add_sites(struct norn_event_match *event_match, const struct norn_loaded *module);
/* A module was loaded: its sites, and the variables that lie in it. Under the lock for additions. */
int norn_event_match_add(
        struct norn_event_match *event_match, const struct norn_loaded *module, bool late); /* late: it may be unloaded again */

/* The address of an OBJECT place without pointers; 0: not loaded yet. */
uint64_t norn_event_match_address(const struct norn_event_match *event_match, uint32_t place);

static inline const struct norn_event_match_site *norn_event_match_site(const struct norn_event_match *event_match, uint32_t site)
{
	_Atomic uint16_t *chunk =
	        atomic_load_explicit(&event_match->chunks[site >> NORN_EVENT_MATCH_CHUNK_BITS], memory_order_acquire);
	if (__builtin_expect(!chunk, 1))
		return NULL;
	uint16_t index = atomic_load_explicit(&chunk[site & ((1u << NORN_EVENT_MATCH_CHUNK_BITS) - 1)], memory_order_acquire);
	return index ? &event_match->sites[index - 1] : NULL;
}

/* The types of a thread: by its number, path, name, and the function that it entered first ("" if none). */
uint64_t norn_event_match_types(
        const struct norn_event_match *event_match, uint32_t number, const char *path, const char *name, const char *started);

/* Hits are added to look, which starts out with count 0. Conditions over what the event itself does not carry (places, old values)
 * hold UNKNOWN. */
void norn_event_match_enter(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, const struct norn_event_match_site *site, struct norn_look *look);
/* arguments: those of the call that returns, a bit for each that is known; event->args[0] is the result if count is 1. */
void norn_event_match_leave(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, const struct norn_event_match_site *site, const uint64_t *arguments, uint32_t known,
        struct norn_look *look);
void norn_event_match_mark(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, const char *name, size_t length, struct norn_look *look);
void norn_event_match_start(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, bool exits, const char *started, struct norn_look *look);
/* types, started: of the thread that was joined; event->value is its number. */
void norn_event_match_join(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, uint64_t types, const char *started, struct norn_look *look);
void norn_event_match_lock(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, struct norn_look *look);
/* Of the ranges that an event touches those that it concerns: an external write only those whose bytes it has changed. Returns how
 * many are left. */
uint32_t norn_event_match_changed(const struct norn_event_match *event_match, const struct norn_event *event,
        const struct norn_change *changes, uint32_t change_count, uint32_t *ranges, uint32_t count);
/* The values last written to elements [*] and to fields of every object, which are changes, too: how many there are then. */
uint32_t norn_event_match_written(const struct norn_event_match *event_match, struct norn_place_values *values,
        const struct norn_event *event, const uint32_t *ranges, uint32_t count, struct norn_change *changes, uint32_t change_count,
        uint32_t room);
/* ranges: those that the access touches. */
void norn_event_match_access(const struct norn_event_match *event_match, const struct norn_online_thread *self,
        const struct norn_event *event, const uint32_t *ranges, uint32_t count, struct norn_look *look);

#endif
