/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 100 cancelled, words still usable
 * dump-count: 100 main/[0-9]+ +end
 */
/* Threads that can be cancelled at any instruction, and are while they do nothing but access memory: none may be stopped with
 * the lock of a word in its hands. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

static volatile long words[4];
static atomic_long counter;
static sem_t started;

static void *work(void *unused)
{
	int old;
	sem_post(&started);
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	for (;;) {
		for (int i = 0; i < 4; i++)
			words[i]++;
		counter++;
	}
	return unused;
}

int main(void)
{
	int cancelled = 0;
	sem_init(&started, 0, 0);
	for (int i = 0; i < 100; i++) {
		pthread_t thread;
		void *result;
		pthread_create(&thread, NULL, work, NULL);
		sem_wait(&started);
		pthread_cancel(thread);
		pthread_join(thread, &result);
		cancelled += result == PTHREAD_CANCELED;
		for (int w = 0; w < 4; w++)
			words[w] = 0;
		counter = 0;
	}
	printf("%d cancelled, words still usable\n", cancelled);
	return 0;
}
