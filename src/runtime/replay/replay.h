/* Replay: the program takes a predicted run (confirm/replay_area.h, docs/confirm.md).
 *
 * Each thread runs free until it comes to one of its steps. Before it does that, it sleeps until everything that the step comes
 * after is done; when it is done, it says so. A replay asks no more than a scheduler may choose: a thread that sleeps here could as
 * well have lost its processor. It holds nothing of Norn's then, and is not inside a hook as signals see it.
 *
 * Accesses come here by the slow path of their hooks: as long as a thread is in a call in which one of its steps is, its limit is
 * never set (norn_room); elsewhere the hot path is as usual. */
#ifndef NORN_RUNTIME_REPLAY_REPLAY_H
#define NORN_RUNTIME_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/self.h"
#include "confirm/replay_area.h"

struct norn_site_table;

extern bool norn_replay_began; /* the process began with a replay area; cleared in the child of a fork only */
extern bool norn_replaying; /* set before the first thread is attached; cleared when all is over, and in the child of a fork */

void norn_replay_start(const char *directory); /* of the session: is there a replay area? */
void norn_replay_module(uint32_t base, const struct norn_site_table *table, size_t table_bytes);
void norn_replay_fork_child(void);

/* Threads. The schedule's number of the child that the caller is about to create, after its number is reserved; 0: none. */
uint32_t norn_replay_child(void);
void norn_replay_main(void); /* the caller is the main thread */
void norn_replay_begin(uint32_t thread); /* the caller begins; waits if it must not yet */
void norn_replay_end(void);

/* The caller, which is not busy, is about to do something at site, and waits until it may. The result is for norn_replay_step_done,
 * when it is done. bytes: of an access; 0: unknown. */
NORN_COLD uint32_t norn_replay_step(enum norn_operation operation, uint32_t site, const void *addr, size_t bytes);
NORN_COLD void norn_replay_step_done(uint32_t step);
/* Is what was listed done already, or not at all: the caller need not wait. For callers that could give something up before they
 * wait. */
NORN_COLD bool norn_replay_may_pass(uint32_t step);
/* The first half of norn_replay_step, which only counts, and the second. */
NORN_COLD uint32_t norn_replay_count(enum norn_operation operation, uint32_t site);
NORN_COLD void norn_replay_wait(uint32_t step, const void *addr, size_t bytes);
/* The caller is about to lock, to join or to wait: for a stop of a deadlock. True if the step is one. */
bool norn_replay_blocks(uint32_t step);

/* Is this step, which has begun, a stop of a deadlock that may still come about? */
bool norn_replay_is_stuck(uint32_t step);
/* The caller, which slept at this step, a stop, was woken: there is no deadlock. 0: nothing. */
void norn_replay_woken(uint32_t step);

/* Function entry, before depth is counted up, and after it was counted down. */
NORN_COLD void norn_replay_enter(struct norn_slot *self, uint32_t call_site, uint32_t site);
NORN_COLD void norn_replay_leave(struct norn_slot *self);
/* Must accesses of self come the slow way, though it has room? */
bool norn_replay_wants_accesses(const struct norn_slot *self);
/* Is a time stamp due without a request? */
bool norn_replay_stamp(uint64_t now);

/* For use by interposed functions: nothing to do unless the process replays. */
static inline uint32_t norn_step_begin(enum norn_operation operation, uint32_t site, const void *object)
{
	return __builtin_expect(norn_replaying, 0) ? norn_replay_step(operation, site, object, 0) : 0;
}

/* The same for operations that may block for ever: a lock, a thread's end. */
static inline uint32_t norn_step_begin_blocking(enum norn_operation operation, uint32_t site, const void *object)
{
	uint32_t step = norn_step_begin(operation, site, object);
	if (__builtin_expect(step != 0, 0))
		norn_replay_blocks(step);
	return step;
}

static inline uint32_t norn_step_begin_lock(uint32_t site, const void *lock)
{
	return norn_step_begin_blocking(NORN_OPERATION_LOCK, site, lock);
}

static inline void norn_step_end(uint32_t step)
{
	if (__builtin_expect(step != 0, 0))
		norn_replay_step_done(step);
}

#endif
