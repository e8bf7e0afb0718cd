/* Inside of watch mode: what its files share. */
#ifndef NORN_RUNTIME_WATCH_WATCH_STATE_H
#define NORN_RUNTIME_WATCH_WATCH_STATE_H

#include "engine/lock.h"
#include "judge/live_monitors.h"
#include "engine/watch_message.h"
#include "runtime/self.h"
#include "runtime/watch/watch.h"

#define NORN_WATCH_PROPS_MAX 32u
#define NORN_WATCH_ARGS 8u
#define NORN_WATCH_FUNCTION 128u /* bytes of a name that are looked at */

/* A file of properties. Made before the first thread, and constant from then on, but for what its parts protect themselves. */
struct norn_watch_props {
	struct norn_event_match event_match;
	struct norn_live_monitors *machines;
	bool has_machines;
	void *engines[NORN_ENGINES]; /* NULL: has nothing to do */
};

/* A function that a selector names, being executed. */
struct norn_watch_frame {
	uint32_t depth, site, call_site, known; /* known: a bit per argument */
	uint64_t args[NORN_WATCH_ARGS];
};

/* The effect of plain events on the engines. */
struct norn_prepared_events {
	uint32_t count; /* engines that are told */
	struct norn_told {
		const struct norn_online_engine *table;
		void *engine;
		struct norn_prepared_event prepared;
	} of[NORN_ENGINES];
};

/* The effect of acquiring a lock on the thread. */
#define NORN_QUICK_LOCKS 8u
struct norn_quick_lock {
	uint64_t address; /* 0: none */
	uint32_t range_count; /* as many were known then */
	struct norn_prepared_events prepared;
};

/* A verdict that is being told. */
struct norn_verdict_message {
	struct norn_queued_verdict verdict;
	struct norn_watch_message message;
	struct norn_watch_text { /* without a command */
		char at[4096];
		size_t length;
	} text;
};

/* A thread, as watch mode sees it. Large fields are here, and not on the thread's stack, which may be small. */
struct norn_watcher {
	struct norn_watcher *next; /* of all that are free */
	uint32_t number;
	bool begun; /* engines know it */
	bool said_exit;
	/* an action runs, so that no other one is started: 1 + how many frames of the program are below it; 0: none */
	uint32_t acting;
	uint32_t held, paused; /* props whose machines' locks it has, a bit each; or had, until a handler interrupted */
	char path[64], name[64];
	char started[NORN_WATCH_FUNCTION]; /* the function that it entered first; a copy, as its library may be unloaded */
	struct norn_online_thread props[NORN_WATCH_PROPS_MAX];
	struct norn_judge_scratch *scratches[NORN_WATCH_PROPS_MAX];
	/* A call whose arguments are being told. */
	uint32_t awaited; /* arguments that are still to come, a bit each */
	uint32_t enter_site, enter_call, enter_known, enter_depth;
	uint64_t enter_args[NORN_WATCH_ARGS];
	uint64_t result;
	uint32_t result_depth; /* of the function that it is of */
	bool has_result;
	struct norn_watch_frame *frames;
	uint32_t frame_count, frame_room;
	/* The access that is going on, between the two hooks of an atomic. */
	bool rmw;
	uint64_t relevant; /* its events that were told to engines, or would have been */
	uint64_t rmw_before[3];
	struct norn_knowledge_cell *rmw_word;
	struct norn_quick_lock locks[NORN_QUICK_LOCKS];
	struct norn_quick quick[NORN_QUICK]; /* norn_quick of its thread */
	struct norn_verdict_queue queue; /* from here on nothing is cleared for a new thread but the counts */
	struct norn_verdict_message messages[2]; /* [1]: its actions run; [0]: what comes up meanwhile */
	struct norn_look look;
	struct norn_online_hit hits[NORN_HITS_MAX]; /* look's */
	struct norn_value slots[NORN_HITS_MAX * NORN_HIT_SLOTS];
	struct norn_prepared_events prepared[NORN_QUICK][NORN_QUICK_SIDES]; /* of norn_quick */
};

