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

/* without: rules that are switched off (tests). */
struct norn_closure *norn_closure_new(const struct norn_graph *graph, unsigned without);
void norn_closure_free(struct norn_closure *closure);
/* From now on a fixed read may see another write instead of its own, if both values are known and equal. To be called before the
 * first base. */
void norn_closure_equal_values(struct norn_closure *closure);

/* Moves the base forward to this event. */
void norn_closure_base(struct norn_closure *closure, uint32_t base);

enum norn_closure_result {
	NORN_CLOSURE_NO,
	NORN_CLOSURE_YES,
	NORN_CLOSURE_TOO_LONG, /* more than limit events would be needed */
};

#define NORN_CLOSURE_INCLUDES 12u

/* Closes the window for these stops, which are after the base and of different threads, and for the included events (0: none). */
enum norn_closure_result norn_closure_try(struct norn_closure *closure, const uint32_t *stops, uint32_t count,
        const uint32_t includes[NORN_CLOSURE_INCLUDES], bool open_last, uint32_t limit);
/* At the next try, stops do not need this allocation or free, though the life of the memory that they use begins with it (S15), nor
 * the free that ends that life. 0: they need it. */
void norn_closure_stale(struct norn_closure *closure, uint32_t alloc);
/* At the next try the window contains the writes that this stop saw in its first bytes. Whether a later write of the window
 * replaces them is for the caller to check. 0: no such stop. */
void norn_closure_sees(struct norn_closure *closure, uint32_t stop, uint64_t bytes);
/* At the next try these reads, which decide loosely, may see anything, and all events of the window are certain. The caller checks
 * what the reads see. The array must stay until then. */
void norn_closure_frees(struct norn_closure *closure, const uint32_t *reads, uint32_t count);
uint64_t norn_closure_steps(const struct norn_closure *closure); /* events that all closures included */

/* The last try gave up looking for equal values. */
bool norn_closure_too_equal(const struct norn_closure *closure);
/* A rule of the last try that orders more than the law asks; NULL: none. */
const struct norn_rule *norn_closure_inexact(const struct norn_closure *closure);
/* A rule of NORN_RULE_STRICTER that the last try needed; NULL: none. */
const struct norn_rule *norn_closure_stricter(const struct norn_closure *closure);

/* After YES: the certain events of the window, in the observed order. Valid until the next try. */
const uint32_t *norn_closure_window(struct norn_closure *closure, uint32_t *ret_count);
/* The thread's last event in the base, 0: none. */
uint32_t norn_closure_before(const struct norn_closure *closure, uint32_t thread);
/* After YES: is this read of the window fixed, or does a fixed read depend on it? */
bool norn_closure_fixed(const struct norn_closure *closure, uint32_t read);
/* After YES: allocations and frees up to this event keep their order, and come before later ones; base: none do (V4). */
uint32_t norn_closure_placed(const struct norn_closure *closure);
/* Open-last: is this acquire, of a thread that has a stop, still held there? */
bool norn_closure_open(const struct norn_closure *closure, uint32_t acquire);

#endif
