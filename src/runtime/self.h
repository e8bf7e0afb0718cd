/* The thread that runs now, as the runtime sees it: what every file of this room uses to log.
 *
 * norn_self is the thread's slot (trace/session.h), NULL while it is not recorded (no recorder, too early, too late, or too many
 * threads). All functions here are safe to call then: they do nothing. They preserve errno. None of them allocates, takes a lock
 * that user code could hold, or calls an interposed function.
 *
 * Signals: a hook runs between norn_busy and norn_idle; an asynchronous signal that arrives meanwhile is kept back (signal.c)
 * and delivered by norn_idle. Blocking calls into libc must never happen in between. */
#ifndef NORN_RUNTIME_SELF_H
#define NORN_RUNTIME_SELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/record.h"
#include "trace/session.h"

/* For what hooks call only seldom: keeps their register promise, so that the hot path needs no spills. */
#define NORN_COLD __attribute__((preserve_most, cold, noinline))
#define NORN_ROOM 16u /* units free below every non-NULL limit: enough for any record but ranges, and what may come before it */

extern __thread struct norn_slot *norn_self __attribute__((tls_model("initial-exec")));
extern struct norn_session *norn_session; /* NULL: this process is not recorded */

/* ---- session_start.c: the process ---- */
void norn_session_attach(void); /* constructor; idempotent */
/* Is it code with hooks that called, as far as calls of others are known? */
bool norn_call_is_seen(void);
void norn_self_jumps(void); /* this thread calls longjmp */
/* Between the two, the caller calls code without hooks whose effects are only those that the caller records. */
uint32_t norn_call_hide(void);
void norn_call_show(uint32_t before);
/* This thread calls code that may do anything. */
void norn_call_unknown(void);
/* This thread calls a function without hooks of which all that matters is recorded. */
void norn_call_recorded(uint32_t site);
/* This process was forked, and is not judged: it counts itself there, in memory that is shared, until it becomes another
 * program. */
void norn_child_counts(_Atomic uint32_t *count);
/* Does a thread that is created at this site, to run this routine, begin with code with hooks? */
bool norn_call_begins_hooked(uintptr_t routine, uint32_t site);
/* The thread that runs begins with code without hooks: whatever that calls is a callback. */
void norn_self_begins_outside(void);
/* There is code of another version of norn cc in this process: it is not recorded any more. */
void norn_session_outdate(void);
void norn_session_fork_child(
        void); /* in the child of fork(): leave the parent's session, open one of our own; this thread is "main" */
int norn_session_write(const void *from, size_t bytes, uint64_t offset); /* to the trace; 0 or negative errno */
int norn_session_reserve(uint32_t slot); /* backs the slot's buffer with memory, so that no store to it can fail */
int norn_session_reserve_window(uint32_t place); /* likewise */

/* ---- file_window.c: what belongs at offset of the trace, reserved before; 0, or negative errno if writing has failed ---- */
int norn_window_put(const void *from, size_t bytes, uint64_t offset, uint32_t records);

/* ---- self.c: threads ---- */
/* Reserves a number for a child of the current thread. */
uint32_t norn_thread_reserve(void);
/* The calling thread starts to be recorded as thread (a number from norn_thread_reserve, or NORN_NO_THREAD: take one), logs BEGIN
 * (with parent) and STACK. */
void norn_thread_attach(uint32_t thread, uint32_t parent);
/* Logs END, writes out what is in the buffer, gives the slot back. */
void norn_thread_detach(void);
/* The caller is about to enter a sandbox (interpose/sandbox.c): writes out what is in the buffer; it is not recorded until it
 * resumes. If it is withdrawn it never is again, nor are threads that begin later. */
struct norn_slot *norn_thread_pause(void);
void norn_thread_resume(struct norn_slot *self);
void norn_thread_withdraw(struct norn_slot *self);
void norn_thread_give_up(struct norn_slot *self); /* the same of this thread alone, for any other reason */
bool norn_thread_is_sandboxed(void); /* the caller was withdrawn, or refused for that reason */
uint32_t norn_thread_number(void); /* of the caller; NORN_NO_THREAD if not recorded */
void norn_thread_forget(void); /* after fork: this thread has no slot yet */
/* A thread that did not come through pthread_create meets its first hook: record it from here on. */
NORN_COLD struct norn_slot *norn_busy_or_attach(void);

/* ---- flush.c: from the buffer to the file ---- */
/* Writes the caller's buffer to the trace now (before exec). */
void norn_flush(void);
void norn_flush_reset(void); /* after fork: no other thread is flushing */
/* Appends a block that is not of events: a module, a name. */
void norn_write_block(unsigned kind, const void *a, size_t a_bytes, const void *b, size_t b_bytes);

