/* The computation lattice (JMPaX, section 4): all runs of a computation at once, level by level, with all monitors on all of them.
 *
 * A node is a cut. It has the valuation of the variables, which under mvc the cut alone determines, and for each monitor the
 * beliefs (belief.h) that the runs to this cut lead to, each with the number of these runs and one path. At most two levels are in
 * memory, and the paths of the present one. Results do not depend on the number of workers, nor on when events were added.
 *
 * Events are added in any order that causality allows, each after its causes: while the run goes on, or all of them when it is
 * over. A level is built as soon as it is closed. The event that is number L or less in some run has at most L - 1 others before it
 * causally; and an event that has as many is in some cut of level L. So with |e| the sum of e's clock, the number of events that
 * precede it or are it, cuts of level L consist of events with |e| <= L. Along a thread |e| grows. Thus level L is closed once
 * every thread that exists has ended, or has an event with |e| >= L, or will do nothing more that has not at least L events before
 * it (norn_lattice_bound). A thread that is not known yet does no harm if its fork is announced (norn_lattice_thread) no later than
 * the next event of the thread that forks: while the parent's next event is missing, no level is closed that the child could have
 * events in, since all of the child's come after what the parent did before the fork, and all that the parent has delivered is
 * before the fork or announced it.
 *
 * Clocks of events that all cuts of the present level have are dropped (norn_lattice_base). The paths to the present cuts stay, 6
 * bytes for each of their steps, shared: counterexamples are whole.
 *
 * A run violates a property if one of its prefixes does, or, for monitors that judge it, its end. The violation that is
 * given is a shortest one: at the first level where there is any. Among several cuts the one nearest to the observed run is taken,
 * by its distance: how many of its events are not among the observed run's first ones. Among several ways to a cut the one whose
 * last event was observed last.
 *
 * The search ends where nothing can change any monitor's verdict; in a large lattice even if the runs are not counted then.
 * It ends early at a limit, and says so: what it found by then stays true, the numbers of runs are not known. A beam keeps the
 * nodes of each level that are nearest to the observed run (the causality cone); the numbers are then those of the runs within. */
#ifndef NORN_LATTICE_LATTICE_H
#define NORN_LATTICE_LATTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "causality/computation.h"
#include "lattice/bignum.h"
#include "lattice/stepper.h"

/* Event k of a thread, both as the computation numbers them. */
struct norn_lattice_event {
	uint32_t thread, k;
};

enum norn_lattice_position {
	NORN_LATTICE_NO_POSITION,
	NORN_LATTICE_POSITION,
	NORN_LATTICE_MAYBE /* that is not known: the monitor steps or stays */
};

#define NORN_LATTICE_BEGIN UINT32_MAX /* as a thread: no event, but the initial valuation */

/* The meaning of events. The functions may be called by several threads, but one at a time unless concurrent is set, and more or
 * less often than there are cuts: equal arguments must give equal results. */
struct norn_lattice_model {
	void *context;
	uint32_t initial; /* valuation */
	/* The valuation after the event; equal valuations should have equal numbers. 0 or -errno, which ends the search. */
	int (*apply)(void *context, uint32_t valuation, struct norn_lattice_event event, uint32_t *ret_valuation);
	/* Is the event a position of the monitor (for BEGIN: is there a position 0)? Then its letter, and the bits of it that are
	 * not known. before and after are the valuations around the event; for BEGIN both are the initial one. */
	enum norn_lattice_position (*letter)(void *context, uint32_t monitor, uint32_t before, uint32_t after,
	        struct norn_lattice_event event, uint64_t *ret_letter, uint64_t *ret_unknown);
	/* Violations at events of the same kind are the same one (one site, say). NULL: each event has its own kind. */
	uint64_t (*kind)(void *context, uint32_t monitor, struct norn_lattice_event event);
	/* Of a computation (norn_lattice_search): per event, indexed as its payloads, its place in the observed run; gaps are fine.
	 * NULL: some run. */
	const uint64_t *observed;
	bool concurrent;
	/* NULL: numbers of valuations stay. Called before levels are built: is it worth while to renumber valuations? Then each
	 * that is in use is renamed, maybe several times, and at last renumber_end is called: 0 or -errno. */
	bool (*renumber_begin)(void *context);
	uint32_t (*rename)(void *context, uint32_t valuation);
	int (*renumber_end)(void *context);
};

enum norn_lattice_status {
	NORN_LATTICE_OPEN,
	NORN_LATTICE_SETTLED, /* can violate no more */
	NORN_LATTICE_UNCERTAIN, /* some completions of what is not known have violated, others have not */
	NORN_LATTICE_VIOLATED
};

struct norn_lattice_state {
	uint32_t monitor;
	enum norn_lattice_status status;
	uint64_t state; /* of the monitor, if it is a single one; else 0 */
};

/* For pictures of small lattices. Edges lead to the next level, one per thread of next; a beam may have dropped their ends. */
struct norn_lattice_node {
	uint32_t level;
	const uint32_t *cut; /* events per thread */
	uint32_t valuation;
	const uint32_t *next; /* threads whose next event may come */
	uint32_t next_count;
	const struct norn_lattice_state *states; /* by monitor */
	uint32_t state_count;
};

struct norn_lattice_progress {
	uint64_t level, levels; /* at level, of levels */
	uint64_t cuts;
	size_t memory;
};

