/* The inside of the checker (sliced_witness.h), for the files that it is made of: sliced_witness.c (walks through the list),
 * sliced_events.c (may this event come next?), sliced_errors.c (is the error there at the end?). */
#ifndef NORN_WITNESS_SLICED_WITNESS_STATE_H
#define NORN_WITNESS_SLICED_WITNESS_STATE_H

#include "witness/replay_state.h"
#include "witness/sliced_witness.h"

struct norn_sliced_checker {
	const struct norn_graph *graph;
	uint32_t base;
	struct norn_replay_state beginning, window;
	const struct norn_sliced_claim *claim; /* that is being checked */
	bool ends; /* what is checked is the last event of its thread, which does not stop: what it decides comes later (V1) */
	uint32_t *last; /* by thread: the last event or stop of the claim; NULL: threads may go on after it */
	uint32_t call; /* the latest call in its list so far that is not taken for harmless, 0: none */
};

static inline const struct norn_graph_event *event_of(const struct norn_sliced_checker *c, uint32_t number)
{
	return norn_graph_event(c->graph, number);
}

static inline bool happened(const struct norn_replay_state *s, uint32_t number)
{
	return norn_replay_state_happened(s, number);
}

/* Refuses the claim, and says why. */
#define NO(...) return norn_error_set(err, -EINVAL, __VA_ARGS__)

/* sliced_events.c. -EINVAL and the reason: it cannot be. */
int norn_sliced_check_event(
        const struct norn_sliced_checker *c, struct norn_replay_state *s, uint32_t number, struct norn_error *err);
/* Is the memory or object that the event uses there? */
int norn_sliced_check_life(
        const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t number, struct norn_error *err);
/* The event that the memory which it uses has its life from, 0: none. */
uint32_t norn_sliced_memory(const struct norn_sliced_checker *c, uint32_t number);
/* The end of the local variable of its own frame that the event uses, as the pass says; 0: it does not. */
uint64_t norn_sliced_local_end(const struct norn_sliced_checker *c, const struct norn_graph_event *e);
bool norn_sliced_uses_object(const struct norn_graph_event *e); /* the memory of one of synchronization (S15) */
/* Does its thread reach it for certain? */
int norn_sliced_check_certain(const struct norn_replay_state *s, uint32_t number, struct norn_error *err);
bool norn_sliced_compares(const struct norn_sliced_checker *c, const struct norn_graph_event *e); /* a compare-and-swap */
bool norn_sliced_is_assumed(const struct norn_sliced_checker *c, uint32_t call); /* the claim takes the call for harmless */
/* Does its thread come back from a call that is assumed to have waited for nothing? */
bool norn_sliced_returns_harmless(const struct norn_sliced_checker *c, uint32_t number);

/* decisions.c. Does the claimed assertion fail now? */
int norn_sliced_check_assertion(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err);
/* Is the claimed pointer null, and what its thread comes to an access by it? */
int norn_sliced_check_null(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err);
/* Do the assertions right after this event, which has happened, pass, those whose reads saw something else? */
bool norn_sliced_passes(const struct norn_sliced_checker *c, const struct norn_replay_state *s, uint32_t event);

/* sliced_errors.c: where the threads stand at the end, and that this is the error. */
int norn_sliced_check_stops(const struct norn_sliced_checker *c, struct norn_replay_state *s, const struct norn_sliced_claim *claim,
        struct norn_error *err);
int norn_sliced_check_error(const struct norn_sliced_checker *c, const struct norn_replay_state *s,
        const struct norn_sliced_claim *claim, struct norn_error *err);

#endif
