/* norn-test
 * silent:
 */
/* Correct: each thread its own element */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static int slots[2];

static void *one(void *unused)
{
	slots[0] = 1;
	assert(slots[0] == 1);
	return unused;
}

static void *two(void *unused)
{
	slots[1] = 2;
	assert(slots[1] == 2);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(slots[0] + slots[1] == 3);
	return 0;
}
