/* Monitors inside the program: the interface between the runtime and an engine.
 *
 * `norn watch` makes a plan (plan.h) of the checked properties; the runtime inside the program unpacks it and gives every event
 * that matters to the engines: global and per-thread machines (live_monitors.h), knowledge vectors (MTTL), scopes. An engine is a
 * table of functions; those that it does not need are NULL. No engine knows the runtime, so that each can be tested as a library,
 * fed by hand or from a trace.
 *
 * An *online event* is a struct norn_event (trace/event.h), as a trace has it: kind, op, thread, site, address, size, value,
 * arguments, result; value and data are always known. time, version and index mean nothing. MARK: argument is a number; the name is
 * in the hits.
 *
 * Rules for engines:
 * - Calls come from the thread that made the event, many threads at once, and never twice at once for the same thread: a signal's
 *   handler waits until the call is over. A thread's first call is begin, its last one end, in that thread. begin comes with the
 *   thread's first event, so that its types are known by then; its parent's sync has told of it before (FORK, with child_types). A
 *   thread that the process leaves behind when it exits has no end.
 * - The runtime holds no lock during these calls, but for the word's in access (below). Shared state is the engine's own to
 *   protect, by C11 atomics or locks of its own that are held for a moment only, never while calling back. There is no blocking and
 *   no system call in event, access and sync.
 * - Memory is malloc, calloc, realloc and free: inside the program they are the runtime's own (runtime/heap.h), safe for many
 *   threads, never the program's. Allocate in open, begin, and when an object is met for the first time; not at every event.
 * - Not free of danger inside the program, so to be kept away from: stdio (but snprintf), getenv, locale, pthread_*, thread_local
 *   variables with destructors. Errors are counted, never fatal; assert is for tests.
 * - A violation is said by norn_online_raise (verdict_queue.h). Its actions run later, in the same thread, outside Norn's locks and
 *   hooks. */
#ifndef NORN_ENGINE_ENGINE_H
#define NORN_ENGINE_ENGINE_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/wire/pack.h"
#include "monitor/eval.h"
#include "trace/event.h"
#include "trace/record.h"

struct norn_knowledge_cache;
struct norn_event_match;
struct norn_verdict_queue;

enum norn_engine_id { NORN_ENGINE_MTTL, NORN_ENGINE_SCOPE, NORN_ENGINES };

/* A thread of the program, from begin to end. Only its own thread looks at it. */
struct norn_online_thread {
	uint32_t number; /* never used again in this process; main is 0 */
	uint64_t types; /* a bit per thread type of the spec (the first 64); may change: start routine, norn_thread_name */
	const char *path, *name; /* "main/2"; name is "" unless the program gave one */
	uint32_t site; /* of the action that sync tells of; 0: unknown */
	uint64_t child_types; /* of the thread that sync's FORK makes, as far as its start routine and path tell */
	/* filled by the mttl engine: accesses of which it need not be told (knowledge_cache.h), or that are soon done
	 * (knowledge_fast_path.h); NULL: nowhere */
	struct norn_knowledge_cache *knowledge_cache;
	void *own[NORN_ENGINES]; /* each engine's own, NULL at begin */
	/* accesses and synchronization that the mttl engine was asked about; those of variables that formulas name */
	uint64_t told, named;
	struct norn_verdict_queue *verdicts;
	const struct norn_event_match
	        *event_match; /* the addresses of the spec's names: norn_event_match_address of event_match.h */
	/* Set by an engine in event: the same event, by this thread, changes nothing for it while *quiet is quiet_is. NULL before
	 * each event. */
	_Atomic uint64_t *quiet;
	uint64_t quiet_is;
};

#define NORN_HIT_SLOTS 16u
#define NORN_HITS_MAX 32u

/* A declared event that this event is: a selector fits, thread type (`by`) and condition (`if`) included. Or a norn_set: event is
 * NORN_SLOT_NONE, place the SET place, value what it is set to. */
struct norn_online_hit {
	uint32_t event, selector; /* of the spec */
	bool unseen; /* an external write, and the selector names a thread type: the writer is unknown */
	/* YES or UNKNOWN (a condition over what is not known, or not yet); engines are not told of hits that do not hold */
	int8_t holds;
	uint32_t place; /* accesses, locks: which place; else NORN_SLOT_NONE */
	uint32_t spot; /* accesses: where the place's value is (place_index.h), or NORN_NO_SPOT */
	uint64_t address; /* accesses, locks: of the place; 0: none */
	uint64_t self; /* address of the object; 0: none */
	struct norn_value value, old; /* old: of an access, before it */
	struct norn_value *slots; /* slots_total of the selector: the event's parameters first, then what only the selector names */
};

/* A word of memory (8 bytes, aligned) as the engine with an access function sees it: 8 bytes that belong to that engine, zero when
 * the word is first accessed. Bit 0 is the word's lock, which the runtime holds during access; the other bits are the engine's.
 * Reading without the lock is allowed in the fast path. */
struct norn_knowledge_cell {
	_Atomic uint64_t bits;
};

