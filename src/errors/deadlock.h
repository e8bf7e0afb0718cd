/* Deadlocks: threads that each wait for a lock which the next one holds.
 *
 * Candidates are cycles in the lock graph: a *request* is an acquire that waits, by a thread that holds other locks then. In a
 * cycle each request is for a lock that the thread of the next one holds, all threads are different, and no two of them hold one
 * lock (a gate that keeps the others out), but for readers of it. A thread alone cannot deadlock by its own order of locks, and a
 * try or timed acquire gives up. Cycles of up to NORN_ATTEMPT_RUNNER_STOPS threads are looked for. The closure decides if all of
 * them can be reached at once. There is one prediction for each set of code positions. */
#ifndef NORN_ERRORS_DEADLOCK_H
#define NORN_ERRORS_DEADLOCK_H

#include "sliced/attempts.h"

void norn_deadlocks_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options);

#endif
