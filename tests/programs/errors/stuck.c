/* norn-test
 * errors: yes
 * cc: -DLOST
 * cc: -DUNLOCKED
 * cc: -DSHUTDOWN
 * cc: -DWRONG_WAITER
 * cc: -DNESTED
 * cc: -DCROSS
 * cc: -DCOUNT
 * cc: -DONCE
 * cc: -DBARRIER
 * cc: -DENDED
 * cc: -DREAD_AGAIN
 * cc: -DPHILOSOPHERS
 * schedule: abc
 * finding: ^deadlock .* predicted
 * finding-count: 1
 * silent: -DLOST -DFLAG
 * silent: -DLOST -DTIMED
 * silent: -DLOST -DAGAIN
 * silent: -DLOST -DLEAVES
 * silent: -DLOST -DHANDLER
 * silent: -DUNLOCKED -DFLAG
 * silent: -DSHUTDOWN -DFLAG
 * silent: -DWRONG_WAITER -DFLAG
 * silent: -DNESTED -DRIGHT
 * silent: -DNESTED -DTIMED
 * silent: -DCROSS -DRIGHT
 * silent: -DCOUNT -DRIGHT
 * silent: -DONCE -DRIGHT
 * silent: -DBARRIER -DRIGHT
 * silent: -DENDED -DRIGHT
 * silent: -DENDED -DROBUST
 * silent: -DENDED -DTIMED
 * silent: -DREAD_AGAIN -DREADERS
 * silent: -DPHILOSOPHERS -DRIGHT
 */
/* Threads that wait for ever, other than in a circle of locks (S17): for a condition whose notify came before, for a semaphore, a barrier, a once, a
 * lock of a thread that has ended, or to read what a writer waits for. And programs like these in which it cannot come to that. */
#define _GNU_SOURCE
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>

#include "../sliced/cast.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t left, right;
static bool ready;

/* So far in the future that it never comes. */
static inline const struct timespec *never(void)
{
	static const struct timespec at = {.tv_sec = 4000000000};
	return &at;
}

static inline void sleep_once(void)
{
	gate_leave();
#ifdef TIMED
	pthread_cond_timedwait(&changed, &lock, never());
#else
	pthread_cond_wait(&changed, &lock);
#endif
}

static inline void take(sem_t *semaphore)
{
#ifdef TIMED
	sem_timedwait(semaphore, never());
#else
	sem_wait(semaphore);
#endif
}

static part *third;

#if defined LOST
/* The notify may come before the wait: nothing tells that it came. FLAG does. AGAIN: it is made until somebody has heard it. LEAVES: the process does
 * not wait for the waiter. HANDLER: a signal may come at any time (S17.h). */
static bool heard;

static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
#ifdef FLAG
	while (!ready)
#endif
		sleep_once();
	pthread_mutex_unlock(&lock);
	__atomic_store_n(&heard, true, __ATOMIC_SEQ_CST);
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef AGAIN
	while (!__atomic_load_n(&heard, __ATOMIC_SEQ_CST))
#endif
	{
		pthread_mutex_lock(&lock);
		ready = true;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	gate_leave();
	return unused;
}
#elif defined UNLOCKED
/* What the waiter waits for changes between its test and its sleep, and so does the notify. */
static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	if (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
		sleep_once();
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef FLAG
	pthread_mutex_lock(&lock);
#endif
	__atomic_store_n(&ready, true, __ATOMIC_SEQ_CST);
	pthread_cond_signal(&changed);
#ifdef FLAG
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}
#elif defined SHUTDOWN
/* Two workers are told to end, by all that they could wish for but the lock. */
static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	while (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
		sleep_once();
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	gate_leave();
	return unused;
}

static void *end_all(void *unused)
{
	gate('c');
#ifdef FLAG
	pthread_mutex_lock(&lock);
#endif
	__atomic_store_n(&ready, true, __ATOMIC_SEQ_CST);
#ifdef FLAG
	pthread_mutex_unlock(&lock);
#endif
	pthread_cond_broadcast(&changed);
	gate_leave();
	return unused;
}
#define THIRD end_all
#elif defined WRONG_WAITER
/* The first passes the signal on, the second does not; whom it wakes depends on who sleeps longer. */
static bool one_waits, other_waits;

static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	one_waits = true;
#ifdef FLAG
	while (!ready)
#endif
		sleep_once();
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	other_waits = true;
#ifdef FLAG
	while (!ready)
#endif
		sleep_once();
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *tell(void *unused)
{
	gate('c');
	pthread_mutex_lock(&lock);
	ready = true;
#ifdef FLAG
	pthread_cond_broadcast(&changed);
#else
	if (one_waits && other_waits) /* none is missing */
		pthread_cond_signal(&changed);
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}
#define THIRD tell
#elif defined NESTED
/* A semaphore is waited for with the lock that the thread needs which posts it. */
static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	ready = true;
	pthread_mutex_unlock(&lock);
	sem_post(&left);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef RIGHT
	take(&left);
	pthread_mutex_lock(&lock);