/* Objects that order threads but are no memory of the program's: sync's key of a thread is NORN_KEY_THREAD + its number. */
#define NORN_KEY_THREAD (UINT64_C(1) << 63)
/* op of sync, beside enum norn_sync_op. */
enum norn_online_sync { NORN_ONLINE_FORK = NORN_SYNC_OPS, NORN_ONLINE_BEGIN, NORN_ONLINE_END, NORN_ONLINE_JOIN };

/* The effect of an event on an engine if it depends on the thread's types alone: no values, no conditions. It does not move. */
#define NORN_PREPARED_STEPS 4u
struct norn_prepared_event {
	bool means; /* anything to the engine */
	bool acts; /* as an action of scopes: where it was called from is told */
	_Alignas(8) unsigned char own[152]; /* the engine's */
};

/* The place of an event in the program, for reports. */
struct norn_footprint {
	uint32_t site, call_site; /* call_site: of a call or return, the caller's site, as far as is known */
	uint32_t event; /* of the spec; NORN_SLOT_NONE: unknown */
	uint8_t kind, op; /* of the event (trace/event.h) */
};

#define NORN_ONLINE_LOST                                                                                                           \
	"not all that happened could be followed, so %s may have missed something: too many threads at once, too little memory, "  \
	"or a variable in a library that was loaded later"

struct norn_online_engine {
	const char *name;

	/* spec: events, places, thread types, ghosts and the property.h form of all properties as they were checked (without
	 * declarations and spans); it lives until the end, as do the texts of in. */
	int (*open)(const struct norn_spec *spec, struct norn_unpack *in, void **ret_engine, struct norn_error *err);
	void (*begin)(void *engine, struct norn_online_thread *self);
	void (*end)(void *engine, struct norn_online_thread *self);

	/* An event that has hits. Synchronization comes to sync first. Lock and call events come while the program is inside:
	 * after the lock is taken, before it is given up; after the function is entered with all its arguments, before it
	 * returns. */
	void (*event)(void *engine, struct norn_online_thread *self, const struct norn_event *event, struct norn_online_hit *hits,
	        uint32_t count);

	/* May be NULL, both. prepare: what it is that these declared events happen, without values, by a thread of these types;
	 * false: it takes event to tell. follow: it happens; does what event would. print->event means nothing; lock: the exclusive
	 * lock that was just taken, 0: none. */
	bool (*prepare)(const void *engine, uint64_t types, const uint32_t *events, uint32_t count,
	        struct norn_prepared_event *ret_prepared);
	void (*follow)(void *engine, struct norn_online_thread *self, struct norn_prepared_event *prepared,
	        const struct norn_footprint *print, uint64_t lock);

	/* Every action that orders threads: lock and unlock (unless it has access), wait and notify, semaphores, barriers, once;
	 * fork (in the parent before the child begins: the child's key), begin (own key), end (own key), join (the child's key,
	 * after it; or if it could not be made). As in DAME, each is a write of a dummy variable, key. forget: the object is no
	 * more (destroyed, joined); its address may be used again. */
	void (*sync)(void *engine, struct norn_online_thread *self, uint64_t key, unsigned op);
	/* True if it wants to be told of locks and other synchronization; NULL: it does, if sync is there. */
	bool (*follows)(const void *engine);
	void (*forget)(void *engine, struct norn_online_thread *self, uint64_t key);

	/* Every access of instrumented code, reads, writes and atomics, as one event for each word that it touches, under the
	 * word's lock together with the access itself (value: after it; old: the word's bytes at event->addr before). Where the
	 * thread's cache says that an access changes nothing, the engine is not told. Likewise taking and giving up a lock (SYNC;
	 * addr: the lock): a write to a word for locks (knowledge_cell.h), if it is shared a read. */
	void (*access)(void *engine, struct norn_online_thread *self, struct norn_knowledge_cell *word,
	        const struct norn_event *event, uint64_t old, const struct norn_online_hit *hits, uint32_t count);
	/* These bytes of a word that has been accessed, a bit each, are freed, or the locks there destroyed; the word's lock is
	 * held. self may be NULL if it is all. */
	void (*drop)(void *engine, struct norn_online_thread *self, struct norn_knowledge_cell *word, uint32_t bytes);

	/* The number of events that it could not follow, for lack of memory or of room for threads: then it may have missed
	 * something. NULL: never. */
	uint64_t (*lost)(const void *engine);
	/* The process ends, in this thread (others may go on meanwhile): verdicts that were waiting for it. self may be NULL. */
	void (*finish)(void *engine, struct norn_online_thread *self);
	/* Frees what open made. No thread is there any more: a process does not get that far, so only tests call it. NULL: not
	 * built. */
	void (*close)(void *engine);
};

/* In the command: packs what an engine needs of the spec; nothing, if that is nothing: then open is not called inside the program.
 * Fails with a sentence: -ENOTSUP if the engine cannot do what a property asks for, -EINVAL if a property is wrong. Apart from the
 * engine, so that no program carries what makes plans (planners.c; sources that only planners need: online_plan_sources in
 * meson.build). */
typedef int norn_online_planner(
        const struct norn_sources *sources, const struct norn_spec *spec, struct norn_pack *pack, struct norn_error *err);
extern norn_online_planner *const norn_online_planners[NORN_ENGINES];

/* One for each enum norn_engine_id; NULL: not built yet. */
extern const struct norn_online_engine *const norn_online_engines[NORN_ENGINES];

#endif
