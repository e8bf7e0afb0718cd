/* The merge: all threads' events in one order that explains the run.
 *
 * The order respects each thread's own, every word's versions (a record that made version v comes after v-1 and all its reads),
 * and forks, begins, ends and joins. Where that leaves a choice, time stamps decide, so that the order is the observed one up to
 * the resolution of the clock. If no such order exists the trace is damaged or the run was not sequentially consistent:
 * norn_merge_next then fails with a sentence that names the thread, the record and the version that it waits for.
 *
 * The merge also carries the memory's contents along, so that every read has its value.
 * Memory: one decoded block per live thread, and one entry per word that the program touched; never the trace's length. */
#ifndef NORN_TRACE_MERGE_H
#define NORN_TRACE_MERGE_H

#include "trace/reader.h"

struct norn_merge;

int norn_merge_new(struct norn_trace *trace, struct norn_merge **ret_merge);
void norn_merge_free(struct norn_merge *merge);
/* 1 and an event, 0 at the end, negative errno and err on damage. */
int norn_merge_next(struct norn_merge *merge, struct norn_event *ret_event, struct norn_error *err);

#endif
