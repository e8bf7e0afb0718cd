/* Algorithm A inside the program: relevant events and their clocks, for an observer (NORN_OPTIONS=observer=…, docs/observer.md).
 *
 * While the process is observed every hook takes the slow path, since no slot's limit is ever set (norn_room), and so comes here:
 * norn_room enters, which takes the observer's one lock; the hook performs its access and appends its records as usual; when the
 * hook ends (slot.pending.observer), the records are processed, one after the other: the clocks are updated, and a
 * relevant event becomes a message. Then the lock is let go. So an event and its clocks are one indivisible step, and the order in
 * which steps are made is the order of the events.
 *
 * One lock, not one for each word: clocks are shared among thousands of variables (causality/clock.h), fork, join and barriers
 * touch several at once, and what a message costs is far above an uncontended lock. Programs lose their parallelism by it, as under
 * valgrind. It is taken before any cell is locked; no page of the shadow has an owner (norn_shadow_share), so no thread waits for a
 * hook's end.
 *
 * When the observer is gone, or the process has said goodbye, hooks go back to their hot path. */
#ifndef NORN_RUNTIME_OBSERVE_OBSERVE_H
#define NORN_RUNTIME_OBSERVE_OBSERVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct norn_slot;
struct norn_site_table;

extern bool norn_observing; /* set once, before the first thread is attached; cleared in the child of a fork */

/* Constructor: looks for an observer in the environment, and connects to it. recorded: there is a recorder, too.
 * True if the process is observed from now on. */
bool norn_observe_start(bool recorded);

/* The hook of self, which is busy, is about to append records. False: no observer is connected (any more). */
bool norn_observe_enter(struct norn_slot *self);
/* The hook is done, or is interrupted for a while by a signal handler of the program. */
void norn_observe_leave(struct norn_slot *self);

/* An instrumented translation unit was loaded. */
void norn_observe_module(uint32_t base, uintptr_t load, const char *path, const struct norn_site_table *table, size_t table_bytes);
/* Self, which is busy, has a name. */
void norn_observe_name(struct norn_slot *self, const char *name, size_t length);
/* The caller, which is in no hook, is about to wait for the end of a thread. */
void norn_observe_wait(uint32_t joined);
/* The process ends: says goodbye, and waits a little until all is sent. */
void norn_observe_exit(int status);
void norn_observe_flush(void); /* before exec */
void norn_observe_tick(void); /* from the sender, now and then */
void norn_observe_fork_child(void);

#endif
