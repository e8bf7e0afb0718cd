/* Threads that are there from when they are made, though they have done nothing yet. usage: size THREADS. A scope says that there are six.
 *
 * They wait for main at once; main takes the lock, whose acquisitions are the actions, while they may not even have begun. */
#include <pthread.h>
#include <stdlib.h>

#define MANY 64

static pthread_mutex_t resource = PTHREAD_MUTEX_INITIALIZER, gate = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void shared_write(int value)
{
	__asm__ volatile("" ::"r"(value));
}

static void *reader_main(void *arg)
{
	pthread_mutex_lock(&gate);
	pthread_mutex_unlock(&gate);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[MANY];
	int count = argc > 1 ? atoi(argv[1]) : 6;
	if (count < 0 || count > MANY)
		return 2;
	pthread_mutex_lock(&gate);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, reader_main, NULL);
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&resource);
		shared_write(i);
		pthread_mutex_unlock(&resource);
	}
	pthread_mutex_unlock(&gate);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
