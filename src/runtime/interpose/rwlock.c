/* Readers-writer locks and spinlocks. */
#include "runtime/interpose/interpose.h"

#include <errno.h>

#include "runtime/interpose/kernel_channel.h"
#include "runtime/replay/replay.h"
#include "runtime/sys.h"
#include "runtime/watch/watch_lock.h"

/* Spinlocks do not say it of themselves: there are some that other processes may use. */
static atomic_bool spins_are_shared;

static bool is_shared(const void *lock, enum norn_lock_kind kind)
{
	bool shared = kind == NORN_LOCK_SPIN ? atomic_load_explicit(&spins_are_shared, memory_order_relaxed)
	                                     : ((const pthread_rwlock_t *)lock)->__data.__shared != 0;
	return shared && norn_memory_is_shared(lock);
}

/* As glibc keeps what pthread_rwlockattr_setkind_np asked for. */
static bool prefers_writers(const void *lock, enum norn_lock_kind kind)
{
	return kind == NORN_LOCK_RWLOCK &&
	       ((const pthread_rwlock_t *)lock)->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static int locked(int result, enum norn_sync_op op, const void *lock, enum norn_lock_kind kind, uint32_t site, uint32_t step)
{
	if (!norn_self)
		return result;
	if (result == 0) {
		norn_log_lock(op, lock, prefers_writers(lock, kind) ? NORN_LOCK_WRITERS : kind, site);
		norn_channel_call_receives(is_shared(lock, kind), site);
	} else if (result == EBUSY || result == ETIMEDOUT) {
		norn_log_sync(NORN_SYNC_TRY_FAILED, lock, kind, site);
	}
	norn_step_end(step);
	return result;
}

static int made(int result, enum norn_sync_op op, const void *lock, enum norn_lock_kind kind, uint32_t site)
{
	if (norn_self && result == 0)
		norn_log_sync(op, lock, kind, site);
	return result;
}

/* ---- readers-writer locks ---- */

NORN_EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attr)
{
	uint32_t site = __norn_call_site;
	return made(REAL(pthread_rwlock_init)(lock, attr), NORN_SYNC_CREATE, lock, NORN_LOCK_RWLOCK, site);
}

NORN_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *lock)
{
	uint32_t site = __norn_call_site;
	return made(REAL(pthread_rwlock_destroy)(lock), NORN_SYNC_DESTROY, lock, NORN_LOCK_RWLOCK, site);
}

/* In a replay: who is to wait for ever for a lock that it may well have, because of a writer that waits, comes after that writer,
 * which glibc notes in the lock. */
static void await_writer(const pthread_rwlock_t *lock, uint32_t step)
{
	const unsigned writer_waits = 2; /* PTHREAD_RWLOCK_WRLOCKED */
	for (unsigned waits = 0; waits < 1u << 20 && norn_replay_is_stuck(step); waits++) {
		if (__atomic_load_n(&lock->__data.__readers, __ATOMIC_ACQUIRE) & writer_waits)
			return;
		norn_sys_yield(waits);
	}
}

NORN_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, lock);
	if (step && prefers_writers(lock, NORN_LOCK_RWLOCK))
		await_writer(lock, step);
	norn_waits(NORN_WAITING_SHARED, lock, NORN_LOCK_RWLOCK, site);
	int result = REAL(pthread_rwlock_rdlock)(lock);
	norn_waited();
	return locked(result, NORN_SYNC_ACQUIRE_SHARED, lock, NORN_LOCK_RWLOCK, site, step);
}

NORN_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, lock);
	return locked(REAL(pthread_rwlock_tryrdlock)(lock), NORN_SYNC_ACQUIRE_SHARED, lock, NORN_LOCK_RWLOCK, site, step);
}

NORN_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, lock);
	return locked(REAL(pthread_rwlock_timedrdlock)(lock, until), NORN_SYNC_ACQUIRE_SHARED, lock, NORN_LOCK_RWLOCK, site, step);
}

NORN_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, lock);
	return locked(
	        REAL(pthread_rwlock_clockrdlock)(lock, clock, until), NORN_SYNC_ACQUIRE_SHARED, lock, NORN_LOCK_RWLOCK, site, step);
}

NORN_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, lock);
	norn_waits(NORN_WAITING_LOCK, lock, NORN_LOCK_RWLOCK, site);
	int result = REAL(pthread_rwlock_wrlock)(lock);
	norn_waited();
	return locked(result, NORN_SYNC_ACQUIRE, lock, NORN_LOCK_RWLOCK, site, step);
}

NORN_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, lock);
	return locked(REAL(pthread_rwlock_trywrlock)(lock), NORN_SYNC_ACQUIRE, lock, NORN_LOCK_RWLOCK, site, step);
}

NORN_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, lock);
	return locked(REAL(pthread_rwlock_timedwrlock)(lock, until), NORN_SYNC_ACQUIRE, lock, NORN_LOCK_RWLOCK, site, step);
}

NORN_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, lock);
	return locked(REAL(pthread_rwlock_clockwrlock)(lock, clock, until), NORN_SYNC_ACQUIRE, lock, NORN_LOCK_RWLOCK, site, step);
}

/* glibc notes the writer's thread id in the lock and, like us, goes by it to tell which kind of unlock this is. */
NORN_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_UNLOCK, site, lock);
	if (norn_self) {
		norn_channel_call_sends(is_shared(lock, NORN_LOCK_RWLOCK));
		bool writer = __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) == norn_thread_tid();
		norn_log_lock(writer ? NORN_SYNC_RELEASE : NORN_SYNC_RELEASE_SHARED, lock, NORN_LOCK_RWLOCK, site);
	}
	int result = REAL(pthread_rwlock_unlock)(lock);
	norn_step_end(step);
	return result;
}

/* ---- spinlocks ---- */

NORN_EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	uint32_t site = __norn_call_site;
	if (shared == PTHREAD_PROCESS_SHARED)
		atomic_store_explicit(&spins_are_shared, true, memory_order_relaxed);
	return made(REAL(pthread_spin_init)(lock, shared), NORN_SYNC_CREATE, (const void *)lock, NORN_LOCK_SPIN, site);
}

NORN_EXPORT int pthread_spin_destroy(pthread_spinlock_t *lock)
{
	uint32_t site = __norn_call_site;
	return made(REAL(pthread_spin_destroy)(lock), NORN_SYNC_DESTROY, (const void *)lock, NORN_LOCK_SPIN, site);
}

NORN_EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, (const void *)lock);
	norn_waits(NORN_WAITING_LOCK, (const void *)lock, NORN_LOCK_SPIN, site);
	int result = REAL(pthread_spin_lock)(lock);
	norn_waited();
	return locked(result, NORN_SYNC_ACQUIRE, (const void *)lock, NORN_LOCK_SPIN, site, step);
}

NORN_EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin_lock(site, (const void *)lock);
	return locked(REAL(pthread_spin_trylock)(lock), NORN_SYNC_ACQUIRE, (const void *)lock, NORN_LOCK_SPIN, site, step);
}

NORN_EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_UNLOCK, site, (const void *)lock);
	norn_channel_call_sends(is_shared((const void *)lock, NORN_LOCK_SPIN));
	if (norn_self)
		norn_log_lock(NORN_SYNC_RELEASE, (const void *)lock, NORN_LOCK_SPIN, site);
	int result = REAL(pthread_spin_unlock)(lock);
	norn_step_end(step);
	return result;
}
