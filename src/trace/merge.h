/* The merge: all threads' events in one order that explains the run.
 *
 * The order respects each thread's own, every word's versions (a record that made version v comes after v-1 and all its reads),
 * and forks, begins, ends and joins. Where that leaves a choice, time stamps decide, so that the order is the observed one up to
 * the resolution of the clock. If no such order exists the trace is damaged or the run was not sequentially consistent:
 * norn_merge_next then fails with a sentence that names the thread, the record and the version that it waits for.
 *
 * The merge also carries the memory's contents along, so that every read has its value.
 * A range that other threads broke into comes in pieces, from the lowest word up; only the first piece of a FREE carries the size
 * of the whole block. A copy is a read followed by a write of the same bytes.
 * Memory: per live thread one decoded block and a few milliseconds of its records, and one entry per word that the program
 * touched; never the trace's length. */
#ifndef NORN_TRACE_MERGE_H
#define NORN_TRACE_MERGE_H

#include "trace/reader.h"

struct norn_merge;

/* patience: milliseconds to read ahead at most where stamps are far apart (trace/read_ahead.h); 0: no limit. */
#define NORN_MERGE_PATIENCE 100u
struct norn_merge *norn_merge_new(struct norn_trace *trace, unsigned patience);
void norn_merge_free(struct norn_merge *merge);
/* 1 and an event, 0 at the end, negative errno and err on damage: -ESTALE if a read came too late to be put in order, which more
 * patience may heal, -EBADMSG otherwise. */
int norn_merge_next(struct norn_merge *merge, struct norn_event *ret_event, struct norn_error *err);

/* The losses so far. A trace that tells of lost records is merged all the same: versions may then skip, and the
 * contents of such words are not known until they are written whole. */
struct norn_merge_losses {
	uint64_t lost; /* records that LOST records tell of */
	uint64_t skipped; /* versions that no record made, for that reason */
	uint64_t late; /* records that came too late for their version, for that reason */
	uint64_t cut_off; /* versions whose records the end of the process cut off: at most one record per unfinished thread */
	uint64_t unforked; /* threads whose fork was not recorded */
};
void norn_merge_losses(const struct norn_merge *merge, struct norn_merge_losses *ret_losses);
/* Whether a thread has no more records, though it has not ended. */
bool norn_merge_is_torn(const struct norn_merge *merge);

#endif
