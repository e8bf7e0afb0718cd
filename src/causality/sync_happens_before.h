/* Happened before, by what the program itself does to order its threads: locks, conditions, forks and joins, …, atomic and volatile accesses.
 * Plain accesses order nothing here: where only they would, it is a race.
 *
 * Relevant events are counted per thread, from 1. Whether one happened before a thread's last event is told by these counts. */
#ifndef NORN_CAUSALITY_SYNC_HAPPENS_BEFORE_H
#define NORN_CAUSALITY_SYNC_HAPPENS_BEFORE_H

#include "causality/mvc.h"
#include "trace/reader.h"

struct norn_sync_hb {
	const struct norn_trace *trace;
	struct norn_mvc *mvc;
	uint32_t *columns; /* per thread: 1 + its column, 0: none yet */
	uint32_t threads, known; /* columns that are in there */
};

int norn_sync_hb_init(struct norn_sync_hb *happens, const struct norn_trace *trace);
void norn_sync_hb_done(struct norn_sync_hb *happens);

/* The next event of the merged run. */
int norn_sync_hb_event(struct norn_sync_hb *happens, const struct norn_event *event, bool relevant);
/* How many relevant events the thread has had. */
uint32_t norn_sync_hb_count(const struct norn_sync_hb *happens, uint32_t thread);
/* Did the relevant event number count of thread other happen before the last event of thread, or is it that? */
bool norn_sync_hb_before(const struct norn_sync_hb *happens, uint32_t other, uint32_t count, uint32_t thread);

#endif
