/* Algorithm A of the JMPaX paper (sections 1 and 3): multithreaded vector clocks, event by event.
 *
 * Each thread i has a clock V_i; each variable x, which is a byte of memory, has V^a_x and V^w_x (variable_clocks.h). They count
 * relevant events only. An event e of thread i, in the order of the run:
 *   1. if e is relevant:      V_i[i] += 1
 *   2. if e reads x:          V_i = max{V_i, V^w_x};  V^a_x = max{V^a_x, V_i}
 *   3. if e writes x:         V^w_x = V^a_x = V_i = max{V^a_x, V_i}
 *   4. if e is relevant:      ⟨e, i, V_i⟩ is what an observer needs (norn_mvc_clock)
 * An event may read or write many bytes; steps 2 and 3 then take the maximum over all of them first. Further operations stand for
 * reads and writes of variables of their own, as the paper has it for synchronization (norn_mvc_op).
 *
 * Threads are numbered by the caller and need no announcement. Clocks have a column for each thread that had a relevant event, in
 * the order of their first ones, so clocks stay small however many threads there are.
 *
 * It takes (thread, operation, variable, relevant) and knows nothing of traces: mvc_events.h feeds it from merged events. Memory:
 * that of the variables (variable_clocks.h) and of the clocks that they and the threads still have (clock.h), 8 bytes per thread.
 * Clocks without a reference are dropped before they take more room than those with one and a quarter of the
 * variables' (but 4 MiB are always granted). */
#ifndef NORN_CAUSALITY_MVC_H
#define NORN_CAUSALITY_MVC_H

#include <stdbool.h>
#include <stdint.h>

enum norn_causality {
	NORN_CAUSALITY_OBSERVED, /* every event writes one common variable: the order seen is the only one */
	NORN_CAUSALITY_MVC,
};

#define NORN_MVC_OBJECT_BYTES 4u /* as a variable, an object of synchronization is its first bytes: no two share these */

enum norn_mvc_op {
	NORN_MVC_INTERNAL, /* neither reads nor writes */
	NORN_MVC_READ, /* size bytes at where */
	NORN_MVC_WRITE, /* the same */
	NORN_MVC_FORK, /* writes a variable that is thread where's: all that where does comes after this */
	NORN_MVC_JOIN, /* reads it, thread where having written it with all it did: comes after all that where did so far */
	NORN_MVC_AFTER_ALL, /* comes after everything so far */
	NORN_MVC_FENCE, /* comes after everything so far, and before everything to come */
	/* A barrier at where. A thread that leaves comes after the arrivals of all rounds that are full, but not after threads that
	 * arrived early for the next round: arrivals are writes of the barrier (the last one is told so, which may matter),
	 * a leave reads what the barrier was when the last full round became full. */
	NORN_MVC_BARRIER, /* a write, and the barrier begins: size arrivals make a round; 0: unknown, take each for the last one */
	NORN_MVC_ARRIVE,
	NORN_MVC_LEAVE,
};

struct norn_mvc;

int norn_mvc_new(enum norn_causality causality, struct norn_mvc **ret_mvc);
void norn_mvc_free(struct norn_mvc *mvc);

/* The next event. 0, -ENOMEM, or -EOVERFLOW after 2^31-1 relevant events of one thread; after a failure the clocks mean nothing. */
int norn_mvc_step(struct norn_mvc *mvc, uint32_t thread, enum norn_mvc_op op, uint64_t where, uint64_t size, bool relevant);

/* V_thread, indexed by column; it holds until the next step. */
const uint32_t *norn_mvc_clock(const struct norn_mvc *mvc, uint32_t thread, uint32_t *ret_width);
uint32_t norn_mvc_columns(const struct norn_mvc *mvc);
uint32_t norn_mvc_column_thread(const struct norn_mvc *mvc, uint32_t column); /* which thread's column this is */

uint64_t norn_mvc_bytes(const struct norn_mvc *mvc); /* memory that it has allocated */

#endif
