/* The search for runs that violate properties, among all that are consistent with the causality of a run that is observed while it
 * goes on (mvc). The counterpart of property_search.h for a run that is going on.
 *
 * Events come with their clocks, each after its causes, in any order that this allows. Each property, and each instance of one with
 * keys, has a lattice of its own events from the first on (search.h). A violating run is checked at once: that it keeps the order,
 * from the clocks as they came and by code of its own, and that the monitor violates at its end (candidate.h). Then it is a
 * finding.
 *
 * The future of the run is not known: properties of places that pointers lead to are not judged, nor is a property any more from
 * where code without hooks wrote one of its variables. Memory: what lattices need, and for counterexamples each position that
 * concerns a property, with its clock: about 250 bytes, and 8 for each thread that precedes it. All of it counts against the
 * limit. */
#ifndef NORN_PREDICT_LIVE_SEARCH_H
#define NORN_PREDICT_LIVE_SEARCH_H

#include "finding/finding.h"
#include "judge/recorded/binding.h"
#include "predict/property_search.h"
#include "property/source_text.h"
#include "trace/event.h"

struct norn_live_search;

/* All must live longer. Findings and notes go to findings. */
int norn_live_search_new(const struct norn_sources *sources, struct norn_binding *binding,
        const struct norn_property_search_options *options, struct norn_findings *findings, struct norn_live_search **ret_search,
        struct norn_error *err);
void norn_live_search_free(struct norn_live_search *search);

/* This thread exists; the binding knows it. To be told no later than its parent's next event. clock: what its fork comes after;
 * width 0: nothing. */
int norn_live_search_thread(struct norn_live_search *search, uint32_t thread, const uint32_t *clock, uint32_t width);
/* clock has width entries, by thread; number: in the observed order, 0 if that is not known. 0, or -EBADMSG: the clock contradicts
 * others; -EOVERFLOW. */
int norn_live_search_event(
        struct norn_live_search *search, const struct norn_event *event, const uint32_t *clock, uint32_t width, uint64_t number);
/* The thread's next event comes after all events of joined. */
void norn_live_search_wait(struct norn_live_search *search, uint32_t thread, uint32_t joined);
void norn_live_search_end(struct norn_live_search *search, uint32_t thread); /* it does nothing any more */

/* Searches as far as the events that have come allow; to be called when some have. */
int norn_live_search_advance(struct norn_live_search *search, struct norn_error *err);
/* Searches through all events that have come, also where one that did not come yet could be in between: what it finds is true. For
 * idle times. */
int norn_live_search_probe(struct norn_live_search *search, struct norn_error *err);
bool norn_live_search_has_news(const struct norn_live_search *search); /* events, threads or ends have come since the last probe */
/* Nothing more comes. whole: the run has ended, and all of it has come. Findings get their final extent. */
int norn_live_search_finish(struct norn_live_search *search, bool whole, struct norn_error *err);

#endif
