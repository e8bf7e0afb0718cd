/* The check of a deadlock (S16, S17): with the threads where a sequence has led them, will those before the stops wait for ever?
 *
 * D is computed anew: all stops, if their calls block by the state of their objects, and none of them waits for a thread that is
 * not in D, and has not ended. Of a thread that waits for a condition, a semaphore or a barrier, every other thread that is there
 * has ended or is in D, and only threads of the program could wake it. */
#ifndef NORN_WITNESS_DEADLOCK_WITNESS_H
#define NORN_WITNESS_DEADLOCK_WITNESS_H

#include "base/error.h"
#include "witness/replay_state.h"

/* stops: the next events of their threads. 0: all of them are in D; or -EINVAL, and which one is not. */
int norn_deadlock_check(const struct norn_graph *graph, const struct norn_replay_state *state, const uint32_t *stops,
        uint32_t stop_count, struct norn_error *err);

/* By its name: does this function end after some time, or at once, without what it waits for? */
bool norn_witness_gives_up(const char *function);

#endif
