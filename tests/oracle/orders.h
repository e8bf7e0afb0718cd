/* Memory orders: happens-before of one execution (C17, 5.1.2.4), as the machine makes it, apart from Norn's own.
 *
 * A state may carry one access, which was chosen among those that have happened, and who comes after it by now: by C11, and if all
 * atomic accesses were sequentially consistent. A conflicting access that is next and comes after it only in the second way is a
 * race that a missing memory order makes (S20).
 *
 * Programs with such orders have mutexes, forks, joins, atomic accesses and fences, and
 * nothing else that orders. */
#ifndef NORN_ORACLE_ORDERS_H
#define NORN_ORACLE_ORDERS_H

#include "machine.h"

/* The access that the thread has just made is the chosen one. */
void orders_choose(const struct code *code, struct state *state, unsigned thread, const struct next *access);
bool orders_can_choose(const struct state *state, const struct next *access);
/* The thread has done this. */
void orders_step(const struct code *code, struct state *state, unsigned thread, const struct next *done);
/* Does what the thread does next conflict with the chosen access, and not come after it, by C11? */
bool orders_unordered(const struct code *code, const struct state *state, unsigned thread, const struct next *next);
/* Is it a race that a missing memory order makes? */
bool orders_race(const struct code *code, const struct state *state, unsigned thread, const struct next *next);

unsigned orders_failure(unsigned order); /* of a compare-and-swap that fails */

#endif
