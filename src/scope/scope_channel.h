/* A scope channel (opportunistic monitoring, section 3.4): what threads have to say about the region that is going on.
 *
 * Every thread has a *seat*, with a slot for each local of the scope. Only the thread itself writes its slots; each holds the
 * local's verdict and the number of the region that it is about, in one word. With its first event in a region a thread puts its
 * seat on the list of those that acted, so that an action need not ask all. The thread that performs a synchronizing action ends
 * the region: it reads the slots, makes the scope state of them, steps the checks, and lets the next region begin. There is no lock
 * in this; that actions do not happen at once is up to the program's own synchronization, and where that turns out to be wrong the
 * region says so (enum norn_doubt).
 *
 *   shared data            written by                        read by
 *   region                 the action, last of all           every event (acquire): tells that region n has begun
 *   acted, seat.next       threads that act for the first    the action, which takes the whole list (acquire)
 *                          time in a region (release)
 *   slot.word              its thread (release)              the action (acquire)
 *   footprints             its thread, before slot.word      the action, if something is violated
 *   life, types of seats   its thread; ENDED to FREE: the    the action
 *                          action, or who takes the seat
 *   arrivals               who comes, goes or is retyped     the action: only then it looks at all seats
 *   busy                   the action, first and last        another action: then the two are not ordered
 *   everything else        the action, between taking and leaving busy
 *
 * An event is in region n if it found that number. A region's members are the threads that had an event in it, and those that were
 * there when it began; so a thread that comes meanwhile, and does nothing, does not spoil `all`. The words that an action writes
 * are on one line of the cache together with the region's number, so that it takes that one from the thread that acted before, and
 * the seats of the threads that had an event. Memory: 64 bytes per thread (more for more than two locals), in chunks; a seat is
 * used again after its thread. */
#ifndef NORN_SCOPE_SCOPE_CHANNEL_H
#define NORN_SCOPE_SCOPE_CHANNEL_H

#include <stdatomic.h>

#include "engine/engine.h"
#include "scope/scope_machines.h"

#define NORN_SEATS_FIRST 8u /* seats of the first chunk; each one has twice as many as the one before */
#define NORN_SEATS_CHUNKS 14u

struct norn_scope_slot {
	_Atomic uint64_t word; /* (region + 1) << 2 | verdict; 0: none yet */
	uint64_t state; /* of the monitor; only its thread looks at it */
};

struct norn_seat {
	_Atomic uint64_t life; /* region in which its thread came << 2 | enum norn_life */
	_Atomic uint64_t types; /* of its thread */
	_Atomic uint64_t acted; /* 1 + the region in which its thread was last put on the list; 0: not yet */
	_Atomic uint32_t next; /* 1 + number of the seat behind it on the list; 0: none */
	uint32_t number; /* of the seat */
	struct norn_scope_slot slots[];
};

enum norn_life { NORN_LIFE_FREE, NORN_LIFE_TAKEN, NORN_LIFE_LIVE, NORN_LIFE_ENDED };

/* A synchronizing action. */
struct norn_scope_action {
	uint32_t thread, site;
	uint64_t lock; /* the exclusive lock that was just taken; 0: the action is none */
	uint64_t known; /* so many actions are known to have happened before this one */
	uint32_t call_site, event; /* as in a footprint */
	uint8_t kind, op;
};

/* The last event of a thread for a local, in a region that was violated. */
struct norn_region_step {
	uint32_t thread;
	struct norn_footprint print;
};
#define NORN_REGION_STEPS 16u

enum norn_doubt {
	NORN_DOUBT_NONE,
	NORN_DOUBT_OVERLAP, /* another action was under way at the same time */
	NORN_DOUBT_UNPROVEN, /* nothing that was seen orders the action before and this one */
	NORN_DOUBT_LATE, /* an event of an earlier region came to light after that was judged: it was not ordered with the action */
	NORN_DOUBT_LOOSE /* nothing that was seen orders an event after the action that began its region: said by the engine */
};

/* The region that an action ended. */
struct norn_region {
	uint64_t number; /* from 0 */
	bool empty; /* no thread had an event: it was skipped */
	struct norn_scope_state state;
	uint64_t violated, satisfied; /* a bit for each check that this step has brought there */
	enum norn_doubt doubt;
	struct norn_scope_action other; /* OVERLAP, UNPROVEN: the other action; LATE: its thread */
	uint64_t late; /* LATE: the region of the event */
	/* If something is violated: how it came about, thread by thread; more were there, if there is no room left. Else nothing of
	 * this is set. */
	bool began; /* by an action */
	struct norn_scope_action beginning;
	uint32_t step_count;
	struct norn_region_step steps[NORN_REGION_STEPS];
};

