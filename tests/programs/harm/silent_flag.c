/* norn-test
 * silent:
 */
/* Correct: what a flag announces is there */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static int payload;
static atomic_int flag;

static void *one(void *unused)
{
	payload = 42;
	atomic_store(&flag, 1);
	return unused;
}

static void *two(void *unused)
{
	if (atomic_load(&flag) == 1)
		assert(payload == 42);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(payload == 42 && flag == 1);
	return 0;
}
