/* norn-test
 * silent:
 */
/* Correct: a value that is handed over */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

static int value;
static sem_t made, taken;

static void *one(void *unused)
{
	for (int i = 1; i <= 3; i++) {
		value = i;
		sem_post(&made);
		sem_wait(&taken);
	}
	return unused;
}

static void *two(void *unused)
{
	for (int i = 1; i <= 3; i++) {
		sem_wait(&made);
		assert(value == i);
		sem_post(&taken);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	sem_init(&made, 0, 0);
	sem_init(&taken, 0, 0);
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, two, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	assert(value == 3);
	return 0;
}