#else
	pthread_mutex_lock(&lock);
	take(&left);
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}
#elif defined CROSS
/* Two semaphores that are locks, taken in two orders. */
static void take_both(sem_t *one, sem_t *other)
{
	sem_wait(one);
	sem_wait(other);
	sem_post(other);
	sem_post(one);
}

static void *first(void *unused)
{
	gate('a');
	take_both(&left, &right);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef RIGHT
	take_both(&left, &right);
#else
	take_both(&right, &left);
#endif
	gate_leave();
	return unused;
}
#elif defined COUNT
/* Each takes two, one after the other, and there are two; RIGHT: three. */
static void *first(void *unused)
{
	gate(unused ? 'b' : 'a');
	sem_wait(&left);
	sem_wait(&left);
	sem_post(&left);
	sem_post(&left);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	return first(&ready);
}
#elif defined ONCE
/* The routine takes the lock that is held around the once. */
static pthread_once_t begun = PTHREAD_ONCE_INIT;

static void begin(void)
{
	pthread_mutex_lock(&lock);
	ready = true;
	pthread_mutex_unlock(&lock);
}

static void *first(void *unused)
{
	gate('a');
	pthread_once(&begun, begin);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef RIGHT
	pthread_once(&begun, begin);
	pthread_mutex_lock(&lock);
#else
	pthread_mutex_lock(&lock);
	pthread_once(&begun, begin);
#endif
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}
#elif defined BARRIER
/* The barrier is waited at with the lock that the other needs to come there. */
static pthread_barrier_t both;

static void *first(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	ready = true;
	pthread_mutex_unlock(&lock);
	gate_leave();
	pthread_barrier_wait(&both);
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	gate_leave();
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&both);
#else
	pthread_barrier_wait(&both);
	pthread_mutex_unlock(&lock);
#endif
	return unused;
}
#elif defined ENDED
/* The lock is never released. */
static void *first(void *unused)
{
	gate('a');
#ifdef TIMED
	if (pthread_mutex_timedlock(&lock, never()) != 0)
		return unused;
#else
	pthread_mutex_lock(&lock);
#endif
	ready = true;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	ready = true;
#ifdef RIGHT
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}
#elif defined READ_AGAIN
/* A reader reads again, while it reads; a lock that prefers writers does not let it, if one waits. */
#ifdef READERS
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
#else
static pthread_rwlock_t table = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
#endif
static bool seen[2];

static void *first(void *unused)
{
	gate('a');
	pthread_rwlock_wrlock(&table);
	ready = true;
	pthread_rwlock_unlock(&table);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	pthread_rwlock_rdlock(&table);
	seen[0] = ready;
	pthread_rwlock_rdlock(&table);
	seen[1] = ready;
	pthread_rwlock_unlock(&table);
	pthread_rwlock_unlock(&table);
	gate_leave();
	return unused;
}
#elif defined PHILOSOPHERS
/* Three, each with a semaphore for a fork. */
static sem_t forks[3];

static void *dine(unsigned seat)
{
	gate((char)('a' + seat));
	unsigned one = seat, other = (seat + 1) % 3;
#ifdef RIGHT
	if (one > other) {
		one = other;
		other = seat;
	}
#endif
	sem_wait(&forks[one]);
	sem_wait(&forks[other]);
	sem_post(&forks[other]);
	sem_post(&forks[one]);
	gate_leave();
	return NULL;
}

static void *first(void *unused)
{
	return dine(0);
}

static void *second(void *unused)
{
	return dine(1);
}

static void *last(void *unused)
{
	return dine(2);
}
#define THIRD last
#endif

#ifdef HANDLER
static void on_signal(int number)
{
	(void)number;
}
#endif

static void make(void)
{
#ifdef HANDLER
	signal(SIGUSR1, on_signal);
#endif
#ifdef ROBUST /* S17.g */
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&lock, &attr);
#endif
#ifdef BARRIER
	pthread_barrier_init(&both, NULL, 2);
#endif
#ifdef PHILOSOPHERS
	for (unsigned i = 0; i < 3; i++)
		sem_init(&forks[i], 0, 1);
#endif
#if defined COUNT && defined RIGHT
	sem_init(&left, 0, 3);
#elif defined COUNT
	sem_init(&left, 0, 2);
#elif defined NESTED
	sem_init(&left, 0, 0);
#else
	sem_init(&left, 0, 1);
	sem_init(&right, 0, 1);
#endif
#ifdef THIRD
	third = THIRD;
#endif
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	make();
#ifdef LEAVES
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	pthread_detach(threads[0]);
	gate_gather(2);
	gate_open(argv[1]);
	return pthread_join(threads[1], NULL);
#else
	return play(argv, first, second, third);
#endif
}
