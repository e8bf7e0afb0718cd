/* The events that the observer asks for: those that bindings may take for positions, and those by which threads are known.
 *
 * A superset of the relevant ones; judge/recorded/recorded_match.c decides. */
#ifndef NORN_OBSERVER_FILTER_REQUEST_H
#define NORN_OBSERVER_FILTER_REQUEST_H

#include "judge/recorded/binding.h"
#include "observer/wire.h"

/* The whole frame of a FILTER message, which the caller frees. modules: that of the READY that it answers. 0, or -EMSGSIZE. */
int norn_filter_make(struct norn_binding *const *bindings, uint32_t count, uint32_t modules, void **ret_frame, size_t *ret_length);

#endif
