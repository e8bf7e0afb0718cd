/* The stage: memory in which a program takes a predicted run (docs/confirm.md), shared by the command and the program's runtime.
 *
 * It is a file of the session's directory (session.h), NORN_REPLAY_AREA_FILE: made of a script (schedule_file.h) by the command,
 * mapped by the first process of the session. All but the fields that are marked is fixed before the program starts.
 *
 * An act is something that one thread does, once, and that others wait for or that waits for others. A thread finds its acts by
 * where it stands:
 *   role    the thread, by its path of creation
 * node    a call that it is in: the caller's node, the call's site, the function, and the how-manieth such call that is of the
 * caller's.
 *           Every role has a node for what is in no call
 *   act     in its node: the site, what is done there (enum norn_deed), and the how-manieth time in this node
 * so that code which may take another way does not disturb the count elsewhere. A cue is one (node, site, deed) with all its acts
 * or calls: a thread that comes to a cue counts, and looks whether there is an act of that number.
 *
 * An act passes when all that it comes after are done: `waits` is how many are not, the futex that its thread sleeps on. */
#ifndef NORN_CONFIRM_REPLAY_AREA_H
#define NORN_CONFIRM_REPLAY_AREA_H

#include <stdatomic.h>
#include <stdint.h>

#define NORN_REPLAY_AREA_FILE "stage"
#define NORN_REPLAY_AREA_MAGIC 0x3147415453524e31ull
#define NORN_REPLAY_AREA_HOLD 0x40000000u /* in waits: until all is over */
#define NORN_REPLAY_AREA_NONE UINT32_MAX

/* What can be listed. Several events of a trace may be one deed: a range in pieces, an acquire and a failed try. */
enum norn_deed {
	NORN_DEED_NONE,
	NORN_DEED_READ,
	NORN_DEED_WRITE,
	NORN_DEED_RMW,
	NORN_DEED_LOCK, /* acquire of any kind, also one that fails */
	NORN_DEED_UNLOCK,
	NORN_DEED_WAIT, /* a wait for a condition begins; the mutex's UNLOCK and LOCK are deeds of their own */
	NORN_DEED_WAKE, /* it ends */
	NORN_DEED_NOTIFY, /* signal or broadcast */
	NORN_DEED_TAKE, /* a semaphore */
	NORN_DEED_POST,
	NORN_DEED_ARRIVE, /* at a barrier */
	NORN_DEED_DEPART,
	NORN_DEED_ONCE,
	NORN_DEED_MAKE, /* an object of synchronization begins */
	NORN_DEED_UNMAKE,
	NORN_DEED_SEND,
	NORN_DEED_RECEIVE,
	NORN_DEED_FORK,
	NORN_DEED_JOIN,
	NORN_DEED_BEGIN, /* of a thread; without a site */
	NORN_DEED_EXIT, /* of the process */
	NORN_DEED_CALL, /* of code without hooks */
	NORN_DEED_FREE,
	NORN_DEED_MARK,
	NORN_DEED_IN, /* a function is entered */
	NORN_DEED_OUT, /* and left */
	NORN_DEED_ENTER, /* not an act: a call, which leads to a node */
	NORN_DEEDS
};
const char *norn_deed_name(unsigned deed); /* "read", … */

/* What is to come true at the end. */
enum norn_replay_end {
	NORN_SCENE_PASS = 1, /* nothing but that all acts are done: properties are judged by the trace */
	NORN_SCENE_RACE, /* the stops are reached at once; then they pass, the last one first */
	NORN_SCENE_DEADLOCK, /* the stops are locks, and all of them block */
	NORN_SCENE_USE, /* the stops pass in their order, up to the last, which must not happen: a use after free, a second free */
	NORN_SCENE_TORN, /* the stops pass in their order */
	NORN_SCENE_ENDS
};

enum norn_replay_area_state {
	NORN_REPLAY_AREA_EMPTY, /* no thread has come */
	NORN_REPLAY_AREA_PLAYS,
	NORN_REPLAY_AREA_THERE, /* all stops are reached */
	NORN_REPLAY_AREA_BRINK, /* USE: all but the last have passed, and that one is next */
	NORN_REPLAY_AREA_DONE, /* all stops have passed */
	NORN_REPLAY_AREA_FREE_LOCK, /* DEADLOCK: one of the stops got its lock */
};

