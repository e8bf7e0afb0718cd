/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 200 rounds, 200 serial threads
 * dump-count: 1 barrier-init +barrier \(0x[0-9a-f]+\) = 4
 * dump-count: 800 barrier-arrive
 * dump-count: 800 barrier-leave
 * dump-count: 1 destroy +barrier
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 4
#define ROUNDS 200

static pthread_barrier_t barrier;
static int cells[THREADS];
static atomic_int serial;

static void *work(void *argument)
{
	int *mine = argument;
	for (int round = 0; round < ROUNDS / 2; round++) {
		*mine = round;
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
		for (int i = 0; i < THREADS; i++)
			if (cells[i] != round)
				abort();
		if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			serial++;
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, &cells[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	pthread_barrier_destroy(&barrier);
	printf("%d rounds, %d serial threads\n", ROUNDS, serial);
	return 0;
}
