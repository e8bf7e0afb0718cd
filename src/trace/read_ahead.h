/* Reading ahead: the records of all threads, some way before the merge comes to them.
 *
 * A record that makes version v of a word has to wait for all reads of v-1. Their threads may not have come to them yet, so the
 * merge has to look ahead, and must know how far. Time stamps tell. In one thread's history a TIME record t means that all records
 * before it were logged before t, and that all records after it, but perhaps the first, accessed memory after t. So a write before
 * a stamp U of its own thread cannot concern a read, by another thread, that comes two records or more after a stamp above U: that
 * read happened later and saw the write. (External writes do not count as first: a range read logs those that it meets before
 * itself.) It is enough to have read each thread beyond U; usually that is a millisecond or two of the run, the period of the
 * recorder's ticks.
 *
 * After its last record before a long sleep a thread has no stamp of its own until it wakes up, but the others' stamps show the
 * recorder's ticks. At a tick the recorder goes through all threads and makes each one's next record carry a stamp. A stamp right
 * before an access (sync operations have stamps anyway), or two stamps in a row, are due to a tick that came after the thread's
 * last such stamp. So between the first and the third of three such stamps of one thread the recorder went through all threads
 * once, and no segment that began before the first was still logged to after the third. The records of the last hook of each
 * segment are excepted: the thread may have been interrupted inside the hook, or waited in it, after it had looked for a tick. It
 * is given a patience of many times a time slice. If a thread was stopped amid a hook for longer than that, and slept right
 * afterwards, a read may come too late for its place (-ESTALE); reading the trace once more with unlimited patience tells whether
 * it is damaged.
 *
 * Records that were read ahead are queued per thread, and their reads are counted in the image's cells. */
#ifndef NORN_TRACE_READ_AHEAD_H
#define NORN_TRACE_READ_AHEAD_H

#include "trace/memory_image.h"
#include "trace/reader.h"

struct norn_read_ahead;

/* patience: milliseconds, 0: unlimited. trace and image stay the caller's and must outlive it. */
struct norn_read_ahead *norn_read_ahead_new(struct norn_trace *trace, struct norn_memory_image *image, unsigned patience);
void norn_read_ahead_free(struct norn_read_ahead *ahead);

/* Lets a thread be read, whether or not its fork was seen. Threads without a parent, and those whose fork is met, come by
 * themselves. */
void norn_read_ahead_open(struct norn_read_ahead *ahead, uint32_t thread);

/* The next record of thread, not consumed: 1, or 0 at its end, or a negative errno: -ESTALE for a read of a version that is past.
 * A TIME record comes with a second unit: the stamp that follows it in this thread, in ticks since the start (UINT64_MAX: none). It
 * is the first record of every thread. A record stays until the next peek at its thread. */
int norn_read_ahead_peek(
        struct norn_read_ahead *ahead, uint32_t thread, const uint64_t **ret_record, unsigned *ret_units, struct norn_error *err);
void norn_read_ahead_drop(struct norn_read_ahead *ahead, uint32_t thread);

/* The range read, if there is one, that follows the external writes of the same site to come: it was under way when it met them.
 * ret_externals counts them. 1, 0 if there is none, or a negative errno. Nothing is consumed. */
int norn_read_ahead_range(struct norn_read_ahead *ahead, uint32_t thread, uint32_t site, const uint64_t **ret_record,
        unsigned *ret_units, unsigned *ret_externals, struct norn_error *err);

/* The last record that thread gave makes a new version. Reads on until all reads that happened before it are counted. since and
 * upper: the stamps around it. *bound, upper at first, is lowered to what the ticks say, for the next call of the same segment. */
int norn_read_ahead_reach(
        struct norn_read_ahead *ahead, uint32_t thread, uint64_t since, uint64_t upper, uint64_t *bound, struct norn_error *err);

/* Late reads are no error from now on: a LOST record was met, or the header told of losses. */
bool norn_read_ahead_lossy(const struct norn_read_ahead *ahead);

#endif
