/* The replay area: memory through which a program follows a predicted run (docs/confirm.md), shared by the command and the
 * program's runtime.
 *
 * It is a file of the session's directory (session.h), NORN_REPLAY_AREA_FILE: made of a schedule (schedule_file.h) by the command,
 * mapped by the first process of the session. Everything but the marked fields is fixed before the program starts.
 *
 * A step is one operation of one thread that others wait for, or that waits for others. A thread finds its steps by its position:
 *   thread  by its path of creation
 *   node    the call that it is in: the caller's node, the call's site, the function, and the ordinal of this call among those
 *           of the caller. Every thread has a node for what is in no call
 *   step    within its node: the site, the operation (enum norn_operation), and its ordinal in this node
 * so that code which takes another branch does not disturb the count elsewhere. A point is one (node, site, operation) with all its
 * steps or calls: a thread that reaches a point counts, and looks for a step with that ordinal.
 *
 * A step passes when all its predecessors are done: `waits` counts those that are not, and is the futex that its thread sleeps
 * on. */
#ifndef NORN_CONFIRM_REPLAY_AREA_H
#define NORN_CONFIRM_REPLAY_AREA_H

#include <stdatomic.h>
#include <stdint.h>

#define NORN_REPLAY_AREA_FILE "replay-area"
#define NORN_REPLAY_AREA_MAGIC 0x3147415453524e31ull
#define NORN_REPLAY_AREA_HOLD 0x40000000u /* in waits: until all is over */
#define NORN_REPLAY_AREA_NONE UINT32_MAX

/* Operations that a schedule can list. Several events of a trace may be one operation: a range in pieces, an acquire and a failed
 * try. */
enum norn_operation {
	NORN_OPERATION_NONE,
	NORN_OPERATION_READ,
	NORN_OPERATION_WRITE,
	NORN_OPERATION_RMW,
	NORN_OPERATION_LOCK, /* acquire of any kind, also one that fails */
	NORN_OPERATION_UNLOCK,
	NORN_OPERATION_WAIT, /* a wait for a condition begins; the mutex's UNLOCK and LOCK are operations of their own */
	NORN_OPERATION_WAKE, /* it ends */
	NORN_OPERATION_NOTIFY, /* signal or broadcast */
	NORN_OPERATION_TAKE, /* a semaphore */
	NORN_OPERATION_POST,
	NORN_OPERATION_ARRIVE, /* at a barrier */
	NORN_OPERATION_DEPART,
	NORN_OPERATION_ONCE,
	NORN_OPERATION_MAKE, /* an object of synchronization begins */
	NORN_OPERATION_UNMAKE,
	NORN_OPERATION_SEND,
	NORN_OPERATION_RECEIVE,
	NORN_OPERATION_FORK,
	NORN_OPERATION_JOIN,
	NORN_OPERATION_BEGIN, /* of a thread; without a site */
	NORN_OPERATION_EXIT, /* of the process */
	NORN_OPERATION_CALL, /* of code without hooks */
	NORN_OPERATION_FREE,
	NORN_OPERATION_MARK,
	NORN_OPERATION_IN, /* a function is entered */
	NORN_OPERATION_OUT, /* and left */
	NORN_OPERATION_ENTER, /* not a step: a call, which leads to a node */
	NORN_OPERATIONS
};
const char *norn_operation_name(unsigned operation); /* "read", … */

/* The error that the schedule leads to. */
enum norn_replay_end {
	NORN_REPLAY_END_PASS = 1, /* all steps are done, no more: properties are judged by the trace */
	NORN_REPLAY_END_RACE, /* the stops are reached at once; then they pass, the last one first */
	NORN_REPLAY_END_DEADLOCK, /* the stops are locks, and all of them block */
	NORN_REPLAY_END_USE, /* the stops pass in order, up to the last, which must not happen: a use after free, a second free */
	NORN_REPLAY_END_TORN, /* the stops pass in their order */
	NORN_REPLAY_END_FAIL, /* all steps are done, the stop, if there is one, last; then the program fails by itself */
	NORN_REPLAY_END_ENDS
};

enum norn_replay_area_state {
	NORN_REPLAY_AREA_EMPTY, /* no thread has come */
	NORN_REPLAY_AREA_RUNNING,
	NORN_REPLAY_AREA_ALL_REACHED, /* all stops are reached */
	NORN_REPLAY_AREA_BEFORE_ERROR, /* USE: all but the last have passed, and that one is next */
	NORN_REPLAY_AREA_DONE, /* all stops have passed */
	NORN_REPLAY_AREA_FREE_LOCK, /* DEADLOCK: one of the stops got its lock */
};

enum norn_replay_area_outcome {
	NORN_REPLAY_AREA_GOES_ON,
	NORN_REPLAY_AREA_REPRODUCED,
	NORN_REPLAY_AREA_RELEASED, /* the command gave up */
};

struct norn_replay_area_unit { /* a translation unit, by its table of sites */
	uint64_t hash;
	uint32_t first, count; /* of the sites below */
	_Atomic uint32_t loaded; /* by the runtime */
	uint32_t unused;
};

struct norn_replay_area_site {
	uint32_t unit, index;
};

