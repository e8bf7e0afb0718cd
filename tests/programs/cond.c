/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 500 sent, 500 received, 3 timeouts, 2 refusals
 * dump-count: 3 wait-timeout .*; timeouts
 * dump-count: 3 wait-begin .*; timeouts
 * never: wait-begin .*; refusals
 * never: release .*; refusals
 * dump: main +wait-begin +changed \(0x[0-9a-f]+\) mutex 0x[0-9a-f]+ .*; consume
 * dump: main/1 +broadcast
 */
/* A one-place buffer handed back and forth; waits that time out; waits that are refused before they give up the mutex. */
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
#define ITEMS 500

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int item, full;
static long received;

static NOINLINE void *produce(void *unused)
{
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (full)
			pthread_cond_wait(&changed, &mutex);
		item = i;
		full = 1;
		pthread_cond_broadcast(&changed);
		pthread_mutex_unlock(&mutex);
	}
	return unused;
}

static NOINLINE void consume(void)
{
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&mutex);
		while (!full)
			pthread_cond_wait(&changed, &mutex);
		CHECK(item == i);
		received++;
		full = 0;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&mutex);
	}
}

static NOINLINE void timeouts(void)
{
	struct timespec past = {1, 0};
	pthread_mutex_t twice = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	pthread_mutex_lock(&mutex);
	CHECK(pthread_cond_timedwait(&changed, &mutex, &past) == ETIMEDOUT);
	CHECK(pthread_cond_clockwait(&changed, &mutex, CLOCK_MONOTONIC, &past) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
	pthread_mutex_lock(&twice);
	CHECK(pthread_cond_timedwait(&changed, &twice, &past) == ETIMEDOUT);
	pthread_mutex_unlock(&twice);
}

static NOINLINE void refusals(pthread_mutex_t *strict)
{
	struct timespec bad = {1, 1000000000}, past = {1, 0};
	pthread_cond_t other = PTHREAD_COND_INITIALIZER;
	CHECK(pthread_cond_timedwait(&changed, strict, &bad) == EINVAL);
	CHECK(pthread_cond_timedwait(&other, strict, &past) == EPERM);
}

int main(void)
{
	pthread_t thread;
	pthread_mutex_t strict = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
	pthread_create(&thread, NULL, produce, NULL);
	consume();
	pthread_join(thread, NULL);
	timeouts();
	refusals(&strict);
	pthread_cond_destroy(&changed);
	printf("%d sent, %ld received, 3 timeouts, 2 refusals\n", ITEMS, received);
	return 0;
}
