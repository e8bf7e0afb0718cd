/* Schedules: runs that are predicted, as events of the recorded one; and what they show.
 *
 * A schedule is the observed order up to an event, then a list: first all events numbered 1 … base, in this order, then
 * events[0 … count-1]. Of each thread it holds the first so many events. At its end every stop is its thread's next event.
 * The stops are the error (struct norn_predicted): all can happen at once, or they happen in their order.
 *
 * Every event of a schedule happens where, and to the locks and objects to which, it happened in the recorded run. Values are
 * another matter: reads that do not decide may see other values, and what is written may come from them. */
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
	/* stops: two accesses, both enabled; or the first is in the schedule, as first, stops is the second alone, and nothing
	 * orders them: an atomic access between them lacks its memory order (missing), and the second may be a free */
	NORN_PREDICTED_RACE,
	NORN_PREDICTED_DEADLOCK, /* stops: what threads wait for, for ever (S17) */
	/* stops: the free, then the use; or the free is in the schedule, as first, and stops is the use alone */
	NORN_PREDICTED_USE_AFTER_FREE,
	NORN_PREDICTED_DOUBLE_FREE, /* first: a free in the schedule; stops: another free of the same block */
	/* stops: a LEAVE, or an END, then another thread's use of a local variable that is gone then; or the former is in the
	 * schedule, as first, and stops is the use alone */
	NORN_PREDICTED_USE_AFTER_RETURN,
	/* stops: an access of another thread, then the one of the block that closes the cycle, or that alone; the other events of
	 * the cycle are in the schedule */
	NORN_PREDICTED_ATOMICITY,
	/* stops: the last read of an assertion's expression, which comes right before it; or the event that comes right after it */
	NORN_PREDICTED_ASSERTION,
	/* stops: an access by a pointer, which is null there; first: the read of it, in the schedule */
	NORN_PREDICTED_NULL,
};

/* A cycle of transactions (V10): the block goes from its access events[0] to the others, and back to its access events[count - 1],
 * which closes the cycle. Of two events that follow each other here
 *   - if they are of two threads, they are in conflict, and come in this order;
 *   - if they are of one, the first comes earlier, or begins has the MARK or ENTER of a block that both are in. */
#define NORN_CYCLE_EVENTS 6u
struct norn_cycle {
	uint32_t count; /* 0: none */
	uint32_t events[NORN_CYCLE_EVENTS];
	uint32_t begins[NORN_CYCLE_EVENTS]; /* of the block that an event and the next one are in; 0: they need not be in one */
};

/* The atomic accesses by which the order of two others is lost (S20): what load saw, or what that is a later part of, store wrote.
 * Neither need be of the threads in question: others may pass on what they know. */
struct norn_missing_order {
	uint32_t store, load; /* 0: none is missing */
	bool release, acquire; /* store does not release; load does not acquire */
};

/* What a race leads to, with events. */
struct norn_consequence {
	enum norn_consequence_kind kind;
	bool late; /* of a read: it comes after the write */
	bool known; /* LOST_UPDATE: values are known */
	uint32_t event; /* a read: it sees now instead of then. A write, in a race of two: if it comes last, it leaves that */
	uint32_t read, write; /* LOST_UPDATE: of the other thread, around event: the value is now instead of then afterwards */
	uint64_t then, now;
	const struct norn_graph_assertion *assertion;
};

struct norn_predicted {
	enum norn_predicted_kind kind;
	bool observed; /* the recorded run itself got there: the schedule is a prefix of the observed order */
	/* USE_AFTER_FREE, DOUBLE_FREE: the free, or 0; RACE: the first access, or 0; ASSERTION: a write that it fails by, or 0;
	 * NULL: the read of the pointer */
	uint32_t first;
	uint32_t second; /* ASSERTION: another write that it fails by, or 0; NULL: the write of null, 0: memory began so */
	struct norn_cycle cycle; /* ATOMICITY */
	uint32_t begin; /* ATOMICITY: the MARK or ENTER that begins the block; 0: inferred */
	uint32_t asleep; /* DEADLOCK, a bit per stop: its thread sleeps on a condition, and the stop is where its wait would end */
	uint32_t stop_count;
	const uint32_t *stops;
	uint64_t addr, size; /* the bytes in question: what both touch; USE_AFTER_FREE: of the use */
	/* how often the run had two such events at these places, whether or not each of them is an error, and was not counted
	 * before */
	uint64_t pairs;
	/* Calls of code without hooks that it rests on: they are assumed to synchronise with nothing, and to touch none of the
	 * memory in question. It is only suspected then (X9). 0: none. */
	const uint32_t *assumed;
	uint32_t assumed_count;
	/* It rests on this, too: that another thread of the pool runs the job that begins with this event (errors/jobs.h). 0: no */
	uint32_t job;
	struct norn_missing_order missing; /* RACE with one stop */
	struct norn_consequence consequence; /* RACE with two */
	/* ASSERTION: the one that fails; what its reads (NULL: first) see then, and whose writes that is, 0: none that is known */
	const struct norn_graph_assertion *assertion;
	uint64_t values[NORN_ASSERT_SOURCES];
	uint32_t writers[NORN_ASSERT_SOURCES];
	struct norn_schedule schedule;
};

/* Does it rest on assumptions? */
static inline bool norn_is_suspected(const struct norn_predicted *p)
{
	return p->assumed_count || p->job;
}

#endif
