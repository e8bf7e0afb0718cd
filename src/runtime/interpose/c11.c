/* C11's <threads.h>. glibc builds it on its own pthread functions, called from within, so it needs interposers of its own; its
 * mtx_t, cnd_t, once_flag and thrd_t are the POSIX objects under another name, and the records look the same. */
#include <errno.h>

#include "runtime/replay/replay.h"
#include "runtime/replay/replay_cond.h"
#include "runtime/interpose/interpose.h"
#include "runtime/observe/observe.h"
#include "runtime/watch/watch_lock.h"

_Static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t), "mtx_t is a pthread_mutex_t");
_Static_assert(sizeof(thrd_t) == sizeof(pthread_t), "thrd_t is a pthread_t");

static pthread_mutex_t *mutex_of(mtx_t *mutex)
{
	return (pthread_mutex_t *)mutex;
}

/* ---- threads ---- */

static int run(void *launch)
{
	struct norn_start start = norn_launch_begin(launch);
	return start.c11(start.argument);
}

NORN_EXPORT int thrd_create(thrd_t *created, thrd_start_t routine, void *argument)
{
	uint32_t site = __norn_call_site;
	struct norn_launch *launch = norn_launch_new(created, (uintptr_t)routine, argument, site);
	if (!launch)
		return REAL(thrd_create)(created, routine, argument);
	*norn_launch_start(launch) = (struct norn_start){.c11 = routine, .argument = argument};
	thrd_t handle = 0;
	sigset_t mask = norn_launch_block(launch, NULL);
	int result = REAL(thrd_create)(&handle, run, launch);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	norn_launch_done(launch, result != thrd_success, handle, site);
	return result;
}

NORN_EXPORT int thrd_join(thrd_t handle, int *value)
{
	uint32_t site = __norn_call_site, thread = norn_thread_of(handle);
	if (norn_observing)
		norn_observe_wait(thread);
	uint32_t step = norn_step_begin_blocking(NORN_OPERATION_JOIN, site, NULL);
	NORN_WAITS(NORN_WAITING_JOIN, NULL, thread, site);
	int result = REAL(thrd_join)(handle, value);
	norn_waited();
	if (result == thrd_success && thread != NORN_NO_THREAD)
		norn_log_thread(NORN_THREAD_JOIN, thread, value ? 0 : NORN_JOIN_DROPS, site);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int thrd_detach(thrd_t handle)
{
	uint32_t site = __norn_call_site, thread = norn_thread_of(handle);
	int result = REAL(thrd_detach)(handle);
	if (result == thrd_success && thread != NORN_NO_THREAD)
		norn_log_thread(NORN_THREAD_DETACH, thread, 0, site);
	return result;
}

/* ---- mutexes ---- */

static int locked(int result, mtx_t *mutex, uint32_t site, uint32_t step)
{
	if (!norn_self)
		return result;
	if (result == thrd_success)
		norn_mutex_acquired(mutex_of(mutex), site);
	else if (result == thrd_busy || result == thrd_timedout)
		norn_log_sync(NORN_SYNC_TRY_FAILED, mutex, NORN_LOCK_MUTEX, site);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int mtx_init(mtx_t *mutex, int type)
{
	uint32_t site = __norn_call_site;
	int result = REAL(mtx_init)(mutex, type);
	if (norn_self && result == thrd_success)
		norn_log_sync(NORN_SYNC_CREATE, mutex, NORN_LOCK_MUTEX, site);
	return result;
}

NORN_EXPORT void mtx_destroy(mtx_t *mutex)
{
	uint32_t site = __norn_call_site;
	REAL(mtx_destroy)(mutex);
	if (norn_self)
		norn_log_sync(NORN_SYNC_DESTROY, mutex, NORN_LOCK_MUTEX, site);
}

NORN_EXPORT int mtx_lock(mtx_t *mutex)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_mutex_step(mutex_of(mutex), site);
	norn_waits(NORN_WAITING_LOCK, mutex, NORN_LOCK_MUTEX, site);
	int result = REAL(mtx_lock)(mutex);
	norn_waited();
	return locked(result, mutex, site, step);
}

NORN_EXPORT int mtx_trylock(mtx_t *mutex)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_mutex_step(mutex_of(mutex), site);
	return locked(REAL(mtx_trylock)(mutex), mutex, site, step);
}