enum norn_replay_area_over {
	NORN_REPLAY_AREA_GOES_ON,
	NORN_REPLAY_AREA_CAME_TRUE,
	NORN_REPLAY_AREA_LET_GO, /* the command gave up */
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

struct norn_replay_area_role {
	uint32_t parent, ordinal; /* role of its creator, its number among its children; NONE: main */
	uint32_t node;
	uint32_t acts; /* how many it has */
	/* By the runtime, each by its own thread. */
	_Atomic uint32_t tid; /* of the kernel; 0: not begun */
	_Atomic uint32_t at; /* 1 + act that it stands at, 0: none */
	_Atomic uint32_t parked; /* it sleeps there */
	_Atomic uint32_t ended;
	_Atomic uint32_t passed; /* acts */
	_Atomic uint32_t blocking; /* 1 + act: it is in the lock's call of a stop */
	_Atomic uint32_t seen; /* 1 + site (as below) of the last cue that it came to */
	_Atomic uint32_t
	        /* how often it came to a cue of which something is still to come: a bounded number, which tells that it gets on */
	        met;
};

struct norn_replay_area_cue {
	uint32_t node, site, deed, other; /* site: 1 + index, 0: none; other: ENTER: the function's site, likewise */
	uint32_t first, count; /* of the members */
	uint32_t come, taken; /* by its thread: how often it came here; members that it has met */
};

struct norn_replay_area_member {
	uint32_t time; /* the how-manieth, ascending */
	uint32_t what; /* act, or node */
};

struct norn_replay_area_act {
	uint32_t role;
	uint32_t first, count; /* of the followers: acts that come after it */
	uint32_t stop; /* 1 + place among the stops, 0: none */
	_Atomic uint32_t waits; /* acts that are not done, or HOLD; futex */
	_Atomic uint32_t closed; /* STOP: it is not its turn; futex */
	/* By its thread. */
	_Atomic uint32_t passed, done; /* when: numbers of steps, from 1 */
	uint64_t addr, bytes, before, after; /* accesses, frees and locks: where; up to 8 bytes: what was and is there */
	uint32_t seen; /* 1: before is known, 2: after is */
	uint32_t unused;
};

struct norn_replay_area {
	uint64_t magic, bytes; /* of the whole file */
	uint32_t units, sites, roles, nodes, cues, members, acts, followers;
	uint32_t slots; /* of the table of cues, a power of two */
	uint32_t end; /* enum norn_replay_end */
	uint32_t stops;
	uint32_t gdb; /* call norn_replay_stop where the error is next */
	uint32_t stop[8]; /* acts */
	/* By both. */
	_Atomic uint32_t state, over, pid;
	_Atomic uint32_t steps; /* acts passed and done */
	_Atomic uint32_t arrived;
};
#define NORN_REPLAY_AREA_STOPS 8u

/* The parts, one after the other. Slots of the table: 1 + cue, found by norn_replay_area_hash and the next ones. */
struct norn_replay_area_parts {
	struct norn_replay_area *stage;
	struct norn_replay_area_unit *units;
	struct norn_replay_area_site *sites;
	struct norn_replay_area_role *roles;
	uint32_t *nodes; /* members of the node's cues that were not met yet */
	struct norn_replay_area_cue *cues;
	struct norn_replay_area_member *members;
	struct norn_replay_area_act *acts;
	uint32_t *followers;
	uint32_t *slots;
};

static inline uint64_t norn_replay_area_lay_out(struct norn_replay_area *stage, struct norn_replay_area_parts *ret_parts)
{
	char *at = (char *)stage;
	uint64_t used = sizeof *stage;
	*ret_parts = (struct norn_replay_area_parts){.stage = stage};
#define PART(field, count)                                                                                                         \
	(ret_parts->field = (void *)(at + used), used += ((uint64_t)(count) * sizeof *ret_parts->field + 7) & ~UINT64_C(7))
	PART(units, stage->units);
	PART(sites, stage->sites);
	PART(roles, stage->roles);
	PART(nodes, stage->nodes);
	PART(cues, stage->cues);
	PART(members, stage->members);
	PART(acts, stage->acts);
	PART(followers, stage->followers);
	PART(slots, stage->slots);
#undef PART
	return used;
}

static inline uint32_t norn_replay_area_hash(uint32_t node, uint32_t site, uint32_t deed, uint32_t other)
{
	uint64_t h = ((uint64_t)node << 32 | site) * 0x9e3779b97f4a7c15u;
	h = (h ^ h >> 29 ^ ((uint64_t)deed << 32 | other)) * 0xbf58476d1ce4e5b9u;
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
void norn_replay_area_let_go(const struct norn_replay_area_parts *parts, enum norn_replay_area_over over);

#endif
