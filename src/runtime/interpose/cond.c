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

/* ---- re-enactment ---- */

static void act_wait(struct norn_wait *wait)
{
	uint32_t begin = norn_replay_do(NORN_DEED_WAIT, wait->site, wait->cond, 0),
	         unlock = norn_replay_do(NORN_DEED_UNLOCK, wait->site, wait->mutex, 0);
	wait->count = norn_cond_count(wait->cond); /* from its turn on it hears of notifies */
	if (!norn_replay_blocks(begin)) /* a wait without a notify is done when it is ended */
		norn_replay_did(begin);
	norn_replay_did(unlock);
}

/* The caller takes the mutex back, in its turn. held: libc has taken it already, perhaps too early: then it is given up once
 * more. */
static int act_wake(const struct norn_wait *wait, bool held)
{
	pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)wait->mutex;
	uint32_t lock = norn_replay_come(NORN_DEED_LOCK, wait->site), wake = norn_replay_come(NORN_DEED_WAKE, wait->site);
	if (held && (!norn_replay_may(lock) || !norn_replay_may(wake))) {
		REAL(pthread_mutex_unlock)(mutex);
		held = false;
	}
	norn_replay_wait(lock, mutex, 0);
	norn_replay_wait(wake, wait->cond, 0);
	norn_replay_blocks(lock);
	int result = held ? 0 : REAL(pthread_mutex_lock)(mutex);
	norn_replay_did(lock);
	norn_replay_did(wake);
	return result;
}

/* ---- waiting ---- */

void norn_wait_begin(struct norn_wait *wait, const void *cond, const pthread_mutex_t *mutex, bool timed, uint32_t site)
{
	*wait = (struct norn_wait){.cond = cond, .mutex = mutex, .site = site, .count = norn_staged ? norn_cond_count(cond) : 0};
	if (!norn_self || !norn_mutex_releases(mutex))
		return;
	if (norn_replaying)
		act_wait(wait);
	norn_talk_tells(norn_mutex_is_shared(mutex));
	norn_log_sync(NORN_SYNC_WAIT_BEGIN, cond, (uintptr_t)mutex, site);
	norn_log_lock(NORN_SYNC_RELEASE, mutex, NORN_LOCK_MUTEX, site);
	if (!timed && !norn_mutex_is_shared(mutex))
		norn_waits(NORN_WAITING_COND, cond, (uintptr_t)mutex, site);
	wait->open = true;
}

void norn_wait_end(struct norn_wait *wait, bool acquired, bool woken)
{
	if (!wait->open)
		return;
	norn_waited();
	wait->open = false;
	if (norn_replaying && acquired && !norn_cond_staged(wait->cond))
		act_wake(wait, true);
	if (acquired)
		norn_log_lock(NORN_SYNC_ACQUIRE, wait->mutex, NORN_LOCK_MUTEX, wait->site);
	norn_log_sync(woken ? NORN_SYNC_WAIT_END : NORN_SYNC_WAIT_TIMEOUT, wait->cond, (uintptr_t)wait->mutex, wait->site);
	norn_talk_hears(norn_mutex_is_shared(wait->mutex), wait->site);
}

static int take_back(struct norn_wait *wait)
{
	wait->given = false;
	return wait->open && norn_replaying ? act_wake(wait, false)
	                                    : REAL(pthread_mutex_lock)((pthread_mutex_t *)(uintptr_t)wait->mutex);
}

int norn_wait_staged(struct norn_wait *wait, clockid_t clock, const struct timespec *until)
{
	int result = REAL(pthread_mutex_unlock)((pthread_mutex_t *)(uintptr_t)wait->mutex);
	if (result != 0)
		return result;
	wait->given = true;
	result = norn_cond_await(wait->cond, wait->count, clock, until);
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
	return waited(&wait, norn_cond_staged(cond) ? norn_wait_staged(&wait, 0, NULL) : REAL(pthread_cond_wait)(cond, mutex));
}

NORN_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	if (!valid(until))
		return REAL(pthread_cond_timedwait)(cond, mutex, until);
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex, true, site);
	return waited(&wait, norn_cond_staged(cond) ? norn_wait_staged(&wait, norn_cond_clock(cond), until)
	                                            : REAL(pthread_cond_timedwait)(cond, mutex, until));
}

NORN_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	if (!valid(until) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex, true, site);
	return waited(&wait, norn_cond_staged(cond) ? norn_wait_staged(&wait, clock, until)
	                                            : REAL(pthread_cond_clockwait)(cond, mutex, clock, until));
}

/* With other processes; its mutex is then, too. A bit that glibc keeps there (nptl/pthread_cond_common.c). */
static bool is_shared(const pthread_cond_t *cond)
{
	return __atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) & 1;
}

NORN_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	uint32_t site = __norn_call_site;
	uint32_t act = norn_act(NORN_DEED_NOTIFY, site, cond);
	norn_talk_tells(is_shared(cond));
	if (norn_self)
		norn_log_sync(NORN_SYNC_SIGNAL, cond, 0, site);
	int result = 0;
	if (norn_cond_staged(cond))
		norn_cond_notify(cond, false);
	else
		result = REAL(pthread_cond_signal)(cond);
	norn_acted(act);
	return result;
}

NORN_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	uint32_t site = __norn_call_site;
	uint32_t act = norn_act(NORN_DEED_NOTIFY, site, cond);
	norn_talk_tells(is_shared(cond));
	if (norn_self)
		norn_log_sync(NORN_SYNC_BROADCAST, cond, 0, site);
	int result = 0;
	if (norn_cond_staged(cond))
		norn_cond_notify(cond, true);
	else
		result = REAL(pthread_cond_broadcast)(cond);
	norn_acted(act);
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
