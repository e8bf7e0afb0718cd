/* Re-enactment: the program takes a predicted run (confirm/replay_area.h, docs/confirm.md).
 *
 * Each thread runs free until it comes to one of its acts. Before it does that, it sleeps until everything that the act comes after
 * is done; when it is done, it says so. What is asked for is no more than the choice of a scheduler: a thread that sleeps here
 * could as well have lost its processor. It holds nothing of Norn's then, and is not inside a hook as signals see it.
 *
 * Accesses come here by the slow way of their hooks: as long as a thread is in a call in which one of its acts is, its limit is
 * never set (norn_room); elsewhere the hot path is as ever. */
#ifndef NORN_RUNTIME_REPLAY_REPLAY_H
#define NORN_RUNTIME_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/self.h"
#include "confirm/replay_area.h"

struct norn_site_table;

extern bool norn_staged; /* the process began with a stage; cleared in the child of a fork only */
extern bool norn_replaying; /* set before the first thread is attached; cleared when all is over, and in the child of a fork */

void norn_replay_start(const char *directory); /* of the session: is there a stage? */
void norn_replay_module(uint32_t base, const struct norn_site_table *table, size_t table_bytes);
void norn_replay_fork_child(void);

/* Threads. Which role a child has that the caller is about to create, after its number is reserved; 0: none. */
uint32_t norn_replay_child(void);
void norn_replay_main(void); /* the caller is the main thread */
void norn_replay_begin(uint32_t role); /* the caller begins; waits if it must not yet */
void norn_replay_end(void);

/* The caller, which is not busy, is about to do something at site, and waits until it may. The result is for norn_replay_did, when
 * it is done. bytes: of an access; 0: unknown. */
NORN_COLD uint32_t norn_replay_do(enum norn_deed deed, uint32_t site, const void *addr, size_t bytes);
NORN_COLD void norn_replay_did(uint32_t act);
/* Is what was listed done already, or not at all: the caller need not wait. For those who could give something up before they
 * wait. */
NORN_COLD bool norn_replay_may(uint32_t act);
/* The first half of norn_replay_do, which only counts, and the second. */
NORN_COLD uint32_t norn_replay_come(enum norn_deed deed, uint32_t site);
NORN_COLD void norn_replay_wait(uint32_t act, const void *addr, size_t bytes);
/* The caller is about to lock, to join or to wait: for a stop of a deadlock. Whether the act is one. */
bool norn_replay_blocks(uint32_t act);

/* Function entry, before depth is counted up, and after it was counted down. */
NORN_COLD void norn_replay_enter(struct norn_slot *self, uint32_t call_site, uint32_t site);
NORN_COLD void norn_replay_leave(struct norn_slot *self);
/* Must accesses of self come the slow way, though it has room? */
bool norn_replay_listens(const struct norn_slot *self);
/* Is a time stamp due without a request? */
bool norn_replay_stamp(uint64_t now);

/* For use by interposed functions: nothing to do unless the process re-enacts. */
static inline uint32_t norn_act(enum norn_deed deed, uint32_t site, const void *object)
{
	return __builtin_expect(norn_replaying, 0) ? norn_replay_do(deed, site, object, 0) : 0;
}

/* The same of what may be waited for in vain: a lock, a thread's end. */
static inline uint32_t norn_act_blocking(enum norn_deed deed, uint32_t site, const void *object)
{
	uint32_t act = norn_act(deed, site, object);
	if (__builtin_expect(act != 0, 0))
		norn_replay_blocks(act);
	return act;
}

static inline uint32_t norn_act_lock(uint32_t site, const void *lock)
{
	return norn_act_blocking(NORN_DEED_LOCK, site, lock);
}

static inline void norn_acted(uint32_t act)
{
	if (__builtin_expect(act != 0, 0))
		norn_replay_did(act);
}

#endif
