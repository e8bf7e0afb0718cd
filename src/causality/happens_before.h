/* Happens-before: which events of a run precede which, by the order of each thread, forks and joins, locks, and other objects of
 * synchronization.
 *
 * Events are numbered in the observed order, from 1. The clock of a thread has for each other thread the number of that thread's
 * last event which precedes its own next one; so an event e of that thread precedes iff its number is at most that (an *epoch*, as
 * FastTrack has it, Flanagan and Freund 2009: the number is the clock). Threads have *slots*, which are what vectors are made of: a
 * thread takes that of another one that had ended before it was forked, so that programs with many threads that come and go have
 * short vectors.
 *
 *   fork; join                        what the parent knows, the child does; what the child knew, its parent does
 *   release; acquire                  of one lock; of a readers-writer lock, readers know nothing of each other
 *   signal, broadcast; wait-end       of one condition
 *   post; wait                        of one semaphore
 *   arrive; leave                     of one barrier, by rounds: not after threads that arrived early for the next one (C4)
 *   once: end; pass
 *   send; receive                     of the kernel
 *   call; job                         of a library that runs jobs, as far as one is known (X11)
 *   -; return, callback               of code without hooks: it knows everything so far (X10)
 *   release; acquire                  of one atomic object, by its memory order; release sequences; fences (C17 5.1.2.4)
 *
 * The effect of each event on it stands in sync_rules.h. Plain accesses order nothing, nor do volatile ones (C3): what races may
 * yet decide what happens later. Pairs that are not ordered here are candidates for races (C6). Memory: 8 bytes for each slot that
 * a thread, lock or other object knows of. Not thread-safe. */
#ifndef NORN_CAUSALITY_HAPPENS_BEFORE_H
#define NORN_CAUSALITY_HAPPENS_BEFORE_H

#include <stdbool.h>

#include "trace/event.h"
#include "trace/site.h"

struct norn_hb;

#define NORN_HB_SLOTS (1u << 20)

/* The clock of a thread. */
struct norn_hb_clock {
	uint64_t *known; /* per slot: number of the last event */
	uint32_t width, room;
	uint32_t slot; /* the thread's own */
};

struct norn_hb *norn_hb_new(void);
void norn_hb_free(struct norn_hb *hb);

/* The thread's clock before its next event; NULL: too many threads. It stays until the next event. */
const struct norn_hb_clock *norn_hb_thread(struct norn_hb *hb, uint32_t thread);
/* Does event number, of the thread with this slot, precede the next event of the thread whose clock this is, or is it of that
 * thread? */
static inline bool norn_hb_precedes(const struct norn_hb_clock *thread, uint32_t slot, uint64_t number)
{
	return slot == thread->slot || (slot < thread->width && thread->known[slot] >= number);
}

/* The event happens. Accesses matter only if they are atomic (norn_hb_atomic); of these and of fences the caller knows the order.
 * 0, or -EOVERFLOW: too many slots. */
int norn_hb_event(struct norn_hb *hb, const struct norn_event *event, uint64_t number);
int norn_hb_atomic(struct norn_hb *hb, const struct norn_event *event, enum norn_site_order order, uint64_t number);
int norn_hb_fence(struct norn_hb *hb, uint32_t thread, enum norn_site_order order, uint64_t number);

/* Does event number of thread other precede the last event of thread, or is other that thread? */
bool norn_hb_before(struct norn_hb *hb, uint32_t other, uint64_t number, uint32_t thread);

/* Does event number of this thread precede the next event of every other live thread? */
bool norn_hb_before_all(const struct norn_hb *hb, uint32_t thread, uint64_t number);

uint64_t norn_hb_bytes(const struct norn_hb *hb); /* allocated */

#endif
