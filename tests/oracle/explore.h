/* All interleavings of a program: which errors can be reached at all. */
#ifndef NORN_ORACLE_EXPLORE_H
#define NORN_ORACLE_EXPLORE_H

#include "record.h"

#define DEADLOCKS 64

/* Statements, as a set. */
struct statements {
	uint64_t bits[(STATEMENTS + 63) / 64];
};

struct reachable {
	bool complete; /* all states were seen; else more may be reachable */
	unsigned states;
	bool race[STATEMENTS][STATEMENTS]; /* symmetric */
	bool order[STATEMENTS][STATEMENTS]; /* symmetric: races that a missing memory order makes (orders.h) */
	bool use_after_free[STATEMENTS][STATEMENTS]; /* [free][use] */
	bool double_free[STATEMENTS][STATEMENTS];
	struct statements deadlocks[DEADLOCKS]; /* acquires that wait for each other in a circle */
	unsigned deadlock_count;
	bool broken[STATEMENTS]; /* begins of atomic blocks, 0: of the function, of which an access closes a cycle (serial.h) */
	bool assertion[STATEMENTS]; /* assertions that fail; along the recorded branches: where they were passed */
	bool violation; /* the automaton of the code gets to its last state */
	/* waits for a condition, a semaphore, a barrier or a once, or for a lock of a thread that has ended, that are never over:
	 * nothing can happen any more, and all threads that are there wait where they did when recorded (S17) */
	bool stuck[STATEMENTS];
};

void explore(const struct code *code, unsigned max_states, struct reachable *ret_reachable);
/* Along the recorded branches only: each thread does what it did when recorded, the same accesses and calls at the same places, in
 * any order with the others and with any values, as far as it can. This is what one recording can tell at most (docs/prediction.md,
 * section 2), but for branches that do not matter (R5). */
void explore_along(
        const struct code *code, const struct recording *recording, unsigned max_states, struct reachable *ret_reachable);

/* Will none of these threads, a bit each, ever do anything again, whatever the others do, on any branch? */
bool explore_stuck(const struct code *code, const struct state *state, unsigned threads, unsigned max_states);

/* What is wrong in one state: adds to reachable. */
void explore_state(const struct code *code, const struct state *state, struct reachable *reachable);

enum { READS = 1, WRITES = 2 };

/* Is there no order of two blocks' accesses, one after the other, that has the same effect as this one? */
static inline bool unserializable(unsigned first, unsigned second, unsigned third)
{
	return (second & WRITES && (third & READS || (first & READS && third & WRITES))) ||
	       (second & READS && first & WRITES && third & WRITES);
}

#endif
