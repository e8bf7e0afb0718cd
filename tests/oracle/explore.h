/* All interleavings of a program: which errors can be reached at all. */
#ifndef NORN_ORACLE_EXPLORE_H
#define NORN_ORACLE_EXPLORE_H

#include "machine.h"

#define DEADLOCKS 64
#define TRIPLES 256

/* Statements, as a set. */
struct statements {
	uint64_t bits[(STATEMENTS + 63) / 64];
};

struct reachable {
	bool complete; /* all states were seen; else more may be reachable */
	unsigned states;
	bool race[STATEMENTS][STATEMENTS]; /* symmetric */
	bool use_after_free[STATEMENTS][STATEMENTS]; /* [free][use] */
	bool double_free[STATEMENTS][STATEMENTS];
	struct statements deadlocks[DEADLOCKS]; /* acquires that wait for each other in a circle */
	unsigned deadlock_count;
	uint8_t triples[TRIPLES][3]; /* accesses: of an atomic block, of another thread, of the same block */
	unsigned triple_count;
	bool violation; /* the automaton of the code gets to its last state */
};

void explore(const struct code *code, unsigned max_states, struct reachable *ret_reachable);

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