struct norn_replay_area_thread {
	uint32_t parent, ordinal; /* thread of its creator, its number among its children; NONE: main */
	uint32_t node;
	uint32_t steps; /* how many it has */
	/* By the runtime, each by its own thread. */
	_Atomic uint32_t tid; /* of the kernel; 0: not begun */
	_Atomic uint32_t at; /* 1 + step that it stands at, 0: none */
	_Atomic uint32_t parked; /* it sleeps there */
	_Atomic uint32_t ended;
	_Atomic uint32_t passed; /* steps */
	_Atomic uint32_t blocking; /* 1 + step: it is in the lock's call of a stop */
	_Atomic uint32_t seen; /* 1 + site (as below) of the last point that it came to */
	/* The number of times that it reached a point with steps to come: bounded, so it shows progress. */
	_Atomic uint32_t met;
};

struct norn_replay_area_point {
	uint32_t node, site, operation, other; /* site: 1 + index, 0: none; other: ENTER: the function's site, likewise */
	uint32_t first, count; /* of the members */
	uint32_t come, taken; /* by its thread: how often it came here; members that it has met */
};

struct norn_replay_area_member {
	uint32_t time; /* the how-manieth, ascending */
	uint32_t what; /* step, or node */
};

struct norn_replay_area_step {
	uint32_t thread;
	uint32_t first, count; /* of the followers: steps that come after it */
	uint32_t stop; /* 1 + place among the stops, 0: none */
	_Atomic uint32_t waits; /* steps that are not done, or HOLD; futex */
	_Atomic uint32_t closed; /* STOP: it is not its turn; futex */
	/* By its thread. */
	_Atomic uint32_t passed, done; /* when, by the area's ticks, from 1 */
	uint64_t addr, bytes, before, after; /* accesses, frees and locks: where; up to 8 bytes: what was and is there */
	uint32_t seen; /* 1: before is known, 2: after is */
	uint32_t sleeps; /* a stop of a deadlock in which its thread sleeps by itself: it need not wait for the others before */
};

struct norn_replay_area {
	uint64_t magic, bytes; /* of the whole file */
	uint32_t units, sites, threads, nodes, points, members, steps, followers;
	uint32_t slots; /* of the table of points, a power of two */
	uint32_t end; /* enum norn_replay_end */
	uint32_t stops;
	uint32_t gdb; /* call norn_replay_stop where the error is next */
	uint32_t stop[8]; /* steps */
	/* By both. */
	_Atomic uint32_t state, over, pid;
	_Atomic uint32_t ticks; /* counts up when a step passes, and when it is done */
	_Atomic uint32_t arrived;
};
#define NORN_REPLAY_AREA_STOPS 8u

/* The parts, one after the other. Slots of the table: 1 + point, found by norn_replay_area_hash and the next ones. */
struct norn_replay_area_parts {
	struct norn_replay_area *head;
	struct norn_replay_area_unit *units;
	struct norn_replay_area_site *sites;
	struct norn_replay_area_thread *threads;
	uint32_t *nodes; /* members of the node's points that were not met yet */
	struct norn_replay_area_point *points;
	struct norn_replay_area_member *members;
	struct norn_replay_area_step *steps;
	uint32_t *followers;
	uint32_t *slots;
};

static inline uint64_t norn_replay_area_lay_out(struct norn_replay_area *head, struct norn_replay_area_parts *ret_parts)
{
	char *at = (char *)head;
	uint64_t used = sizeof *head;
	*ret_parts = (struct norn_replay_area_parts){.head = head};
#define PART(field, count)                                                                                                         \
	(ret_parts->field = (void *)(at + used), used += ((uint64_t)(count) * sizeof *ret_parts->field + 7) & ~UINT64_C(7))
	PART(units, head->units);
	PART(sites, head->sites);
	PART(threads, head->threads);
	PART(nodes, head->nodes);
	PART(points, head->points);
	PART(members, head->members);
	PART(steps, head->steps);
	PART(followers, head->followers);
	PART(slots, head->slots);
#undef PART
	return used;
}

static inline uint32_t norn_replay_area_hash(uint32_t node, uint32_t site, uint32_t operation, uint32_t other)
{
	uint64_t h = ((uint64_t)node << 32 | site) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 29 ^ ((uint64_t)operation << 32 | other)) * 0xbf58476d1ce4e5b9u;
	return (uint32_t)(h >> 32);
}

/* A table of sites, for recognizing it. */
static inline uint64_t norn_replay_area_table_hash(const void *table, uint64_t bytes)
{
	const unsigned char *c = table;
	uint64_t h = 0xcbf29ce484222325u;
	for (; bytes >= 8; bytes -= 8, c += 8) {
		uint64_t word;
		__builtin_memcpy(&word, c, 8);
		h = (h ^ word) * 0x100000001b3u;
		h ^= h >> 32;
	}
	for (; bytes; bytes--)
		h = (h ^ *c++) * 0x100000001b3u;
	return h;
}

/* All threads go on: sleepers are woken, and none will sleep any more. Callable from both sides, more than once. */
void norn_replay_area_release(const struct norn_replay_area_parts *parts, enum norn_replay_area_outcome over);

#endif
