/* Replay states: the state of the program after a sequence of recorded events. The checker of sliced predictions
 * (sliced_witness.h) goes from one to the next; the searches know nothing of this.
 *
 * A state lies on another one, or on nothing: what it has not noted itself is as there. So a few events after a long run cost
 * little. It owns what it notes. Memory: 40 bytes per word that was written, 20 per thread, 24 per object. */
#ifndef NORN_WITNESS_REPLAY_STATE_H
#define NORN_WITNESS_REPLAY_STATE_H

#include "base/map.h"
#include "causality/dependence_graph.h"

struct norn_replay_state_object {
	uint32_t last, largest; /* event: the last that happened, and of those that did the one recorded last */
	uint32_t shared; /* how many threads hold it so */
	int32_t value; /* of a semaphore whose value is known */
	bool disordered; /* its events came in another order than recorded */
	bool destroyed;
	uint32_t owner; /* thread + 1 that holds it exclusively */
};

struct norn_replay_state {
	const struct norn_graph *graph;
	const struct norn_replay_state *below;
	uint32_t base; /* events up to this have happened as recorded */
	uint32_t placed; /* blocks allocated up to this event have their addresses: all that allocates and frees came as recorded */
	bool displaced; /* and this is not so of anything later */
	uint32_t threads;
	uint32_t *next; /* per thread: its first event that has not happened */
	uint32_t *last; /* per thread: its last event that happened, 0: none */
	uint32_t *waiting; /* per thread: the condition, if its last event was the beginning of a wait */
	uint32_t *asleep; /* per thread: the condition, if its last event was the release that follows */
	uint32_t *slept; /* per thread: how many had fallen asleep when it did, while nothing has woken it; 0: it was woken */
	uint32_t sleeps; /* so many have fallen asleep */
	uint32_t *wrong; /* per thread: its first read that is not right, 0: none */
	struct norn_map words; /* address / 8 → event that wrote each byte last */
	/* address / 8 → the last external write of the base that changed nothing: then the word had what it began with */
	struct norn_map begun;
	struct norn_map objects; /* number → struct norn_replay_state_object */
	struct norn_map holders; /* thread and object → the acquire, or the beginning of a change, 0: over */
	struct norn_map freed; /* event of an alloc → its free */
	struct norn_map apart; /* allocs whose memory may lie elsewhere than it did */
	struct norn_map taken; /* STACK → another thread's, at the same address */
	struct norn_map reads, leaves; /* event that reads, or leaves, another value than it did → that value, if it is known */
	struct norn_map
	        doubtful; /* event → bits: a read that is not right, a write that is not known, an event that may be missing */
	/* address / 8 → bit per byte: a write that is not in the sequence may have come, or may come */
	struct norn_map unsettled;
	uint32_t loose; /* the least event from which on a thread may have done other things than are in the sequence, 0: none */
	uint32_t call, io; /* the largest that happened */
	/* Code without hooks may have overwritten memory (X6): the largest call, or return, that it may have done so in; and
	 * whether one happened here, not only below. */
	uint32_t overwritten;
	bool overwritten_here;
};

/* below: NULL for the state in which nothing has happened. */
void norn_replay_state_init(struct norn_replay_state *s, const struct norn_graph *graph, const struct norn_replay_state *below);
void norn_replay_state_done(struct norn_replay_state *s);

/* The thread may perform this event, or not, from now on at any time. */
void norn_replay_state_pass(struct norn_replay_state *s, uint32_t event);
/* This read has masks, and is not right, or may not happen: what they name may be written from now on. */
void norn_replay_state_unsettle(struct norn_replay_state *s, uint32_t read);
/* May one of these bytes be written besides the sequence? */
bool norn_replay_state_unsettled(const struct norn_replay_state *s, uint64_t addr, uint64_t size);
/* Will the event happen when its thread comes to it: are all reads right that control it? */
bool norn_replay_state_certain(const struct norn_replay_state *s, uint32_t event);

/* The event happens, whether it can or not. */
void norn_replay_state_step(struct norn_replay_state *s, uint32_t event);
/* The same of a call, or of the return from one, that is assumed to touch no memory that matters (X9). */
void norn_replay_state_step_harmless(struct norn_replay_state *s, uint32_t event);