/* ---- log.c: records other than accesses. site: __norn_call_site unless the caller knows better ---- */
/* Room for units more units in the buffer of self, which is busy. Flushes when full, and adds a time stamp when the recorder asked
 * for one. Under an observer, no other thread is inside a hook from here on. False: recording has stopped, the record is counted as
 * lost. */
bool norn_room(struct norn_slot *self, unsigned units);
/* A sync operation on object: gives its word a new version and logs. */
void norn_log_sync(enum norn_sync_op op, const void *object, uint64_t argument, uint32_t site);
void norn_log_thread(enum norn_thread_op op, uint32_t thread, uint64_t argument, uint32_t site);
void norn_log_back(enum norn_back how, uint32_t site);
void norn_log_alloc(enum norn_alloc_op op, const void *block, size_t bytes, uint32_t site); /* after the allocation */
void norn_log_large_free(void); /* a free of more than can have versions: allocations that follow are to have time stamps */
void norn_log_free(const void *block, size_t bytes, uint32_t site); /* before it is given back; bytes: usable size */
void norn_log_mark(enum norn_mark_op op, uint32_t name, uint64_t value, uint32_t site);

/* ---- loaded_units.c ---- */
void norn_modules_write(void); /* after fork: describe all loaded modules in the new trace */

/* ---- mark.c ---- */
/* The name of a mark by its number, NULL if there is none; not NUL-terminated. */
const char *norn_name_text(uint32_t number, size_t *ret_length);
void norn_names_write(void); /* after fork: likewise the names known so far */

/* ---- thread.c ---- */
void norn_thread_attached(void); /* the caller is recorded from now on: notice its end, let its joiner know its number */

/* ---- signal.c ---- */
void norn_deliver(void); /* pending work of this thread, when it leaves a hook: signals, messages to the observer */
NORN_COLD void norn_deliver_from_hook(void); /* the same, from hooks */

/* A synchronous signal inside a hook: give up the cells that self holds, and take them again when the handler returned. The
 * number of cells is in norn_locked_cells. */
extern __thread uint32_t norn_locked_cells __attribute__((tls_model("initial-exec")));
void norn_unlock_cell(struct norn_slot *self);
void norn_relock_cell(struct norn_slot *self, uint64_t *cell, uint32_t cells);
/* Likewise for the page of addr: whether the hook may touch its cells without a lock, and the same right again. */
bool norn_page_alone(const struct norn_slot *self, const void *addr);
void norn_page_regain(struct norn_slot *self, const void *addr, bool alone);

static inline struct norn_slot *norn_busy(void)
{
	struct norn_slot *self = norn_self;
	if (self) {
		self->busy++;
		__asm__ volatile("" ::: "memory");
	}
	return self;
}

static inline void norn_idle(struct norn_slot *self)
{
	if (!self)
		return;
	__asm__ volatile("" ::: "memory");
	if (--self->busy == 0 && __builtin_expect(self->pending.any, 0))
		norn_deliver();
}

/* The hook has left its hot path, and what follows may not be a hook's end: what has come meanwhile is not to wait. */
static inline void norn_catch_up(void)
{
	const struct norn_slot *self = norn_self;
	if (self && !self->busy && __builtin_expect(self->pending.any, 0))
		norn_deliver();
}

/* Publishes a record of units units that was written at self->pos. */
static inline void norn_append(struct norn_slot *self, unsigned units)
{
	__asm__ volatile("" ::: "memory");
	self->pos += units;
	__asm__ volatile("" ::: "memory");
}

/* The thread begins to wait for something, perhaps for ever (trace/session.h); and it is back. Costs a few stores: the recorder
 * looks at them when the process is gone. */
static inline void norn_waits(enum norn_waiting waiting, const void *object, uint64_t argument, uint32_t site)
{
	struct norn_slot *self = norn_self;
	if (!self)
		return;
	self->wait.object = (uintptr_t)object;
	self->wait.argument = argument;
	self->wait.site = site;
	__asm__ volatile("" ::: "memory");
	self->wait.waiting = waiting;
}

static inline void norn_waited(void)
{
	struct norn_slot *self = norn_self;
	if (self)
		self->wait.waiting = NORN_WAITING_NOT;
}

/* The thread ends: it leaves all frames that it is still in. call.c. */
void norn_self_leave(void);
void norn_self_exits(void); /* the thread calls pthread_exit */
/* The thread goes to another context, or has come to one: which functions are active there is not known. */
NORN_COLD void norn_self_switches(void);

#endif
