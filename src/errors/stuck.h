/* Deadlocks beyond circles of locks (S16 to S18, S23): threads that wait for ever for a condition, a semaphore, a barrier, a once
 * or data in a pipe, and threads that wait for them.
 *
 * A candidate is a place for each thread of D to stop at. It begins with one event that waited; whatever would let that go on, if
 * all other threads ran to their ends, must be stopped before, at an event that waits, too; and so on. Joins, passes of a once,
 * leaves of a barrier and uses of a pipe that need something after a stop are stops by themselves. Given where threads stop, all
 * that S17 asks for but whether a notify comes before a sleep follows from counting; that, and whether all threads can get there,
 * is for must-order to say. There is one prediction for each place at which a thread is stuck. */
#ifndef NORN_ERRORS_STUCK_H
#define NORN_ERRORS_STUCK_H

#include "sliced/attempts.h"

void norn_stuck_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options);

#endif
