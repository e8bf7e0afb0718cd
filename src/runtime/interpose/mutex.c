/* Mutexes of all kinds, through POSIX.
 *
 * The mutex itself has its count and owner: glibc keeps kind, count and owner in fields that its ABI fixes
 * (PTHREAD_MUTEX_INITIALIZER spells them out). They are read only while the caller owns the mutex, or to learn whether it does:
 * another thread cannot make __owner equal to the caller's id. A count of its own for each thread would have to find the mutex
 * again in some table, and would be wrong for a mutex that was locked by code that ran before it was recorded. */
#include "runtime/interpose/interpose.h"

#include <errno.h>
#include <stdatomic.h>

#include "runtime/interpose/kernel_channel.h"
#include "runtime/replay/replay.h"
#include "runtime/watch/watch_lock.h"

/* Bits of __kind, as glibc's PTHREAD_*_NP constants and nptl/pthreadP.h have them. */
enum { KIND_TYPE = 3, KIND_ROBUST = 16, KIND_INHERIT = 32, KIND_SHARED = 128, OWNER_BITS = 0x3fffffff };

static bool held_by_caller(const pthread_mutex_t *mutex)
{
	int kind = __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
	if (kind & (KIND_ROBUST | KIND_INHERIT))
		return (__atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) & OWNER_BITS) == norn_thread_tid();
	int type = kind & KIND_TYPE;
	if (type == PTHREAD_MUTEX_RECURSIVE || type == PTHREAD_MUTEX_ERRORCHECK)
		return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) == norn_thread_tid();
	return true; /* unlocking does not ask for the owner */
}

/* The caller owns mutex: once? */
static bool outermost(const pthread_mutex_t *mutex)
{
	return (mutex->__data.__kind & KIND_TYPE) != PTHREAD_MUTEX_RECURSIVE || mutex->__data.__count == 1;
}

bool norn_mutex_releases(const pthread_mutex_t *mutex)
{
	return held_by_caller(mutex) && outermost(mutex);
}

enum norn_lock_kind norn_mutex_kind(const pthread_mutex_t *mutex)
{
	return __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & KIND_ROBUST ? NORN_LOCK_ROBUST : NORN_LOCK_MUTEX;
}

void norn_mutex_acquired(const pthread_mutex_t *mutex, uint32_t site)
{
	if (!outermost(mutex))
		return;
	norn_log_lock(NORN_SYNC_ACQUIRE, mutex, norn_mutex_kind(mutex), site);
	norn_channel_call_receives(norn_mutex_is_shared(mutex), site);
}

/* glibc marks all that are robust as shared; nobody else has those that lie in memory of this process alone. */
bool norn_mutex_is_shared(const pthread_mutex_t *mutex)
{
	return __atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & KIND_SHARED && norn_memory_is_shared(mutex);
}

__attribute__((noinline)) uint32_t norn_mutex_step(const pthread_mutex_t *mutex, uint32_t site)
{
	if (!norn_replaying)
		return 0;
	bool recursive = (mutex->__data.__kind & KIND_TYPE) == PTHREAD_MUTEX_RECURSIVE;
	return recursive && held_by_caller(mutex) ? 0 : norn_step_begin_lock(site, mutex);
}

static inline uint32_t step_of(const pthread_mutex_t *mutex, uint32_t site)
{
	return __builtin_expect(norn_replaying, 0) ? norn_mutex_step(mutex, site) : 0;
}

/* The common kind: not recursive, not robust, not shared with other processes. */
static inline bool is_usual(const pthread_mutex_t *mutex)
{
	const int unusual = KIND_TYPE | KIND_ROBUST | KIND_INHERIT | KIND_SHARED;
	return !(__atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED) & unusual);
}

/* EOWNERDEAD: a robust mutex whose owner died is the caller's now. The result tells that it has, so nothing that follows can come
 * earlier (X10). */
static __attribute__((noinline)) int locked_unusual(int result, const pthread_mutex_t *mutex, uint32_t site, uint32_t step)
{
	if (!norn_self)
		return result;
	if (result == 0 || result == EOWNERDEAD)
		norn_mutex_acquired(mutex, site);
	else if (result == EBUSY || result == ETIMEDOUT)
		norn_log_sync(NORN_SYNC_TRY_FAILED, mutex, NORN_LOCK_MUTEX, site);
	if (result == EOWNERDEAD)
		norn_log_back(NORN_BACK_ENTERED, site);
	norn_step_end(step);
	return result;
}

static inline __attribute__((always_inline)) int locked(int result, const pthread_mutex_t *mutex, uint32_t site, uint32_t step)
{
	if (result != 0 || !is_usual(mutex))
		return locked_unusual(result, mutex, site, step);
	norn_log_lock(NORN_SYNC_ACQUIRE, mutex, NORN_LOCK_MUTEX, site);
	norn_step_end(step);
	return 0;
}

NORN_EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	uint32_t site = __norn_call_site;
	uint32_t step = step_of(mutex, site);
	norn_waits(NORN_WAITING_LOCK, mutex, NORN_LOCK_MUTEX, site);
	int result = REAL(pthread_mutex_lock)(mutex);
	norn_waited();
	return locked(result, mutex, site, step);
}

NORN_EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	uint32_t site = __norn_call_site;
	uint32_t step = step_of(mutex, site);
	return locked(REAL(pthread_mutex_trylock)(mutex), mutex, site, step);
}

NORN_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = step_of(mutex, site);
	return locked(REAL(pthread_mutex_timedlock)(mutex, until), mutex, site, step);
}

NORN_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = step_of(mutex, site);
	return locked(REAL(pthread_mutex_clocklock)(mutex, clock, until), mutex, site, step);
}

NORN_EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	uint32_t site = __norn_call_site;
	uint32_t step = 0;
	if (is_usual(mutex) && !norn_replaying) {
		norn_log_lock(NORN_SYNC_RELEASE, mutex, NORN_LOCK_MUTEX, site);
	} else if (norn_self && norn_mutex_releases(mutex)) {
		norn_channel_call_sends(norn_mutex_is_shared(mutex));
		step = norn_step_begin(NORN_OPERATION_UNLOCK, site, mutex);
		norn_log_lock(NORN_SYNC_RELEASE, mutex, NORN_LOCK_MUTEX, site);
	}
	int result = REAL(pthread_mutex_unlock)(mutex);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pthread_mutex_init)(mutex, attr);
	if (norn_self && result == 0)
		norn_log_sync(NORN_SYNC_CREATE, mutex, NORN_LOCK_MUTEX, site);
	return result;
}

/* The storage is still the caller's after the call, so the result may be awaited: a destroy that fails is none, but it tells that
 * the mutex is held, as a try that fails does. */
NORN_EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pthread_mutex_destroy)(mutex);
	if (norn_self && result == 0)
		norn_log_sync(NORN_SYNC_DESTROY, mutex, NORN_LOCK_MUTEX, site);
	else if (norn_self && result == EBUSY)
		norn_log_sync(NORN_SYNC_TRY_FAILED, mutex, NORN_LOCK_MUTEX, site);
	return result;
}
