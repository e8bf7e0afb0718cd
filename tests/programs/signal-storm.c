/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O2 -pthread
 * stdout: 3000 handled, 3000 seen
 * dump-count: 3000 main/1 +signal +signal 10
 * dump-count: 3000 main/1 +signal-end
 */
/* A thread that does nothing but access memory, and a storm of signals onto it whose handler touches the very same words, plainly
 * and atomically: a handler that ran inside a hook would wait for its own thread for ever. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define SIGNALS 3000

static volatile long words[4];
static char block[64], copy[64];
static atomic_long counter;
static atomic_int handled, ready, stop;

static void handle(int sig)
{
	(void)sig;
	for (int i = 0; i < 4; i++)
		words[i]++;
	counter++;
	memcpy(copy, block, sizeof block);
	handled++;
}

static void *work(void *unused)
{
	ready = 1;
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
	pthread_create(&thread, NULL, work, NULL);
	while (!ready)
		sched_yield();
	int seen = 0;
	for (int i = 0; i < SIGNALS; i++) {
		pthread_kill(thread, SIGUSR1);
		while (handled == i)
			sched_yield();
		seen++;
	}
	stop = 1;
	pthread_join(thread, NULL);
	printf("%d handled, %d seen\n", handled, seen);
	return 0;
}
