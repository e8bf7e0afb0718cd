/* The last events of a run that is gone through, so that what just happened can be looked at more closely: as a dependence graph of its own (slice.h),
 * which begins with what came before (causality/carry.h).
 *
 * Memory: 48 bytes for each of NORN_RECENT_EVENTS events, and what is carried at the beginning of each part of 1024 of them, or of four times as many as
 * are carried. */
#ifndef NORN_PREDICT_RECENT_H
#define NORN_PREDICT_RECENT_H

#include "causality/slice.h"

#define NORN_RECENT_EVENTS (1u << 18)

struct norn_recent;

int norn_recent_new(struct norn_recent **ret_recent);
void norn_recent_free(struct norn_recent *recent);

/* The next event. 0 or -ENOMEM. */
int norn_recent_event(struct norn_recent *recent, const struct norn_event *event);
/* The graph of all events since number from, and perhaps of some before it, of which the last one is now. 1 and the slice; 0: from is too long ago; -ENOMEM. */
int norn_recent_slice(
        const struct norn_recent *recent, uint64_t from, norn_slice_lookup *lookup, void *sites, struct norn_slice **ret_slice);
uint64_t norn_recent_bytes(const struct norn_recent *recent); /* allocated */

#endif
