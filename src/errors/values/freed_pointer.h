/* Pointers that could have been read from memory after another thread freed what they point to: `free(p)` comes before `p = NULL`,
 * and another thread that reads p, as recorded, afterwards may as well read it in between.
 *
 * What is done with such a pointer, in place of the one that was read, is not in the record: an address decides, so no schedule
 * goes on from there. No error is claimed: there is one if the pointer is used, and the run was not judged completely. Searches
 * that are given up here are not counted. */
#ifndef NORN_ERRORS_VALUES_FREED_POINTER_H
#define NORN_ERRORS_VALUES_FREED_POINTER_H

#include "sliced/attempts.h"

/* After all other errors: a read that an error is predicted of is none. Sets norn_builtin_stats.freed_pointer. */
void norn_freed_pointers_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph,
        const struct norn_builtin_options *options, struct norn_predictions *predictions);

#endif
