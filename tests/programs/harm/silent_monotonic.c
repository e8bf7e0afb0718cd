/* norn-test
 * silent:
 */
/* Correct: a value that only grows */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int level;

static void *one(void *unused)
{
	pthread_mutex_lock(&lock);
	level += 1;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	level += 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&lock);
	int first = level;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	int second = level;
	pthread_mutex_unlock(&lock);
	assert(second >= first);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(level == 2);
	return 0;
}
