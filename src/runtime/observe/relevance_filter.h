/* The relevant events, as the observer asked for them (FILTER of observer/wire.h), in a form that is quick to test at every event.
 *
 * A filter is one block of memory, made by the sender (observer_link.h) and owned by the thread that holds the observer's lock. */
#ifndef NORN_RUNTIME_OBSERVE_RELEVANCE_FILTER_H
#define NORN_RUNTIME_OBSERVE_RELEVANCE_FILTER_H

#include "observer/wire.h"

struct norn_filter;

/* Copies what it needs of the payload. NULL: it is no filter, or there is no memory. */
struct norn_filter *norn_filter_new(struct norn_wire_text payload);
void norn_filter_free(struct norn_filter *filter);

uint32_t norn_filter_modules(const struct norn_filter *filter);
bool norn_filter_wants(struct norn_filter *filter, const struct norn_event *event);

#endif
