/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 200 cancelled, words still usable
 * dump-count: 200 main/[0-9]+ +end
 */
/* Threads that can be cancelled at any instruction, and are while they do nothing but access memory: none may be stopped with
 * the lock of a word in its hands. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static volatile long words[4];
static atomic_long counter;
static atomic_int started;

static void *work(void *unused)
{
	int old;
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	started = 1;
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
	for (int i = 0; i < 200; i++) {
		pthread_t thread;
		void *result;
		started = 0;
		pthread_create(&thread, NULL, work, NULL);
		while (!started)
			sched_yield();
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
