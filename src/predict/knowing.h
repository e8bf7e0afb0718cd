/* MTTL on a recorded run: the same engine as inside the program (online/mttl_engine.h) hears the recorded events in the merged order, and comes
 * to the same verdicts. Each finding tells what knowledge led to it: who knew what, and how that came to the thread. */
#ifndef NORN_PREDICT_KNOWING_H
#define NORN_PREDICT_KNOWING_H

#include "predict/finding.h"
#include "predict/valuation.h"
#include "prop/source.h"
#include "trace/event.h"

struct norn_knowing;

/* *ret_knowing is NULL if the spec has no MTTL. All must live longer. */
int norn_knowing_new(const struct norn_sources *sources, const struct norn_binding *binding, struct norn_knowing **ret_knowing,
        struct norn_error *err);
void norn_knowing_free(struct norn_knowing *knowing);

/* Each event of the merged run, in order. moment: what it means, applied already; NULL if it is no position. */
int norn_knowing_event(struct norn_knowing *knowing, const struct norn_event *event, const struct norn_moment *moment,
        struct norn_findings *findings, uint64_t *relevant);
int norn_knowing_end(struct norn_knowing *knowing, struct norn_findings *findings);

#endif
