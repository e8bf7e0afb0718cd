/* Watch mode: monitors inside the program (`norn watch`, NORN_OPTIONS=prop=FILE; docs/monitoring.md).
 *
 * A watched process writes no records. Its hooks take their slow way, since no slot's limit is ever set (norn_room refuses), and
 * come here. Those that no property names cost a load or two; the rest becomes an event (trace/event.h) and goes to the machines
 * and engines (live_monitors.h, engine/engine.h). Verdicts wait in their thread until the hook is over (slot.pending.watch): then
 * they are told, and their actions run.
 *
 * Locks, in this order: those of machines (one for each file of properties), then a word's cell. None is held while the program's
 * code runs. A forked child is not watched, nor is what it or this process execs: the command is told that they are there. */
#ifndef NORN_RUNTIME_WATCH_WATCH_H
#define NORN_RUNTIME_WATCH_WATCH_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record.h"

struct norn_prepared_events;
struct norn_slot;
struct norn_site_table;

/* For what hooks call: keeps their register promise. */
#define NORN_QUIET __attribute__((preserve_most, noinline))

/* No property reads addresses outside of these bytes; hooks only perform scalar accesses there. All bytes, unless the process is
 * watched. */
extern _Atomic uint64_t norn_watch_low, norn_watch_span;
extern bool norn_watching; /* set once, before the first thread is attached; cleared in the child of a fork */

/* Constructor: looks for a plan in the environment. */
bool norn_watch_start(void);
void norn_watch_module(uint32_t base, uintptr_t load, const char *path, const struct norn_site_table *table);

/* The relevance of a site to the thread: calls and returns that it need not look at, ever (skips) or as long as *what is `is`
 * (watch_quick.c). */
#define NORN_QUICK 32u
enum norn_quick_side { NORN_QUICK_ENTER, NORN_QUICK_LEAVE, NORN_QUICK_SIDES };
struct norn_quick {
	uint32_t key; /* 1 + site; 0: none */
	uint8_t skips; /* a bit per side */
	bool frames; /* it must be known which calls are not over */
	_Atomic uint64_t *what[NORN_QUICK_SIDES];
	uint64_t is[NORN_QUICK_SIDES];
	uint64_t passed; /* events that changed nothing */
	struct norn_prepared_events *prepared; /* per side */
};
/* The thread's table, in its watcher: thread-local memory is scarce for libraries that a running program loads. Without a
 * watcher, one that stays empty. */
extern __thread struct norn_quick *norn_quick __attribute__((tls_model("initial-exec")));

/* True if the call or return changes nothing, as far as is known. */
static inline __attribute__((always_inline)) bool norn_quick_passes(uint32_t site, enum norn_quick_side side)
{
	struct norn_quick *q = &norn_quick[site % NORN_QUICK];
	if (q->key != site + 1)
		return false;
	if (q->skips >> side & 1)
		return true;
	if (atomic_load_explicit(q->what[side], memory_order_acquire) != q->is[side])
		return false;
	q->passed++;
	return true;
}

/* Its effect on monitors happens here; false: that takes norn_watch_unit. The caller is busy. */
NORN_QUIET bool norn_quick_enter(uint32_t site);
NORN_QUIET bool norn_quick_leave(uint32_t site);

/* Calls: a record as call.c makes it. */
void norn_watch_unit(uint64_t first, uint64_t second);
void norn_watch_sync(enum norn_sync_op op, const void *object, uint32_t site);
/* argument: of a FORK, where the thread's start routine is. */
void norn_watch_thread(enum norn_thread_op op, uint32_t thread, uint64_t argument, uint32_t site);
void norn_watch_mark(enum norn_mark_op op, const char *name, long long value, uint32_t site);
void norn_watch_name(const char *name, size_t length);
void norn_watch_block(bool frees, unsigned op, const void *block, size_t bytes, uint32_t site);

/* Accesses: performed here. */
uint64_t norn_watch_read(const void *addr, unsigned bytes, uint32_t site);
void norn_watch_write(void *addr, uint64_t value, unsigned bytes, uint32_t site);
/* to may be NULL: the program's instruction reads by itself. */
void norn_watch_read_range(void *to, const void *from, size_t bytes, uint32_t site);
void norn_watch_write_range(void *to, const void *from, size_t bytes, uint32_t site);
void norn_watch_filled(const void *at, size_t bytes, uint32_t site); /* libc has written these for the program */
void norn_watch_copy(void *to, const void *from, size_t bytes, uint32_t site);
void norn_watch_set(void *to, int byte, size_t bytes, uint32_t site);
void norn_watch_rmw_begin(void *addr, uint32_t bytes, uint32_t site);
void norn_watch_rmw_end(void *addr, uint32_t bytes, uint32_t site, bool wrote);

/* The hook of self is over: verdicts that wait. */
void norn_watch_deliver(struct norn_slot *self);
void norn_watch_unwound(uint32_t depth); /* of this thread's frames that many are left */
/* A handler of the program's runs in the middle of a hook, for a fault of the access: locks are let go, and taken again. */
void norn_watch_interrupted(void);
void norn_watch_resumed(void);

void norn_watch_exit(int status);
void norn_watch_exec(void); /* before it */
void norn_watch_withdraw(void); /* the caller enters a sandbox, in which it is not watched; makes no system call */
void norn_watch_fork_child(void);

#endif
