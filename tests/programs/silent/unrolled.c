/* norn-test
 * errors: yes
 * silent: -O1
 * silent: -O2
 * silent: -O3
 */
/* The optimiser makes two regions of the loop: which of them a thread stands before tells what it has counted to, so threads at one of
 * them are in another state than those at the other (R23). */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *run(void *arg)
{
	for (int i = 1; i < 3; i++) {
		pthread_mutex_lock(&lock);
		if (i % 2)
			number += (int)(size_t)arg * i * 37;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	for (size_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, (void *)(i + 1));
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return number == 0;
}
