/* The dependence graph of a recorded run, for prediction by slicing (sliced causality: jPredictor).
 *
 * It is built in one pass over the merged events (trace/merge.h) and is immutable after that. Events are numbered as the merge
 * gives them, from 1: this is the *observed order*; 0 is no event. All events are in it, irrelevant ones too. The other fields
 * depend on the event's kind:
 *
 *   kind                         link                          other                        life
 *   read                         its writers (a list)          node: what controls it       alloc of the memory
 *   write                        node: what controls it        node: where its value        the same
 *   rmw                          its writers (a list)            comes from                 the same
 *   external write               who wrote before (a list)     the last call before         the last SEND/RECEIVE before
 *   that wrote nothing (size 0)  0                             who wrote before (a list)    the same
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
 *   FORK                         (addr: what the thread is created with, or NORN_GRAPH_GIVEN_NOT_KNOWN)
 *   JOIN                         last event of the child; its FORK if it has none
 *   CALL                         the last SEND/RECEIVE before  the last call before, harmless ones (flag) left out
 *   CALL that hands over a job   the same                      the last such call before
 *   BACK                                                                                    for a job: the last such call
 *   alloc, second STACK          what had this memory (a list): latest alloc or free of each overlapping block
 *   alloc that is an unmapping   the same                                                    the mapping
 *   free                                                                                    its alloc
 *   ENTER                        call site                     previous ENTER that is open
 *   LEAVE                        its ENTER
 *   ENTER, LEAVE, END (UNSEEN), SIGNAL    as above             as above                     the last call or SEND/RECEIVE before
 *
 * A list is an event's number, 0 for none, or (NORN_GRAPH_LIST set) refers to several: norn_graph_list. Writers are exact to the
 * byte; a byte without a write (initial memory) adds none. Allocs and frees are writers too: of undefined contents. The bytes of
 * its word that an external write changed are not known: the others are still those of the writers before.
 *
 * *Value nodes* say which reads a written value comes from: a node is a read, the union of two nodes, or all that a thread had read
 * before an event. Reads that decide need not be among them: a window with the write has those, and fixes them anyway. Nothing is
 * deeper than a read: its own value is that of its writers.
 *
 * A read *decides* (flag) if it may have an influence on what its thread does later, other than by values that are stored
 * (trace/facts.h). Without facts every read decides. One that has *masks* decides no more than whether these bytes are written: it
 * need not see what it saw, if no fixed read sees them. Then the accesses that it *controls* may happen or not: they are *certain*
 * only if all reads of their control nodes see what they saw.
 *
 * Facts about sites come from the builder's caller, so that tests need no trace file. The graph owns everything it hands out.
 * Memory: 48 bytes an event, 8 per held lock set and union of values, and what lists take; while it is built also 8 bytes per word
 * of memory that was touched. */
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
#define NORN_GRAPH_GIVEN_NOT_KNOWN ((UINT64_C(1) << 48) - 1)

/* The classes of calls into code that may not be instrumented. */
enum norn_graph_call {
	NORN_CALL_OPAQUE, /* it may do anything: the default */
	NORN_CALL_ORDERED, /* only hidden state that such calls and input and output share, and its own arguments */
	NORN_CALL_HARMLESS,
};

/* The facts about a site. All-zero: nothing. */
struct norn_graph_site {
	/* enum norn_site_kind, norn_site_order (of accesses: not NONE means atomic; failure: of a compare-exchange that fails) */
	uint8_t kind, order, order_failure;
	bool indirect; /* a call through a pointer */
	/* a call that waits for a lock, a condition, a semaphore, a barrier, a once, a thread or data in a pipe, however long */
	bool waits;
	bool timed; /* but for a condition only so long: then it waits for its mutex */
	bool interrupts; /* a call that may cause code to run which no thread reaches by itself: a signal handler, a timer */
	bool spreads; /* a call that may let others have an end of a pipe, move data unseen, or change whether a pipe waits */
	bool own; /* an access of errno, which code without hooks writes for its own thread */
	bool library; /* inside an object of the C++ library, whose memory orders are the library's own matter */
	uint8_t call; /* of a CALL: enum norn_graph_call, by the name of the callee */
	uint32_t entry; /* number of the ENTER site of the compiled function that it stands in; 0: unknown */
	uint32_t base; /* number of the site that facts call index 0 */
	uint32_t place; /* sites of one code position (function, line, column) have the same; 0: the site itself */
	struct norn_facts facts; /* p NULL: none */
	const uint64_t *variables; /* addresses, variable_count of them: of what facts of this table call by number */
	uint32_t variable_count;
	const char *name; /* ENTER: function, CALL: callee; NULL or "": unknown */
	uint32_t linker; /* norn_site_linker_hash of its name for the linker, 0: that is name */
};
typedef void norn_graph_lookup(void *context, uint32_t site, struct norn_graph_site *ret_site);

