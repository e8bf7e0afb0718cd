/* Schedules: predicted runs, made of events of the recorded run, and the errors that they show.
 *
 * A schedule is the observed order up to an event, then a list: first all events numbered 1 … base, in this order, then
 * events[0 … count-1]. Of each thread it has the first events, without gaps. At its end every stop is the next event of its thread.
 * The stops are the error (struct norn_predicted): all can happen at once, or they happen in their order.
 *
 * Every event of a schedule has its recorded place in the code, and its recorded locks and objects. Values may differ: reads that
 * do not decide may see other values, and pass them on to writes. */
#ifndef NORN_SLICED_SCHEDULE_H
#define NORN_SLICED_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "causality/dependence_graph.h"
#include "finding/finding.h"

struct norn_schedule {
	uint32_t base;
	uint32_t count;
	const uint32_t *events;
};

enum norn_predicted_kind {
	/* stops: two accesses, both enabled. Or only the second access, which may be a free: then `first` is in the schedule, and
	 * the two are unordered because an atomic access between them lacks a memory order (missing) */
	NORN_PREDICTED_RACE,
	NORN_PREDICTED_DEADLOCK, /* stops: the calls in which threads wait for ever (S17) */
	/* stops: the free, then the use; or only the use, with the free in the schedule (first) */
	NORN_PREDICTED_USE_AFTER_FREE,
	NORN_PREDICTED_DOUBLE_FREE, /* first: a free in the schedule; stops: another free of the same block */
	/* stops: a LEAVE or END, then another thread's use of a local variable of the frame that ended; or only the use, with the
	 * LEAVE or END in the schedule (first) */
	NORN_PREDICTED_USE_AFTER_RETURN,
	/* stops: an access of another thread, then the access of the block that closes the cycle; or only the latter. The other
	 * events of the cycle are in the schedule */
	NORN_PREDICTED_ATOMICITY,
	/* stops: the last read of the assertion's expression, right before the assertion; or the event right after it */
	NORN_PREDICTED_ASSERTION,
	/* stops: an access by a null pointer; first: the read of the pointer, in the schedule */
	NORN_PREDICTED_NULL,
};

/* A cycle of transactions (V10). events[0] and events[count - 1] are accesses of the block; the last one closes the cycle. Of two
 * neighbours in events
 *   - those of different threads are in conflict, and happen in this order;
 *   - of one thread the first happens earlier, or both are in a block that begins with the MARK or ENTER in begins. */
#define NORN_CYCLE_EVENTS 6u
struct norn_cycle {
	uint32_t count; /* 0: none */
	uint32_t events[NORN_CYCLE_EVENTS];
	uint32_t begins[NORN_CYCLE_EVENTS]; /* per event: begin of the block that has it and the next one; 0: none is needed */
};

/* The atomic accesses that do not order two other accesses (S20): load saw what store wrote, or a later part of its release
 * sequence. They may be of other threads than those two accesses. */
struct norn_missing_order {
	uint32_t store, load; /* 0: no order is missing */
	bool release, acquire; /* store does not release; load does not acquire */
};

/* The consequence of a race. */
struct norn_consequence {
	enum norn_consequence_kind kind;
	bool late; /* the read happens after the write, not before it */
	bool known; /* LOST_UPDATE: then and now are known */
	uint32_t event; /* a read, which sees the value now instead of then; or a write, which leaves it if it happens last */
	/* LOST_UPDATE: the other thread's read before event, and its write after event; the value is now instead of then */
	uint32_t read, write;
	uint64_t then, now;
	const struct norn_graph_assertion *assertion;
	/* Use before initialisation: the first write in the memory's life, and a later read by another thread, where the recorded
	 * run has no read before that write. 0: no such pair. Of any kind */
	uint32_t sets, uses;
};

struct norn_predicted {
	enum norn_predicted_kind kind;
	bool observed; /* the error happened in the recorded run: the schedule is a prefix of the observed order */
	/* USE_AFTER_FREE, DOUBLE_FREE: the free, or 0; RACE: the first access, or 0; ASSERTION: a write that makes it fail, or 0;
	 * NULL: the read of the pointer */
	uint32_t first;
	uint32_t second; /* ASSERTION: another such write, or 0; NULL: the write of null, 0: initial memory was null */
	struct norn_cycle cycle; /* ATOMICITY */
	uint32_t begin; /* ATOMICITY: the MARK or ENTER that begins the block; 0: inferred */
	uint32_t asleep; /* DEADLOCK, one bit per stop: its thread sleeps on a condition, and the stop is the end of its wait */
	uint32_t stop_count;
	const uint32_t *stops;
	uint64_t addr, size; /* the bytes of the error: those that both accesses touch; USE_AFTER_FREE: those of the use */
	/* how many pairs of such events at these places the run has, errors or not, without those counted before */
	uint64_t pairs;
	/* The calls of code without hooks that are assumed not to synchronise, and not to touch the memory of the error. With such
	 * calls the error is only suspected (X9). */
	const uint32_t *assumed;
	uint32_t assumed_count;
	/* It is also assumed that another thread of the pool runs the job that begins with this event (errors/jobs.h). 0: no */
	uint32_t job;
	/* The error is of a run in which threads have changed places (errors/interchange): per event the thread that performed it
	 * in the recorded run. NULL: it is of the recorded run */
	const uint32_t *by;
	struct norn_missing_order missing; /* RACE with one stop */
	struct norn_consequence consequence; /* RACE with two */
	/* ASSERTION: the one that fails. values: what its reads (NULL: first) see; writers: whose writes they see, 0: not known */
	const struct norn_graph_assertion *assertion;
	uint64_t values[NORN_ASSERT_SOURCES];
	uint32_t writers[NORN_ASSERT_SOURCES];
	struct norn_schedule schedule;
};

/* Is the error shown only under assumptions? */
static inline bool norn_is_suspected(const struct norn_predicted *p)
{
	return p->assumed_count || p->job;
}

#endif
