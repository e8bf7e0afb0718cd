/* norn-test
 * errors: yes
 * cc: -DMUTEX
 * cc: -DRWLOCK
 * cc: -DSPIN
 * cc: -DSEM
 * schedule: 12
 * finding: ^race told predicted
 * silent: -DRIGHT -DMUTEX
 * silent: -DRIGHT -DRWLOCK
 * silent: -DRIGHT -DSPIN
 * silent: -DRIGHT -DSEM
 */
/* X4: a lock or semaphore that processes may share, in memory of this process alone, is one like any other: what was written before
 * one region races with what is read after the other. */
#include <pthread.h>
#include <semaphore.h>

#include "../sliced/cast.h"

static int told, count, heard;

#if defined(MUTEX)
static pthread_mutex_t lock;
#define LOCK() pthread_mutex_lock(&lock)
#define UNLOCK() pthread_mutex_unlock(&lock)
static void make(void)
{
	pthread_mutexattr_t how;
	pthread_mutexattr_init(&how);
	pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&lock, &how);
}
#elif defined(RWLOCK)
static pthread_rwlock_t lock;
#define LOCK() pthread_rwlock_wrlock(&lock)
#define UNLOCK() pthread_rwlock_unlock(&lock)
static void make(void)
{
	pthread_rwlockattr_t how;
	pthread_rwlockattr_init(&how);
	pthread_rwlockattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&lock, &how);
}
#elif defined(SPIN)
static pthread_spinlock_t lock;
#define LOCK() pthread_spin_lock(&lock)
#define UNLOCK() pthread_spin_unlock(&lock)
static void make(void)
{
	pthread_spin_init(&lock, PTHREAD_PROCESS_SHARED);
}
#else
static sem_t lock;
#define LOCK() sem_wait(&lock)
#define UNLOCK() sem_post(&lock)
static void make(void)
{
	sem_init(&lock, 1, 1);
}
#endif

static void *teller(void *unused)
{
	gate('1');
#ifndef RIGHT
	told = 1;
#endif
	LOCK();
#ifdef RIGHT
	told = 1;
#endif
	count++;
	UNLOCK();
	gate_leave();
	return unused;
}

static void *hearer(void *unused)
{
	gate('2');
	LOCK();
	count++;
#ifdef RIGHT
	heard = told;
#endif
	UNLOCK();
#ifndef RIGHT
	heard = told;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	make();
	return argc < 2 || play(argv, teller, hearer, NULL);
}
