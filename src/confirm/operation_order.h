/* The order of operations in a run: which of them must come after which others, because they conflict, or use the same object.
 *
 * Events are taken one after the other. Where an operation conflicts with one of another thread that is not known to come before
 * it, an edge is noted. Clocks (per thread the last event that surely came before) keep the edges few. */
#ifndef NORN_CONFIRM_OPERATION_ORDER_H
#define NORN_CONFIRM_OPERATION_ORDER_H

#include "base/map.h"
#include "base/vector.h"
#include "confirm/execution_index.h"

/* An access that later ones of its bytes may conflict with. */
struct norn_operation_touch {
	uint32_t event, next; /* next: 1 + place of the next one of this word */
	uint8_t mask; /* bytes of the word that have not been written since */
	bool writes;
};

struct norn_order_edge {
	uint32_t from, to; /* events that begin operations */
};

struct norn_order_edges NORN_VECTOR_OF(struct norn_order_edge);

/* The clock of a thread from some event on: clock[t], the last event of thread t that surely came before. */
struct norn_operation_snapshot {
	uint32_t event;
	uint32_t *clock;
};

struct norn_operation_thread {
	struct norn_operation_state operations[2];
	NORN_VECTOR(struct norn_operation_snapshot) snapshots; /* by event */
	uint32_t last; /* event of the run so far */
	bool forked;
};

struct norn_operation_order {
	struct norn_trace *trace;
	const struct norn_graph *graph;
	uint32_t threads;
	struct norn_operation_thread *thread;
	struct norn_map words; /* word address to uint32_t: 1 + place of its first touch */
	NORN_VECTOR(struct norn_operation_touch) touches;
	uint32_t touch_free; /* 1 + place */
	uint32_t *objects; /* by number: the last event */
	struct norn_order_edges edges;
	uint64_t snapshot_words;
	struct norn_map begun; /* event to uint32_t: that which began its operation, if another */
};

void norn_operation_order_init(struct norn_operation_order *w, struct norn_trace *trace, const struct norn_graph *graph);
void norn_operation_order_done(struct norn_operation_order *w);
/* The next event of the run. */
void norn_operation_order_take(struct norn_operation_order *w, uint32_t event);
/* An access by an event. adds: later accesses may conflict with it. */
void norn_operation_order_access(
        struct norn_operation_order *w, uint32_t event, uint64_t addr, uint64_t size, bool writes, bool adds);
/* The event comes after from, an event of any thread, or 0. */
void norn_operation_order_follow(struct norn_operation_order *w, uint32_t event, uint32_t from);
/* The event that began the operation of this one. */
uint32_t norn_operation_order_begun(const struct norn_operation_order *w, uint32_t event);
/* The clock of a thread at an event of it; NULL: it knows of no other thread. */
const struct norn_operation_snapshot *norn_operation_order_known(const struct norn_operation_thread *t, uint32_t event);

#endif
