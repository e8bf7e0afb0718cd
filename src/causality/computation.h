/* The multithreaded computation (JMPaX, section 2): a run's relevant events and their causal order.
 *
 * Only threads that have relevant events are in it, numbered 0 … threads-1 in the order of their numbers in the run. Each has its
 * events in program order. The order between threads is in the clocks: entry j of an event's clock says how many relevant events
 * of thread j are the event itself or precede it causally. So entry i of event k (from 0) of thread i is k+1, and event k of
 * thread i precedes a different event with clock V iff V[i] > k (Theorem 3 of the paper).
 *
 * A computation is made by a builder from pairs of an event and its clock: those of mvc.h as the run goes by, an observer's
 * messages as they arrive, or a test's by hand. It is immutable after that. The computation owns its arrays.
 * Memory: 4 bytes per thread and event, and 4 per event; as much again while it is built. */
#ifndef NORN_CAUSALITY_COMPUTATION_H
#define NORN_CAUSALITY_COMPUTATION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct norn_computation {
	uint32_t threads;
	uint64_t total; /* events of all threads */
	uint32_t *numbers; /* of the threads in the run, ascending */
	uint32_t *events; /* how many, per thread */
	uint64_t *first; /* per thread: where its events start in the two arrays below */
	uint32_t *clocks; /* threads entries for each event */
	uint32_t *payloads; /* one for each event */
};

struct norn_computation_builder;

struct norn_computation_builder *norn_computation_builder_new(void);
void norn_computation_builder_free(struct norn_computation_builder *builder);

/* Adds an event of thread number thread of the run. clock has width entries, indexed by the run's thread numbers; entries beyond
 * are 0. clock[thread] is the number of this event within its thread, from 1: events may come in any order. payload is the
 * caller's. -EINVAL: clock[thread] is 0 or not there. */
int norn_computation_add(
        struct norn_computation_builder *builder, uint32_t thread, const uint32_t *clock, uint32_t width, uint32_t payload);

/* The computation of all events added; the builder is empty afterwards, also on failure. -EBADMSG and a sentence if they are none:
 * an event is missing or there twice, or the clocks are no causal order. */
int norn_computation_finish(
        struct norn_computation_builder *builder, struct norn_computation **ret_computation, struct norn_error *err);
void norn_computation_free(struct norn_computation *computation);

/* The clock of event k of thread i: threads entries. */
static inline const uint32_t *norn_computation_clock(const struct norn_computation *c, uint32_t i, uint32_t k)
{
	return c->clocks + (c->first[i] + k) * c->threads;
}

static inline uint32_t norn_computation_payload(const struct norn_computation *c, uint32_t i, uint32_t k)
{
	return c->payloads[c->first[i] + k];
}

/* Does event k of thread i causally precede event l of thread j? */
static inline bool norn_computation_precedes(const struct norn_computation *c, uint32_t i, uint32_t k, uint32_t j, uint32_t l)
{
	return i == j ? k < l : norn_computation_clock(c, j, l)[i] > k;
}

/* Can event k of thread i be the next one after a cut that holds cut[j] events of each thread j, cut[i] being k? */
static inline bool norn_computation_enabled(const struct norn_computation *c, const uint32_t *cut, uint32_t i, uint32_t k)
{
	const uint32_t *clock = norn_computation_clock(c, i, k);
	for (uint32_t j = 0; j < c->threads; j++)
		if (j != i && clock[j] > cut[j])
			return false;
	return true;
}

#endif
