/* The inside of a closure (closure.h), for the files that it is made of: closure.c (needs), window_values.c (what reads see),
 * masked_reads.c, semaphores.c (semaphores). */
#ifndef NORN_SLICED_CLOSURE_STATE_H
#define NORN_SLICED_CLOSURE_STATE_H

#include "base/must.h"
#include "sliced/closure.h"
#include "sliced/memory_contents.h"

/* A thread: what of it lies in the base, and in the window of this epoch. */
struct closure_thread {
	uint32_t base; /* its last event there, 0: none */
	uint32_t epoch; /* of all that follows */
	uint32_t cursor; /* its last event that is included */
	uint32_t wanted; /* all its events up to this number are needed */
	uint32_t stop; /* 0: none */
	uint32_t fixed; /* all its reads before this event are fixed */
	bool queued;
	uint64_t changed; /* the replay in which a read of it sees another value than it did */
	uint32_t woken; /* epoch in which a notify named it, while a condition is gone through */
	int32_t taken; /* of a semaphore, while it is counted: waits less posts */
};

/* An open shared acquire. */
struct closure_reader {
	uint32_t acquire;
	uint32_t next; /* in readers, 0: none */
};

/* A lock, or another object. All acquires that are included but the last one must be closed, those of readers only before a
 * writer. */
struct closure_object {
	uint32_t base_last, base_writer; /* largest acquires in the base: any, exclusive */
	uint32_t base_readers; /* shared ones that are open at the base */
	uint32_t epoch;
	/* of a semaphore whose value is known: its last wait in the window; of a condition: the last end of one; 0: none */
	uint32_t waited;
	uint32_t last, writer; /* the same with the window, but for those that are open at a stop */
	uint32_t readers; /* shared ones in the window that need not be closed yet */
	uint32_t open; /* held at a stop: that acquire, or one of the shared ones */
	bool took_base; /* the base's readers were closed */
};

/* A word that masks have bytes of. */
struct masked_read {
	uint32_t epoch;
	uint32_t pending; /* the first of those that may bring it about to be written, and are not fixed yet; 0: none */
	uint8_t fixed; /* bytes that fixed reads see */
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
	const struct norn_rule *stricter; /* of NORN_RULE_STRICTER: an included event needed what it asks for */
	uint32_t base;
	struct closure_thread *threads;
	struct closure_object *objects;
	NORN_VECTOR(struct closure_reader) readers; /* [0] is none */
	uint32_t base_spare; /* base readers to be used again */
	uint32_t epoch;
	uint32_t *read_stamps, *node_stamps; /* epoch in which this was fixed */
	uint32_t *kept_stamps; /* the same, of reads and then nodes: what it decides is */
	uint32_t *queue; /* threads that have to go on */
	uint32_t queued;
	uint32_t *active; /* threads that are in the window */
	uint32_t actives;
	struct norn_numbers to_fix; /* reads and nodes that are to be fixed */
	struct norn_numbers to_keep; /* the same, of which only what they decide is */
	bool equal_values; /* reads may see them */
	struct norn_memory_contents contents; /* of memory, at the base */
	struct norn_numbers examined; /* reads whose values matter */
	uint32_t *examined_stamps; /* per event: the epoch in which it is one of them … */
	uint32_t *value_stamps; /* … and in which it is a write whose value matters */
	uint32_t *examined_nodes; /* the same, of nodes */
	struct norn_numbers to_examine; /* nodes */
	uint64_t replays; /* of windows */
	struct norn_map seen; /* while one is replayed: word → the last writers of its bytes, in the window */
	struct norn_map others; /* the same: examined read → what it sees, if that is not what it saw */
	bool unseen; /* the same: a write may have come without being noticed */
	uint64_t fixed_count; /* reads that were fixed, of all windows */
	struct norn_numbers window;
	uint32_t included, limit;
	uint32_t placed; /* all that allocates and frees up to this event is needed, as recorded */
	uint32_t sees; /* a stop that is to see what it saw; 0: none */
	const uint32_t *freed; /* reads that do not decide, this time */
	uint32_t freed_count;
	bool certain; /* this time all events of the window are */
	uint32_t stale; /* an allocation that the stop does not need, though its memory has its life from it; 0: none */
	uint64_t steps;
	struct norn_numbers semaphores; /* objects that have waits in the window */
	struct norn_numbers uses; /* events of one of them */
	struct norn_numbers conditions; /* objects of which waits end in the window */
	NORN_VECTOR(struct norn_sleeping) sleeping; /* events of one of them */
	uint32_t *queue_of_sleepers; /* threads; as many as there are */
	bool failed, open_last;
	bool lazy; /* fixed reads need their writers only if others do not do */
	bool by_value; /* a fixed read needed a writer that was not there */
	uint64_t lazy_steps; /* of all that was tried lazily */
	bool too_equal; /* reads that might have seen equal values were given their own writers, as looking took too long */
	bool strict; /* all reads with masks are fixed, and all events are certain */
	const uint64_t *words; /* that masks have bytes of, in order */
	uint32_t word_count;
	struct masked_read *masked; /* one each */
	NORN_VECTOR(struct pending) pending; /* [0] is none */
};

