/* A long run for bench/long: THREADS threads make EVENTS accesses to memory of their own, and RELEVANT changes of `state` in between, under a lock (mode 0), or
 * each of a variable of its own, without one (mode 1).   long THREADS EVENTS RELEVANT MODE */
#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 64, CELLS = 64 };

int state, apart[THREADS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int cells[THREADS][CELLS];
static unsigned long accesses, changes;
static int mode;

static void change(long me)
{
	if (mode) {
		apart[me] = 1 - apart[me];
		return;
	}
	pthread_mutex_lock(&lock);
	state = 1 - state;
	pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
	long me = (long)argument;
	unsigned long done = 0;
	for (unsigned long i = 0; i < accesses; i++) {
		cells[me][i % CELLS]++;
		if ((i + 1) * changes / accesses > done) {
			change(me);
			done++;
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	long count = argc == 5 ? atol(argv[1]) : 0;
	if (count < 1 || count > THREADS)
		return 2;
	accesses = strtoul(argv[2], NULL, 10) / 4 / (unsigned long)count; /* four each: of a cell, and of what says how often */
	changes = strtoul(argv[3], NULL, 10) / (unsigned long)count;
	mode = atoi(argv[4]);
	for (long i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, (void *)i);
	for (long i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