/* The size in bytes of the object of synchronization that this SYNC event uses. */
unsigned norn_graph_object_bytes(const struct norn_event *event);

enum norn_graph_flag {
	NORN_GRAPH_DECIDES = 1, /* read, rmw: see above */
	NORN_GRAPH_ATOMIC = 2, /* access: its site has a memory order */
	NORN_GRAPH_VALUED = 4, /* read, write: value is known (up to 8 bytes) */
	/* CALL: it entered an instrumented function at once, or is harmless: means nothing. BACK: the same of its call, or that is
	 * ORDERED. BEGIN: its thread is there from the start, forked by none */
	NORN_GRAPH_CALLED = 8,
	/* read, rmw, alloc: what it saw, or where it lies, is used as a number, should it be an address (V4) */
	NORN_GRAPH_NUMBER = 8,
	NORN_GRAPH_ORDERED = 16, /* CALL: NORN_CALL_ORDERED. Look at a resource: while the call of another thread changed it.
	                        * External write: of errno, or it is what the memory began with */
	/* read: decides no more than its tests say (norn_graph_tests). With MASKED either will do: that they come out the same, or
	 * that nobody sees what the masks say */
	NORN_GRAPH_TESTED = 16,
	/* STACK: used by other sites than those that access locals of their own frame, so maybe by a pointer from before it */
	NORN_GRAPH_LENT = 16,
	NORN_GRAPH_FRESH = 16, /* alloc: leaves in memory what its last owner did, for all that is known (V5) */
	/* a failed try of a lock that was free then, or of a semaphore that had something; a release without an acquire, a read
	 * of freed memory: not explained. Unmapping: it failed, or its memory stayed where it was */
	NORN_GRAPH_ODD = 32,
	NORN_GRAPH_PIECE = 64, /* of a range that came in pieces: not the first */
	/* read: it decides, up to and without assertions and the branches told as these, no more than norn_graph_loose_same says */
	NORN_GRAPH_LOOSE = 128,
	/* acquire: ends a wait for a condition; the next event of its thread is the WAIT_END, or there is none. Release: begins to
	 * sleep */
	NORN_GRAPH_WAKES = 128,
	/* read: up to the first access whose address it is the base of (norn_graph_dereferences), and without that, it decides no
	 * more than its tests say (V9) */
	NORN_GRAPH_POINTER = 256,
	NORN_GRAPH_DEREFERENCED = 2048, /* read: there was such an access, or one that may be */
	/* alloc: some use of its memory is not known to be by a pointer from it (norn_graph_is_own): it may be by one to what had
	 * the memory before */
	NORN_GRAPH_STRAY = 256,
	NORN_GRAPH_UNSEEN =
	        256, /* ENTER, LEAVE, END: not brought about by code that is instrumented (a callback, a cancelled thread) */
	/* SYNC: the object's state is known, from its beginning on: a semaphore's value, the sleepers, a barrier's round */
	NORN_GRAPH_COUNTED = 2048,
	NORN_GRAPH_MASKED = 1024, /* read, rmw: decides no more than its site's masks say */
	NORN_GRAPH_IGNORED = 1024, /* SYNC: of a try or timed wait whose result decides nothing */
	/* its thread has just returned from code without hooks, which may have waited for any earlier event */
	NORN_GRAPH_AFTER = 512,
};

