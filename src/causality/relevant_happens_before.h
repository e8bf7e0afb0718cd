/* Happens-before (happens_before.h) for users of some events only, the relevant ones, as a recorded run goes by: which
 * accesses are atomic is known from its trace. */
#ifndef NORN_CAUSALITY_RELEVANT_HAPPENS_BEFORE_H
#define NORN_CAUSALITY_RELEVANT_HAPPENS_BEFORE_H

#include "causality/happens_before.h"
#include "trace/reader.h"

struct norn_relevant_hb {
	const struct norn_trace *trace;
	struct norn_hb *hb;
	uint32_t number; /* of the last event */
	uint32_t *last; /* per thread: number of its last relevant event, 0: none */
	uint32_t threads;
};

void norn_relevant_hb_init(struct norn_relevant_hb *hb, const struct norn_trace *trace);
void norn_relevant_hb_done(struct norn_relevant_hb *hb);

/* The next event of the merged run. */
int norn_relevant_hb_event(struct norn_relevant_hb *hb, const struct norn_event *event, bool relevant);
/* The number of the thread's last relevant event, 0: none. */
uint32_t norn_relevant_hb_count(const struct norn_relevant_hb *hb, uint32_t thread);
/* Did the relevant event with this number, of thread other, happen before the last event of thread, or is it that? */
bool norn_relevant_hb_before(const struct norn_relevant_hb *hb, uint32_t other, uint32_t count, uint32_t thread);

#endif