NORN_EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict until)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_mutex_step(mutex_of(mutex), site);
	return locked(REAL(mtx_timedlock)(mutex, until), mutex, site, step);
}

NORN_EXPORT int mtx_unlock(mtx_t *mutex)
{
	uint32_t site = __norn_call_site;
	uint32_t step = 0;
	if (norn_self && norn_mutex_releases(mutex_of(mutex))) {
		step = norn_step_begin(NORN_OPERATION_UNLOCK, site, mutex);
		norn_log_lock(NORN_SYNC_RELEASE, mutex, NORN_LOCK_MUTEX, site);
	}
	int result = REAL(mtx_unlock)(mutex);
	norn_step_end(step);
	return result;
}

/* ---- condition variables; cnd_t is a pthread_cond_t within ---- */

static const pthread_cond_t *cond_of(const cnd_t *cond)
{
	return (const pthread_cond_t *)cond;
}

static int as_c11(int result)
{
	return result == 0 ? thrd_success : result == ETIMEDOUT ? thrd_timedout : thrd_error;
}

NORN_EXPORT int cnd_init(cnd_t *cond)
{
	uint32_t site = __norn_call_site;
	int result = REAL(cnd_init)(cond);
	if (norn_self && result == thrd_success)
		norn_log_sync(NORN_SYNC_CREATE, cond, NORN_LOCK_COND, site);
	return result;
}

NORN_EXPORT void cnd_destroy(cnd_t *cond)
{
	uint32_t site = __norn_call_site;
	REAL(cnd_destroy)(cond);
	if (norn_self)
		norn_log_sync(NORN_SYNC_DESTROY, cond, NORN_LOCK_COND, site);
}

NORN_EXPORT int cnd_signal(cnd_t *cond)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_NOTIFY, site, cond);
	if (norn_self)
		norn_log_sync(NORN_SYNC_SIGNAL, cond, 0, site);
	int result = thrd_success;
	if (norn_cond_is_replayed(cond_of(cond)))
		norn_cond_notify(cond_of(cond), false);
	else
		result = REAL(cnd_signal)(cond);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int cnd_broadcast(cnd_t *cond)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_NOTIFY, site, cond);
	if (norn_self)
		norn_log_sync(NORN_SYNC_BROADCAST, cond, 0, site);
	int result = thrd_success;
	if (norn_cond_is_replayed(cond_of(cond)))
		norn_cond_notify(cond_of(cond), true);
	else
		result = REAL(cnd_broadcast)(cond);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
	uint32_t site = __norn_call_site;
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex_of(mutex), false, site);
	int result =
	        norn_cond_is_replayed(cond_of(cond)) ? as_c11(norn_wait_replayed(&wait, 0, NULL)) : REAL(cnd_wait)(cond, mutex);
	norn_wait_end(&wait, true, result == thrd_success);
	return result;
}

NORN_EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict until)
{
	uint32_t site = __norn_call_site;
	if (until->tv_nsec < 0 || until->tv_nsec >= 1000000000)
		return REAL(cnd_timedwait)(cond, mutex, until);
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex_of(mutex), true, site);
	int result = norn_cond_is_replayed(cond_of(cond)) ? as_c11(norn_wait_replayed(&wait, norn_cond_clock(cond_of(cond)), until))
	                                                  : REAL(cnd_timedwait)(cond, mutex, until);
	norn_wait_end(&wait, true, result == thrd_success);
	return result;
}

/* ---- once ---- */

static int real_once(void *control, void (*routine)(void))
{
	REAL(call_once)(control, routine);
	return 0;
}

NORN_EXPORT void call_once(once_flag *flag, void (*routine)(void))
{
	uint32_t site = __norn_call_site;
	if (!norn_self)
		REAL(call_once)(flag, routine);
	else
		norn_once(flag, routine, real_once, site);
}
