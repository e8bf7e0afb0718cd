/* Readers and writers, as the opportunistic paper measures them (section 4.1): locks t (preference of writers), s (the resource) and c (counter).
 *
 *   rw READERS CWIDTH WRITES READS [WORDS]
 *
 * As many writers as readers. A reader that has the resource reads cwidth times. Of the readers that are in, the first one has taken the
 * lock s, and gives it up when the others are out: a mutex must be unlocked by the thread that locked it.
 * A read goes through WORDS words of the shared array, a write changes as many: 256 make about a quarter of a microsecond. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

#define MANY 128

static pthread_mutex_t t = PTHREAD_MUTEX_INITIALIZER, s = PTHREAD_MUTEX_INITIALIZER, c = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t out = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t begin;
static int active;
static long writes, reads, cwidth, words = 256;
static unsigned long data[4096];

__attribute__((noinline)) unsigned long shared_read(long where)
{
	unsigned long sum = (unsigned long)where;
	for (long i = 0; i < words; i++)
		sum = (sum ^ data[i]) * 31;
	return sum;
}

__attribute__((noinline)) void shared_write(long where, long value)
{
	unsigned long sum = (unsigned long)value;
	for (long i = 0; i < words; i++)
		data[i] = sum = (sum ^ (unsigned long)where) * 31;
}

static int enter_reading(void)
{
	pthread_mutex_lock(&t);
	pthread_mutex_lock(&c);
	int first = active++ == 0;
	if (first)
		pthread_mutex_lock(&s);
	pthread_mutex_unlock(&c);
	pthread_mutex_unlock(&t);
	return first;
}

static void leave_reading(int first)
{
	pthread_mutex_lock(&c);
	while (first && active > 1)
		pthread_cond_wait(&out, &c);
	if (--active == 1)
		pthread_cond_signal(&out);
	if (first)
		pthread_mutex_unlock(&s);
	pthread_mutex_unlock(&c);
}

void *reader_main(void *arg)
{
	long mine = reads;
	unsigned long sum = 0;
	pthread_barrier_wait(&begin);
	while (mine > 0) {
		int first = enter_reading();
		for (long i = 0; i < cwidth && mine > 0; i++, mine--)
			sum += shared_read(i);
		leave_reading(first);
	}
	*(unsigned long *)arg = sum;
	return NULL;
}

void *writer_main(void *arg)
{
	pthread_barrier_wait(&begin);
	for (long i = 0; i < writes; i++) {
		pthread_mutex_lock(&t);
		pthread_mutex_lock(&s);
		shared_write(i, i);
		pthread_mutex_unlock(&s);
		pthread_mutex_unlock(&t);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[2 * MANY];
	static unsigned long sums[MANY * 8];
	int count = argc > 1 ? atoi(argv[1]) : 7;
	cwidth = argc > 2 ? atol(argv[2]) : 30;
	writes = (argc > 3 ? atol(argv[3]) : 100000) / count;
	reads = (argc > 4 ? atol(argv[4]) : 400000) / count;
	words = argc > 5 ? atol(argv[5]) : words;
	if (count < 1 || count > MANY || words > 4096)
		return 2;
	measure_begin();
	pthread_barrier_init(&begin, NULL, 2 * (unsigned)count);
	for (int i = 0; i < count; i++) {
		pthread_create(&threads[2 * i], NULL, reader_main, &sums[i * 8]);
		pthread_create(&threads[2 * i + 1], NULL, writer_main, NULL);
	}
	for (int i = 0; i < 2 * count; i++)
		pthread_join(threads[i], NULL);
	measure_end();
	puts("done");
	return 0;
}
