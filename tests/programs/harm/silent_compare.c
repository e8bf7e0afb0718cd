/* norn-test
 * silent:
 */
/* Correct: a loop of compare and exchange */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int total;

static void add(int n)
{
	int now = atomic_load(&total);
	while (!atomic_compare_exchange_weak(&total, &now, now + n))
		;
}

static void *one(void *unused)
{
	add(3);
	assert(atomic_load(&total) >= 3);
	return unused;
}

static void *two(void *unused)
{
	add(4);
	assert(atomic_load(&total) >= 4);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(total == 7);
	return 0;
}
