/* norn-test
 * silent:
 */
/* Correct: a getter under the lock */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int even;

__attribute__((noinline)) static int get(void)
{
	pthread_mutex_lock(&lock);
	int value = even;
	pthread_mutex_unlock(&lock);
	return value;
}

static void *one(void *unused)
{
	pthread_mutex_lock(&lock);
	even = even + 1;
	even = even + 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	assert(get() % 2 == 0);
	assert((get() & 1) == 0);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(get() == 2);
	return 0;
}