struct norn_watch {
	struct norn_plan plan;
	struct norn_modules modules;
	struct norn_watch_props *props;
	uint32_t props_count;
	bool quick, quick_locks; /* the short way of watch_quick.c, for calls and for acquired locks */
	bool wants_sync, wants_orders, wants_locks, wants_unlocks, wants_memory, wants_words, wants_blocks, wants_marks,
	        wants_threads;
	/* sync: engines must be told of what orders threads; orders: of locks as well, though not by words (watch_words.h) */
	struct norn_watch_ring *ring; /* to the command; NULL: there is none */
	int json; /* findings are appended here; -1: nowhere */
	_Atomic uint64_t lost, threads;
	_Atomic uint64_t events, relevant, missed; /* of threads that have ended (norn_watch_counts) */
	_Atomic uint32_t over;
	_Atomic bool running; /* something has happened: modules that come from now on may go again */
};
extern struct norn_watch norn_watch;
extern __thread struct norn_watcher *norn_watcher __attribute__((tls_model("initial-exec")));

/* The caller's watcher, begun; the caller is busy. NULL: it cannot be watched. */
struct norn_watcher *norn_watcher_ready(void);
/* The event goes to machines and engines of props number l; look has its hits. */
void norn_watch_tell(struct norn_watcher *w, uint32_t l, const struct norn_event *event, struct norn_look *look);
void norn_watch_tell_engines(struct norn_watcher *w, uint32_t l, const struct norn_event *event, struct norn_look *look);
bool norn_watch_frames_grow(struct norn_watcher *w);
void norn_watch_find_types(struct norn_watcher *w); /* by its path, its name and its first function; when one of them changes */

/* A function that a selector names is entered, so deep. NULL: no memory, its return will have no arguments. */
static inline struct norn_watch_frame *norn_watch_push(struct norn_watcher *w, uint32_t depth, uint32_t site, uint32_t call_site)
{
	if (w->frame_count == w->frame_room && !norn_watch_frames_grow(w))
		return NULL;
	struct norn_watch_frame *f = &w->frames[w->frame_count++];
	f->depth = depth;
	f->site = site;
	f->call_site = call_site;
	f->known = 0;
	return f;
}

/* The one that is left at that depth, and all above it are over; NULL: it is none that was noted. It is there until the next one is
 * entered. */
static inline const struct norn_watch_frame *norn_watch_pop(struct norn_watcher *w, uint32_t depth)
{
	struct norn_watch_frame *top = &w->frames[w->frame_count];
	for (; w->frame_count; w->frame_count--)
		if ((--top)->depth <= depth)
			break;
	if (!w->frame_count || top->depth != depth)
		return NULL;
	w->frame_count--;
	return top;
}

/* After whatever may have made verdicts. */
static inline void norn_watch_settle(struct norn_slot *self, const struct norn_watcher *w)
{
	if (w->queue.count)
		self->pending.watch = 1;
}

/* The short way (watch_quick.c). Calls, returns: false: it is not for this site. */
void norn_quick_open(void);
bool norn_quick_call(struct norn_watcher *w, uint32_t site, enum norn_quick_side side);
bool norn_quick_acquired(struct norn_watcher *w, enum norn_sync_op op, uint64_t address, uint32_t site);
void norn_quick_forget(struct norn_watcher *w); /* of the caller, whose types are others now, or who has none any more (NULL) */

/* Messages to the program (watch_actions.c). */
/* ring: -1 if there is none. */
int norn_watch_connect(int ring, const char *json);
void norn_watch_hello(void);
struct norn_watch_counts {
	uint64_t events; /* that monitors were told of */
	uint64_t relevant; /* those that properties name */
	uint64_t missed; /* declared events that were not told, as there were too many at once */
};
void norn_watch_bye(bool complete, const struct norn_watch_counts *counts);

#endif
