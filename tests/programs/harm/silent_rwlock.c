/* norn-test
 * silent:
 */
/* Correct: readers that see both or none */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int a, b;

static void *one(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	a = 1;
	b = 1;
	pthread_rwlock_unlock(&lock);
	return unused;
}

static void *two(void *unused)
{
	pthread_rwlock_rdlock(&lock);
	assert(a == b);
	pthread_rwlock_unlock(&lock);
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
