/* norn-test
 * silent: -DMUTEX
 * silent: -DRWLOCK
 * silent: -DSPIN
 * silent: -DBARRIER
 * silent: -DCOND
 * unjudged:
 * repeat: 3
 */
/* Another process passes on what one thread tells it to the other: through locks, barriers or conditions in shared memory. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static int told;
static volatile int *ready;

#if defined(MUTEX)
static pthread_mutex_t *to, *from;
#define LOCK(lock) pthread_mutex_lock(lock)
#define UNLOCK(lock) pthread_mutex_unlock(lock)
static void make(pthread_mutex_t *lock)
{
	pthread_mutexattr_t how;
	pthread_mutexattr_init(&how);
	pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(lock, &how);
}
#elif defined(RWLOCK)
static pthread_rwlock_t *to, *from;
#define LOCK(lock) pthread_rwlock_wrlock(lock)
#define UNLOCK(lock) pthread_rwlock_unlock(lock)
static void make(pthread_rwlock_t *lock)
{
	pthread_rwlockattr_t how;
	pthread_rwlockattr_init(&how);
	pthread_rwlockattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(lock, &how);
}
#elif defined(SPIN)
static pthread_spinlock_t *to, *from;
#define LOCK(lock) pthread_spin_lock(lock)
#define UNLOCK(lock) pthread_spin_unlock(lock)
static void make(pthread_spinlock_t *lock)
{
	pthread_spin_init(lock, PTHREAD_PROCESS_SHARED);
}
#elif defined(BARRIER)
static pthread_barrier_t *to, *from;
#define LOCK(barrier) (void)(barrier)
#define UNLOCK(barrier) pthread_barrier_wait(barrier)
static void make(pthread_barrier_t *barrier)
{
	pthread_barrierattr_t how;
	pthread_barrierattr_init(&how);
	pthread_barrierattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(barrier, &how, 2);
}
#else
static struct flag {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int set;
} *to, *from;
#define LOCK(flag) (void)(flag)
static void make(struct flag *flag)
{
	pthread_mutexattr_t how;
	pthread_mutexattr_init(&how);
	pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&flag->lock, &how);
	pthread_condattr_t what;
	pthread_condattr_init(&what);
	pthread_condattr_setpshared(&what, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&flag->changed, &what);
}
static void UNLOCK(struct flag *flag)
{
	pthread_mutex_lock(&flag->lock);
	flag->set = 1;
	pthread_cond_broadcast(&flag->changed);
	pthread_mutex_unlock(&flag->lock);
}
static void hear(struct flag *flag)
{
	pthread_mutex_lock(&flag->lock);
	while (!flag->set)
		pthread_cond_wait(&flag->changed, &flag->lock);
	pthread_mutex_unlock(&flag->lock);
}
#endif
#if defined(BARRIER)
#define HEAR(barrier) pthread_barrier_wait(barrier)
#elif defined(COND)
#define HEAR(flag) hear(flag)
#else
#define HEAR(lock) (LOCK(lock), UNLOCK(lock))
#endif

static void *hearer(void *unused)
{
	HEAR(from);
	told = 2;
	return unused;
}

int main(void)
{
	to = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ready = (volatile int *)((char *)to + 2048);
	from = to + 1;
	make(to);
	make(from);
	LOCK(to);
	pid_t relay = fork();
	if (relay == 0) {
		LOCK(from);
		*ready = 1;
		HEAR(to);
		UNLOCK(from);
		_exit(0);
	}
	while (!*ready)
		sched_yield();
	pthread_t thread;
	pthread_create(&thread, NULL, hearer, NULL);
	told = 1;
	UNLOCK(to);
	pthread_join(thread, NULL);
	return waitpid(relay, NULL, 0) != relay;
}
