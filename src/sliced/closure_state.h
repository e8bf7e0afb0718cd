/* The state of a closure (closure.h), for the files that implement it: closure.c (needs), window_values.c (what reads see),
 * masked_reads.c, semaphores.c, sleepers.c.
 *
 * Members with an epoch hold for one try only: with another epoch they count as cleared. */
#ifndef NORN_SLICED_CLOSURE_STATE_H
#define NORN_SLICED_CLOSURE_STATE_H

#include "base/must.h"
#include "sliced/closure.h"
#include "sliced/memory_contents.h"

/* The part of a thread that lies in the base, and in the window of this epoch. */
struct closure_thread {
	uint32_t base; /* its last event in the base, 0: none */
	uint32_t epoch; /* the try for which the members below hold */
	uint32_t cursor; /* its last event that is included */
	uint32_t wanted; /* all its events up to this number are needed */
	uint32_t stop; /* 0: none */
	uint32_t fixed; /* all its reads before this event are fixed */
	bool queued;
	uint64_t changed; /* number of the last replay in which a read of this thread saw another value than recorded */
	uint32_t woken; /* while one condition is examined: the epoch in which a notify woke this thread */
	int32_t taken; /* while one semaphore is counted: this thread's waits minus its posts */
};

/* An open shared acquire. */
struct closure_reader {
	uint32_t acquire;
	uint32_t next; /* index of the next one in readers, 0: none */
};

/* A lock, or another object. Of the included acquires all but the last one need their releases; acquires of readers need them only
 * if a writer follows. */
struct closure_object {
	uint32_t base_last, base_writer; /* the last acquire in the base, and the last exclusive one */
	uint32_t base_readers; /* list of the shared acquires that are open at the base */
	uint32_t epoch;
	/* the last wait in the window, of a semaphore whose value is known; the last end of a wait, of a condition; 0: none */
	uint32_t waited;
	/* the last acquire in base and window, and the last exclusive one, without those that are open at a stop */
	uint32_t last, writer;
	uint32_t readers; /* list of the shared acquires in the window whose releases are not needed yet */
	uint32_t open; /* the acquire, or one of the shared ones, that is still held at a stop; 0: none */
	bool took_base; /* the releases of the base's readers were needed */
};

/* A word with bytes that are named by masks. */
struct masked_read {
	uint32_t epoch;
	uint32_t pending; /* list of what decides whether the word is written, and is not fixed yet; 0: none */
	uint8_t fixed; /* one bit for each byte that a fixed read sees */
};

struct pending {
	uint32_t item, next; /* item: a read, or the node that controls a write */
	uint8_t bytes;
};

/* A step in the life of a condition (sleepers.c). */
struct norn_sleeping {
	uint32_t event, thread;
	uint32_t since; /* WOKEN: the event by which its thread fell asleep */
	enum { SLEEPS, SIGNAL, BROADCAST, WOKEN } what;
};

struct norn_closure {
	const struct norn_graph *graph;
	const struct norn_graph_event *events;
	unsigned without;
	struct norn_rule_walk needs;
	const struct norn_rule *inexact;
	const struct norn_rule *stricter; /* a rule of NORN_RULE_STRICTER by which an included event needed something; NULL: none */
	uint32_t base;
	struct closure_thread *threads;
	struct closure_object *objects;
	NORN_VECTOR(struct closure_reader) readers; /* [0] is none */
	uint32_t base_spare; /* list of free entries of readers */
	uint32_t epoch;
	uint32_t *read_stamps, *node_stamps; /* per read, per node: the epoch in which it was fixed */
	uint32_t *kept_stamps; /* per read, then per node: the epoch in which only its decisions were fixed */
	uint32_t *queue; /* threads of which more events are needed */
	uint32_t queued;
	uint32_t *active; /* threads with events in the window */
	uint32_t actives;
	struct norn_numbers to_fix; /* reads and nodes that are to be fixed */
	struct norn_numbers to_keep; /* reads and nodes of which only the decisions are to be fixed */
	bool equal_values; /* reads may see other writes of the same value */
	struct norn_memory_contents contents; /* of memory, at the base */
	struct norn_numbers examined; /* reads whose values matter */
	uint32_t *examined_stamps; /* per event: the epoch in which it was added to examined */
	uint32_t *value_stamps; /* per event: the epoch in which it became a write whose value matters */
	uint32_t *examined_nodes; /* per node: the epoch in which it was examined */
	struct norn_numbers to_examine; /* nodes */
	uint64_t replays; /* how often windows were replayed */
	struct norn_map seen; /* during a replay: word → the last writers of its bytes in the window */
	struct norn_map others; /* during a replay: examined read → the value it sees, if that is not the recorded one */
	bool unseen; /* during a replay: code without hooks may have written memory */
	uint64_t fixed_count; /* how many reads were fixed, in all windows */
	struct norn_numbers window;
	uint32_t included, limit;
	uint32_t placed; /* all allocations and frees up to this event are needed, in the recorded order */
	uint32_t sees; /* a stop that must see what it saw; 0: none */
	uint64_t sees_bytes; /* in so many of its bytes */
	const uint32_t *freed; /* reads that do not decide, in this try */
	uint32_t freed_count;
	bool certain; /* in this try all events of the window are certain */
	uint32_t stale; /* see norn_closure_stale; 0: none */
	uint64_t steps;
	struct norn_numbers semaphores; /* semaphores with waits in the window */
	struct norn_numbers uses; /* events of the semaphore that is examined */
	struct norn_numbers conditions; /* conditions of which waits end in the window */
	NORN_VECTOR(struct norn_sleeping) sleeping; /* events of the condition that is examined */
	uint32_t *queue_of_sleepers; /* has room for all threads */
	bool failed, open_last;
	bool lazy; /* fixed reads need their own writers only if they cannot see the same value otherwise */
	bool by_value; /* a fixed read needed a writer that was not in the window */
	uint64_t lazy_steps; /* events included by all lazy tries */
	bool too_equal; /* the search for equal values took too long, and reads got their own writers */
	bool strict; /* all reads with masks are fixed, and all events are certain */
	const uint64_t *words; /* the words with bytes that are named by masks, ascending */
	uint32_t word_count;
	struct masked_read *masked; /* one for each of words */
	NORN_VECTOR(struct pending) pending; /* [0] is none */
};

