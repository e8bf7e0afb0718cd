/* The verifier: does a trace tell of a run that can have happened?
 *
 * It merges the trace, which fails unless every version that was seen was made, once, and all of it fits one order; on the way it
 * follows locks, semaphores, barriers, threads, calls and allocations, and checks that each does only what it can. In a trace that
 * tells of lost records it leaves out the checks that a missing record could fail.
 *
 * Not detectable: a missing read, entry into and leave of one function together, a mark, a stamp; and, at the end of a thread that
 * was cut off, its last records. */
#ifndef NORN_TRACE_VERIFY_H
#define NORN_TRACE_VERIFY_H

#include "trace/merge.h"

struct norn_verify_result {
	uint64_t events; /* a range in pieces is one */
	uint64_t problems;
	struct norn_merge_losses losses;
};

/* Calls problem with a sentence for each of the first limit problems. Returns 0, however many there are, or a negative errno if the
 * trace could not be read at all. */
int norn_verify(struct norn_trace *trace, uint64_t limit, void (*problem)(void *arg, const char *sentence), void *arg,
        struct norn_verify_result *ret_verdict, struct norn_error *err);

#endif
