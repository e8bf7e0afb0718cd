/* The inside of the builder of a graph (dependence_graph.h), for the files that it is made of: dependence_graph.c (memory, and
 * adding an event), graph_objects.c (objects of synchronization), graph_calls.c (threads, calls and frames). */
#ifndef NORN_CAUSALITY_GRAPH_BUILDER_STATE_H
#define NORN_CAUSALITY_GRAPH_BUILDER_STATE_H

#include "causality/graph_state.h"
#include "causality/last_writers.h"

/* An object of synchronization, as the run goes on. Its state is *known* from its beginning on, until an event shows that it was
 * another: a semaphore's value; the sleepers of a condition, if each signal wakes the thread that has slept longest; the round of a
 * barrier that no more threads use than make a round. */
struct graph_object {
	uint32_t last; /* event */
	uint32_t life; /* the last create or destroy */
	uint32_t memory; /* the event that the memory which it lies in has its life from */
	uint32_t holders;
	uint32_t last_acquire;
	uint32_t bytes; /* of it, that are known to be its own */
	uint32_t value; /* of a semaphore */
	bool begun; /* the same: how much it had at first is known */
	uint32_t sleeper, last_sleeper; /* of a condition: thread + 1 that has slept longest, and shortest, of those not woken */
	uint32_t size, arrived; /* of a barrier: arrivals that make a round, those of the round that fills */
	uint32_t users; /* threads that have arrived at it */
	uint32_t full; /* the arrival that completed the last round; of a once: its end */
	uint32_t open; /* of a resource: calls under way that change it */
	bool known;
};

struct norn_graph_builder {
	struct norn_graph *graph;
	struct norn_last_writers *writers;
	struct norn_map numbers; /* address → number of the object */
	struct graph_object *objects; /* [0] is none */
	uint32_t object_room;
	struct norn_graph_limits limits;
	uint32_t last_call, last_io, last_submit;
	bool aliases; /* some memory has two addresses */
	struct norn_map calls; /* of frames that are open: (thread << 32 | ENTER) + 1 → the last CALL in it */
	bool sites; /* something is known of them */
	struct norn_map users; /* object << 32 | thread, for barriers */
	uint64_t *frees; /* a bit per event: it is a free. Events themselves are far apart in memory */
	uint32_t free_room; /* in words */
};

/* The thread, made if it is new. Pointers to threads last until the next call. */
struct graph_thread *norn_graph_builder_thread(struct norn_graph *graph, uint32_t thread);

/* Each completes the event `number`, whose common fields are set: its links, and the state of the builder after it. */
void norn_graph_add_sync(struct norn_graph_builder *builder, struct graph_thread *t, uint32_t number, const struct norn_event *e);
/* -EOVERFLOW: it forks or joins a thread whose number is too large. */
int norn_graph_add_thread(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e);
/* call, back: the thread's last event was this CALL, and this BACK after it (struct graph_thread), 0: it was not. */
void norn_graph_add_enter(
        struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e, uint32_t call, uint32_t back);
void norn_graph_add_leave(struct norn_graph_builder *builder, uint32_t number, const struct norn_event *e);
void norn_graph_note_use(struct norn_graph *graph, uint32_t number, uint32_t life);
void norn_graph_add_alloc(struct norn_graph_builder *builder, uint32_t number, uint64_t addr, uint64_t size);

#endif
