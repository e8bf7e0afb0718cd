/* The window closure: can the program get to where each of some events, the *stops*, is the next one of its thread?
 *
 * It starts from a prefix of the observed order, events 1 … base: a real run. From there threads are advanced by need,
 * never past a stop, until the set of events beyond the base, the *window*, is closed:
 *
 *   every event          needs the earlier ones of its thread; the stops need theirs
 *   a read that decides  is fixed, that is, sees what it saw: the writers of its bytes are needed, and those of them in the
 *                        window must be known: every read that their values come from is fixed, too. So is what an external
 *                        write left as it was
 *   a read with masks    is fixed if a read is that sees bytes of its masks, in any thread. Otherwise it may see anything, and
 *                        what it controls may happen or not: that is in the window, but not listed. Fixed reads, their
 *                        writers, stops and what must be there are certain: what controls them is fixed. So are writes of
 *                        bytes that a fixed read sees. If an access must be there, all reads with masks are fixed, and all
 *                        events are certain
 *   an acquire           and another one of the same lock before it (one of both exclusive): the release of that is needed
 *                        (open-last: locks that are held at a stop have that region last, and need the release of all others)
 *   a semaphore's wait   that there is something to take, a failed one that there is not (semaphores.c)
 *   the end of a wait    that its thread was woken, or was not (sleepers.c)
 *   every event          what its rule says (rules.h); some can never be needed
 *
 * With equal values, a fixed read whose writers are not there may see what another write of the same value left, be it in the base,
 * or what the memory began with. Values that may be addresses do not count: those of memory may be others in another run.
 *
 * It fails when something that a stop precedes is needed. Otherwise the window in the observed order is a run of the program, in
 * which the stops come next; open-last: the window in another order, made by open_last.h.
 *
 * The cost is the window's length, whatever the length of the run. Bases must not go back. Not thread-safe. Memory: 4 bytes for
 * each event and node that ever was a fixed read which does not decide, 4 for each event of the longest window. */
#ifndef NORN_SLICED_CLOSURE_H
#define NORN_SLICED_CLOSURE_H

#include "causality/rules.h"

struct norn_closure;

/* without: rules that are switched off. */
struct norn_closure *norn_closure_new(const struct norn_graph *graph, unsigned without);
void norn_closure_free(struct norn_closure *closure);
/* From now on a fixed read may see any write of the same value that is known, instead of its own. Before the first base. */
void norn_closure_equal_values(struct norn_closure *closure);

/* The base is now this; it only goes up. */
void norn_closure_base(struct norn_closure *closure, uint32_t base);

enum norn_closure_result {
	NORN_CLOSURE_NO,
	NORN_CLOSURE_YES,
	NORN_CLOSURE_TOO_LONG, /* more than limit events would be needed */
};

#define NORN_CLOSURE_INCLUDES 6u

/* Closes the window for these stops, all of them beyond the base and of different threads, and with what includes names (so many
 * events, 0: none). */
enum norn_closure_result norn_closure_try(struct norn_closure *closure, const uint32_t *stops, uint32_t count,
        const uint32_t includes[NORN_CLOSURE_INCLUDES], bool open_last, uint32_t limit);
/* Stops of the next try do not need this allocation, or free, which the memory that they use has its life from (S15), nor a free of
 * that; 0: they do. */
void norn_closure_stale(struct norn_closure *closure, uint32_t alloc);
/* At the next try this stop is to see what it saw, for all that is in the window; what comes there after what it saw is the
 * caller's to look at. */
void norn_closure_sees(struct norn_closure *closure, uint32_t stop);
/* At the next try these reads, which decide loosely, may see anything: what comes of it is the caller's to look at, so all that
 * is in the window is certain. They hold until then. */
void norn_closure_frees(struct norn_closure *closure, const uint32_t *reads, uint32_t count);
uint64_t norn_closure_steps(const struct norn_closure *closure); /* events that all closures included */

/* The last try gave up looking for equal values. */
bool norn_closure_too_equal(const struct norn_closure *closure);
/* A rule that the last try met and that orders more than the law asks; NULL: none. */
const struct norn_rule *norn_closure_inexact(const struct norn_closure *closure);
/* A rule of NORN_RULE_STRICTER that the last try needed; NULL: none. */
const struct norn_rule *norn_closure_stricter(const struct norn_closure *closure);

/* After YES: the window's events that are certain, in the observed order. They hold until the next try. */
const uint32_t *norn_closure_window(struct norn_closure *closure, uint32_t *ret_count);
uint32_t norn_closure_before(const struct norn_closure *closure, uint32_t thread); /* its last event in the base, 0: none */
/* After YES: is this read, which is in the window, fixed, or does a fixed one see what comes from it? */
bool norn_closure_fixed(const struct norn_closure *closure, uint32_t read);
/* After YES: allocations and frees up to this event keep their order, and come before later ones; base: none do (V4). */
uint32_t norn_closure_placed(const struct norn_closure *closure);
/* Open-last: is this acquire, of a thread that has a stop, still held there? */
bool norn_closure_open(const struct norn_closure *closure, uint32_t acquire);

#endif