struct norn_graph_event {
	uint64_t addr : 48, op : 8, kind : 7;
	uint64_t later : 1; /* read: up to assertions, it has not decided yet */
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
struct norn_graph_builder *norn_graph_builder_new(norn_graph_lookup *lookup, void *context, const struct norn_graph_limits *limits);
void norn_graph_builder_free(struct norn_graph_builder *builder);
/* The initial contents of static memory: the word at this address, a multiple of 8; false: not known. The
 * context must outlive the graph. */
typedef bool norn_graph_initial_word(void *context, uint64_t addr, uint64_t *ret_word);
void norn_graph_initial_memory(struct norn_graph_builder *builder, norn_graph_initial_word *word, void *context);
/* The next event of the merged run. -EOVERFLOW: beyond a limit; the events before make a graph all the same. */
int norn_graph_add(struct norn_graph_builder *builder, const struct norn_event *event);
/* The events added so far stand for the first so many of the run (prefix_state.h), of which they are those with these numbers:
 * prediction takes them as they were. Once, before all others. */
void norn_graph_carry(struct norn_graph_builder *builder, uint64_t before, const uint64_t *numbers);
/* The words that are known to be part of objects of synchronization in another part of the run are that here, too. */
void norn_graph_inherit(struct norn_graph_builder *builder, const struct norn_graph_builder *other);
/* The event added last read what it cannot be sure to read again: memory that had been freed before the first event here. */
void norn_graph_odd(struct norn_graph_builder *builder);
/* The graph of all events added; the builder is empty then and can only be freed. */
struct norn_graph *norn_graph_finish(struct norn_graph_builder *builder);
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

/* Is this value, of so many bytes, which was there when event until came, the same number in all runs that begin as the recorded
 * one did up to base (V4)? An address of memory that is allocated later is not: where that lies depends on what is allocated
 * before. In doubt: no. */
bool norn_graph_exact(const struct norn_graph *graph, uint32_t base, uint32_t until, uint32_t size, uint64_t value);
/* The initial contents of the word of static memory that this byte lies in; false: not known. */
bool norn_graph_initial(const struct norn_graph *graph, uint64_t addr, uint64_t *ret_word);
/* The same, if it still holds that after the events 1 … base, for all that is known. */
bool norn_graph_still_initial(const struct norn_graph *graph, uint32_t base, uint64_t addr, uint64_t *ret_word);
/* May code without hooks have written memory unnoticed at this event, or before it, since it was called (X6)? */
static inline bool norn_graph_writes_unseen(const struct norn_graph_event *e)
{
	if (e->kind == NORN_EVENT_SYNC)
		return e->op == NORN_SYNC_RECEIVE && norn_receive_kind(e->value) == NORN_RECEIVE_INPUT;
	bool code = e->op == NORN_THREAD_CALL || (e->op == NORN_THREAD_BACK && e->value != NORN_BACK_JOB);
	return e->kind == NORN_EVENT_THREAD && code && !(e->flags & NORN_GRAPH_CALLED);
}
/* All events by which memory is allocated and freed, ascending: what an address of a block depends on. */
const uint32_t *norn_graph_places(const struct norn_graph *graph, uint32_t *ret_count);
/* The number of them that come no later than this event. */
uint32_t norn_graph_places_until(const struct norn_graph *graph, uint32_t event);
/* The last of these events up to which all of them must be as recorded, so that this read, rmw or alloc means the number that it
 * meant; 0: none beyond base. In doubt: the last before it. */
uint32_t norn_graph_placed_by(const struct norn_graph *graph, uint32_t base, uint32_t event);
/* The value that this read or rmw saw, within a word. An rmw's record has only what it left: the value is that of the writer before
 * (V3). False: not known. */
bool norn_graph_value_read(const struct norn_graph *graph, uint32_t event, uint64_t *ret_value);
/* What a write or external write left: all of it, or of more than 8 bytes what lies in the word of this address. False: not
 * known. */
#define NORN_GRAPH_LONG 64u /* bytes of the longest write whose value is kept */
struct norn_graph_content {
	uint64_t addr, value;
	uint32_t size;
};
bool norn_graph_left(const struct norn_graph *graph, uint32_t write, uint64_t addr, struct norn_graph_content *ret_content);

/* The members of a list: *link is taken as one of it, of 0 there are none. They stay where they are. */
uint32_t norn_graph_list(const struct norn_graph *graph, const uint32_t *link, const uint32_t **ret_events);

/* The meaning of a node. */
enum norn_graph_node {
	NORN_NODE_NONE, /* a constant */
	NORN_NODE_READ, /* a: what this event read */
	NORN_NODE_UNION, /* a, b: nodes */
	NORN_NODE_BEFORE, /* a: everything that its thread read before event a */
};
enum norn_graph_node norn_graph_node(const struct norn_graph *graph, uint32_t node, uint32_t *ret_a, uint32_t *ret_b);
uint32_t norn_graph_nodes(const struct norn_graph *graph); /* unions and befores: below NORN_GRAPH_LIST + this are all nodes */

/* Tests, chains of facts.h: of what the chain before, if there is one, makes of the value that was read. */
struct norn_graph_tests {
	const uint32_t *before, *tests;
	uint32_t before_count, count;
};
/* Those of a read that is TESTED: its i-th; false: it has no more. */
bool norn_graph_tests(const struct norn_graph *graph, uint32_t read, uint32_t i, struct norn_graph_tests *ret_tests);
/* Do all tests of this read come out as they did if it reads this value? */
bool norn_graph_decides_same(const struct norn_graph *graph, uint32_t read, uint64_t value);
/* Do all of its tests come out the same for two values; of a LOOSE one those that it has alone? */
bool norn_graph_outcomes_same(const struct norn_graph *graph, uint32_t read, uint64_t a, uint64_t b);

#define NORN_GRAPH_RECORDED UINT32_MAX /* what the operand is, the recorded values tell: it is added */
/* How the value of a write, or an rmw, is made of the value read at a site: a chain of facts.h (V7). */
struct norn_graph_chain {
	uint32_t site;
	const uint32_t *items;
	uint32_t count;
	uint32_t operand_site; /* of the read that a step has for its operand; RECORDED; 0: there is none */
	uint64_t operand; /* what that has read, or is */
};
/* That of this event: the read is the latest of that site among those that its value comes from; of an rmw, the event itself.
 * False: not known. */
bool norn_graph_makes(const struct norn_graph *graph, uint32_t write, struct norn_graph_chain *ret_chain);
/* The same; a step may have an operand, which is as recorded: all other reads that the value comes from must be. */
bool norn_graph_makes_of_two(const struct norn_graph *graph, uint32_t write, struct norn_graph_chain *ret_chain);
/* The value that the chain makes of this one. */
uint64_t norn_graph_follow(const struct norn_graph_chain *chain, uint64_t value);

/* An assertion that the run came to, and passed: right after this event, before all others of its thread (facts.h). Or a branch
 * that is told in the same way: then to come out otherwise is to fail. */
struct norn_graph_assertion {
	uint32_t event;
	uint32_t site; /* of the call that fails */
	bool branch; /* it is no assertion */
	bool fails_if; /* the expression is this */
	bool known; /* all its sources are reads that are known; otherwise only these are listed */
	uint32_t reads[NORN_ASSERT_SOURCES], count; /* by the place of the source; 0: not known */
	/* by the same place: the chain that leads from the read to the source, if that is a call's result; items NULL: none */
	struct norn_graph_chain results[NORN_ASSERT_SOURCES];
	const uint32_t *items; /* the expression */
	uint32_t item_count;
};
/* All of them, in the order of their events; of one event assertions come before branches. */
const struct norn_graph_assertion *norn_graph_assertions(const struct norn_graph *graph, uint32_t *ret_count);
/* Reads that assertions go by which cannot be evaluated; one may be there more than once. */
const uint32_t *norn_graph_doubts(const struct norn_graph *graph, uint32_t *ret_count);
/* Those that come right after this event: the first, and how many. */
const struct norn_graph_assertion *norn_graph_assertions_after(const struct norn_graph *graph, uint32_t event, uint32_t *ret_count);
/* The i-th of those that this read is in; NULL: there are no more. */
const struct norn_graph_assertion *norn_graph_condition(const struct norn_graph *graph, uint32_t read, uint32_t i);
/* The condition, if its reads have these values; false: it cannot be evaluated. */
bool norn_graph_assertion_value(const struct norn_graph_assertion *assertion, const uint64_t *values, uint64_t *ret_value);
/* Do the tests of this read which are neither come out as they did if it reads this value? Its i-th tests: */
bool norn_graph_loose_tests(const struct norn_graph *graph, uint32_t read, uint32_t i, struct norn_graph_tests *ret_tests);
/* at: the event of the assertion that is asked for; what the read decides later is no matter then. */
bool norn_graph_loose_same(const struct norn_graph *graph, uint32_t read, uint64_t value, uint32_t at);
/* Does the read decide nothing at all, but by assertions, up to the one that comes after this event? */
bool norn_graph_free_until(const struct norn_graph *graph, uint32_t read, uint32_t at);

/* A *late* read decides nothing before its thread comes to this event (V1): a stop or an event of the run. Other reads that decide
 * do so at once. */
struct norn_graph_decision {
	uint32_t event, read;
};
/* The first one by this event or a later one, in the order of events, and how many there are from it on. */
const struct norn_graph_decision *norn_graph_decisions(const struct norn_graph *graph, uint32_t event, uint32_t *ret_count);
uint32_t norn_graph_decision(const struct norn_graph *graph, uint32_t read); /* of a late read: its event; 0: it is none */
bool norn_graph_is_late(const struct norn_graph *graph, uint32_t read);
bool norn_graph_finds_decided(const struct norn_graph *graph, uint32_t event); /* is there any decision by it? */

/* The first access by a pointer that was read: the read, which is a POINTER, and the event, of the same thread, whose address is
 * what that saw, plus less than a page; or which enters the function there. */
#define NORN_NULL_PAGE 4096u
struct norn_graph_dereference {
	uint32_t read, event;
};
/* All of them, in the order of events; and whose event this is: the read, 0: none. */
const struct norn_graph_dereference *norn_graph_dereferences(const struct norn_graph *graph, uint32_t *ret_count);
uint32_t norn_graph_dereferenced(const struct norn_graph *graph, uint32_t event);
/* Do all tests of this pointer come out as they did if it is this instead? */
bool norn_graph_pointer_same(const struct norn_graph *graph, uint32_t read, uint64_t value);

/* Bytes that may be written or not, by the value of a read with masks. */
struct norn_graph_range {
	uint64_t addr, size;
};
uint32_t norn_graph_masks(const struct norn_graph *graph, uint32_t site, const struct norn_graph_range **ret_ranges);
/* All words (address / 8) that masks of sites which happened have bytes of, in order. */
const uint64_t *norn_graph_masked_words(const struct norn_graph *graph, uint32_t *ret_count);
/* The node of the reads that control this event; 0: it is certain. An external write is, if the access is that noticed it. */
uint32_t norn_graph_control(const struct norn_graph *graph, uint32_t event);

/* Does a read with masks, by the outcome of its only test, skip all that it controls (V11)? That outcome; and whether it skips that
 * if it sees this, having not done so. */
bool norn_graph_skip_outcome(const struct norn_graph *graph, uint32_t read, unsigned *ret_outcome);
bool norn_graph_skips(const struct norn_graph *graph, uint32_t read, uint64_t value);
/* Those that may skip this event, which they control: how many. */
#define NORN_SKIPPERS 4u
uint32_t norn_graph_skippers(const struct norn_graph *graph, uint32_t event, uint32_t ret_reads[NORN_SKIPPERS]);

/* The locks held, innermost first: the acquire of *held and the rest; 0 is the empty set. */
uint32_t norn_graph_held(const struct norn_graph *graph, uint32_t held, uint32_t *ret_rest);

/* Does this CALL hand over a job (X11)? */
static inline bool norn_graph_submits(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_THREAD && e->op == NORN_THREAD_CALL && e->value == NORN_CALL_SUBMITS;
}

static inline bool norn_graph_is_access(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ || e->kind == NORN_EVENT_WRITE || e->kind == NORN_EVENT_RMW;
}

/* Does this event read memory up to a place that what it reads decides (R24)? */
static inline bool norn_graph_scans(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_READ && e->op == NORN_RANGE_SCAN;
}

static inline bool norn_graph_is_acquire(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_SYNC && (e->op == NORN_SYNC_ACQUIRE || e->op == NORN_SYNC_ACQUIRE_SHARED);
}

/* Does this event use the memory of its object of synchronization, so that it must not come after that is freed (S15)? Not the end
 * of a wait, nor leaving a barrier: the object may be destroyed by then, and its destruction waits for them. */
static inline bool norn_graph_uses_object(const struct norn_graph_event *e)
{
	if (e->kind != NORN_EVENT_SYNC || e->flags & (NORN_GRAPH_WAKES | NORN_GRAPH_ODD))
		return false;
	return e->op != NORN_SYNC_WAIT_END && e->op != NORN_SYNC_WAIT_TIMEOUT && e->op != NORN_SYNC_BARRIER_LEAVE &&
	       e->op != NORN_SYNC_ONCE_END && e->op != NORN_SYNC_SEND && e->op != NORN_SYNC_RECEIVE;
}
/* The event that the memory of this access, free or use of an object has its life from: an allocation, or a free; 0: none. */
static inline uint32_t norn_graph_memory(const struct norn_graph *graph, uint32_t event)
{
	uint32_t life = norn_graph_event(graph, event)->life;
	while (life && norn_graph_event(graph, life)->kind == NORN_EVENT_SYNC)
		life = norn_graph_event(graph, life)->life;
	return life;
}
/* Does it allocate a block whose memory had something else before? Larger ones come in pieces. */
static inline bool norn_graph_given_again(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_ALLOC && e->op <= NORN_ALLOC_ALIGNED && e->link && e->size <= NORN_RANGE_PIECE;
}
/* May that block lie elsewhere (S15)? Its events have addresses of their own then, from NORN_GRAPH_MOVED on. */
#define NORN_GRAPH_MOVED (UINT64_C(1) << 47)
static inline bool norn_graph_moves(const struct norn_graph_event *e)
{
	return norn_graph_given_again(e) && !(e->flags & NORN_GRAPH_STRAY);
}
/* Does this read, write, rmw, free or use of an object use memory by a pointer that comes from the allocation that its life is of
 * (V4)? Known only of memory that was given again. */
bool norn_graph_is_own(const struct norn_graph *graph, uint32_t event);
uint64_t norn_graph_address(const struct norn_graph *graph, uint64_t addr); /* where such memory lay */
/* Did some such block lie in this range? */
bool norn_graph_has_moved(const struct norn_graph *graph, uint64_t addr, uint64_t size);
/* Does it end the life of memory (S15): a free, an unmapping? */
static inline bool norn_graph_unmaps(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_ALLOC && e->op == NORN_ALLOC_UNMAP && !(e->flags & NORN_GRAPH_ODD);
}
static inline bool norn_graph_frees(const struct norn_graph_event *e)
{
	return (e->kind == NORN_EVENT_FREE && !(e->flags & NORN_GRAPH_PIECE)) || norn_graph_unmaps(e);
}
/* Does this event, which frees, end the life that this one began? */
bool norn_graph_ends_life(const struct norn_graph *graph, uint32_t free_event, uint32_t life);

/* The end of the local variable, of the frame that the event's function has, that the event accesses, or passes to a call as an
 * object of synchronization; 0: it is none, for all that is known. */
uint64_t norn_graph_local_end(const struct norn_graph *graph, uint32_t event);

/* Does its thread fall asleep on a condition by this event? */
static inline bool norn_graph_sleeps(const struct norn_graph_event *e)
{
	return e->kind == NORN_EVENT_SYNC && e->flags & NORN_GRAPH_WAKES &&
	       (e->op == NORN_SYNC_RELEASE || e->op == NORN_SYNC_RELEASE_SHARED);
}

/* As the provider had it. */
void norn_graph_site(const struct norn_graph *graph, uint32_t site, struct norn_graph_site *ret_site);
uint32_t norn_graph_place(const struct norn_graph *graph, uint32_t site);
/* The memory order of an access, NONE if it is plain, or of a fence: enum norn_site_order. An unknown order is taken as the
 * strongest. */
unsigned norn_graph_order(const struct norn_graph *graph, uint32_t event);
bool norn_graph_weak(const struct norn_graph *graph); /* may one be another than seq_cst? */

#endif
