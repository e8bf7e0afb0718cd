/* Condition variables.
 *
 * A wait is four records: WAIT_BEGIN of the condition, RELEASE of the mutex, and after the real wait ACQUIRE of the mutex and
 * WAIT_END of the condition (WAIT_TIMEOUT if it was not woken). All of them are made while the thread holds the mutex.
 * A thread that is cancelled in its wait takes the mutex again and then unwinds: this room is compiled with -fexceptions, so that
 * a cleanup attribute sees that, and C++ exceptions, at no cost to the waits that return. */
#include "runtime/interpose/interpose.h"

#include <errno.h>

#include "runtime/interpose/kernel_channel.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/replay_cond.h"
#include "runtime/watch/watch_lock.h"

/* ---- replay ---- */

static void step_wait(struct norn_wait *wait)
{
	uint32_t begin = norn_replay_step(NORN_OPERATION_WAIT, wait->site, wait->cond, 0),
	         unlock = norn_replay_step(NORN_OPERATION_UNLOCK, wait->site, wait->mutex, 0);
	wait->count = norn_cond_count(wait->cond); /* from its turn on it hears of notifies */
	wait->place = norn_cond_sleep(wait->cond);
	wait->stop = norn_replay_blocks(begin) ? begin : 0;
	norn_replay_step_done(begin);
	norn_replay_step_done(unlock);
}

static int take(const struct norn_wait *wait)
{
	pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)wait->mutex;
	return wait->lock ? wait->lock(mutex) : REAL(pthread_mutex_lock)(mutex);
}

static int give_up(const struct norn_wait *wait)
{
	pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)wait->mutex;
	return wait->unlock ? wait->unlock(mutex) : REAL(pthread_mutex_unlock)(mutex);
}

/* The caller takes the mutex back, in its turn. held: libc has taken it already, perhaps too early: then it is given up once
 * more. */
static int step_wake(const struct norn_wait *wait, bool held)
{
	uint32_t lock = norn_replay_count(NORN_OPERATION_LOCK, wait->site),
	         wake = norn_replay_count(NORN_OPERATION_WAKE, wait->site);
	if (held && (!norn_replay_may_pass(lock) || !norn_replay_may_pass(wake))) {
		give_up(wait);
		held = false;
	}
	norn_replay_wait(lock, wait->mutex, 0);
	norn_replay_wait(wake, wait->cond, 0);
	norn_replay_blocks(lock);
	int result = held ? 0 : take(wait);
	norn_replay_step_done(lock);
	norn_replay_step_done(wake);
	return result;
}

/* ---- waiting ---- */

static void begin(struct norn_wait *wait, bool timed)
{
	if (norn_replaying && !wait->alone)
		step_wait(wait);
	norn_log_sync(NORN_SYNC_WAIT_BEGIN, wait->cond, (uintptr_t)wait->mutex, wait->site);
	norn_log_lock(NORN_SYNC_RELEASE, wait->mutex, NORN_LOCK_MUTEX, wait->site);
	if (!timed && !wait->shared)
		norn_waits(NORN_WAITING_COND, wait->cond, (uintptr_t)wait->mutex, wait->site);
	wait->open = true;
}

void norn_wait_begin(struct norn_wait *wait, const void *cond, const pthread_mutex_t *mutex, bool timed, uint32_t site)
{
	*wait = (struct norn_wait){.cond = cond,
	        .mutex = mutex,
	        .site = site,
	        .shared = norn_mutex_is_shared(mutex),
	        .count = norn_replay_began ? norn_cond_count(cond) : 0};
	if (!norn_self || !norn_mutex_releases(mutex))
		return;
	norn_channel_call_sends(wait->shared);
	begin(wait, timed);
}

void norn_wait_begin_with(struct norn_wait *wait, const void *cond, const void *mutex, int (*lock)(pthread_mutex_t *),
        int (*unlock)(pthread_mutex_t *), bool timed, uint32_t site)
{
	*wait = (struct norn_wait){.cond = cond,
	        .mutex = mutex,
	        .site = site,
	        .lock = lock,
	        .unlock = unlock,
	        .alone = !lock,
	        .replayed = lock,
	        .count = norn_replay_began ? norn_cond_count(cond) : 0};
	if (norn_self)
		begin(wait, timed);
}

