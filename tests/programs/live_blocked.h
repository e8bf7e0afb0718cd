/* Two who give way to each other, by turns, and a third thread that waits in one way or another. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#ifdef ATOMIC
atomic_int want[2];
#else
int want[2];
#endif
int inside;
static sem_t turns[2], gone, asleep, locked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t meeting;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool through;
static atomic_bool impatient; /* the third thread has waited long enough: the second wants nothing any more */

static void step(int me)
{
	sem_wait(&turns[me]);
}

static void pass(int me)
{
	sem_post(&turns[1 - me]);
}

/* What one of them does in each turn. */
static inline void tell(int me)
{
#ifdef TOLD
	pthread_mutex_lock(&lock);
	through = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
#elif defined POSTED
	sem_post(&gone);
#elif defined FREE
	pthread_mutex_lock(&other_lock);
	pthread_mutex_unlock(&other_lock);
#elif defined FREE_WRITER
	pthread_rwlock_wrlock(&table);
	pthread_rwlock_unlock(&table);
#endif
	(void)me;
}

static void enter(int me)
{
	for (int tries = 0;; tries++) {
		step(me);
		want[me] = (tries < 3 && !atomic_load(&impatient)) || me == 0;
		tell(me);
		pass(me);
		step(me);
		int other = want[1 - me];
		if (!other)
			break;
		pass(me);
		step(me);
		want[me] = 0;
		pass(me);
	}
	inside = 1;
	inside = 0;
	want[me] = 0;
	pass(me);
}

#if defined ONCE || defined DONE
static void routine(void)
{
#ifdef ONCE
	sem_post(&asleep);
	enter(0);
#endif
}
#endif

static void *first(void *unused)
{
#ifdef DONE
	pthread_once(&once, routine);
#endif
#ifdef MUTEX
	pthread_mutex_lock(&other_lock);
#elif defined WRITER
	pthread_rwlock_wrlock(&table);
#endif
#ifndef ONCE
	sem_post(&asleep);
#endif
#ifdef CONDITION
	sem_wait(&locked);
	pthread_mutex_lock(&lock); /* which it gives up when it sleeps */
	pthread_mutex_unlock(&lock);
#endif
#ifdef ONCE
	pthread_once(&once, routine);
#else
	enter(0);
#endif
	sem_post(&turns[1]);
	sem_post(&turns[1]);
#ifdef BARRIER
	pthread_barrier_wait(&meeting);
#endif
#ifdef MUTEX
	pthread_mutex_unlock(&other_lock);
#elif defined WRITER
	pthread_rwlock_unlock(&table);
#endif
	pthread_mutex_lock(&lock);
	through = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	sem_post(&gone);
	return unused;
}

static void *second(void *unused)
{
	enter(1);
	return unused;
}

static void *third(void *unused)
{
	sem_wait(&asleep);
#if defined SEMAPHORE || defined ATOMIC || defined POSTED
	sem_wait(&gone);
#elif defined BARRIER || defined LONE
	pthread_barrier_wait(&meeting);
#elif defined ONCE || defined DONE
	pthread_once(&once, routine);
#elif defined MUTEX || defined FREE
	pthread_mutex_lock(&other_lock);
	pthread_mutex_unlock(&other_lock);
#elif defined WRITER || defined FREE_WRITER
	pthread_rwlock_rdlock(&table);
	pthread_rwlock_unlock(&table);
#else
	pthread_mutex_lock(&lock);
	sem_post(&locked);
	while (!through) {
#ifdef TIMED
		static const struct timespec never = {.tv_sec = 4000000000};
		pthread_cond_timedwait(&changed, &lock, &never);
#else
		pthread_cond_wait(&changed, &lock);
#endif
	}
	pthread_mutex_unlock(&lock);
#endif
	atomic_store(&impatient, true);
	return unused;
}

int main(void)
{
	pthread_t threads[3];
#ifdef BARRIER
	pthread_barrier_init(&meeting, NULL, 2);
#elif defined LONE
	pthread_barrier_init(&meeting, NULL, 1);
#endif
	sem_init(&turns[0], 0, 1);
	sem_init(&turns[1], 0, 0);
	sem_init(&gone, 0, 0);
	sem_init(&asleep, 0, 0);
	sem_init(&locked, 0, 0);
	pthread_create(&threads[0], 0, first, 0);
	pthread_create(&threads[2], 0, third, 0);
	pthread_create(&threads[1], 0, second, 0);
	pthread_join(threads[0], 0);
	pthread_join(threads[1], 0);
	pthread_join(threads[2], 0);
	return 0;
}
