/* The flow of values through one run: which reads decide, and which reads a written value comes from (dependence_graph.h: nodes).
 *
 * The pass says for each site where values come from within one call of its function (trace/facts.h). Here that is resolved to
 * events: every thread has its stack of frames, a frame the latest node of each of its sites and the union of all of them;
 * arguments are bound to parameters when a function is entered, its result to the call when it is left. Where a parameter or a
 * result turns out to decide, the reads that it comes from are marked, each node once. Where frames and sites do not fit (code
 * without facts, calls from code that is not instrumented), reads decide, and values come from everything that the thread has read.
 *
 * Memory: 8 bytes per union of values, and what frames take. */
#ifndef NORN_CAUSALITY_VALUE_FLOW_H
#define NORN_CAUSALITY_VALUE_FLOW_H

#include "causality/dependence_graph.h"
#include "trace/event.h"

struct norn_value_flow;

/* A union of nodes a and b; or (b is NORN_VALUE_FLOW_BEFORE) all that the thread of event a read before it. */
struct norn_value_flow_pair {
	uint32_t a, b;
};
#define NORN_VALUE_FLOW_BEFORE UINT32_MAX

struct norn_value_flow *norn_value_flow_new(norn_graph_lookup *lookup, void *context);
void norn_value_flow_free(struct norn_value_flow *flow);

/* The facts about a site. */
const struct norn_graph_site *norn_value_flow_site(struct norn_value_flow *flow, uint32_t site);
/* The same of a site that was asked for before; NULL: it was not. */
const struct norn_graph_site *norn_value_flow_known(const struct norn_value_flow *flow, uint32_t site);
/* Is the site the call of a try or timed wait whose result decides nothing? */
bool norn_value_flow_ignores(const struct norn_value_flow *flow, uint32_t site);
/* Can a call at this site have entered this function directly? */
bool norn_value_flow_fits(struct norn_value_flow *flow, uint32_t call_site, uint32_t enter_site);

/* Comes before all else that is done with an event. */
void norn_value_flow_step(struct norn_value_flow *flow, uint32_t number, const struct norn_event *e);
/* By event. */
const struct norn_graph_decision *norn_value_flow_decisions(const struct norn_value_flow *flow, uint32_t *ret_count);
uint32_t norn_value_flow_decision(const struct norn_value_flow *flow, uint32_t read); /* see norn_graph_decision */
/* events[number] is e, its thread, kind, addr and size are there; so are all earlier ones. These set the flag DECIDES, also of
 * earlier reads, and the node of a write. */
void norn_value_flow_access(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e);
/* An ALLOC: sets the flags NUMBER, FRESH and STRAY: it is not known who gets its address. */
void norn_value_flow_allocated(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number);
/* A SYNC event, or a JOIN: assertions may come right after it. */
void norn_value_flow_synced(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e);
/* The i-th of those that this read is in, the latest first; NULL: there are no more. */
const struct norn_graph_assertion *norn_value_flow_condition(const struct norn_value_flow *flow, uint32_t read, uint32_t i);
const struct norn_graph_assertion *norn_value_flow_assertions(const struct norn_value_flow *flow, uint32_t *ret_count);
/* Events that read what assertions go by which cannot be evaluated; an event may be there more than once. */
const uint32_t *norn_value_flow_doubts(const struct norn_value_flow *flow, uint32_t *ret_count);
const struct norn_graph_dereference *norn_value_flow_dereferences(const struct norn_value_flow *flow, uint32_t *ret_count);
bool norn_value_flow_loose_tests(
        const struct norn_value_flow *flow, uint32_t site, uint32_t read, uint32_t i, struct norn_graph_tests *ret_tests);
/* The event up to whose assertions this read decides nothing but assertions; 0: it may. */
uint32_t norn_value_flow_free_until(const struct norn_value_flow *flow, uint32_t read);
/* A CALL that enters nothing: what is passed to it decides. */
void norn_value_flow_passed(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number);
void norn_value_flow_enter(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e);
/* A FORK of this thread: what it passes is the argument of the first function that the thread enters, unless something else
 * has begun to run there first (started). */
void norn_value_flow_forks(struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t number, uint32_t child);
void norn_value_flow_started(struct norn_value_flow *flow, uint32_t thread);
/* A JOIN that takes the result of this thread: what that is made of decides from now on. Nothing else can tell it. */
void norn_value_flow_taken(struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t child);
/* The frames that are open now began before the events that are known. */
void norn_value_flow_carried(struct norn_value_flow *flow);
/* Does the address by which the event uses memory come from this allocation, for certain (V4)? */
bool norn_value_flow_from(struct norn_value_flow *flow, const struct norn_graph_event *events, uint32_t number, uint32_t alloc);
/* The ENTER that this LEAVE belongs to, 0: none. */
uint32_t norn_value_flow_leave(
        struct norn_value_flow *flow, struct norn_graph_event *events, uint32_t number, const struct norn_event *e);
uint32_t norn_value_flow_entered(
        const struct norn_value_flow *flow, uint32_t thread); /* the innermost ENTER that is open, 0: none */

/* The bytes from what the site accesses, so many bytes, or passes to a call, 0, to the end of the variable of its frame that it
 * lies in; 0: it lies in none. */
uint32_t norn_value_flow_frame(const struct norn_value_flow *flow, uint32_t site, uint32_t bytes);
bool norn_value_flow_makes(const struct norn_value_flow *flow, uint32_t site, struct norn_graph_chain *ret_chain);
bool norn_value_flow_tests(
        const struct norn_value_flow *flow, uint32_t site, uint32_t read, uint32_t i, struct norn_graph_tests *ret_tests);
uint32_t norn_value_flow_masks(const struct norn_value_flow *flow, uint32_t site, const struct norn_graph_range **ret_ranges);
bool norn_value_flow_skips(const struct norn_value_flow *flow, uint32_t site, unsigned *ret_outcome);
/* All words that masks have bytes of, in order; the caller frees them. */
uint64_t *norn_value_flow_masked_words(const struct norn_value_flow *flow, uint32_t *ret_count);

const struct norn_value_flow_pair *norn_value_flow_pairs(const struct norn_value_flow *flow, uint32_t *ret_count);
/* Drops all but sites and pairs. */
void norn_value_flow_seal(struct norn_value_flow *flow);
uint64_t norn_value_flow_bytes(const struct norn_value_flow *flow); /* of pairs */

bool norn_value_flow_weak(const struct norn_value_flow *flow); /* is there a site with another memory order than seq_cst? */

#endif
