/* Deadlocks: threads that each wait for a lock which the next one holds.
 *
 * Candidates are cycles in the lock graph: a *request* is an acquire that waits, by a thread that holds other locks then. In a cycle each request is for a lock
 * that the thread of the next one holds, all threads are different, and no two of them hold one lock (a gate that keeps the others out), but for
 * readers of it. A thread alone cannot deadlock by its own order of locks, and a try or timed acquire gives up. Cycles of up to NORN_SWEEP_STOPS threads are looked for.
 * Whether all of them can come to stand there at once is for the closure to say. There is one prediction for each set of code positions. */
#ifndef NORN_PREDICT_DEADLOCK_H
#define NORN_PREDICT_DEADLOCK_H

#include "predict/sweep.h"

int norn_deadlocks_find(struct norn_sweep *sweep, const struct norn_slice *slice, const struct norn_builtin_options *options,
        struct norn_builtin_stats *stats);

#endif