void norn_wait_end(struct norn_wait *wait, bool acquired, bool woken)
{
	if (!wait->open)
		return;
	norn_waited();
	wait->open = false;
	if (norn_replaying && acquired && !wait->alone && !wait->replayed && !norn_cond_is_replayed(wait->cond))
		step_wake(wait, true);
	if (acquired)
		norn_log_lock(NORN_SYNC_ACQUIRE, wait->mutex,
		        wait->alone || wait->replayed ? NORN_LOCK_MUTEX : norn_mutex_kind(wait->mutex), wait->site);
	norn_log_sync(woken ? NORN_SYNC_WAIT_END : NORN_SYNC_WAIT_TIMEOUT, wait->cond, (uintptr_t)wait->mutex, wait->site);
	norn_channel_call_receives(wait->shared, wait->site);
}

static int take_back(struct norn_wait *wait)
{
	wait->given = false;
	return wait->open && norn_replaying ? step_wake(wait, false) : take(wait);
}

int norn_wait_replayed(struct norn_wait *wait, clockid_t clock, const struct timespec *until)
{
	int result = give_up(wait);
	if (result != 0)
		return result;
	wait->given = true;
	result = norn_cond_await(wait->cond, wait->count, wait->place, wait->stop, clock, until);
	norn_replay_woken(wait->stop);
	int again = take_back(wait);
	return again ? again : result;
}

void norn_wait_cancelled(struct norn_wait *wait)
{
	if (wait->given)
		take_back(wait);
	norn_wait_end(wait, true, false);
}

static int waited(struct norn_wait *wait, int result)
{
	norn_wait_end(wait, result != ENOTRECOVERABLE, result == 0 || result == EOWNERDEAD);
	return result;
}

/* A wait with a bad time or clock fails before it gives up the mutex. */
static bool valid(const struct timespec *until)
{
	return until->tv_nsec >= 0 && until->tv_nsec < 1000000000;
}

NORN_EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	uint32_t site = __norn_call_site;
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex, false, site);
	return waited(
	        &wait, norn_cond_is_replayed(cond) ? norn_wait_replayed(&wait, 0, NULL) : REAL(pthread_cond_wait)(cond, mutex));
}

NORN_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	if (!valid(until))
		return REAL(pthread_cond_timedwait)(cond, mutex, until);
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex, true, site);
	return waited(&wait, norn_cond_is_replayed(cond) ? norn_wait_replayed(&wait, norn_cond_clock(cond), until)
	                                                 : REAL(pthread_cond_timedwait)(cond, mutex, until));
}

NORN_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	if (!valid(until) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex, true, site);
	return waited(&wait, norn_cond_is_replayed(cond) ? norn_wait_replayed(&wait, clock, until)
	                                                 : REAL(pthread_cond_clockwait)(cond, mutex, clock, until));
}

/* With other processes; its mutex is then, too. A bit that glibc keeps there (nptl/pthread_cond_common.c). */
static bool is_shared(const pthread_cond_t *cond)
{
	return __atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) & 1 && norn_memory_is_shared(cond);
}

NORN_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_NOTIFY, site, cond);
	norn_channel_call_sends(is_shared(cond));
	if (norn_self)
		norn_log_sync(NORN_SYNC_SIGNAL, cond, 0, site);
	int result = 0;
	if (norn_cond_is_replayed(cond))
		norn_cond_notify(cond, false);
	else
		result = REAL(pthread_cond_signal)(cond);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	uint32_t site = __norn_call_site;
	uint32_t step = norn_step_begin(NORN_OPERATION_NOTIFY, site, cond);
	norn_channel_call_sends(is_shared(cond));
	if (norn_self)
		norn_log_sync(NORN_SYNC_BROADCAST, cond, 0, site);
	int result = 0;
	if (norn_cond_is_replayed(cond))
		norn_cond_notify(cond, true);
	else
		result = REAL(pthread_cond_broadcast)(cond);
	norn_step_end(step);
	return result;
}

NORN_EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pthread_cond_init)(cond, attr);
	if (norn_self && result == 0)
		norn_log_sync(NORN_SYNC_CREATE, cond, NORN_LOCK_COND, site);
	return result;
}

/* It waits for the last waiters to wake up inside libc; they log WAIT_END only later, so that may be stamped after the DESTROY. */
NORN_EXPORT int pthread_cond_destroy(pthread_cond_t *cond)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pthread_cond_destroy)(cond);
	if (norn_self && result == 0)
		norn_log_sync(NORN_SYNC_DESTROY, cond, NORN_LOCK_COND, site);
	return result;
}
