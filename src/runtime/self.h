/* The thread that runs now, as the runtime sees it: what every file of this room uses to log.
 *
 * norn_self is the thread's slot (trace/session.h), NULL while it is not recorded (no recorder, recording failed, too early, or
 * too many threads). All functions here are safe to call then: they do nothing. They preserve errno. None of them allocates, takes
 * a lock that user code could hold, or calls an interposed function.
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

extern __thread struct norn_slot *norn_self __attribute__((tls_model("initial-exec")));
extern struct norn_session *norn_session; /* NULL: this process is not recorded */

/* ---- session.c: the process ---- */
void norn_session_attach(void); /* constructor; idempotent */
void norn_session_fork_child(
        void); /* in the child of fork(): leave the parent's session, open one of our own; this thread is "main" */

/* ---- self.c: threads ---- */
/* Reserves a number for a child of the current thread. */
uint32_t norn_thread_reserve(void);
/* The calling thread starts to be recorded as thread (a number from norn_thread_reserve, or NORN_NO_THREAD: take one), logs BEGIN
 * (with parent) and STACK. */
void norn_thread_attach(uint32_t thread, uint32_t parent);
/* Logs END, writes out what is in the buffer, gives the slot back. */
void norn_thread_detach(void);
uint32_t norn_thread_number(void); /* of the caller; NORN_NO_THREAD if not recorded */
/* Writes the caller's buffer to the trace now (before exec). */
void norn_flush(void);

/* ---- log.c: records other than accesses. site: __norn_call_site unless the caller knows better ---- */
/* A sync operation on object: gives its word a new version and logs. */
void norn_log_sync(enum norn_sync_op op, const void *object, uint64_t argument, uint32_t site);
void norn_log_thread(enum norn_thread_op op, uint32_t thread, uint64_t argument, uint32_t site);
void norn_log_alloc(enum norn_alloc_op op, const void *block, size_t bytes, uint32_t site); /* after the allocation */
void norn_log_free(const void *block, size_t bytes, uint32_t site); /* before it is given back; bytes: usable size */

/* ---- signal.c ---- */
void norn_deliver(void); /* pending signals of this thread, called when it leaves a hook */

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
	if (--self->busy == 0 && __builtin_expect(self->pending, 0))
		norn_deliver();
}

#endif
