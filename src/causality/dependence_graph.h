/* The dependence graph of a recorded run, for prediction by slicing (sliced causality: jPredictor).
 *
 * It is built in one pass over the merged events (trace/merge.h) and is immutable after that. Events are numbered as the merge
 * gives them, from 1: this is the *observed order*; 0 is no event. All events are in it, irrelevant ones too. What each one has
 * beside its own facts depends on its kind:
 *
 *   kind                         link                          other                        life
 *   read                         its writers (a list)          node: what controls it       alloc of the memory
 *   write                        node: what controls it        node: where its value        the same
 *   rmw                          its writers (a list)            comes from                 the same
 *   external write               who wrote before (a list)     the last call before         the last SEND/RECEIVE before
 *   acquire, shared or not       its release, 0: none          previous event of the object latest create/destroy/alloc before
 *   release its acquire the same the same; that begins a sleep: its WAIT_BEGIN
 *   failed try                   an acquire that it was in     the same                     the same
 *   semaphore (COUNTED)          its value then                the same                     the same
 *   WAIT_BEGIN                   the notify that woke it, or 0 the same                     the same
 *   WAIT_END, WAIT_TIMEOUT       its WAIT_BEGIN                the same                     the same
 *   BARRIER_ARRIVE               last arrival that must come before                         the same
 *   BARRIER_LEAVE                arrival that completed its round                           the same
 *   ONCE_PASS                    the ONCE_END, 0: none         the same                     the same
 *   all other SYNC               -                             the same                     the same
 *   send, receive                the last of any channel       the same: of the channel     the last call before
 *   the same, of a resource      the same                      the last change of it, or its end                  the same
 *   BEGIN                        its FORK, 0: unknown
 *   JOIN                         last event of the child; its FORK if it has none
 *   CALL                         the last SEND/RECEIVE before  the last call before, harmless ones (flag) left out
 *   CALL that hands over a job   the same                      the last such call before
 *   BACK                                                                                    for a job: the last such call
 *   alloc, second STACK          what had this memory (a list): latest alloc or free of each overlapping block
 *   alloc that is an unmapping   the same                                                    the mapping
 *   free                                                                                    its alloc
 *   ENTER                        call site                     previous ENTER that is open
 *   LEAVE                        its ENTER
 *   ENTER, LEAVE, END (UNSEEN)   as above                      as above                     the last call or SEND/RECEIVE before
 *
 * A list is an event's number, 0 for none, or (NORN_GRAPH_LIST set) refers to several: norn_graph_list. Writers are exact to the
 * byte; a byte without a write (initial memory) adds none. Allocs and frees are writers too: of undefined contents. Which bytes
 * of its word an external write changed is not known: the others are still those of the writers before.
 *
 * *Value nodes* say which reads a written value comes from: a node is a read, the union of two nodes, or all that a thread had read
 * before an event. Reads that decide need not be among them: a window with the write has those, and fixes them anyway.
 * Nothing is deeper than a read: its own value is that of its writers.
 *
 * A read *decides* (flag) if it may have an influence on what its thread does later, other than by values that are stored
 * (trace/facts.h). Without facts every read decides. One that has *masks* decides no more than whether these bytes are written: it
 * need not see what it saw, if no fixed read sees them. Then the accesses that it *controls* may happen or not: they are *certain*
 * only if all reads of their control nodes see what they saw.
 *
 * Facts about sites come from the builder's caller, so that tests need no trace file. The graph owns everything it hands out.
 * Memory: 48 bytes an event, 8 per held lock set and union of values, and what lists take; while it is built also 8 bytes per
 * word of memory that was touched. */
#ifndef NORN_CAUSALITY_DEPENDENCE_GRAPH_H
#define NORN_CAUSALITY_DEPENDENCE_GRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "trace/event.h"
#include "trace/facts.h"
#include "trace/record.h"

#define NORN_GRAPH_LIST 0x80000000u
#define NORN_GRAPH_EVENTS_MAX 0x7ffffffeu
#define NORN_GRAPH_THREADS_MAX (1u << 20)

/* What becomes of a call into code that may not be instrumented. */
enum norn_graph_call {
	NORN_CALL_OPAQUE, /* it may do anything: the default */
	NORN_CALL_ORDERED, /* only hidden state that such calls and input and output share, and its own arguments */
	NORN_CALL_HARMLESS,
};

