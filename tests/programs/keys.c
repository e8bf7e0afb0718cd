/* norn-test
 * cc: -g -O1 -pthread
 * stdout: first 2, again 4, under lock 2
 * dump-count: 2 main/[0-9]+ +acquire +mutex .*; under_lock
 * dump-count: 2 main/[0-9]+ +end
 * dump-count: 3 main/1 +enter +again
 */
/* Destructors of thread-specific data are part of the thread: recorded, also in later rounds, and only then it ends. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static pthread_key_t first_key, again_key, lock_key;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int firsts, agains, locks;

static void first(void *unused)
{
	(void)unused;
	firsts++;
}

/* Comes back in the next round, up to the one before the last. */
static __attribute__((noinline)) void again(void *left)
{
	agains++;
	long n = (long)left;
	if (n > 1)
		pthread_setspecific(again_key, (void *)(n - 1));
}

static __attribute__((noinline)) void under_lock(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&mutex);
	locks++;
	pthread_mutex_unlock(&mutex);
}

static void *work(void *rounds)
{
	pthread_setspecific(first_key, &firsts);
	pthread_setspecific(again_key, rounds);
	pthread_setspecific(lock_key, &locks);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pthread_key_create(&first_key, first);
	pthread_key_create(&again_key, again);
	pthread_key_create(&lock_key, under_lock);
	for (long rounds = 3; rounds >= 1; rounds -= 2) {
		pthread_create(&thread, NULL, work, (void *)rounds);
		pthread_join(thread, NULL);
	}
	printf("first %d, again %d, under lock %d\n", firsts, agains, locks);
	return 0;
}