static inline bool norn_closure_is_freed(const struct norn_closure *closure, uint32_t read)
{
	for (uint32_t i = 0; i < closure->freed_count; i++)
		if (closure->freed[i] == read)
			return true;
	return false;
}

/* A read that is fixed whatever others do, as soon as it is included: late ones are when their event is. */
static inline bool norn_closure_decides(const struct norn_closure *closure, uint32_t read)
{
	if (norn_closure_is_freed(closure, read) || (!closure->certain && norn_graph_is_late(closure->graph, read)))
		return false;
	return (closure->events[read].flags & (NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED)) == NORN_GRAPH_DECIDES;
}

/* A read that decides no more than its tests, and branches and assertions that it is in with others. */
static inline bool norn_closure_tested(const struct norn_closure *closure, uint32_t read)
{
	return closure->events[read].kind == NORN_EVENT_READ &&
	       closure->events[read].flags & (NORN_GRAPH_TESTED | NORN_GRAPH_LOOSE);
}

/* A read that must see what it saw, or decide what it did. */
static inline bool norn_closure_is_fixed(const struct norn_closure *closure, uint32_t read)
{
	return norn_closure_decides(closure, read) || closure->read_stamps[read] == closure->epoch ||
	       closure->kept_stamps[read] == closure->epoch;
}

struct closure_thread *norn_closure_thread(struct norn_closure *closure, uint32_t thread); /* brought into this epoch */
struct closure_object *norn_closure_object(struct norn_closure *closure, uint32_t object); /* brought into this epoch */
void norn_closure_need(struct norn_closure *closure, uint32_t event); /* the event must be included */
void norn_closure_know(struct norn_closure *closure, uint32_t writer); /* the value it wrote must be known */
void norn_closure_need_writers(struct norn_closure *closure, uint32_t read, uint64_t bytes); /* of so many of its first */
/* Did this read see contents that no known write made: fresh memory, or static memory that code without hooks wrote, perhaps before
 * the program began? Without NORN_RULE_FRESH these contents need not be the same again. */
bool norn_closure_unwritten(struct norn_closure *closure, uint32_t read);
void norn_closure_close(struct norn_closure *closure); /* goes on until nothing more is needed, or the closure has failed */

/* window_values.c. The thread comes to this event: late reads of its have decided. (An assertion comes after its thread's last
 * event: there no read is late.) */
void norn_closure_fix_late(struct norn_closure *closure, uint32_t event);
/* masked_reads.c. This included read has masks: it is fixed as soon as a fixed read sees bytes of them. */
void norn_closure_mask(struct norn_closure *closure, uint32_t read);
/* This included write may happen or not: the reads that control it are fixed as soon as a fixed read sees its bytes. */
void norn_closure_may_write(struct norn_closure *closure, uint32_t write);
/* A fixed read sees these bytes: the reads that decide whether they are written are fixed. */
void norn_closure_look(struct norn_closure *closure, uint64_t addr, uint64_t size);
bool norn_closure_certain(struct norn_closure *closure, uint32_t event); /* after closing: is it certain that the event happens? */
void norn_closure_push(struct norn_closure *closure, uint32_t item); /* the read or node is to be fixed */
/* The read decides what it did: it sees what it saw, or all its tests come out the same (V6). */
void norn_closure_decide(struct norn_closure *closure, uint32_t read);
void norn_closure_keep(struct norn_closure *closure, uint32_t item); /* the decisions of the read or node are to be fixed */

/* Has this event been included? It may also be one of the base. */
bool norn_closure_includes(struct norn_closure *closure, uint32_t event);
/* Can this event, which is not included, be included? */
bool norn_closure_spare(struct norn_closure *closure, uint32_t event);
/* Adds the object of this event to a list; the event is the object's last one that matters there. */
void norn_closure_note_object(struct norn_closure *closure, uint32_t number, uint32_t event, struct norn_numbers *list);

/* semaphores.c. Notes an included wait: the semaphore must be positive there, or 0 if it is a failed try. */
void norn_closure_note_semaphore_wait(struct norn_closure *closure, uint32_t wait);
/* Adds the posts and waits that are missing for that. False: nothing was missing. */
bool norn_closure_semaphores(struct norn_closure *closure);

/* sleepers.c. Notes an acquire that ends a wait, and that is included or a stop. */
void norn_closure_wakes(struct norn_closure *closure, uint32_t acquire);
/* Adds the notifies that are missing for the noted ends of waits. False: nothing was missing. */
bool norn_closure_wake(struct norn_closure *closure);

/* Fixes the reads that control this event, which must happen. */
void norn_closure_control(struct norn_closure *closure, uint32_t event);

/* window_values.c. The value of this included read matters, but may come from other writes than recorded. False: its own writers
 * are needed. */
bool norn_closure_examine(struct norn_closure *closure, uint32_t read);
void norn_closure_examine_one(struct norn_closure *closure); /* takes one from to_examine */
/* Closes the window until nothing more is needed, and every fixed read sees its recorded value, or decides as recorded. */
void norn_closure_settle(struct norn_closure *closure);

#endif
