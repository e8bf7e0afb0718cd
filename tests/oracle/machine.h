/* The machine: runs programs one event at a time, under any schedule.
 *
 * A state is plain bytes, so that states can be compared and hashed. In every state each thread stands right before its next event:
 * what it computes for itself happens along with the event before. A trap (a bad index, a null pointer, division by zero, a double
 * free) is a step without an event that ends the process.
 *
 * Which block malloc returns is the machine's choice, as long as it is free. signal wakes the thread that waits longest; nobody
 * wakes without being notified. A wait is four events, as recorded: wait-begin, release (from where on it can be woken), acquire,
 * wait-end. The time of a timed wait is up at any moment from then on, when it acquires at the latest. */
#ifndef NORN_ORACLE_MACHINE_H
#define NORN_ORACLE_MACHINE_H

#include "code.h"
#include "trace/event.h"
#include "trace/record.h"

#define DEPTH (1 + FUNCTIONS) /* frames of a thread: functions call only those after them */
#define HIDDEN LOCALS /* a frame's own locals: what while read, what will be returned, what a copy read */

struct frame {
	uint16_t pc;
	uint8_t locals[LOCALS + 4];
	uint8_t once; /* called by once */
	uint8_t unused;
};

enum thread_status { UNBORN, FORKED, RUNNING, WAITING, ENDED };

struct thread_state {
	uint8_t status, depth, phase, block, timed_out, begin; /* phase: events of this statement so far */
	/* block: 1 inside begin … end, 2 inside an atomic function; begin: the statement that began it, 0: the function */
	uint16_t replayed; /* its last recorded event that was performed again (replay), 0: none */
	struct frame frames[DEPTH];
};

/* What comes after an atomic block that is not over (serial.h). Bytes are bits. */
struct serial_after {
	uint32_t reads, writes; /* of a thread, since it does */
	uint32_t overwrites; /* writes that, of writes, only one of the same byte by the block itself would see */
	/* on each way from the block to the thread, writes of these bytes follow on each other, and nothing else; 0: none */
	uint32_t alone;
	uint32_t reached; /* the thread comes after the block */
};

struct serial {
	uint32_t reads, writes; /* of the block itself */
	uint32_t single, whole; /* of the writes: by an access of this byte alone, of this variable alone */
	struct serial_after after[THREADS];
};

#define LIVES 16u /* of blocks, that are told apart; the first is none */

struct state {
	uint8_t memory[VARIABLES][2], blocks[BLOCKS][2];
	uint8_t life[BLOCKS]; /* 0 never used, 1 in use, 2 free again */
	uint8_t freed[BLOCKS]; /* statement that freed it */
	uint8_t owner[LOCKS]; /* thread + 1 that holds it exclusively */
	uint8_t readers[LOCKS]; /* a bit per thread */
	uint8_t destroyed[LOCKS];
	uint8_t queue[2][THREADS]; /* thread + 1 of who waits, longest first */
	uint8_t semaphore, arrived, round, hidden;
	uint8_t resources[2];
	uint8_t once[FUNCTIONS]; /* 0 not yet, 1 under way, 2 done */
	uint8_t parent[THREADS]; /* thread + 1 that forked it */
	uint8_t dead;
	uint8_t monitor; /* state of the automaton */
	uint8_t unused2;
	uint8_t clean; /* memory is zero when allocated, as of calloc */
	uint8_t unused[3];
	uint8_t where[LIVES]; /* of a recorded run that is taken again: 1 + the block that each malloc of it got */
	/* A candidate for a race by memory orders (orders.h). [0]: by C11, [1]: with all atomics seq_cst. */
	uint8_t chosen_thread, chosen_statement, chosen_variable, chosen_bytes, chosen_write,
	        chosen_atomic; /* thread + 1, 0: none */
	uint8_t after[2]; /* threads whose next events come after it */
	uint8_t fenced, seen; /* threads whose last release fence does; that have read from a sequence whose head does */
	uint8_t released[2]; /* locks that were given up after it */
	uint8_t heads[2][VARIABLES][2]; /* per byte: threads whose release sequences it belongs to, and whose heads do */
	struct serial serial[THREADS]; /* of the block that each thread is in */
	struct thread_state threads[THREADS];
};

/* What a thread is about to do. */
struct next {
	bool exists; /* the thread has not ended, and was forked */
	bool enabled, trap;
	bool quiet; /* concerns no other thread: comes at once as well as later */
	uint8_t kind, op, size; /* as of struct norn_event */
	bool write; /* accesses */
	bool atomic;
	uint8_t order; /* enum norn_site_order: of an atomic access, a fence */
	uint8_t statement; /* 0: of the function itself */
	uint8_t body, call; /* function, and ENTER: statement that called */
	int8_t slot; /* accesses, free: block */
	uint8_t choices; /* malloc: a bit per block that it may return */
	uint64_t addr, argument, value;
};

#define ADDRESS_MEMORY 0x10000u
#define ADDRESS_BLOCKS 0x20000u
#define ADDRESS_LOCKS 0x30000u
#define ADDRESS_CONDITIONS 0x31000u
#define ADDRESS_SEMAPHORE 0x32000u
#define ADDRESS_BARRIER 0x33000u
#define ADDRESS_ONCE 0x34000u
#define ADDRESS_RESOURCES 0x35000u
#define BLOCK_BYTES 16u

static inline bool is_access(const struct next *n)
{
	return n->exists && !n->trap && n->kind >= NORN_EVENT_READ && n->kind <= NORN_EVENT_RMW;
}

/* Is the thread asleep, to be woken by a notify only? */
static inline bool sleeps(const struct code *code, const struct state *state, unsigned thread, const struct next *next)
{
	return state->threads[thread].status == WAITING && code->program->statements[next->statement].kind != S_TIMEDWAIT;
}

/* Assertions that are passed are noted here, unless it is NULL. */
extern bool *machine_passed;

void state_start(const struct code *code, struct state *ret_state);
void state_next(const struct code *code, const struct state *state, unsigned thread, struct next *ret_next);
/* Its time is up, if the thread sleeps in a timed wait: it sleeps no more, but has to take the mutex back. */
bool state_time_out(const struct code *code, struct state *state, unsigned thread);
/* Performs what state_next said, which must be enabled; choice: a bit of its choices. The value read, or written by an rmw. */
unsigned state_step(const struct code *code, struct state *state, unsigned thread, const struct next *next, unsigned choice);

#endif
