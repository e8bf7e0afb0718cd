/* norn-test
 * silent:
 */
/* Correct: atomic steps that lose nothing */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int count;

static void *one(void *unused)
{
	int before = atomic_fetch_add(&count, 1);
	assert(before == 0 || before == 1);
	return unused;
}

static void *two(void *unused)
{
	int before = atomic_fetch_add(&count, 1);
	assert(before == 0 || before == 1);
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
