/* Is a run serialisable so far? The independent definition of V10 (docs/prediction.md): a graph of transactions, which grows with
 * each access.
 *
 * A transaction is an atomic block, or an access outside of blocks. One comes after another if its access conflicts with an earlier
 * one of the other, of another thread; or if it is later in the same thread. Only blocks that are not over can get into a cycle, so
 * what comes after each of these is kept: which threads (all that they do from now on does), and which bytes they accessed since.
 * An access of a block closes a cycle if it conflicts with one that comes after the block.
 *
 * Left out: cycles all of whose conflicts are of writes with writes, of one and the same byte. */
#ifndef NORN_ORACLE_SERIAL_H
#define NORN_ORACLE_SERIAL_H

#include "machine.h"

/* The thread makes this access: before that, does it close a cycle of the block that it is in? */
bool serial_closes(const struct state *state, unsigned thread, const struct next *n);
/* It has made it. */
void serial_access(struct state *state, unsigned thread, const struct next *n);
void serial_end(struct state *state, unsigned thread); /* its block is over */
void serial_allocate(struct state *state, unsigned slot); /* or free: what was accessed there before is another's */

#endif