bool norn_replay_state_happened(const struct norn_replay_state *s, uint32_t event);
/* Has everything happened that was recorded before this event? */
bool norn_replay_state_all_before(const struct norn_replay_state *s, uint32_t event);
/* NULL: nothing has happened to it. */
const struct norn_replay_state_object *norn_replay_state_object(const struct norn_replay_state *s, uint32_t object);
uint32_t norn_replay_state_holds(const struct norn_replay_state *s, uint32_t thread,
        uint32_t object); /* the acquire, 0: no; of a resource: the beginning of a call that changes it */
/* May its memory lie elsewhere, as what had it when recorded is not gone yet, or may have lain elsewhere itself? */
bool norn_replay_state_apart(const struct norn_replay_state *s, uint32_t alloc);
bool norn_replay_state_near_apart(const struct norn_replay_state *s, uint64_t addr, uint64_t size); /* did such memory lie here? */
uint32_t norn_replay_state_freed(const struct norn_replay_state *s, uint32_t alloc); /* the free, 0: not yet */
uint32_t norn_replay_state_taken(
        const struct norn_replay_state *s, uint32_t alloc); /* the alloc that has its address, too; 0: none */

/* Would memory that this event allocates lie where it lay? */
bool norn_replay_state_places(const struct norn_replay_state *s, uint32_t alloc);
/* Would this event, if it came now, read what it read? Every byte comes from the write that it came from, or from another one of
 * the same value, and what that wrote is known. */
bool norn_replay_state_right(const struct norn_replay_state *s, uint32_t read);
/* Would this event, if it came now, read another value than it did, that is known, and decide the same by all its tests (V6)? */
bool norn_replay_state_value(const struct norn_replay_state *s, uint32_t read, uint64_t *ret_value); /* false: not known */
/* The same by its tests that are no assertions, if it decides loosely. */
bool norn_replay_state_loosely_same(const struct norn_replay_state *s, uint32_t read);
/* The same of a pointer that is dereferenced later: its tests come out the same (V9). */
bool norn_replay_state_pointer_same(const struct norn_replay_state *s, uint32_t read);
bool norn_replay_state_decides_same(const struct norn_replay_state *s, uint32_t read);
/* Is what this external write left of its word as it was? */
bool norn_replay_state_kept(const struct norn_replay_state *s, uint32_t external);
/* Did this external write leave what the program's file says its word begins with, and has it that still? */
bool norn_replay_state_initial(const struct norn_replay_state *s, uint32_t external);
/* Does what this event writes come from right reads only, as far as its own old value does not matter? */
bool norn_replay_state_known(const struct norn_replay_state *s, uint32_t write);
/* Has this event, which happened, the value that it had: read, written, passed or marked? */
bool norn_replay_state_carries(const struct norn_replay_state *s, uint32_t event);
/* It is not right, and what it leaves behind not known. */
void norn_replay_state_doubt(struct norn_replay_state *s, uint32_t event);
/* It reads this value, another one than it did. */
void norn_replay_state_change(struct norn_replay_state *s, uint32_t read, uint64_t value);
/* It may decide otherwise, whether its value is known or not. */
void norn_replay_state_undecide(struct norn_replay_state *s, uint32_t read);
/* The value that this write, which is not known, or rmw, leaves, by its chain and the value of its source (V7); false: not known.
 * */
bool norn_replay_state_made(const struct norn_replay_state *s, uint32_t write, uint64_t *ret_value);
void norn_replay_state_make(struct norn_replay_state *s, uint32_t write, uint64_t value); /* it leaves this value */
/* The value that a read or rmw that happened saw, if it saw another one than it did and that is known; its doubts then. */
bool norn_replay_state_read(const struct norn_replay_state *s, uint32_t read, uint64_t *ret_value);
bool norn_replay_state_doubtful_read(const struct norn_replay_state *s, uint32_t read);
/* Only what it writes is not known; what a read-modify-write reads is right. */
void norn_replay_state_doubt_value(struct norn_replay_state *s, uint32_t write);

#endif
