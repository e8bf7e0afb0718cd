/* Uses of a frame that is gone: another thread uses a local variable after its function has returned, or its thread ended (S15).
 *
 * Stacks grow down, and a frame lies below those of its callers. So what a thread's stack has at or below a local variable of a
 * function is gone when that returns. An access to a local of its own frame, of which the pass says so (facts.h, FRAME), tells how
 * far up the frame reaches, at least. */
#ifndef NORN_ERRORS_RETURNED_H
#define NORN_ERRORS_RETURNED_H

#include "sliced/attempts.h"

void norn_returned_find(struct norn_attempt_runner *attempt_runner, const struct norn_graph *graph);

#endif
