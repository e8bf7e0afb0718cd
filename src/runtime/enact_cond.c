#include "runtime/enact_cond.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "runtime/enact.h"
#include "runtime/real.h"

/* Bits of __wrefs, as glibc's nptl/pthread_cond_init.c sets them. */
enum { SHARED = 1, MONOTONIC = 2 };

/* One for each condition that was used, by address; never given back. All zero is libc's initial state of both objects. */
#define CELLS 1024u
static struct cell {
	_Atomic(const void *) cond;
	pthread_mutex_t mutex; /* for count */
	pthread_cond_t changed;
	_Atomic uint32_t count; /* written under mutex; read without it by who is about to wait */
} cells[CELLS];

/* More conditions than cells: some share one, and wake each other without reason. */
static struct cell *cell_of(const void *cond)
{
	uint32_t first = (uint32_t)((uintptr_t)cond * 0x9e3779b97f4a7c15u >> 40) % CELLS;
	for (uint32_t i = 0; i < CELLS; i++) {
		struct cell *c = &cells[(first + i) % CELLS];
		const void *nobody = NULL;
		if (atomic_load_explicit(&c->cond, memory_order_acquire) == cond ||
		        atomic_compare_exchange_strong(&c->cond, &nobody, cond) || nobody == cond)
			return c;
	}
	return &cells[first];
}

bool norn_cond_staged(const pthread_cond_t *cond)
{
	return norn_staged && !(__atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) & SHARED);
}

clockid_t norn_cond_clock(const pthread_cond_t *cond)
{
	return __atomic_load_n(&cond->__data.__wrefs, __ATOMIC_RELAXED) & MONOTONIC ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

uint32_t norn_cond_count(const pthread_cond_t *cond)
{
	return atomic_load(&cell_of(cond)->count);
}

static void release(struct cell **cell)
{
	REAL(pthread_mutex_unlock)(&(*cell)->mutex);
}

int norn_cond_await(const pthread_cond_t *cond, uint32_t count, clockid_t clock, const struct timespec *until)
{
	struct cell *held __attribute__((cleanup(release))) = cell_of(cond);
	int result = 0;
	REAL(pthread_mutex_lock)(&held->mutex);
	while (result == 0 && atomic_load(&held->count) == count)
		result = until ? REAL(pthread_cond_clockwait)(&held->changed, &held->mutex, clock, until)
		               : REAL(pthread_cond_wait)(&held->changed, &held->mutex);
	return result;
}

void norn_cond_notify(const pthread_cond_t *cond)
{
	struct cell *c = cell_of(cond);
	REAL(pthread_mutex_lock)(&c->mutex);
	atomic_fetch_add(&c->count, 1);
	REAL(pthread_cond_broadcast)(&c->changed);
	REAL(pthread_mutex_unlock)(&c->mutex);
}
