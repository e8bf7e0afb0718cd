/* norn-test
 * silent:
 */
/* Correct: a wait for what is asserted then */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t set = PTHREAD_COND_INITIALIZER;
static int ready, value;

static void *one(void *unused)
{
	pthread_mutex_lock(&lock);
	value = 7;
	ready = 1;
	pthread_cond_signal(&set);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!ready)
		pthread_cond_wait(&set, &lock);
	assert(value == 7);
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
	return 0;
}
