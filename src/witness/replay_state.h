/* Replay states: the state of the program after a sequence of recorded events. The checker of sliced predictions
 * (sliced_witness.h) goes from one to the next; the searches know nothing of this.
 *
 * A state may have another state below it: what it has not noted itself is as in that one, so that a few events after a long run
 * cost little. It owns what it notes. Memory: 40 bytes per word that was written, 20 per thread, 24 per object. */
#ifndef NORN_WITNESS_REPLAY_STATE_H
#define NORN_WITNESS_REPLAY_STATE_H

#include "base/map.h"
#include "causality/dependence_graph.h"

struct norn_replay_state_object {
	uint32_t last, largest; /* the event that happened last, and among those that happened the one that was recorded last */
	uint32_t shared; /* how many threads hold it as readers */
	int32_t value; /* of a semaphore whose value is known */
	bool disordered; /* its events came in another order than recorded */
	bool destroyed;
	uint32_t owner; /* thread + 1 that holds it exclusively */
};

struct norn_replay_state {
	const struct norn_graph *graph;
	const struct norn_replay_state *below;
	uint32_t base; /* events up to this have happened as recorded */
	uint32_t placed; /* up to this event all allocations and frees came as recorded, so that blocks have their addresses */
	bool displaced; /* placed does not grow any more: a later allocation or free came in another order */
	uint32_t threads;
	uint32_t *next; /* per thread: its first event that has not happened */
	uint32_t *last; /* per thread: its last event that happened, 0: none */
	uint32_t *waiting; /* per thread: the condition, if its last event was the beginning of a wait */
	uint32_t *asleep; /* per thread: the condition, if its last event was the release of the mutex by a wait */
	uint32_t *slept; /* per thread: the value of sleeps when it fell asleep; 0: it has been woken */
	uint32_t sleeps; /* how many times threads have fallen asleep */
	uint32_t *wrong; /* per thread: its first read that is not right, 0: none */
	struct norn_map words; /* address / 8 → event that wrote each byte last */
	/* address / 8 → the last external write of the base that left the word with its initial contents */
	struct norn_map begun;
	struct norn_map objects; /* number → struct norn_replay_state_object */
	struct norn_map holders; /* thread and object → the acquire, or the beginning of a call that changes it; 0: that is over */
	struct norn_map freed; /* event of an allocation → its free */
	struct norn_map apart; /* allocations whose memory may have another address than recorded */
	struct norn_map taken; /* event of a stack → the event of another thread's stack at the same address */
	struct norn_map reads, leaves; /* event that reads, or leaves, another value than recorded → that value, if it is known */
	struct norn_map
	        doubtful; /* event → bits: a read that is not right, a write of an unknown value, an event that may be missing */
	/* address / 8 → one bit per byte: a write that is not in the sequence may happen, or may have happened */
	struct norn_map unsettled;
	uint32_t loose; /* the first event from which on a thread may have done something that is not in the sequence, 0: none */
	uint32_t call, io; /* the last call, and the last input or output, that happened */
	/* The last call, or return, in which code without hooks may have overwritten memory (X6); and whether such an event
	 * happened in this state, not only below. */
	uint32_t overwritten;
	bool overwritten_here;
};

/* below: NULL for the state in which nothing has happened. */
void norn_replay_state_init(struct norn_replay_state *s, const struct norn_graph *graph, const struct norn_replay_state *below);
void norn_replay_state_done(struct norn_replay_state *s);

/* From now on the thread may or may not perform this event, at any time. */
void norn_replay_state_pass(struct norn_replay_state *s, uint32_t event);
/* This read has masks, and is not right, or may not happen: the bytes that its masks name may be written from now on. */
void norn_replay_state_unsettle(struct norn_replay_state *s, uint32_t read);
/* May one of these bytes be written by an event that is not in the sequence? */
bool norn_replay_state_unsettled(const struct norn_replay_state *s, uint64_t addr, uint64_t size);
/* Will the event happen when its thread comes to it: are all reads right that control it? */
bool norn_replay_state_certain(const struct norn_replay_state *s, uint32_t event);

/* The event happens; whether it can is not checked here. */
void norn_replay_state_step(struct norn_replay_state *s, uint32_t event);
/* As norn_replay_state_happen, of a call or return that is assumed to touch no memory that matters (X9). */
void norn_replay_state_step_harmless(struct norn_replay_state *s, uint32_t event);

