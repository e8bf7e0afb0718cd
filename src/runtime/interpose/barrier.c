/* Barriers: a thread logs its arrival before the wait and its leaving after it, so all arrivals of a round come before its
 * leaves. */
#include "runtime/interpose/interpose.h"

#include "runtime/interpose/kernel_channel.h"
#include "runtime/replay/replay.h"
#include "runtime/replay/replay_cond.h"

/* There are some that other processes may use. */
static atomic_bool between_processes;

NORN_EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr, unsigned count)
{
	uint32_t site = __norn_call_site;
	int result = REAL(pthread_barrier_init)(barrier, attr, count);
	int shared = PTHREAD_PROCESS_PRIVATE;
	if (attr && norn_memory_is_shared(barrier))
		pthread_barrierattr_getpshared(attr, &shared);
	if (norn_replay_began && result == 0)
		norn_barrier_make(barrier, shared == PTHREAD_PROCESS_SHARED ? 0 : count);
	if (shared == PTHREAD_PROCESS_SHARED)
		atomic_store_explicit(&between_processes, true, memory_order_relaxed);
	/* Arrivals of other processes at a shared barrier are not seen: each wait is a round of its own. */
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
	if (norn_replay_began && result == 0)
		norn_barrier_unmake(barrier);
	if (norn_self && result == 0)
		norn_log_sync(NORN_SYNC_DESTROY, barrier, NORN_LOCK_BARRIER, site);
	return result;
}

/* Replay: the arrival has its turn, the waiting has not. */
static int wait_replayed(pthread_barrier_t *barrier, uint32_t site)
{
	bool last = false;
	uint32_t step = norn_step_begin(NORN_OPERATION_ARRIVE, site, barrier);
	if (norn_self) /* before others may leave */
		norn_log_sync(NORN_SYNC_BARRIER_ARRIVE, barrier, 0, site);
	int64_t round = norn_barrier_arrive(barrier, &last);
	uint32_t stop = norn_replay_blocks(step) ? step : 0;
	norn_step_end(step);
	if (round < 0)
		return REAL(pthread_barrier_wait)(barrier);
	norn_barrier_await(barrier, round);
	norn_replay_woken(stop);
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

static int wait_recorded(pthread_barrier_t *barrier, uint32_t site)
{
	norn_log_sync(NORN_SYNC_BARRIER_ARRIVE, barrier, 0, site);
	if (!atomic_load_explicit(&between_processes, memory_order_relaxed))
		norn_waits(NORN_WAITING_BARRIER, barrier, 0, site);
	int result = REAL(pthread_barrier_wait)(barrier);
	norn_waited();
	return result;
}

NORN_EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	uint32_t site = __norn_call_site;
	if (!norn_self)
		return norn_replay_began ? wait_replayed(barrier, site) : REAL(pthread_barrier_wait)(barrier);
	bool shared = atomic_load_explicit(&between_processes, memory_order_relaxed);
	norn_channel_call_sends(shared);
	int result = norn_replay_began ? wait_replayed(barrier, site) : wait_recorded(barrier, site);
	norn_step_end(norn_step_begin(NORN_OPERATION_DEPART, site, barrier));
	norn_log_sync(NORN_SYNC_BARRIER_LEAVE, barrier, 0, site);
	norn_channel_call_receives(shared, site);
	return result;
}
