/* Assertions that may fail: the run came to each of them, and passed. Could its reads have seen other writes, so that it fails?
 *
 * Changed reads are enumerated (docs/prediction.md, V1 and V6 to V8): up to three reads of the expression, or reads that the values
 * of their writes are made of, see other writes, the nearest first; the expression is evaluated. Where it fails, the closure and
 * the search are asked for a schedule in which the thread gets there and these reads may see these writes; it is gone through with
 * values, and the assertion must fail in it. There is one prediction for each assertion of the code. */
#ifndef NORN_ERRORS_ASSERTION_H
#define NORN_ERRORS_ASSERTION_H

#include "sliced/attempts.h"

void norn_assertions_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph,
        const struct norn_builtin_options *options, struct norn_predictions *predictions);

#endif