/* What is known of a site. All-zero: nothing. */
struct norn_graph_site {
	uint8_t kind, order; /* enum norn_site_kind, norn_site_order (of accesses: not NONE means atomic) */
	bool indirect; /* a call through a pointer */
	bool waits; /* a call that acquires a lock: it waits until it has it */
	bool own; /* an access of errno, which code without hooks writes for its own thread */
	uint8_t call; /* of a CALL: enum norn_graph_call, by the name of the callee */
	uint32_t entry; /* number of the ENTER site of the compiled function that it stands in; 0: unknown */
	uint32_t base; /* number of the site that facts call index 0 */
	uint32_t place; /* sites of one code position (function, line, column) have the same; 0: the site itself */
	struct norn_facts facts; /* p NULL: none */
	const uint64_t *variables; /* addresses, variable_count of them: of what facts of this table call by number */
	uint32_t variable_count;
	const char *name; /* ENTER: function, CALL: callee; NULL or "": unknown */
};
typedef void norn_graph_lookup(void *context, uint32_t site, struct norn_graph_site *ret_site);

/* How many bytes the object of synchronization has that this SYNC event uses. */
unsigned norn_graph_object_bytes(const struct norn_event *event);

enum norn_graph_flag {
	NORN_GRAPH_DECIDES = 1, /* read, rmw: see above */
	NORN_GRAPH_ATOMIC = 2, /* access: its site has a memory order */
	NORN_GRAPH_VALUED = 4, /* read, write: value is known (up to 8 bytes) */
	/* CALL: it entered an instrumented function at once, or is harmless: means nothing. BACK: the same of its call, or that is
	 * ORDERED */
	NORN_GRAPH_CALLED = 8,
	NORN_GRAPH_ORDERED = 16, /* CALL: NORN_CALL_ORDERED. Look at a resource: while the call of another thread changed it.
	                        * External write: of errno */
	/* a failed try of a lock that was free then, or of a semaphore that had something; a release without an acquire, a read
	 * of freed memory: not explained */
	NORN_GRAPH_ODD = 32,
	NORN_GRAPH_PIECE = 64, /* of a range that came in pieces: not the first */
	/* acquire: ends a wait for a condition; the next event of its thread is the WAIT_END, or there is none. Release: begins to
	 * sleep */
	NORN_GRAPH_WAKES = 128,
	NORN_GRAPH_UNSEEN =
	        256, /* ENTER, LEAVE, END: not brought about by code that is instrumented (a callback, a cancelled thread) */
	/* SYNC: the object's state is known, from its beginning on: a semaphore's value, the sleepers, a barrier's round */
	NORN_GRAPH_COUNTED = 2048,
	NORN_GRAPH_MASKED = 1024, /* read, rmw: decides no more than its site's masks say */
	/* its thread has just returned from code without hooks, which may have waited for any earlier event */
	NORN_GRAPH_AFTER = 512,
};

struct norn_graph_event {
	uint64_t addr : 48, op : 8, kind : 8;
	uint64_t value; /* accesses of up to 8 bytes; MARK: number of its name; THREAD: which; CALL, BACK, SYNC: its argument */
	uint32_t thread : 20, flags : 12;
	uint32_t site;
	uint32_t size; /* at most UINT32_MAX; SYNC: number of the object, from 1 */
	uint32_t next; /* event of this thread, 0: none */
	uint32_t link, other, life;
	uint32_t held; /* locks held when it begins: norn_graph_held */
};

struct norn_graph;
struct norn_graph_builder;

struct norn_graph_limits {
	uint64_t max_events, max_bytes; /* 0: none but the structure's own */
};

/* lookup may be NULL: nothing is known of any site, and every acquire waits. It is called once per site. */
int norn_graph_builder_new(
        norn_graph_lookup *lookup, void *context, const struct norn_graph_limits *limits, struct norn_graph_builder **ret_builder);
void norn_graph_builder_free(struct norn_graph_builder *builder);
/* The next event of the merged run. -EOVERFLOW: beyond a limit; the events before make a graph all the same. */
int norn_graph_add(struct norn_graph_builder *builder, const struct norn_event *event);
/* The events added so far stand for the first so many of the run (prefix_state.h), of which they are those with these numbers:
 * prediction takes them as they were. Once, before all others. 0 or -ENOMEM. */
int norn_graph_carry(struct norn_graph_builder *builder, uint64_t before, const uint64_t *numbers);
/* The words that are known to be part of objects of synchronization in another part of the run are that here, too. 0 or -ENOMEM. */
int norn_graph_inherit(struct norn_graph_builder *builder, const struct norn_graph_builder *other);
/* The event added last read what it cannot be sure to read again: memory that had been freed before the first event here. */
void norn_graph_odd(struct norn_graph_builder *builder);
/* The graph of all events added; the builder is empty then and can only be freed. */
int norn_graph_finish(struct norn_graph_builder *builder, struct norn_graph **ret_graph);
void norn_graph_free(struct norn_graph *graph);

