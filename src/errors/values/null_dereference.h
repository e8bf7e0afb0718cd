/* Null dereferences (V9): a pointer was read from memory that others write, and then dereferenced. Could it have been null: not set
 * yet, or cleared by another thread?
 *
 * A read that decides otherwise, by a comparison with null for example, is none of these: the comparison would come out otherwise.
 * The writes of null, and the memory's initial zero, that the read could see are enumerated; the closure and the search are asked
 * for a schedule that ends at the dereference, which is gone through with values: the read must see null in it. There is one
 * prediction for each dereference of the code. */
#ifndef NORN_ERRORS_VALUES_NULL_DEREFERENCE_H
#define NORN_ERRORS_VALUES_NULL_DEREFERENCE_H

#include "sliced/attempts.h"

void norn_null_dereferences_find(
        struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph, const struct norn_builtin_options *options);

#endif
