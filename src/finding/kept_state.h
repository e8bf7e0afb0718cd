/* Functions of libc that keep something from one call to the next, or give their results in memory of their own: a lock around each
 * call does not part threads that use them. */
#ifndef NORN_FINDING_KEPT_STATE_H
#define NORN_FINDING_KEPT_STATE_H

#include "causality/dependence_graph.h"
#include "trace/reader.h"

/* The function to call instead of one of these that is called at these events, and its name; NULL: there is none. */
const char *norn_kept_state_instead_of(const struct norn_trace *trace, const struct norn_graph *graph, const uint32_t *events,
        uint32_t count, const char **ret_function);

#endif
