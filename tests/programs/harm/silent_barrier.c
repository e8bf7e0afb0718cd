/* norn-test
 * silent:
 */
/* Correct: what comes before a barrier is there after it */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_barrier_t both;
static int a, b;

static void *one(void *unused)
{
	a = 1;
	pthread_barrier_wait(&both);
	assert(b == 2);
	return unused;
}

static void *two(void *unused)
{
	b = 2;
	pthread_barrier_wait(&both);
	assert(a == 1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_barrier_init(&both, NULL, 2);
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
