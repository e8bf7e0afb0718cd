/* Shared by the files of interposed functions.
 *
 * An interposed function reads its site (__norn_call_site) first, calls the real function, and logs: an acquire after it succeeded,
 * a release before it is done, so that the records of one object are stamped while the thread owns it. Results and errno are those
 * of the real function. A thread that is not recorded (norn_self is NULL) goes straight to the real one. */
#ifndef NORN_RUNTIME_INTERPOSE_INTERPOSE_H
#define NORN_RUNTIME_INTERPOSE_INTERPOSE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/hooks.h"
#include "runtime/real.h"
#include "runtime/self.h"

/* ---- thread.c ---- */
void norn_thread_sends_at_end(void); /* when the caller has ended, it writes memory unseen that tells others to go on */
/* The kernel's id of this thread, as the lock words of glibc hold it. Cached: glibc, too, asks only once. */
pid_t norn_thread_tid(void);
/* The number of the thread that handle names, NORN_NO_THREAD if it is not recorded. The handle must not have been joined yet. */
uint32_t norn_thread_of(pthread_t handle);
void norn_thread_fork_child(void);

/* A thread to be created, handed from the creator to the new thread. */
struct norn_launch;
/* Reserves a number and logs FORK; NULL if the thread cannot be recorded: create it as if Norn were not there. */
struct norn_launch *norn_launch_new(pthread_t *created, uintptr_t routine, void *argument, uint32_t site);
/* Blocks all signals for the creation, so that none reaches the new thread before it is recorded. The new thread gets the caller's
 * mask, or that of attr. Returns the caller's. */
sigset_t norn_launch_block(struct norn_launch *launch, const pthread_attr_t *attr);
/* After the creation, result 0 if it succeeded. Gives up the creator's hold on launch. */
void norn_launch_done(struct norn_launch *launch, int result, pthread_t handle, uint32_t site);
struct norn_start {
	void *(*posix)(void *); /* one of the two */
	thrd_start_t c11;
	void *argument;
};
struct norn_start *norn_launch_start(struct norn_launch *launch);
/* In the new thread: begins its recording and returns what to run. */
struct norn_start norn_launch_begin(struct norn_launch *launch);

/* ---- futex.c: around syscall(SYS_futex, word, op, …) ---- */
void norn_futex_before(long word, long op, uint32_t site);
void norn_futex_after(long word, long op, uint32_t site);

/* ---- sandbox.c ---- */
long norn_sandbox_call(long number, const long *a); /* prctl or seccomp; the result, or a negative errno */

/* ---- mmap.c ---- */
bool norn_memory_is_shared(const void *memory); /* may another process have it, too? */

/* ---- mutex.c; mtx_t is a pthread_mutex_t within ---- */
/* Will unlocking, or waiting with, this mutex give it up? No if the caller does not own it or holds it more than once. */
bool norn_mutex_releases(const pthread_mutex_t *mutex);
enum norn_lock_kind norn_mutex_kind(const pthread_mutex_t *mutex); /* for its ACQUIRE */
bool norn_mutex_is_shared(const pthread_mutex_t *mutex); /* with other processes, which may have it, too */
/* Logs that the caller got mutex; nothing if it had it already. */
void norn_mutex_acquired(const pthread_mutex_t *mutex, uint32_t site);

/* Replay (replay.h): the caller is about to lock mutex. One that is recursive, and the caller's already, is no event. */
uint32_t norn_mutex_step(const pthread_mutex_t *mutex, uint32_t site);

/* ---- resource.c ---- */
void norn_resource_looked(uint32_t resources, uint32_t site); /* an interposed function has read these */

/* ---- mmap.c ---- */
struct stat;
bool norn_is_mapped(const struct stat *file); /* and shared: a reader of it may read what was written to memory */

/* ---- cond.c ---- */
struct norn_wait {
	const void *cond;
	const pthread_mutex_t *mutex;
	uint32_t site;
	bool open; /* the wait has begun and not ended */
	bool given; /* norn_wait_replayed: the mutex is to be taken back */
	/* NULL: POSIX's. Otherwise the mutex is a library's, and only its address means something here */
	int (*lock)(pthread_mutex_t *), (*unlock)(pthread_mutex_t *);
	bool shared; /* with other processes */
	bool alone, replayed; /* a library's: not replayed; waited for by norn_wait_replayed */
	uint32_t count, place; /* norn_cond_count and norn_cond_sleep, before the mutex is given up */
	uint32_t stop; /* a step that is a stop of a deadlock, in which the thread is to sleep; 0: none */
};
/* A wait on cond begins, for some time only if it is timed: logs WAIT_BEGIN and the mutex's RELEASE. Does nothing if the wait will
 * fail for want of the mutex. */
void norn_wait_begin(struct norn_wait *wait, const void *cond, const pthread_mutex_t *mutex, bool timed, uint32_t site);
/* The same with a mutex of a library's, which the caller holds. lock, unlock: for norn_wait_replayed; or NULL. */
void norn_wait_begin_with(struct norn_wait *wait, const void *cond, const void *mutex, int (*lock)(pthread_mutex_t *),
        int (*unlock)(pthread_mutex_t *), bool timed, uint32_t site);
/* It ended. acquired: the caller has the mutex again. */
void norn_wait_end(struct norn_wait *wait, bool acquired, bool woken);
/* For __attribute__((cleanup)): the wait was cancelled. libc has taken the mutex again before it unwinds to here. */
void norn_wait_cancelled(struct norn_wait *wait);
/* In place of libc's wait, where the program replays (replay_cond.h): the result of a wait, whose mutex the caller has again.
 * until: NULL, or on which clock. */
int norn_wait_replayed(struct norn_wait *wait, clockid_t clock, const struct timespec *until);

/* For __attribute__((cleanup)) of waits that are cancellation points: the caller waits no longer, however it came back. */
static inline void norn_wait_over(const char *unused)
{
	norn_waited();
}
#define NORN_WAITS(waiting, object, argument, site)                                                                                \
	__attribute__((cleanup(norn_wait_over), unused)) const char waits = 0;                                                     \
	norn_waits(waiting, object, argument, site)

/* ---- once.c ---- */
/* Runs real(control, wrapped routine); logs. real: pthread_once or call_once, made alike. */
int norn_once(void *control, void (*routine)(void), int (*real)(void *, void (*)(void)), uint32_t site);

/* ---- semaphore.c, signal.c: in the child of a fork, where no other thread is left to give up their locks ---- */
void norn_semaphore_fork_child(void);
void norn_signal_fork_child(void);
/* The program has handlers of signals: one may post a semaphore, which is all that handlers may do for threads that wait. */
extern atomic_bool norn_signal_handled;

#endif
