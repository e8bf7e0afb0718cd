/* The inside of a graph (dependence_graph.h), for the files that it is made of: dependence_graph.c (building it), graph_queries.c
 * (looking at it). */
#ifndef NORN_CAUSALITY_GRAPH_STATE_H
#define NORN_CAUSALITY_GRAPH_STATE_H

#include "base/map.h"
#include "causality/value_flow.h"
#include "causality/event_lists.h"
#include "causality/dependence_graph.h"

/* One lock of a set, and the rest of the set. */
struct held {
	uint32_t acquire, rest;
};

struct thread {
	uint32_t first, last; /* events */
	uint32_t fork;
	uint32_t held;
	bool outside; /* its last event was the end of a callback: it is in code without hooks */
	uint32_t call; /* its last event was this CALL, which may turn out to enter an instrumented function … */
	uint32_t back; /* … or this BACK after that: what looked like a callback may turn out to be the function that was called */
	uint32_t unseen, unseen_in; /* the last CALL of code without hooks, which may be going on, and the ENTER around it */
	uint64_t stack; /* what its first STACK record said */
	uint64_t waits; /* it waits for a condition: address of the mutex, 0: it does not */
	bool asleep; /* it has released that */
	bool woken; /* since then: a notify has named it */
	uint32_t wait; /* the WAIT_BEGIN */
	uint32_t next_sleeper; /* thread + 1 that sleeps on the same condition, and began to after it */
	uint32_t round; /* of the barrier that it arrived at: the arrival that completed the round before */
	uint32_t externals; /* the first of the external writes that it noticed last, 0: its last event is none */
};

/* How far all threads were after an event. */
struct mark {
	uint32_t event, threads;
	uint32_t *last; /* per thread, 0: none yet */
};

#define NORN_GRAPH_SKIP 8u

/* Memory that an event allocated, or a thread's stack. */
struct block {
	uint64_t addr, end;
	uint64_t reach; /* the largest end of this one and those before it in the list */
	uint32_t event;
};

struct norn_graph {
	struct norn_graph_event *events;
	uint32_t count, room;
	struct thread *threads;
	uint32_t thread_count, thread_room;
	struct held *helds; /* [0] is the empty set */
	uint32_t held_count, held_room;
	struct mark *marks;
	uint32_t mark_count, mark_room;
	struct norn_event_lists lists;
	struct norn_value_flow *flow;
	struct norn_map words; /* of objects of synchronization: address / 8 → nothing */
	struct norn_map noticed; /* every NORN_GRAPH_SKIP-th external write → event after those that its thread noticed together */
	uint32_t object_count;
	uint32_t carried; /* the first events stand for … */
	uint64_t before; /* … so many of the run */
	uint64_t *numbers; /* of those that are carried, from 0 */
	struct block *blocks; /* by address */
	uint32_t block_count, block_room;
	uint64_t *masked_words;
	uint32_t masked_count;
	bool cut, lost;
};

#endif
