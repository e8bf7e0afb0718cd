/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O0 -pthread
 * stdout: all kinds behave
 * dump-count: 1 main +acquire +mutex .*; normal
 * dump-count: 1 main +release +mutex .*; normal
 * dump-count: 1 main +acquire +mutex .*; recursive
 * dump-count: 1 main +release +mutex .*; recursive
 * dump-count: 1 main +acquire +mutex .*; errorcheck
 * dump-count: 1 main +release +mutex .*; errorcheck
 * dump-count: 1 main +acquire +mutex .*; inherit
 * dump-count: 1 main +release +mutex .*; inherit
 * dump-count: 1 main/[0-9]+ +acquire +(robust )?mutex .*; die_holding
 * never: release .*; die_holding
 * dump-count: 1 main +acquire +(robust )?mutex .*; robust
 * dump-count: 1 main +release +(robust )?mutex .*; robust
 * dump-count: 3 main/[0-9]+ +try-failed +mutex .*; contend
 * never: (acquire|release) .*; not_mine
 */
/* Every kind of mutex, every way to take it. Only the outermost acquire and release of a recursive one are events; calls that
 * fail are none. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define CHECK(x)                                                                                                                   \
	do {                                                                                                                       \
		if (!(x)) {                                                                                                        \
			printf("line %d: %s\n", __LINE__, #x);                                                                     \
			exit(1);                                                                                                   \
		}                                                                                                                  \
	} while (0)
#define NOINLINE __attribute__((noinline))

static pthread_mutex_t mutex;
static const struct timespec past = {1, 0};

static void make(int type, int robust, int protocol)
{
	pthread_mutexattr_t attr;
	pthread_mutexattr_init(&attr);
	CHECK(pthread_mutexattr_settype(&attr, type) == 0);
	CHECK(pthread_mutexattr_setrobust(&attr, robust) == 0);
	CHECK(pthread_mutexattr_setprotocol(&attr, protocol) == 0);
	CHECK(pthread_mutex_init(&mutex, &attr) == 0);
	pthread_mutexattr_destroy(&attr);
}

static void in_thread(void *(*routine)(void *))
{
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, routine, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static NOINLINE void *contend(void *unused)
{
	struct timespec soon;
	clock_gettime(CLOCK_MONOTONIC, &soon);
	CHECK(pthread_mutex_trylock(&mutex) == EBUSY);
	CHECK(pthread_mutex_timedlock(&mutex, &past) == ETIMEDOUT);
	CHECK(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &soon) == ETIMEDOUT);
	return unused;
}

static NOINLINE void *not_mine(void *unused)
{
	CHECK(pthread_mutex_unlock(&mutex) == EPERM);
	return unused;
}

static NOINLINE void normal(void)
{
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	CHECK(pthread_mutex_lock(&mutex) == 0);
	in_thread(contend);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
}

static NOINLINE void recursive(void)
{
	make(PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	CHECK(pthread_mutex_trylock(&mutex) == 0);
	CHECK(pthread_mutex_lock(&mutex) == 0);
	CHECK(pthread_mutex_timedlock(&mutex, &past) == 0);
	in_thread(not_mine);
	for (int i = 0; i < 3; i++)
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_unlock(&mutex) == EPERM);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
}

static NOINLINE void errorcheck(void)
{
	make(PTHREAD_MUTEX_ERRORCHECK, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
	CHECK(pthread_mutex_unlock(&mutex) == EPERM);
	CHECK(pthread_mutex_timedlock(&mutex, &past) == 0);
	CHECK(pthread_mutex_lock(&mutex) == EDEADLK);
	in_thread(not_mine);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
}

static NOINLINE void inherit(void)
{
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
	CHECK(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &past) == 0);
	in_thread(not_mine);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
}

static NOINLINE void *die_holding(void *unused)
{
	CHECK(pthread_mutex_lock(&mutex) == 0);
	return unused;
}

static NOINLINE void robust(void)
{
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
	in_thread(die_holding);
	CHECK(pthread_mutex_lock(&mutex) == EOWNERDEAD);
	CHECK(pthread_mutex_consistent(&mutex) == 0);
	in_thread(not_mine);
	CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
}

/* Needs a privilege to lock, so its events cannot be counted on. */
static NOINLINE void protect(void)
{
	make(PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_PROTECT);
	if (pthread_mutex_lock(&mutex) == 0)
		CHECK(pthread_mutex_unlock(&mutex) == 0);
	CHECK(pthread_mutex_destroy(&mutex) == 0);
}

int main(void)
{
	normal();
	recursive();
	errorcheck();
	inherit();
	robust();
	protect();
	puts("all kinds behave");
	return 0;
}
