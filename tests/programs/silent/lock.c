/* norn-test
 * silent: -DMUTEX
 * silent: -DRECURSIVE
 * silent: -DERRORCHECK
 * silent: -DSPIN
 * silent: -DWRITE
 * silent: -DSEMAPHORE
 * silent: -DTRY
 * silent: -DTIMED
 * silent: -DC11
 */
/* A counter behind every kind of lock. */
#include <semaphore.h>
#include <threads.h>
#include <time.h>

#include "crew.h"

static long counter;

#if defined(SPIN)
static pthread_spinlock_t lock;
#define INIT() pthread_spin_init(&lock, 0)
#define LOCK() pthread_spin_lock(&lock)
#define UNLOCK() pthread_spin_unlock(&lock)
#elif defined(WRITE)
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#define INIT() (void)0
#define LOCK() pthread_rwlock_wrlock(&lock)
#define UNLOCK() pthread_rwlock_unlock(&lock)
#elif defined(SEMAPHORE)
static sem_t lock;
#define INIT() sem_init(&lock, 0, 1)
#define LOCK() sem_wait(&lock)
#define UNLOCK() sem_post(&lock)
#elif defined(C11)
static mtx_t lock;
#define INIT() mtx_init(&lock, mtx_plain)
#define LOCK() mtx_lock(&lock)
#define UNLOCK() mtx_unlock(&lock)
#else
static pthread_mutex_t lock;
#define UNLOCK() pthread_mutex_unlock(&lock)
#if defined(TRY)
#define LOCK()                                                                                                                     \
	while (pthread_mutex_trylock(&lock) != 0)                                                                                  \
	thrd_yield()
#elif defined(TIMED)
static int lock_in_time(void)
{
	struct timespec until;
	do {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_nsec += 1000000;
		until.tv_sec += until.tv_nsec / 1000000000;
		until.tv_nsec %= 1000000000;
	} while (pthread_mutex_timedlock(&lock, &until) != 0);
	return 0;
}
#define LOCK() lock_in_time()
#else
#define LOCK() pthread_mutex_lock(&lock)
#endif
static void INIT(void)
{
	pthread_mutexattr_t kind;
	pthread_mutexattr_init(&kind);
#if defined(RECURSIVE)
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
#elif defined(ERRORCHECK)
	pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
#endif
	pthread_mutex_init(&lock, &kind);
	pthread_mutexattr_destroy(&kind);
}
#endif

static void *work(void *unused)
{
	for (int i = 0; i < 20; i++) {
		LOCK();
#ifdef RECURSIVE
		LOCK();
		counter++;
		UNLOCK();
#endif
		counter++;
		UNLOCK();
	}
	return unused;
}

int main(void)
{
	INIT();
	crew(3, work);
#ifdef RECURSIVE
	counter /= 2;
#endif
	return counter == 60 ? 0 : 1;
}
