/* norn-test
 * silent:
 */
/* Correct: a sum that holds whenever the lock is free */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 50, right = 50;

static void *one(void *unused)
{
	pthread_mutex_lock(&lock);
	left -= 10;
	right += 10;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&lock);
	assert(left + right == 100);
	left += 5;
	right -= 5;
	assert(left + right == 100);
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
	assert(left + right == 100);
	return 0;
}
