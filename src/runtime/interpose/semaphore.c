/* POSIX semaphores, unnamed and named. A post is logged before the call, a wait after it: the wait that a post releases is logged
 * later. */
#include "runtime/interpose/interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

#include "runtime/interpose/kernel_channel.h"
#include "runtime/replay/replay.h"
#include "runtime/sys.h"

/* There are some that other processes may use: one may pass on through a second what it was told through a first. */
static atomic_bool between_processes;

static int waited(int result, sem_t *sem, uint32_t site, uint32_t step)
{
	if (!norn_self)
		return result;
	if (result == 0) {
		norn_log_sync(NORN_SYNC_SEM_WAIT, sem, 0, site);
		norn_channel_call_receives(atomic_load_explicit(&between_processes, memory_order_relaxed), site);
	} else if (errno == EAGAIN || errno == ETIMEDOUT)
		norn_log_sync(NORN_SYNC_SEM_TRY_FAILED, sem, 0, site);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int sem_wait(sem_t *sem)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_blocking(NORN_OPERATION_TAKE, site, sem);
	bool others = atomic_load_explicit(&between_processes, memory_order_relaxed) ||
	              atomic_load_explicit(&norn_signal_handled, memory_order_relaxed);
	NORN_WAITS(others ? NORN_WAITING_NOT : NORN_WAITING_SEM, sem, 0, site);
	int result = REAL(sem_wait)(sem);
	norn_waited();
	return waited(result, sem, site, step);
}

NORN_EXPORT int sem_trywait(sem_t *sem)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_TAKE, site, sem);
	return waited(REAL(sem_trywait)(sem), sem, site, step);
}

NORN_EXPORT int sem_timedwait(sem_t *sem, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_TAKE, site, sem);
	return waited(REAL(sem_timedwait)(sem, until), sem, site, step);
}

NORN_EXPORT int sem_clockwait(sem_t *sem, clockid_t clock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_TAKE, site, sem);
	return waited(REAL(sem_clockwait)(sem, clock, until), sem, site, step);
}

NORN_EXPORT int sem_post(sem_t *sem)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_POST, site, sem);
	if (norn_self) {
		norn_channel_call_sends(atomic_load_explicit(&between_processes, memory_order_relaxed));
		norn_log_sync(NORN_SYNC_SEM_POST, sem, 0, site);
	}
	int result = REAL(sem_post)(sem);
	norn_step_end(step);
	return result;
}

/* The value of one that other processes may change cannot be told from what this one does: it just begins. */
static void begin(sem_t *sem, bool shared, unsigned value, uint32_t site)
{
	if (shared) {
		atomic_store_explicit(&between_processes, true, memory_order_relaxed);
		norn_log_sync(NORN_SYNC_CREATE, sem, NORN_LOCK_SEM, site);
	} else {
		norn_log_sync(NORN_SYNC_SEM_INIT, sem, value, site);
	}
}

NORN_EXPORT int sem_init(sem_t *sem, int shared, unsigned value)
{
	uint32_t site = __norn_call_site;
	int result = REAL(sem_init)(sem, shared, value);
	if (norn_self && result == 0)
		begin(sem, shared && norn_memory_is_shared(sem), value, site);
	return result;
}

NORN_EXPORT int sem_destroy(sem_t *sem)
{
	uint32_t site = __norn_call_site;
	int result = REAL(sem_destroy)(sem);
	if (norn_self && result == 0)
		norn_log_sync(NORN_SYNC_DESTROY, sem, NORN_LOCK_SEM, site);
	return result;
}

/* ---- named semaphores ----
 *
 * Opening a name that this process has open already gives the same address again and counts; only the first open begins the object,
 * only the last close ends it. The names open at once are few: beyond NAMED, an open is not logged.
 * The lock is held for a few instructions, with signals deferred while the thread is recorded, which it is whenever we get here. */
#define NAMED 256u
static struct named {
	sem_t *sem;
	unsigned opened;
} named[NAMED];
static atomic_flag named_lock = ATOMIC_FLAG_INIT;

/* Adds change to the count of sem's opens; returns whether the object begins or ends by that. */
static bool count_open(sem_t *sem, int change)
{
	struct norn_slot *self = norn_busy();
	for (unsigned waits = 0; atomic_flag_test_and_set_explicit(&named_lock, memory_order_acquire); waits++)
		norn_sys_yield(waits);
	struct named *found = NULL;
	for (struct named *n = named; n < named + NAMED; n++) {
		if (n->opened && n->sem == sem) {
			found = n;
			break;
		}
		if (!n->opened && change > 0 && !found)
			found = n;
	}
	bool turned = false;
	if (found) {
		found->sem = sem;
		turned = found->opened == (change > 0 ? 0u : 1u);
		found->opened += change;
	}
	atomic_flag_clear_explicit(&named_lock, memory_order_release);
	norn_idle(self);
	return turned;
}

void norn_semaphore_fork_child(void)
{
	atomic_flag_clear(&named_lock);
}

NORN_EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
	uint32_t site = __norn_call_site;
	sem_t *sem;
	if (flags & O_CREAT) {
		va_list arguments;
		va_start(arguments, flags);
		mode_t mode = va_arg(arguments, mode_t);
		unsigned value = va_arg(arguments, unsigned);
		va_end(arguments);
		sem = REAL(sem_open)(name, flags, mode, value);
	} else {
		sem = REAL(sem_open)(name, flags);
	}
	if (norn_self && sem != SEM_FAILED && count_open(sem, 1))
		begin(sem, true, 0, site);
	return sem;
}

NORN_EXPORT int sem_close(sem_t *sem)
{
	uint32_t site = __norn_call_site;
	if (norn_self && count_open(sem, -1))
		norn_log_sync(NORN_SYNC_DESTROY, sem, NORN_LOCK_SEM, site);
	return REAL(sem_close)(sem);
}
