/* Condition variables.
 *
 * A wait is four records: WAIT_BEGIN of the condition, RELEASE of the mutex, and after the real wait ACQUIRE of the mutex and
 * WAIT_END of the condition (WAIT_TIMEOUT if nobody woke it). All of them are made while the thread holds the mutex.
 * A thread that is cancelled in its wait takes the mutex again and then unwinds: this room is compiled with -fexceptions, so that
 * a cleanup attribute sees that, and C++ exceptions, at no cost to the waits that return. */
#include "runtime/interpose.h"

#include <errno.h>

#include "runtime/enact.h"
#include "runtime/sys.h"

/* ---- re-enactment ---- */

/* Who has said that it waits, and may not do so yet: a notify that came in between would be lost. glibc's waiters are counted before they
 * give up their mutex. */
#define WAITERS 64u
static struct waiter {
	_Atomic(const void *) cond;
	const pthread_mutex_t *_Atomic mutex;
	_Atomic pid_t tid;
} waiters[WAITERS];

static void announce(const void *cond, const pthread_mutex_t *mutex)
{
	for (struct waiter *w = waiters; w < waiters + WAITERS; w++) {
		const void *nobody = NULL;
		if (atomic_load(&w->tid) == norn_thread_tid() || atomic_compare_exchange_strong(&w->cond, &nobody, cond)) {
			atomic_store(&w->cond, cond);
			atomic_store(&w->mutex, mutex);
			atomic_store(&w->tid, norn_thread_tid());
			return;
		}
	}
}

#define PATIENCE 2000u
uint32_t norn_wait_notify(const void *cond, uint32_t site)
{
	uint32_t act = norn_act(NORN_DEED_NOTIFY, site, cond);
	for (struct waiter *w = waiters; norn_enacting && w < waiters + WAITERS; w++)
		for (unsigned waits = 0;
		        waits < PATIENCE && atomic_load(&w->cond) == cond && atomic_load(&w->tid) != norn_thread_tid(); waits++) {
			const pthread_mutex_t *mutex = atomic_load(&w->mutex);
			if (!mutex || __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED) != atomic_load(&w->tid))
				break;
			norn_sys_yield(waits);
		}
	return act;
}

static void act_wait(const void *cond, const pthread_mutex_t *mutex, uint32_t site)
{
	uint32_t wait = norn_enact_do(NORN_DEED_WAIT, site, cond, 0), unlock = norn_enact_do(NORN_DEED_UNLOCK, site, mutex, 0);
	announce(cond, mutex);
	if (!norn_enact_blocks(wait)) /* a wait that nobody ends is done when it is ended */
		norn_enact_did(wait);
	norn_enact_did(unlock);
}

/* The mutex is the caller's again, perhaps before its turn: then it has not been, so far. Which of several waiters a signal wakes is libc's choice,
 * so all are woken, and all but the one whose turn it is go on waiting here. */
static void act_wake(const struct norn_wait *wait)
{
	pthread_mutex_t *mutex = (pthread_mutex_t *)(uintptr_t)wait->mutex;
	uint32_t lock = norn_enact_come(NORN_DEED_LOCK, wait->site), wake = norn_enact_come(NORN_DEED_WAKE, wait->site);
	bool early = !norn_enact_may(lock) || !norn_enact_may(wake);
	if (early)
		REAL(pthread_mutex_unlock)(mutex);
	norn_enact_wait(lock, mutex, 0);
	norn_enact_wait(wake, wait->cond, 0);
	norn_enact_blocks(lock);
	if (early)
		REAL(pthread_mutex_lock)(mutex);
	norn_enact_did(lock);
	norn_enact_did(wake);
}

/* ---- waiting ---- */

void norn_wait_begin(struct norn_wait *wait, const void *cond, const pthread_mutex_t *mutex, uint32_t site)
{
	*wait = (struct norn_wait){.cond = cond, .mutex = mutex, .site = site};
	if (!norn_self || !norn_mutex_releases(mutex))
		return;
	if (norn_enacting)
		act_wait(cond, mutex, site);
	norn_log_sync(NORN_SYNC_WAIT_BEGIN, cond, (uintptr_t)mutex, site);
	norn_log_sync(NORN_SYNC_RELEASE, mutex, NORN_LOCK_MUTEX, site);
	wait->open = true;
}

void norn_wait_end(struct norn_wait *wait, bool acquired, bool woken)
{
	if (!wait->open)
		return;
	wait->open = false;
	if (norn_enacting && acquired)
		act_wake(wait);
	if (acquired)
		norn_log_sync(NORN_SYNC_ACQUIRE, wait->mutex, NORN_LOCK_MUTEX, wait->site);
	norn_log_sync(woken ? NORN_SYNC_WAIT_END : NORN_SYNC_WAIT_TIMEOUT, wait->cond, (uintptr_t)wait->mutex, wait->site);
}

void norn_wait_cancelled(struct norn_wait *wait)
{
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
	norn_wait_begin(&wait, cond, mutex, site);
	return waited(&wait, REAL(pthread_cond_wait)(cond, mutex));
}

NORN_EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	if (!valid(until))
		return REAL(pthread_cond_timedwait)(cond, mutex, until);
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex, site);
	return waited(&wait, REAL(pthread_cond_timedwait)(cond, mutex, until));
}

NORN_EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock, const struct timespec *until)
{
	uint32_t site = __norn_call_site;
	if (!valid(until) || (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC))
		return REAL(pthread_cond_clockwait)(cond, mutex, clock, until);
	struct norn_wait wait __attribute__((cleanup(norn_wait_cancelled)));
	norn_wait_begin(&wait, cond, mutex, site);
	return waited(&wait, REAL(pthread_cond_clockwait)(cond, mutex, clock, until));
}

NORN_EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
	uint32_t site = __norn_call_site;
	uint32_t act = norn_wait_notify(cond, site);
	if (norn_self)
		norn_log_sync(NORN_SYNC_SIGNAL, cond, 0, site);
	int result = norn_enacting ? REAL(pthread_cond_broadcast)(cond) : REAL(pthread_cond_signal)(cond);
	norn_acted(act);
	return result;
}

NORN_EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
	uint32_t site = __norn_call_site;
	uint32_t act = norn_wait_notify(cond, site);
	if (norn_self)
		norn_log_sync(NORN_SYNC_BROADCAST, cond, 0, site);
	int result = REAL(pthread_cond_broadcast)(cond);
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
