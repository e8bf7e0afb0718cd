/* Readers and writers (opportunistic monitoring, section 1): a writer writes, then all readers read at the same time, in turns.
 *
 *   rw READERS WRITERS ROUNDS READS [MUTANT]
 *
 * The readers' first one takes the resource's lock for all of them, and gives it up when all have read. Mutants do something wrong once:
 *   skip     a reader does not read in one of its turns
 *   writers  a second writer writes while the first one does
 *   inside   a reader reads while a writer writes
 *   calls    nothing orders the calls of checkpoint(), which a scope might take for synchronizing actions */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MANY 256

static pthread_mutex_t resource_lock = PTHREAD_MUTEX_INITIALIZER; /* held by a writer, or for all readers */
static pthread_mutex_t counter_lock = PTHREAD_MUTEX_INITIALIZER; /* active, done */
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER; /* turn, round, left */
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER, all_done = PTHREAD_COND_INITIALIZER;
static sem_t open_door, gone;
static int readers, writers, rounds, reads;
static const char *mutant = "";

enum turn { WRITING, BUSY, READING };
static enum turn turn;
static int round_number, left, active, done;
static volatile long data[16];

__attribute__((noinline)) long shared_read(int where)
{
	return data[where % 16];
}

__attribute__((noinline)) void shared_write(int where, long value)
{
	data[where % 16] = value;
}

__attribute__((noinline)) void checkpoint(int round)
{
	__asm__ volatile("" ::"r"(round));
}

static void enter_reading(void)
{
	pthread_mutex_lock(&counter_lock);
	if (active++ == 0)
		pthread_mutex_lock(&resource_lock);
	pthread_mutex_unlock(&counter_lock);
}

/* Who took the lock gives it up, after all have read. */
static void leave_reading(int first)
{
	pthread_mutex_lock(&counter_lock);
	done++;
	if (!first)
		pthread_cond_broadcast(&all_done);
	while (first && done < readers)
		pthread_cond_wait(&all_done, &counter_lock);
	if (first) {
		active = done = 0;
		pthread_mutex_unlock(&resource_lock);
		pthread_mutex_lock(&turn_lock);
		turn = WRITING;
		pthread_cond_broadcast(&turned);
		pthread_mutex_unlock(&turn_lock);
	}
	pthread_mutex_unlock(&counter_lock);
}

static void *reader_main(void *arg)
{
	int number = (int)(long)arg;
	for (int round = 1; round <= rounds; round++) {
		if (number == 0 && round == 3 && strcmp(mutant, "inside") == 0) {
			sem_wait(&open_door);
			shared_read(1);
			sem_post(&gone);
		}
		pthread_mutex_lock(&turn_lock);
		while (turn != READING || round_number != round)
			pthread_cond_wait(&turned, &turn_lock);
		int first = left-- == readers;
		pthread_mutex_unlock(&turn_lock);
		/* The first one enters first, so that it is the one who has the lock. */
		if (!first) {
			pthread_mutex_lock(&counter_lock);
			while (active == 0)
				pthread_cond_wait(&all_done, &counter_lock);
			pthread_mutex_unlock(&counter_lock);
		}
		enter_reading();
		if (first) {
			pthread_mutex_lock(&counter_lock);
			pthread_cond_broadcast(&all_done);
			pthread_mutex_unlock(&counter_lock);
		}
		for (int i = 0; i < reads; i++)
			if (number != 0 || round != 2 || strcmp(mutant, "skip") != 0)
				shared_read(i);
		leave_reading(first);
		if (strcmp(mutant, "calls") == 0)
			checkpoint(round);
	}
	return NULL;
}

static void *second_writer(void *arg)
{
	(void)arg;
	sem_wait(&open_door);
	shared_write(2, 2);
	sem_post(&gone);
	return NULL;
}

static void write_once(int round)
{
	pthread_mutex_lock(&resource_lock);
	shared_write(round, round);
	if (round == 3 && (strcmp(mutant, "writers") == 0 || strcmp(mutant, "inside") == 0)) {
		sem_post(&open_door);
		sem_wait(&gone);
	}
	pthread_mutex_unlock(&resource_lock);
}

static void *writer_main(void *arg)
{
	(void)arg;
	for (;;) {
		pthread_mutex_lock(&turn_lock);
		while (turn != WRITING && round_number < rounds)
			pthread_cond_wait(&turned, &turn_lock);
		if (round_number >= rounds) {
			pthread_mutex_unlock(&turn_lock);
			return NULL;
		}
		turn = BUSY;
		int round = ++round_number;
		pthread_mutex_unlock(&turn_lock);
		write_once(round);
		pthread_mutex_lock(&turn_lock);
		turn = READING;
		left = readers;
		pthread_cond_broadcast(&turned);
		pthread_mutex_unlock(&turn_lock);
	}
}

int main(int argc, char **argv)
{
	pthread_t threads[2 * MANY + 1];
	int count = 0;
	readers = argc > 1 ? atoi(argv[1]) : 2;
	writers = argc > 2 ? atoi(argv[2]) : 2;
	rounds = argc > 3 ? atoi(argv[3]) : 10;
	reads = argc > 4 ? atoi(argv[4]) : 3;
	mutant = argc > 5 ? argv[5] : "";
	if (readers < 1 || readers > MANY || writers < 1 || writers > MANY)
		return 2;
	sem_init(&open_door, 0, 0);
	sem_init(&gone, 0, 0);
	turn = BUSY;
	if (strcmp(mutant, "writers") == 0)
		pthread_create(&threads[count++], NULL, second_writer, NULL);
	for (int i = 0; i < readers; i++)
		pthread_create(&threads[count++], NULL, reader_main, (void *)(long)i);
	for (int i = 0; i < writers; i++)
		pthread_create(&threads[count++], NULL, writer_main, NULL);
	pthread_mutex_lock(&turn_lock);
	turn = WRITING;
	pthread_cond_broadcast(&turned);
	pthread_mutex_unlock(&turn_lock);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	printf("%ld\n", data[rounds % 16]);
	return 0;
}