#define NORN_WITHDRAWN 1u
#define NORN_SETTLED 2u

struct norn_scope_channel {
	/* Constant, but for what is pointed at. */
	const struct norn_scope_machines *scoping;
	void *memory; /* as it was allocated, with all that the following point at */
	size_t cell_step, prints; /* bytes per seat; where its footprints begin, on lines that only its thread needs */
	uint64_t *states; /* per check */
	uint64_t *base; /* per tally: the count if no thread has acted */
	struct norn_remembered *remembered; /* results for counts that were seen lately */
	/* A line that all events read, and actions write. */
	_Alignas(64) _Atomic uint64_t region;
	_Atomic uint64_t busy; /* thread + 1 << 32 | site of the action that is under way */
	_Atomic uint32_t acted; /* 1 + number of the first seat on the list; 0: none */
	_Atomic uint32_t withdrawn; /* NORN_WITHDRAWN; or NORN_SETTLED: no region changes any verdict more */
	struct norn_scope_action last;
	/* Fields that seldom change. */
	_Alignas(64) _Atomic uint64_t arrivals;
	uint64_t charged; /* a bit per check that was said to be violated, or satisfied; LTL stays so */
	uint64_t counted; /* arrivals when base was made */
	uint32_t next_remembered;
	bool unsettled; /* base does not hold for the next region */
	bool trusted; /* order that cannot be seen is believed */
	_Atomic uint32_t high; /* seats beyond were never used */
	_Atomic uint32_t chunk_count;
	_Atomic(struct norn_seat_chunk *) chunks[NORN_SEATS_CHUNKS];
};

/* 0 or -ENOMEM. */
int norn_scope_channel_new(const struct norn_scope_machines *scoping, struct norn_scope_channel **ret_channel);
void norn_scope_channel_free(struct norn_scope_channel *channel); /* no thread has a seat any more, or will use it */

/* A thread comes. NULL: no memory, or more threads than there are seats. types may be told again with norn_seat_retype. */
struct norn_seat *norn_scope_channel_join(struct norn_scope_channel *channel, uint32_t thread, uint64_t types);
void norn_scope_channel_leave(struct norn_scope_channel *channel, struct norn_seat *seat);

void norn_seat_retype(struct norn_scope_channel *channel, struct norn_seat *seat, uint64_t types);

/* An event of the seat's thread for one of the locals, which is of its type. print: where; NULL: that does not matter. */
void norn_seat_event_at(struct norn_scope_channel *channel, struct norn_seat *seat, uint32_t local, uint64_t letter,
        const struct norn_footprint *print);
static inline void norn_seat_event(struct norn_scope_channel *channel, struct norn_seat *seat, uint32_t local, uint64_t letter)
{
	norn_seat_event_at(channel, seat, local, letter, NULL);
}
/* True if no further event for the local changes its slot in region. */
bool norn_seat_settled(const struct norn_scope_channel *channel, const struct norn_seat *seat, uint32_t local, uint64_t region);

/* The thread of action, which may have no seat, performs it. */
void norn_scope_channel_sync(
        struct norn_scope_channel *channel, const struct norn_scope_action *action, struct norn_region *ret_region);
/* The end of the run, as an action of thread. A region in which others are still alive is not over, and counts as empty. */
void norn_scope_channel_end(struct norn_scope_channel *channel, uint32_t thread, struct norn_region *ret_region);
/* A handler's `reset`: the check starts anew. In the thread of the action only, before it goes on. */
void norn_scope_channel_reset(struct norn_scope_channel *channel, uint32_t check);

static inline bool norn_scope_channel_is_withdrawn(struct norn_scope_channel *channel)
{
	return atomic_load_explicit(&channel->withdrawn, memory_order_relaxed) == NORN_WITHDRAWN;
}

/* True if regions are not judged any more. */
static inline bool norn_scope_channel_is_over(struct norn_scope_channel *channel)
{
	return atomic_load_explicit(&channel->withdrawn, memory_order_relaxed);
}

#endif
