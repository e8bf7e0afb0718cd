/* Machines: properties in ptLTL, LTL, expressions and automata, stepped inside the program at each relevant event.
 *
 * Global: one machine for all threads (for `per`, one for each value of the keys), under one lock that also covers the access itself, so that the order
 * of steps is the order of the events; what `norn check` says of the observed order, said while it happens. Thread: one for
 * each thread, which sees the events of that thread alone, and no lock, unless values of variables are needed.
 *
 * Where an atom's value is unknown a machine may be in several states at once (monitor/states.h). Only what holds in all of them is said. */
#ifndef NORN_ONLINE_MACHINES_H
#define NORN_ONLINE_MACHINES_H

#include "online/lens.h"
#include "online/values.h"
#include "online/verdict.h"

struct norn_machines;
struct norn_bench; /* a thread's own */

int norn_machines_new(const struct norn_plan_law *law, enum norn_watch_mode mode, struct norn_lens *lens, norn_peek *peek,
        struct norn_machines **ret_machines);
void norn_machines_free(struct norn_machines *machines); /* no thread may be in it */

/* Whether there is any property of this kind; whether accesses to memory, and frees, matter to it. */
bool norn_machines_any(const struct norn_machines *machines);

struct norn_bench *norn_machines_begin(struct norn_machines *machines, struct norn_online_thread *self);
void norn_machines_end(struct norn_machines *machines, struct norn_online_thread *self, struct norn_bench *bench);

/* An event with hits. */
void norn_machines_event(struct norn_machines *machines, struct norn_online_thread *self, struct norn_bench *bench,
        const struct norn_event *event, struct norn_look *look);

/* An access to memory of interest: first the lock, then the access, then what it was. zones: those that it touches. Between lock and unlock of a thread
 * there may be several accesses (the two sides of a copy). */
void norn_machines_lock(struct norn_machines *machines);
void norn_machines_unlock(struct norn_machines *machines);
/* Before an access: the run begins, if it has not. */
void norn_machines_arrive(
        struct norn_machines *machines, struct norn_online_thread *self, struct norn_bench *bench, struct norn_look *look);
/* Before a read: was there a write that nobody saw? look is scratch. */
void norn_machines_before(struct norn_machines *machines, struct norn_online_thread *self, struct norn_bench *bench,
        const struct norn_event *event, const uint32_t *zones, uint32_t count, struct norn_look *look);
void norn_machines_access(struct norn_machines *machines, struct norn_online_thread *self, struct norn_bench *bench,
        const struct norn_event *event, const uint32_t *zones, uint32_t count, struct norn_look *look);
/* ALLOC or FREE of a block. */
void norn_machines_block(
        struct norn_machines *machines, struct norn_online_thread *self, struct norn_bench *bench, const struct norn_event *event);

/* The process ends. Nothing is judged from then on. */
void norn_machines_finish(struct norn_machines *machines, struct norn_online_thread *self, struct norn_bench *bench);

struct norn_machines_counts {
	uint64_t relevant; /* positions */
	bool complete; /* nothing was given up or doubtful */
};
void norn_machines_count(struct norn_machines *machines, struct norn_machines_counts *ret_counts);

#endif
