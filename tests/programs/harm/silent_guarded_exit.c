/* norn-test
 * silent:
 */
/* Correct: a failure that no schedule has */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int used;

static void take(void)
{
	pthread_mutex_lock(&lock);
	if (used < 2)
		used = used + 1;
	if (used > 2)
		exit(3);
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	take();
	take();
	return unused;
}

static void *two(void *unused)
{
	take();
	take();
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	if (used != 2)
		abort();
	return 0;
}
