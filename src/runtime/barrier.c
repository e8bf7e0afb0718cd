/* Barriers: a thread logs its arrival before the wait and its leaving after it, so all arrivals of a round come before its leaves. */
#include "runtime/interpose.h"

#include "runtime/enact.h"

NORN_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pthread_barrier_init)(barrier, attr, count);
	int shared = PTHREAD_PROCESS_PRIVATE;
	if (attr)
		pthread_barrierattr_getpshared(attr, &shared);
	/* Who arrives at one that other processes use, too, cannot be told from what this one does: it just begins. */
	if (norn_self && result == 0 && shared == PTHREAD_PROCESS_SHARED)
		norn_log_sync(NORN_SYNC_CREATE, barrier, NORN_LOCK_BARRIER, site);
	else if (norn_self && result == 0)
		norn_log_sync(NORN_SYNC_BARRIER_INIT, barrier, count, site);
	return result;
}

/* It waits for the last threads to leave; they log that after they left, so a LEAVE may be stamped later than the DESTROY. */
NORN_EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pthread_barrier_destroy)(barrier);
	if (norn_self && result == 0)
		norn_log_sync(NORN_SYNC_DESTROY, barrier, NORN_LOCK_BARRIER, site);
	return result;
}

NORN_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	uint32_t site = __norn_call_site;
	if (!norn_self)
		return REAL(pthread_barrier_wait)(barrier);
	norn_acted(norn_act(NORN_DEED_ARRIVE, site, barrier));
	norn_log_sync(NORN_SYNC_BARRIER_ARRIVE, barrier, 0, site);
	int result = REAL(pthread_barrier_wait)(barrier);
	norn_acted(norn_act(NORN_DEED_DEPART, site, barrier));
	norn_log_sync(NORN_SYNC_BARRIER_LEAVE, barrier, 0, site);
	return result;
}
