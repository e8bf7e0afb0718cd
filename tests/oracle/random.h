/* Programs made up: from nothing, or from a known shape by small changes. The same seed gives the same program everywhere. */
#ifndef NORN_ORACLE_RANDOM_H
#define NORN_ORACLE_RANDOM_H

#include "program.h"

struct random {
	uint64_t state;
};

uint64_t random_next(struct random *random);
unsigned random_below(struct random *random, unsigned n);

void random_program(struct random *random, struct program *ret_program);
/* One with memory orders, small. */
void random_orders(struct random *random, struct program *ret_program);
/* One with many marks, scopes, and values that are passed on, small. */
void random_marks(struct random *random, struct program *ret_program);
/* One with atomic blocks of several variables, small. */
void random_blocks(struct random *random, struct program *ret_program);
/* A few changes; the schedule may change as well. */
void random_change(struct random *random, struct program *program);
void random_schedule(struct random *random, struct program *program);

/* Is the program one whose threads behave the same whatever the others do, but for what they read and wait for? */
bool program_valid(const struct program *program);
/* Takes statement i, with all that is in it, out of its list. */
bool program_remove(struct program *program, unsigned i);

#endif