struct norn_lattice_options {
	unsigned workers; /* threads; 0: one per core */
	uint64_t share_from; /* cuts of a level that several workers build; 0: 4096 */
	uint64_t max_cuts; /* 0: no limit, also for the next two */
	size_t max_memory;
	uint64_t beam;
	uint32_t violations; /* of different kinds, per monitor, to keep; 0: one */
	bool stop; /* when every monitor has so many */
	bool uncounted; /* do not count runs; saves 8 bytes a belief and cut */
	void *context;
	/* Before each level and within long ones, by the caller's thread. false: enough; NULL: none. */
	bool (*progress)(void *context, const struct norn_lattice_progress *progress);
	void (*visit)(void *context, const struct norn_lattice_node *node); /* NULL: none */
};

enum norn_lattice_limit {
	NORN_LATTICE_COMPLETE,
	NORN_LATTICE_CUTS,
	NORN_LATTICE_MEMORY,
	NORN_LATTICE_BEAM, /* went on to the end, but not everywhere */
	NORN_LATTICE_STOPPED /* by progress or stop */
};

struct norn_lattice_violation {
	uint32_t monitor;
	bool at_end; /* the run violates by ending */
	uint64_t kind;
	uint64_t distance; /* of its last cut */
	struct norn_lattice_event *events; /* up to the one that violates */
	uint64_t length; /* 0: the initial valuation violates */
};

struct norn_lattice_counts {
	struct norn_bignum violating; /* runs */
	struct norn_bignum uncertain; /* runs of which only some completions violate */
};

struct norn_lattice_result {
	enum norn_lattice_limit limit; /* the bound that ended the search early, or else whether the beam bit */
	uint64_t limit_level; /* the level at which it did */
	uint64_t levels; /* built; the last one has all events if the search was not cut, and not settled before */
	uint64_t *widths; /* cuts per level */
	uint64_t cuts;
	uint64_t widest;
	size_t memory; /* most bytes that were in use */
	size_t record_bytes; /* of the widest level alone */
	bool counted; /* the numbers of runs are right: the search went to the end (of the beam), to the last event */
	struct norn_bignum runs;
	struct norn_lattice_counts *monitors;
	struct norn_lattice_violation *violations; /* by length, then monitor, then distance */
	uint32_t monitor_count, violation_count;
};

struct norn_lattice;

/* options may be NULL. Without monitors it only counts runs. model and steppers are copied; what they point to must live longer. */
int norn_lattice_new(const struct norn_lattice_model *model, const struct norn_stepper *steppers, uint32_t monitors,
        const struct norn_lattice_options *options, struct norn_lattice **ret_lattice);
void norn_lattice_free(struct norn_lattice *lattice);

/* Announces a thread, whose events are then waited for. The caller numbers threads, below 65535; arrays have an entry for each
 * number up to the greatest. */
int norn_lattice_thread(struct norn_lattice *lattice, uint32_t thread);
/* The next event of a thread. clock has width entries, by thread; clock[thread] is its number within its thread, from 1. place:
 * where it was in the observed run, any ascending numbers. -EBADMSG: it is not the next one, its causes are not there, or the clock
 * contradicts theirs. -ESTALE: it belongs to a level that was built already, as its thread was not announced. */
int norn_lattice_add(struct norn_lattice *lattice, uint32_t thread, const uint32_t *clock, uint32_t width, uint64_t place);
/* Every later event of the thread comes after at least so many events. */
void norn_lattice_bound(struct norn_lattice *lattice, uint32_t thread, uint64_t events);
/* Threads that were not announced may have events that come after only so many events: no level above that is closed until the next
 * call. UINT64_MAX (the initial value): there are no such threads. */
void norn_lattice_hold(struct norn_lattice *lattice, uint64_t events);
/* The thread has no more events. */
void norn_lattice_end(struct norn_lattice *lattice, uint32_t thread);

/* Builds the levels that are closed. Violations are added to the result as they are found. */
int norn_lattice_advance(struct norn_lattice *lattice);
/* Builds levels of all events so far, though they are not closed: the runs of these events are prefixes of runs, and violations
 * among them are real. They are added to the result, though shorter ones may exist; nothing else changes. cuts: a limit. */
int norn_lattice_probe(struct norn_lattice *lattice, uint64_t cuts);
/* No more events come. ended: the run has ended, so that its end may violate; else it was cut off somewhere. */
int norn_lattice_finish(struct norn_lattice *lattice, bool ended);

const struct norn_lattice_result *norn_lattice_result(
        const struct norn_lattice *lattice); /* the result so far; counts of runs are set by finish */
uint64_t norn_lattice_level(const struct norn_lattice *lattice); /* the level that was built last */
uint64_t norn_lattice_events(const struct norn_lattice *lattice); /* how many were added so far */
bool norn_lattice_is_over(
        const struct norn_lattice *lattice); /* a limit was reached, or no verdict can change: nothing needs to be added */
size_t norn_lattice_bytes(const struct norn_lattice *lattice);
uint32_t norn_lattice_base(const struct norn_lattice *lattice, uint32_t thread); /* how many of its events have no clock any more */

/* The lattice of a whole computation. The caller frees the result, also of a search that a limit ended; on failure there is
 * none. */
int norn_lattice_search(const struct norn_computation *computation, const struct norn_lattice_model *model,
        const struct norn_stepper *steppers, uint32_t monitors, const struct norn_lattice_options *options,
        struct norn_lattice_result *ret_result);
void norn_lattice_result_done(struct norn_lattice_result *result);
const char *norn_lattice_limit_name(enum norn_lattice_limit limit); /* "max-cuts", … */

#endif
