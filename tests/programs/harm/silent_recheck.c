/* norn-test
 * silent:
 */
/* Correct: what was seen without the lock is looked at again under it */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int made;
static int object;

static void get(void)
{
	if (!atomic_load(&made)) {
		pthread_mutex_lock(&lock);
		if (!atomic_load(&made)) {
			object = 9;
			atomic_store(&made, 1);
		}
		pthread_mutex_unlock(&lock);
	}
	assert(object == 9);
}

static void *one(void *unused)
{
	get();
	return unused;
}

static void *two(void *unused)
{
	get();
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
