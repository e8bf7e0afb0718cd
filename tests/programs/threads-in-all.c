/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 100000 threads in all
 * dump-count: 50000 main +join
 * dump-count: 50000 main/[0-9]+ +join
 */
/* 100,000 threads over a run, a few at a time, half of them created by others: handles and slots are used again and again. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define BATCH 50

static atomic_int count;

static void *leaf(void *unused)
{
	count++;
	return unused;
}

static void *branch(void *unused)
{
	pthread_t thread;
	count++;
	if (pthread_create(&thread, NULL, leaf, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
	return unused;
}

int main(void)
{
	pthread_t threads[BATCH];
	for (int done = 0; done < 50000; done += BATCH) {
		for (int i = 0; i < BATCH; i++)
			if (pthread_create(&threads[i], NULL, branch, NULL) != 0)
				abort();
		for (int i = 0; i < BATCH; i++)
			pthread_join(threads[i], NULL);
	}
	printf("%d threads in all\n", count);
	return 0;
}
