/* Another order of a closed window (closure.h), in which the regions of locks that are held at a stop come last (open-last).
 *
 * Orders that stay as observed: each thread's own; forks and joins; a fixed read after its write, and other writes of the same
 * bytes on the side where they were; closed regions of one lock; events of ordered objects, calls of code that is not instrumented,
 * input and output; memory's allocation, its use, and its free. One order is new: every other region of a lock that is held at a
 * stop precedes the one that is open then. Among what is left to choice, the observed order. There may be no such order.
 *
 * Memory: some 60 bytes per event of the window, while it is made. */
#ifndef NORN_SLICED_OPEN_LAST_H
#define NORN_SLICED_OPEN_LAST_H

#include "sliced/closure.h"

/* The window of closure, base being its base: its events in the new order (ret_count of them, to be freed); NULL: there is none.
 * *ret_inexact: a rule that ordered more than the law asks; NULL: none. */
uint32_t *norn_open_last(const struct norn_graph *graph, struct norn_closure *closure, uint32_t base, uint32_t *ret_count,
        const struct norn_rule **ret_inexact);

#endif
