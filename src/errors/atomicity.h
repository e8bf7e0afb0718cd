/* Broken atomicity: a block that is meant to be atomic accesses something twice, and another thread's access can come between in a
 * way that no serial order of the two explains:
 *
 *   read, foreign write, read         the second read sees another value
 *   write, foreign write, read        the block does not see what it wrote
 *   read, foreign write, write        the foreign write is lost
 *   write, foreign read, write        what is not meant to be seen is seen
 *
 * Blocks are what lies between norn_atomic_begin and norn_atomic_end, and calls of functions that are said to be atomic; with
 * NORN_BUILTIN_INFER also any call of any function, which is a guess at what was meant. There is one prediction for each triple of
 * code positions. A lock that the block holds from one access to the next, and the other thread at its own, keeps it out. Where the
 * block has released the lock in between, the foreign region comes between both regions of the block (open-last: what is open at
 * the end is the second one).
 *
 * Memory: 4 bytes per word accessed in blocks, and up to 48 accesses or pairs of such a word. */
#ifndef NORN_ERRORS_ATOMICITY_H
#define NORN_ERRORS_ATOMICITY_H

#include "sliced/attempts.h"

void norn_atomicity_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options);

#endif
