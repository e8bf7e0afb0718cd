/* For bench/observing: THREADS threads count to ROUNDS each, under a lock (or each its own counter, without), and do some work of their own in between.
 *
 *   observed THREADS ROUNDS WORK [apart] */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

int count, counts[MOST];
static int rounds, work, apart;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int scratch[MOST][1024];

static void *step(void *argument)
{
	int self = (int)(size_t)argument;
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < work; k++)
			scratch[self][k % 1024] += k;
		if (apart) {
			counts[self]++;
			continue;
		}
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	pthread_t threads[MOST];
	int many = atoi(argv[1]);
	rounds = atoi(argv[2]);
	work = atoi(argv[3]);
	apart = argc > 4;
	for (int i = 0; i < many && i < MOST; i++)
		pthread_create(&threads[i], NULL, step, (void *)(size_t)i);
	for (int i = 0; i < many && i < MOST; i++)
		pthread_join(threads[i], NULL);
	printf("%d\n", count);
	return 0;
}