bool norn_replay_state_happened(const struct norn_replay_state *s, uint32_t event);
/* Has everything happened that was recorded before this event? */
bool norn_replay_state_all_before(const struct norn_replay_state *s, uint32_t event);
/* NULL: no event of the object has happened. */
const struct norn_replay_state_object *norn_replay_state_object(const struct norn_replay_state *s, uint32_t object);
/* The acquire by which the thread holds the object, or the beginning of a call that changes it; 0: none. */
uint32_t norn_replay_state_holds(const struct norn_replay_state *s, uint32_t thread, uint32_t object);
/* May the allocated memory have another address than recorded, because the recorded previous owner of the address is not freed yet,
 * or may itself have had another address? */
bool norn_replay_state_apart(const struct norn_replay_state *s, uint32_t alloc);
/* Was such memory recorded in this range of addresses? */
bool norn_replay_state_near_apart(const struct norn_replay_state *s, uint64_t addr, uint64_t size);
/* The free of the allocation, 0: it has not happened. */
uint32_t norn_replay_state_freed(const struct norn_replay_state *s, uint32_t alloc);
/* Another allocation that has its address; 0: none. */
uint32_t norn_replay_state_taken(const struct norn_replay_state *s, uint32_t alloc);

/* Would the memory that this event allocates have its recorded address? */
bool norn_replay_state_places(const struct norn_replay_state *s, uint32_t alloc);
/* Would this event, if it happened now, read what was recorded: each byte from the recorded write, or from another one of the same
 * value whose value is known? */
bool norn_replay_state_right(const struct norn_replay_state *s, uint32_t read);
bool norn_replay_state_right_before(const struct norn_replay_state *s, uint32_t read, uint64_t end); /* in its bytes below end */
/* The value that this read, of bytes of one word, would see if it happened now. False: it is not known. */
bool norn_replay_state_value(const struct norn_replay_state *s, uint32_t read, uint64_t *ret_value);
/* Would this read see a known value, and have the same result in each of its tests, of which there are some (V6)? */
bool norn_replay_state_decides_same(const struct norn_replay_state *s, uint32_t read);
/* The same of a read that decides loosely, without the tests that are assertions; or it decides nothing before the assertion that
 * comes after the event at (0: none). */
bool norn_replay_state_loosely_same(const struct norn_replay_state *s, uint32_t read, uint32_t at);
/* Does this read with masks, by the other value that it has read, skip all that it controls (V11)? */
bool norn_replay_state_skips(const struct norn_replay_state *s, uint32_t read);
/* The same of the read of a pointer that is dereferenced later (V9). */
bool norn_replay_state_pointer_same(const struct norn_replay_state *s, uint32_t read);
/* Is what this external write left in its word the same as recorded? */
bool norn_replay_state_kept(const struct norn_replay_state *s, uint32_t external);
/* Did this external write leave the word's initial contents, by the program's file, and does the word still have them? */
bool norn_replay_state_initial(const struct norn_replay_state *s, uint32_t external);
/* Do only right reads flow into what this event writes, apart from its own old value? */
bool norn_replay_state_known(const struct norn_replay_state *s, uint32_t write);
/* Does this event, which happened, have its recorded value: read, written, passed or marked? */
bool norn_replay_state_carries(const struct norn_replay_state *s, uint32_t event);
/* Notes that the event is not right, and what it leaves is unknown. */
void norn_replay_state_doubt(struct norn_replay_state *s, uint32_t event);
/* Notes that the event reads this value instead of the recorded one. */
void norn_replay_state_change(struct norn_replay_state *s, uint32_t read, uint64_t value);
/* Notes that the event may decide differently, whether its value is known or not. */
void norn_replay_state_undecide(struct norn_replay_state *s, uint32_t read);
/* The value that this write of an unknown value, or read-modify-write, leaves, computed by its chain from the value of its source
 * (V7). False: it is not known. */
bool norn_replay_state_made(const struct norn_replay_state *s, uint32_t write, uint64_t *ret_value);
/* Notes that the event leaves this value. */
void norn_replay_state_make(struct norn_replay_state *s, uint32_t write, uint64_t value);
/* The value that a read or rmw that happened saw, if it saw another one than it did and that is known; its doubts then. */
bool norn_replay_state_read(const struct norn_replay_state *s, uint32_t read, uint64_t *ret_value);
bool norn_replay_state_doubtful_read(const struct norn_replay_state *s, uint32_t read);
/* Only what it writes is not known; what a read-modify-write reads is right. */
void norn_replay_state_doubt_value(struct norn_replay_state *s, uint32_t write);

#endif
