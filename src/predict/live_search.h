/* The live search: properties on all runs that are consistent with the causality of one that is still going on (mvc). What the forecast is for a
 * run that is over.
 *
 * Events come with their clocks, each after its causes, in any order that this allows. Each property, and each instance of one with keys, has
 * a stream (live_levels.h) of its own events, whose clocks are those of the whole, with each entry replaced by how many of its own are among so many. A
 * violating run is checked at once: that it keeps the order, from the clocks as they came and by code of its own, and that the monitor violates at its
 * end (candidate.h). Then it is a finding.
 *
 * There is no looking ahead: places that pointers lead to are not judged, nor is a property any more from where code without hooks wrote one of its
 * variables. Memory: what streams need, and for counterexamples each position that concerns a property, with its clock: about 250 bytes, and 8
 * for each thread that precedes it. All of it counts against the limit. */
#ifndef NORN_PREDICT_LIVE_SEARCH_H
#define NORN_PREDICT_LIVE_SEARCH_H

#include "judge/recorded/binding.h"
#include "finding/finding.h"
#include "property/source_text.h"
#include "trace/event.h"

struct norn_live_search_options {
	bool all; /* violations of different places, too, not only the first */
	uint64_t max_cuts, max_memory, beam; /* of each search; 0: no limit */
	unsigned workers; /* 0: one per core */
	void (*breathe)(void *context); /* now and then during long searches; NULL: none */
	void *context;
};

struct norn_live_search;

/* All must live longer. Findings and notes go to findings. */
int norn_live_search_new(const struct norn_sources *sources, struct norn_binding *binding,
        const struct norn_live_search_options *options, struct norn_findings *findings, struct norn_live_search **ret_outlook,
        struct norn_error *err);
void norn_live_search_free(struct norn_live_search *live_search);

/* There is this thread; the binding knows it. To be told no later than its parent's next event. clock: what its fork comes after; width 0: nothing. */
int norn_live_search_thread(struct norn_live_search *live_search, uint32_t thread, const uint32_t *clock, uint32_t width);
/* clock has width entries, by thread; number: in the observed order, 0 if that is not known. 0, -ENOMEM, or -EBADMSG: clocks make no sense. */
int norn_live_search_event(struct norn_live_search *live_search, const struct norn_event *event, const uint32_t *clock,
        uint32_t width, uint64_t number);
/* What the thread does next comes after all that joined does. */
void norn_live_search_wait(struct norn_live_search *live_search, uint32_t thread, uint32_t joined);
void norn_live_search_end(struct norn_live_search *live_search, uint32_t thread); /* it does nothing any more */

/* Searches as far as what has come allows; to be called when something has come. */
int norn_live_search_climb(struct norn_live_search *live_search, struct norn_error *err);
/* Looks ahead through what has come, also where something that did not come yet could be in between: what it finds is true. For when there is time. */
int norn_live_search_probe(struct norn_live_search *live_search, struct norn_error *err);
bool norn_live_search_has_news(const struct norn_live_search *live_search); /* something has come since then */
/* Nothing more comes. whole: the run has ended, and all of it has come. Findings get their final extent. */
int norn_live_search_finish(struct norn_live_search *live_search, bool whole, struct norn_error *err);

uint64_t norn_live_search_bytes(const struct norn_live_search *live_search);

#endif
