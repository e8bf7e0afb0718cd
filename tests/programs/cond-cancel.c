/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O2 -pthread -fexceptions
 * stdout: cancelled, cleaned up, mutex free
 * dump-count: 2 main/1 +acquire +mutex
 * dump-count: 2 main/1 +release +mutex
 * dump-count: 1 main/1 +wait-begin
 * dump-count: 1 main/1 +wait-timeout
 * never: main/1 +wait-end
 * dump-count: 1 main/1 +end
 */
/* A thread that is cancelled while it waits has its mutex again when its cleanup handlers run. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, started = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;

static void clean_up(void *unused)
{
	(void)unused;
	cleaned = 1;
	pthread_mutex_unlock(&mutex);
}

static void *wait_for_ever(void *unused)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push(clean_up, NULL);
	waiting = 1;
	pthread_cond_signal(&started);
	for (;;)
		pthread_cond_wait(&never, &mutex);
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	pthread_t thread;
	void *result;
	pthread_create(&thread, NULL, wait_for_ever, NULL);
	pthread_mutex_lock(&mutex);
	while (!waiting)
		pthread_cond_wait(&started, &mutex);
	pthread_mutex_unlock(&mutex);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	if (result != PTHREAD_CANCELED || !cleaned || pthread_mutex_trylock(&mutex) != 0)
		exit(1);
	puts("cancelled, cleaned up, mutex free");
	return 0;
}
