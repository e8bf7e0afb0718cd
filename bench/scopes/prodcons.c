/* Producers and consumers with a bounded queue, a lock and conditions. usage: prodcons PAIRS ITEMS. -DMUTANT: consumes what is not there, at first. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

#define ROOM 64
#define MANY 32

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static long queue[ROOM];
static unsigned first, count;
static long items;
#ifdef MUTANT
static pthread_barrier_t begin;
#endif

/* Under the lock. */
__attribute__((noinline)) void produce(long item)
{
	queue[(first + count++) % ROOM] = item;
}

__attribute__((noinline)) long consume(void)
{
	long item = queue[first];
	first = (first + 1) % ROOM;
	count--;
	return item;
}

void *producer_main(void *arg)
{
#ifdef MUTANT
	pthread_barrier_wait(&begin);
#endif
	for (long i = 0; i < items; i++) {
		pthread_mutex_lock(&lock);
		while (count == ROOM)
			pthread_cond_wait(&not_full, &lock);
		produce(i);
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

void *consumer_main(void *arg)
{
	long sum = 0;
#ifdef MUTANT
	pthread_mutex_lock(&lock);
	consume();
	count = first = 0;
	pthread_mutex_unlock(&lock);
	pthread_barrier_wait(&begin);
#endif
	for (long i = 0; i < items; i++) {
		pthread_mutex_lock(&lock);
		while (count == 0)
			pthread_cond_wait(&not_empty, &lock);
		sum += consume();
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&lock);
	}
	*(long *)arg = sum;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t list[2 * MANY];
	static long sums[MANY * 8], sum;
	int pairs = argc > 1 ? atoi(argv[1]) : 2;
	items = (argc > 2 ? atol(argv[2]) : 100000) / pairs;
	if (pairs < 1 || pairs > MANY)
		return 2;
#ifdef MUTANT
	pthread_barrier_init(&begin, NULL, 2 * (unsigned)pairs);
#endif
	measure_begin();
	for (int i = 0; i < pairs; i++) {
		pthread_create(&list[2 * i], NULL, producer_main, NULL);
		pthread_create(&list[2 * i + 1], NULL, consumer_main, &sums[i * 8]);
	}
	for (int i = 0; i < 2 * pairs; i++)
		pthread_join(list[i], NULL);
	measure_end();
	for (int i = 0; i < pairs; i++)
		sum += sums[i * 8];
	printf("%d\n", sum == items * (items - 1) / 2 * pairs);
	return 0;
}
