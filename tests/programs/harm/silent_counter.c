/* norn-test
 * silent:
 */
/* Correct: a count under its lock, asserted after both threads */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *one(void *unused)
{
	pthread_mutex_lock(&lock);
	count = count + 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&lock);
	count = count + 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(count == 2);
	return 0;
}
