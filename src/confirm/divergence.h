/* Divergences: where a thread of a replayed run took another way than it was predicted to, and why.
 *
 * The new run is compared with the recorded one, thread by thread, as far as the predicted run goes: what is done where, and what
 * reads saw. The first place where a thread does something else is its divergence; the last read before it that saw something else
 * is what it comes from. */
#ifndef NORN_CONFIRM_DIVERGENCE_H
#define NORN_CONFIRM_DIVERGENCE_H

#include "causality/dependence_graph.h"
#include "trace/reader.h"

struct norn_divergence {
	char *text; /* a sentence, NULL: no thread took another way. The caller frees it */
	/* The prediction should have known: what the thread read was said not to matter, or to be the same, and nothing came from
	 * outside that might be the reason. */
	bool own;
	bool timed; /* it is a wait whose time was up, or was not: how long a thread is held does that */
	bool whole; /* no thread took another way, and all came to the end of their prefixes */
	bool foreign; /* something came from outside, or was done by code without hooks */
};

/* prefixes: by thread of the recorded run, the last event that the predicted run has of it, 0: none. until: nanoseconds since the
 * beginning of the new run: what came later, when its threads had been let go, does not count; 0: all does. Traces are of the same
 * program. An error if the new trace cannot be read. */
int norn_divergence_find(struct norn_trace *recorded, const struct norn_graph *graph, const uint32_t *prefixes,
        struct norn_trace *other, uint64_t until, struct norn_divergence *ret_divergence, struct norn_error *err);

#endif