/* A read that is fixed whatever others do. */
static inline bool norn_closure_decides(const struct norn_closure *closure, uint32_t read)
{
	for (uint32_t i = 0; i < closure->freed_count; i++)
		if (closure->freed[i] == read)
			return false;
	return (closure->events[read].flags & (NORN_GRAPH_DECIDES | NORN_GRAPH_MASKED)) == NORN_GRAPH_DECIDES;
}

/* A read that must see what it saw, or decide what it did. */
static inline bool norn_closure_is_fixed(const struct norn_closure *closure, uint32_t read)
{
	return norn_closure_decides(closure, read) || closure->read_stamps[read] == closure->epoch ||
	       closure->kept_stamps[read] == closure->epoch;
}

struct closure_thread *norn_closure_thread(struct norn_closure *closure, uint32_t thread); /* as it is in this epoch */
struct closure_object *norn_closure_object(struct norn_closure *closure, uint32_t object); /* the same */
void norn_closure_need(struct norn_closure *closure, uint32_t event); /* it must be included */
void norn_closure_know(struct norn_closure *closure, uint32_t writer); /* the value that it wrote must be known */
void norn_closure_need_writers(struct norn_closure *closure, uint32_t read);
/* Was what this read saw given to memory by no write that is known? Fresh memory, or static memory, in which code without hooks has
 * left something, perhaps before the program began. Then it need not be as it was, without NORN_RULE_FRESH. */
bool norn_closure_unwritten(struct norn_closure *closure, uint32_t read);
void norn_closure_close(struct norn_closure *closure); /* until nothing more is needed, or it has failed */

/* masked_reads.c. This read, which is included, has masks: it is fixed if a fixed read sees them, now or later. */
void norn_closure_mask(struct norn_closure *closure, uint32_t read);
/* This write, which is included, may happen or not: the reads that control it are fixed if a fixed read sees its bytes, now or
 * later. */
void norn_closure_may_write(struct norn_closure *closure, uint32_t write);
/* These bytes are seen by a fixed read: reads by which they may be written are fixed. */
void norn_closure_look(struct norn_closure *closure, uint64_t addr, uint64_t size);
bool norn_closure_certain(struct norn_closure *closure, uint32_t event); /* after closing: does it happen? */
void norn_closure_push(struct norn_closure *closure, uint32_t item); /* this read or node is to be fixed */
void norn_closure_keep(struct norn_closure *closure, uint32_t item); /* what it decides is to be as it was */

/* Has this event been included? It may also be one of the base. */
bool norn_closure_includes(struct norn_closure *closure, uint32_t event);
/* Can this event, which is not included, be? */
bool norn_closure_spare(struct norn_closure *closure, uint32_t event);
/* Adds the object of this event, of which it is the last that matters, to a list of objects. */
void norn_closure_note_object(struct norn_closure *closure, uint32_t number, uint32_t event, struct norn_numbers *list);

/* semaphores.c. This wait, which is included, needs that there is something to take; a failed one that there is not. */
void norn_closure_note_semaphore_wait(struct norn_closure *closure, uint32_t wait);
/* Needs posts or waits where that is not so; false: nothing more is needed. */
bool norn_closure_semaphores(struct norn_closure *closure);

/* sleepers.c. This acquire, which is included or a stop, ends a wait. */
void norn_closure_wakes(struct norn_closure *closure, uint32_t acquire);
/* Needs notifies where it was not woken; false: nothing more is needed. */
bool norn_closure_wake(struct norn_closure *closure);

/* The reads that control this event, which happens, are fixed. */
void norn_closure_control(struct norn_closure *closure, uint32_t event);

/* window_values.c. The value of this read, which is included, matters, and may come from other writes than it did. False: its own
 * are needed. */
bool norn_closure_examine(struct norn_closure *closure, uint32_t read);
void norn_closure_examine_one(struct norn_closure *closure); /* of to_examine */
/* Closes until nothing is needed any more, and all fixed reads see what they saw, or decide what they did. */
void norn_closure_settle(struct norn_closure *closure);

#endif
