/* The checker of witnesses under sliced causality: is this sequence of recorded events one that the program could have performed,
 * and does the error come next? It shares no code with the searches (closure.h and what builds on it), and works from the
 * definitions:
 *
 * The sequence begins as the recorded run did, with its events 1 … base, and goes on with a list. It is gone through once, with
 * the locks' holders, the last write of every byte and the blocks of memory that are freed. Each event of the list must be able
 * to happen now, as recorded:
 *
 *   every event     is the next one of its thread, but for such as may happen or not; a first one comes after its fork
 *   read            is *right* if every byte comes from the write that it came from, or from another one of the same value, and
 *                   what that wrote is known. A read that decides must be right, a compare-and-swap too: what its thread does
 *                   depends on it; not so the last event of a thread that does not stop, as what it decides comes later. A
 *                   read with masks may be wrong; then what these name is *unsettled*, and no read of it is
 *                   right any more
 *   access          is *certain* if all reads that control it are right; no others are in the list. Between what is listed of a
 *                   thread, it may pass over accesses that are controlled by reads; what they write is unsettled as soon as the
 *                   thread may come to them. Its memory is allocated, and not freed if it was not when recorded
 *                   Of an assertion: a read that decides loosely may be wrong, too, if its other tests come out the same; each
 *                   assertion on the way that it is in is evaluated, and passes. Of a null dereference: so may the pointer,
 *                   if its tests come out the same
 *   write           is *known* if all reads that its value comes from were right, an rmw's own read included
 *   alloc           what had the memory before has been freed
 *   acquire         the lock is free, but for readers that share it; one that ends a wait comes after a notify that named it
 *   release         by the holder
 *   failed try      another thread holds the lock (a try to read: exclusively)
 *   create, destroy all that the object was used for before, and nothing later, has happened
 *   semaphore       the value, counted from its init: a wait needs it positive, a failed try zero
 *   barrier         the arrivals of its round have happened
 *   once            the routine has ended, unless this event runs it
 *                   (of a condition, semaphore, barrier or once whose past is not known: exactly those uses of it have happened
 *                   that had when it was recorded)
 *   ordered call    exactly those calls of code without hooks, and that input and output, have happened that had when recorded
 *   input           the same, but of its own channel only; and what was sent there since the beginning is known
 *   output          nothing: only input can tell
 *   external write  the same as for ordered calls
 *   join            the child has ended
 *   opaque call               if the claim assumes it to be harmless; what its thread does right after, too
 *   signal handler  the same as for ordered calls
 *   other opaque calls, end of the process, lost records, what is odd
 *                   cannot be explained but by the recorded run itself: only in its beginning
 *
 * Then the claim: where all threads stand now, the stops are next, and are the error that is claimed.
 *
 * Memory: 40 bytes per word that was written, 4 per thread and 16 per object. Claims whose bases ascend are cheap: the beginning of
 * the run is gone through once for all of them. */
#ifndef NORN_WITNESS_SLICED_WITNESS_H
#define NORN_WITNESS_SLICED_WITNESS_H

#include "base/error.h"
#include "causality/dependence_graph.h"

enum norn_sliced_kind {
	/* stops: two accesses; or the second alone, or a free, and first, an access, which happened: nothing orders them */
	NORN_SLICED_RACE,
	NORN_SLICED_DEADLOCK, /* stops: of threads that wait for ever (deadlock_witness.h) */
	NORN_SLICED_USE_AFTER_FREE, /* stops: free, then the use */
	NORN_SLICED_DOUBLE_FREE, /* stops: the frees, as they would come */
	/* stops: a LEAVE, or an END, then a use of what is gone then; or the use alone, and first, which happened */
	NORN_SLICED_USE_AFTER_RETURN,
	/* stops: an access of another thread, then the block's that closes the cycle; or that alone */
	NORN_SLICED_ATOMICITY,
	/* first: the event that an assertion comes right after; site: of the call that fails. stops: first, if that is a
	 * read of the expression; otherwise the event after it */
	NORN_SLICED_ASSERTION,
	/* stops: an access; first: a read, which happened, of the pointer that it is by: that is null */
	NORN_SLICED_NULL,
	NORN_SLICED_KINDS
};

struct norn_sliced_claim {
	enum norn_sliced_kind kind;
	uint32_t base; /* events 1 … base come first, as recorded */
	const uint32_t *events; /* then these */
	uint32_t count;
	const uint32_t *stops; /* then, in any order unless the kind says so */
	uint32_t stop_count;
	/* An event that happened in the sequence: RACE with one stop only: the first access; USE_AFTER_FREE, DOUBLE_FREE with one
	 * stop only, the use or the second free: the free */
	uint32_t first;
	/* ATOMICITY: a cycle from the block's first access to its last, which is the last stop. Two events that follow each other
	 * are of two threads and in conflict, in this order; or of one thread, and the first comes earlier, or both are in one
	 * block, whose begin is named. */
	const uint32_t *cycle;
	const uint32_t *cycle_begins; /* per event of it: of the block that it and the next one are in, 0: none */
	uint32_t cycle_count;
	/* ATOMICITY: the mark that begins the block, or the ENTER of the function that is one; 0: guessed, any two accesses of a
	 * thread */
	uint32_t block;
	uint32_t site; /* ASSERTION */
	/* Calls of code without hooks that the claim assumes to synchronise with nothing and to touch nothing that matters (X9) */
	const uint32_t *assumed;
	uint32_t assumed_count;
	/* Of a sequence that a property judges: the memory that it speaks of, and whether it speaks of reads there, too. What may
	 * happen or not must not be an event of the property (R18, V11). */
	const struct norn_graph_range *watched;
	uint32_t watched_count;
	bool watches_reads;
};

struct norn_sliced_checker;

/* The graph must outlive the checker. */
struct norn_sliced_checker *norn_sliced_checker_new(const struct norn_graph *graph);
void norn_sliced_checker_free(struct norn_sliced_checker *checker);

/* Could the claim's sequence happen, whatever comes then? Its stops are not next, but events of it that must have the values that
 * they had. 0, or -EINVAL and why not. */
int norn_sliced_check_sequence(struct norn_sliced_checker *checker, const struct norn_sliced_claim *claim, struct norn_error *err);
/* 0: the claim holds; or -EINVAL and what is wrong with it. */
int norn_sliced_check(struct norn_sliced_checker *checker, const struct norn_sliced_claim *claim, struct norn_error *err);

#endif