uint32_t norn_graph_count(const struct norn_graph *graph); /* events: 1 … count */
uint32_t norn_graph_carried(const struct norn_graph *graph); /* the first so many only stand for what came before */
uint64_t norn_graph_number(const struct norn_graph *graph, uint32_t event); /* its number in the run */
uint64_t norn_graph_until(const struct norn_graph *graph,
        uint32_t base); /* how many events of the run 1 … base, which are no less than those carried, are */
uint32_t norn_graph_threads(const struct norn_graph *graph); /* numbers of threads are below */
uint32_t norn_graph_objects(const struct norn_graph *graph); /* numbers of objects are at most this */
/* Is the word at addr part of an object of synchronization, at any time of the run? */
bool norn_graph_object(const struct norn_graph *graph, uint64_t addr);
bool norn_graph_lost(const struct norn_graph *graph); /* records were lost: what the run did is not known */
uint32_t norn_graph_first(const struct norn_graph *graph, uint32_t thread); /* its first event, 0: none */
uint32_t norn_graph_last(const struct norn_graph *graph, uint32_t thread);
uint32_t norn_graph_after(
        const struct norn_graph *graph, uint32_t thread, uint32_t base); /* its first event after base, 0: none; found fast */
bool norn_graph_cut(const struct norn_graph *graph); /* a limit was hit: later events are missing */
uint64_t norn_graph_bytes(const struct norn_graph *graph); /* memory that it has */

/* All events; [0] is not one. */
const struct norn_graph_event *norn_graph_events(const struct norn_graph *graph);
static inline const struct norn_graph_event *norn_graph_event(const struct norn_graph *graph, uint32_t number)
{
	return norn_graph_events(graph) + number;
}

/* Is this value, of so many bytes, the same number in all runs that begin as the recorded one did up to base (V4)? An address of
 * memory that is allocated later is not: where that lies depends on what is allocated before. In doubt: no. */
bool norn_graph_exact(const struct norn_graph *graph, uint32_t base, uint32_t size, uint64_t value);
/* What this read or rmw saw, within a word. An rmw's record has only what it left: the value is that of the writer before (V3).
 * False: not known. */
bool norn_graph_value_read(const struct norn_graph *graph, uint32_t event, uint64_t *ret_value);

/* The members of a list: *link is taken as one of it, of 0 there are none. They stay where they are. */
uint32_t norn_graph_list(const struct norn_graph *graph, const uint32_t *link, const uint32_t **ret_events);

/* What a node stands for. */
enum norn_graph_node {
	NORN_NODE_NONE, /* a constant */
	NORN_NODE_READ, /* a: what this event read */
	NORN_NODE_UNION, /* a, b: nodes */
	NORN_NODE_BEFORE, /* a: everything that its thread read before event a */
};
enum norn_graph_node norn_graph_node(const struct norn_graph *graph, uint32_t node, uint32_t *ret_a, uint32_t *ret_b);
uint32_t norn_graph_nodes(const struct norn_graph *graph); /* unions and befores: below NORN_GRAPH_LIST + this are all nodes */

/* Bytes that a read with masks may bring about to be written. */
struct norn_graph_range {
	uint64_t addr, size;
};
uint32_t norn_graph_masks(const struct norn_graph *graph, uint32_t site, const struct norn_graph_range **ret_ranges);
/* All words (address / 8) that masks of sites which happened have bytes of, in order. */
const uint64_t *norn_graph_masked_words(const struct norn_graph *graph, uint32_t *ret_count);
/* The node of the reads that control this event; 0: it is certain. An external write is, if the access is that noticed it. */
uint32_t norn_graph_control(const struct norn_graph *graph, uint32_t event);

/* The locks held, innermost first: the acquire of *held and the rest; 0 is the empty set. */
uint32_t norn_graph_held(const struct norn_graph *graph, uint32_t held, uint32_t *ret_rest);

/* Does this CALL hand over a job (X11)? */
static inline bool norn_graph_submits(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && e->value == NORN_CALL_SUBMITS;
}

/* Does its thread fall asleep on a condition by this event? */
static inline bool norn_graph_sleeps(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_SYNC && e->flags & NORN_GRAPH_WAKES &&
	       (e->op == NORN_SYNC_RELEASE || e->op == NORN_SYNC_RELEASE_SHARED);
}

/* As the provider had it. */
void norn_graph_site(const struct norn_graph *graph, uint32_t site, struct norn_graph_site *ret_site);
uint32_t norn_graph_place(const struct norn_graph *graph, uint32_t site);

#endif
