/* The inside of a graph (dependence_graph.h), for the files that it is made of: dependence_graph.c (building it), graph_queries.c
 * (looking at it). */
#ifndef NORN_CAUSALITY_GRAPH_STATE_H
#define NORN_CAUSALITY_GRAPH_STATE_H

#include "base/map.h"
#include "base/vector.h"
#include "causality/values/value_flow.h"
#include "causality/event_lists.h"
#include "causality/dependence_graph.h"

/* One lock of a set, and the rest of the set. */
struct held_lock {
	uint32_t acquire, rest;
};

struct graph_thread {
	uint32_t first, last; /* events */
	uint32_t fork;
	uint32_t held;
	bool outside; /* its last event was the end of a callback: it runs code without hooks */
	bool signalled; /* its last event is the beginning of a signal handler */
	uint32_t call; /* its last event was this CALL, which may turn out to enter an instrumented function … */
	uint32_t back; /* … or this BACK after that: an apparent callback may turn out to be the function that was called */
	uint32_t unseen, unseen_in; /* the last CALL of code without hooks, which may be going on, and the ENTER around it */
	uint64_t stack; /* from its first STACK record */
	uint64_t waits; /* it waits for a condition: address of the mutex, 0: it does not */
	bool asleep; /* it has released the mutex */
	bool woken; /* since it slept, a notify has woken it */
	uint32_t wait; /* the WAIT_BEGIN */
	uint32_t next_sleeper; /* thread + 1 that sleeps on the same condition, and began to after it */
	uint32_t round; /* of the barrier that it arrived at: the arrival that completed the round before */
	uint32_t unmap; /* its last ALLOC, if that is an unmapping, else 0 */
	uint32_t externals; /* first of the external writes that its last events are; 0: its last event is none */
};

/* The last event of each thread at some event. */
struct mark {
	uint32_t event, threads;
	uint32_t *last; /* per thread, 0: none yet */
};

#define NORN_GRAPH_SKIP 8u

struct norn_initial_memory; /* initial_memory.c */
void norn_initial_memory_free(struct norn_initial_memory *memory);
struct norn_graph *norn_graph_builder_graph(struct norn_graph_builder *builder);

/* Memory that an event allocated, or a thread's stack. */
struct graph_block {
	uint64_t addr, end;
	uint64_t reach; /* the largest end of this one and those before it in the list */
	uint32_t event;
};

/* A block that has addresses of its own (norn_graph_moves). */
struct moved_block {
	uint64_t from, to;
	uint32_t event, size;
};

/* The bytes of a write of more than 8. */
struct long_write {
	uint32_t event;
	uint8_t bytes[NORN_GRAPH_LONG];
};

struct norn_graph {
	struct norn_graph_event *events;
	uint32_t count, room;
	struct graph_thread *threads;
	uint32_t thread_count, thread_room;
	NORN_VECTOR(struct held_lock) helds; /* [0] is the empty set */
	NORN_VECTOR(struct mark) marks;
	struct norn_event_lists lists;
	struct norn_value_flow *flow;
	struct norn_map words; /* of objects of synchronization: address / 8 → nothing */
	/* every NORN_GRAPH_SKIP-th external write → the event after those that its thread noticed together */
	struct norn_map noticed;
	uint32_t object_count;
	uint32_t carried; /* the first events stand for … */
	uint64_t before; /* … so many of the run */
	uint64_t *numbers; /* of those that are carried, from 0 */
	NORN_VECTOR(struct graph_block) blocks; /* by address */
	uint64_t *own; /* a bit per event: norn_graph_is_own */
	uint32_t own_room; /* in words */
	uint64_t *late, *deciding; /* a bit per event: norn_graph_is_late, norn_graph_finds_decided; NULL: no read is late */
	NORN_VECTOR(struct moved_block) moved; /* by event, and by where they are moved to */
	NORN_VECTOR(struct long_write) long_writes; /* by event */
	struct norn_numbers places; /* events that allocate and free, ascending */
	struct norn_initial_memory *initial; /* NULL: nothing is known of it */
	uint64_t *masked_words;
	uint32_t masked_count;
	bool cut, lost;
};

#endif
