/* norn-test
 * cc: -g -O1 -pthread
 * stdout: six ways in
 * dump-count: 4 acquire-shared +rwlock .*; read_ways
 * dump-count: 4 release-shared +rwlock .*; read_ways
 * dump-count: 4 acquire +rwlock .*; write_ways
 * dump-count: 4 release +rwlock .*; write_ways
 * dump-count: 3 try-failed +rwlock .*; shut_out
 * dump-count: 3 try-failed +rwlock .*; write_shut_out
 * dump-count: 1 create +rwlock
 * dump-count: 1 destroy +rwlock
 * dump-count: 1 acquire +spinlock .*; spin
 * dump-count: 1 release +spinlock .*; spin
 * dump-count: 1 try-failed +spinlock .*; spin_shut_out
 */
/* Readers-writer locks, each way to take them in both modes, and how unlock tells the modes apart; spinlocks. */
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

static pthread_rwlock_t lock;
static pthread_spinlock_t spinlock;
static const struct timespec past = {1, 0};

static void in_thread(void *(*routine)(void *))
{
	pthread_t thread;
	CHECK(pthread_create(&thread, NULL, routine, NULL) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static NOINLINE void *shut_out(void *unused)
{
	CHECK(pthread_rwlock_tryrdlock(&lock) == EBUSY);
	CHECK(pthread_rwlock_timedrdlock(&lock, &past) == ETIMEDOUT);
	CHECK(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	return unused;
}

static NOINLINE void *write_shut_out(void *unused)
{
	CHECK(pthread_rwlock_trywrlock(&lock) == EBUSY);
	CHECK(pthread_rwlock_timedwrlock(&lock, &past) == ETIMEDOUT);
	CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	return unused;
}

static NOINLINE void read_ways(void)
{
	CHECK(pthread_rwlock_rdlock(&lock) == 0);
	CHECK(pthread_rwlock_tryrdlock(&lock) == 0);
	CHECK(pthread_rwlock_timedrdlock(&lock, &past) == 0);
	CHECK(pthread_rwlock_clockrdlock(&lock, CLOCK_MONOTONIC, &past) == 0);
	in_thread(write_shut_out);
	for (int i = 0; i < 4; i++)
		CHECK(pthread_rwlock_unlock(&lock) == 0);
}

static NOINLINE void write_ways(void)
{
	CHECK(pthread_rwlock_wrlock(&lock) == 0);
	CHECK(pthread_rwlock_wrlock(&lock) == EDEADLK);
	in_thread(shut_out);
	CHECK(pthread_rwlock_unlock(&lock) == 0);
	CHECK(pthread_rwlock_trywrlock(&lock) == 0);
	CHECK(pthread_rwlock_unlock(&lock) == 0);
	CHECK(pthread_rwlock_timedwrlock(&lock, &past) == 0);
	CHECK(pthread_rwlock_unlock(&lock) == 0);
	CHECK(pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &past) == 0);
	CHECK(pthread_rwlock_unlock(&lock) == 0);
}

static NOINLINE void *spin_shut_out(void *unused)
{
	CHECK(pthread_spin_trylock(&spinlock) == EBUSY);
	return unused;
}

static NOINLINE void spin(void)
{
	CHECK(pthread_spin_init(&spinlock, PTHREAD_PROCESS_PRIVATE) == 0);
	CHECK(pthread_spin_lock(&spinlock) == 0);
	in_thread(spin_shut_out);
	CHECK(pthread_spin_unlock(&spinlock) == 0);
	CHECK(pthread_spin_destroy(&spinlock) == 0);
}

int main(void)
{
	CHECK(pthread_rwlock_init(&lock, NULL) == 0);
	read_ways();
	write_ways();
	CHECK(pthread_rwlock_destroy(&lock) == 0);
	spin();
	puts("six ways in");
	return 0;
}
