/* A program that no compiler made, for tests of the checker: it takes the place of prop/program.c.
 *
 * int landing; _Bool radio; unsigned tries; double speed; long double exact; stripped (no type); struct acct bank[10], *first;
 * _Thread_local int own; pthread_mutex_t mutex, *mutex_pointer; static int hidden (src/one.c), count (src/one.c, src/two.c, in transfer);
 * int transfer(struct acct *from, unsigned amount); void worker(void); void foreign(void), which is not compiled by norn cc.
 * struct acct { long balance; struct acct *next; struct limits { int min, max; } limits; unsigned open : 2; int history[4]; }
 * norn_set gives a value to `phase`. */
#ifndef HAND_PROGRAM_H
#define HAND_PROGRAM_H

#include "prop/program.h"

const struct norn_program *hand_program(void);

#endif
