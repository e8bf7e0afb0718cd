#include "runtime/replay/replay_cond.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/replay/replay.h"
#include "runtime/real.h"

/* Bits of __wrefs, as glibc's nptl/pthread_cond_init.c sets them. */
enum { SHARED = 1, MONOTONIC = 2 };

/* One for each object that was used, by address; never given back. All zero is libc's initial state of both objects. */
#define CELLS 1024u
static struct waiter_cell {
	_Atomic(const void *) object;
	pthread_mutex_t mutex; /* for the rest */
	pthread_cond_t changed; /* count */
	_Atomic uint32_t count; /* notifies, rounds; written under mutex, read without it by a thread that is about to wait */
	uint32_t slept, woken; /* so many have fallen asleep, and so many of them were woken, the longest sleepers first */
	bool unknown; /* a sleeper left without being woken: the next one is not known any more */
	unsigned threads, arrived; /* of a barrier, 0: it is none of ours; in this round */
} cells[CELLS];

/* More objects than cells: some conditions share one, and wake each other without reason; barriers are libc's then. */
static struct waiter_cell *cell_of(const void *object)
{
	uint32_t first = (uint32_t)((uintptr_t)object * 0x9e3779b97f4a7c15u >> 40) % CELLS;
	for (uint32_t i = 0; i < CELLS; i++) {
		struct waiter_cell *c = &cells[(first + i) % CELLS];
		const void *unused = NULL;
		if (atomic_load_explicit(&c->object, memory_order_acquire) == object ||
		        atomic_compare_exchange_strong(&c->object, &unused, object) || unused == object)
			return c;
	}
	return &cells[first];
}

bool norn_cond_is_replayed(const pthread_cond_t *cond)
{
	return norn_replay_began && !(__atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) & SHARED);
}

clockid_t norn_cond_clock(const pthread_cond_t *cond)
{
	return __atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) & MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

uint32_t norn_cond_count(const pthread_cond_t *cond)
{
	return atomic_load(&cell_of(cond)->count);
}

static struct waiter_cell *lock_cell(const void *object)
{
	struct waiter_cell *c = cell_of(object);
	REAL(pthread_mutex_lock)(&c->mutex);
	return c;
}

static void release(struct waiter_cell **cell)
{
	REAL(pthread_mutex_unlock)(&(*cell)->mutex);
}

uint32_t norn_cond_sleep(const pthread_cond_t *cond)
{
	struct waiter_cell *held __attribute__((cleanup(release))) = lock_cell(cond);
	return ++held->slept;
}

static bool is_woken(const struct waiter_cell *c, uint32_t count, uint32_t place, bool stays)
{
	return stays && !c->unknown ? place <= c->woken : atomic_load(&c->count) != count;
}

int norn_cond_await(
        const pthread_cond_t *cond, uint32_t count, uint32_t place, bool stays, clockid_t clock, const struct timespec *until)
{
	struct waiter_cell *held __attribute__((cleanup(release))) = lock_cell(cond);
	int result = 0;
	while (result == 0 && !is_woken(held, count, place, stays))
		result = until ? REAL(pthread_cond_clockwait)(&held->changed, &held->mutex, clock, until)
		               : REAL(pthread_cond_wait)(&held->changed, &held->mutex);
	held->unknown |= result != 0 && place > held->woken;
	return result;
}

/* A thread that has not gone to sleep yet sees the changed count, and does not sleep. */
void norn_cond_notify(const pthread_cond_t *cond, bool all)
{
	struct waiter_cell *held __attribute__((cleanup(release))) = lock_cell(cond);
	atomic_fetch_add(&held->count, 1);
	if (held->woken < held->slept)
		held->woken = all ? held->slept : held->woken + 1;
	if (all || norn_replaying)
		REAL(pthread_cond_broadcast)(&held->changed);
	else
		REAL(pthread_cond_signal)(&held->changed);
}

/* ---- barriers ---- */

void norn_barrier_make(const void *barrier, unsigned count)
{
	struct waiter_cell *held __attribute__((cleanup(release))) = lock_cell(barrier);
	if (atomic_load(&held->object) != barrier)
		return;
	held->threads = count;
	held->arrived = 0;
}

void norn_barrier_unmake(const void *barrier)
{
	norn_barrier_make(barrier, 0);
}

int64_t norn_barrier_arrive(const void *barrier, bool *ret_last)
{
	struct waiter_cell *held __attribute__((cleanup(release))) = lock_cell(barrier);
	if (atomic_load(&held->object) != barrier || held->threads == 0)
		return -ENOENT;
	int64_t round = atomic_load(&held->count);
	*ret_last = ++held->arrived == held->threads;
	if (*ret_last) {
		held->arrived = 0;
		atomic_fetch_add(&held->count, 1);
		REAL(pthread_cond_broadcast)(&held->changed);
	}
	return round;
}

/* No cancellation point, as pthread_barrier_wait is none. */
void norn_barrier_await(const void *barrier, int64_t round)
{
	struct waiter_cell *held __attribute__((cleanup(release))) = lock_cell(barrier);
	int state;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	while (atomic_load(&held->count) == (uint32_t)round)
		REAL(pthread_cond_wait)(&held->changed, &held->mutex);
	pthread_setcancelstate(state, NULL);
}
