/* norn-test
 * silent:
 */
/* Correct: items are taken as often as they are put */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int put, taken;

static void *one(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		put = put + 1;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *two(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		if (taken < put)
			taken = taken + 1;
		assert(taken <= put);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(taken <= put && put == 3);
	return 0;
}
