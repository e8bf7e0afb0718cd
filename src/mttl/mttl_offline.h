/* MTTL on a recorded run: the same engine as inside the program (mttl/mttl_engine.h) hears the recorded events in the merged order,
 * and comes to the same verdicts. Each finding tells the knowledge that led to it, and how that came to the thread. */
#ifndef NORN_MTTL_MTTL_OFFLINE_H
#define NORN_MTTL_MTTL_OFFLINE_H

#include "finding/finding.h"
#include "judge/recorded/valuation.h"
#include "property/source_text.h"
#include "trace/event.h"

struct norn_mttl_offline;

/* *ret_knowing is NULL if the spec has no MTTL. All must live longer. */
int norn_mttl_offline_new(const struct norn_sources *sources, const struct norn_binding *binding,
        struct norn_mttl_offline **ret_knowing, struct norn_error *err);
void norn_mttl_offline_free(struct norn_mttl_offline *mttl);

/* Each event of the merged run, in order. moment: what it means, applied already; NULL if it is no position. */
void norn_mttl_offline_event(struct norn_mttl_offline *mttl, const struct norn_event *event, const struct norn_moment *moment,
        struct norn_findings *findings, uint64_t *relevant);
void norn_mttl_offline_end(struct norn_mttl_offline *mttl, struct norn_findings *findings);

#endif
