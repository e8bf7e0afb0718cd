/* norn-test
 * silent:
 */
/* Correct: a place that only one can take */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int taken, owners;

static void *one(void *unused)
{
	if (atomic_exchange(&taken, 1) == 0)
		atomic_fetch_add(&owners, 1);
	assert(atomic_load(&owners) <= 1);
	return unused;
}

static void *two(void *unused)
{
	if (atomic_exchange(&taken, 1) == 0)
		atomic_fetch_add(&owners, 1);
	assert(atomic_load(&owners) <= 1);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(owners == 1);
	return 0;
}
