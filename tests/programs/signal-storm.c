/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O2 -pthread
 * stdout: 500 handled, 500 seen
 * dump-count: 500 main/1 +signal +signal 10
 * dump-count: 500 main/1 +signal-end
 */
/* A thread that does nothing but access memory, and a storm of signals onto it whose handler touches the very same words, plainly
 * and atomically: a handler that ran inside a hook would wait for its own thread for ever. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define SIGNALS 500

static volatile long words[4];
static char block[64], copy[64];
static atomic_long counter;
static atomic_int handled, stop;
static sem_t acknowledged;

static void handle(int sig)
{
	(void)sig;
	for (int i = 0; i < 4; i++)
		words[i]++;
	counter++;
	memcpy(copy, block, sizeof block);
	handled++;
	sem_post(&acknowledged);
}

static void *work(void *unused)
{
	while (!stop) {
		for (int i = 0; i < 4; i++)
			words[i]++;
		counter++;
		memcpy(block, copy, sizeof block);
	}
	return unused;
}

int main(void)
{
	pthread_t thread;
	struct sigaction action = {.sa_handler = handle};
	sigaction(SIGUSR1, &action, NULL);
	sem_init(&acknowledged, 0, 0);
	pthread_create(&thread, NULL, work, NULL);
	int seen = 0;
	for (int i = 0; i < SIGNALS; i++) {
		pthread_kill(thread, SIGUSR1);
		sem_wait(&acknowledged);
		seen++;
	}
	stop = 1;
	pthread_join(thread, NULL);
	printf("%d handled, %d seen\n", handled, seen);
	return 0;
}
