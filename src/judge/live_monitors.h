/* Machines: properties in ptLTL, LTL, expressions and automata, stepped inside the program at each relevant event.
 *
 * Global: one machine for all threads (for `per`, one for each value of the keys), under one lock that also covers the access
 * itself, so that the order of steps is the order of the events; what `norn check` says of the observed order, said while it
 * happens. Thread: one for each thread, which sees the events of that thread alone, and no lock, unless values of variables are
 * needed.
 *
 * Where an atom's value is unknown a machine may be in several states at once (monitor/states.h). Only what holds in all of them is
 * said. */
#ifndef NORN_JUDGE_LIVE_MONITORS_H
#define NORN_JUDGE_LIVE_MONITORS_H

#include "judge/event_match.h"
#include "engine/plan.h"
#include "judge/place_values.h"
#include "judge/verdict_queue.h"

struct norn_live_monitors;
struct norn_judge_scratch; /* a thread's own */

int norn_live_monitors_new(const struct norn_plan_props *props, enum norn_watch_mode mode, struct norn_event_match *event_match,
        norn_peek *peek, struct norn_live_monitors **ret_machines);
void norn_live_monitors_free(struct norn_live_monitors *machines); /* no thread may be in it */

/* True if there is any property of this kind; if accesses to memory, and frees, matter to it. */
bool norn_live_monitors_any(const struct norn_live_monitors *machines);

struct norn_judge_scratch *norn_live_monitors_begin(struct norn_live_monitors *machines, struct norn_online_thread *self);
void norn_live_monitors_end(
        struct norn_live_monitors *machines, struct norn_online_thread *self, struct norn_judge_scratch *scratch);

/* An event with hits. */
void norn_live_monitors_event(struct norn_live_monitors *machines, struct norn_online_thread *self,
        struct norn_judge_scratch *scratch, const struct norn_event *event, struct norn_look *look);

/* An access to memory of interest: first the lock, then the access, then what it was. ranges: those that it touches. Between lock
 * and unlock of a thread there may be several accesses (the two sides of a copy). */
void norn_live_monitors_lock(struct norn_live_monitors *machines);
void norn_live_monitors_unlock(struct norn_live_monitors *machines);
/* Before an access: the run begins, if it has not. */
void norn_live_monitors_arrive(
        struct norn_live_monitors *machines, struct norn_online_thread *self, struct norn_judge_scratch *scratch);
/* Before a read: was there a write without a hook? look is scratch. */
void norn_live_monitors_before(struct norn_live_monitors *machines, struct norn_online_thread *self,
        struct norn_judge_scratch *scratch, const struct norn_event *event, const uint32_t *ranges, uint32_t count,
        struct norn_look *look);
void norn_live_monitors_access(struct norn_live_monitors *machines, struct norn_online_thread *self,
        struct norn_judge_scratch *scratch, const struct norn_event *event, const uint32_t *ranges, uint32_t count,
        struct norn_look *look);
/* ALLOC or FREE of a block. */
void norn_live_monitors_block(struct norn_live_monitors *machines, struct norn_online_thread *self,
        struct norn_judge_scratch *scratch, const struct norn_event *event);

/* The process ends. Nothing is judged from then on. */
void norn_live_monitors_finish(
        struct norn_live_monitors *machines, struct norn_online_thread *self, struct norn_judge_scratch *scratch);

struct norn_live_monitors_counts {
	uint64_t relevant; /* positions */
	bool complete; /* nothing was given up or doubtful */
};
void norn_live_monitors_count(struct norn_live_monitors *machines, struct norn_live_monitors_counts *ret_counts);

#endif
