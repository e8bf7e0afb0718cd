/* norn-test
 * silent: -DCONDITION
 * silent: -DSEMAPHORE
 */
/* Detached threads that say when they are done. */
#include <semaphore.h>

#include "crew.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t done;
static int results[3], finished;

static void *work(void *argument)
{
	int me = number_of(argument);
	results[me] = me + 1;
#ifdef SEMAPHORE
	sem_post(&done);
#else
	pthread_mutex_lock(&lock);
	finished++;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
#endif
	return NULL;
}

int main(void)
{
	sem_init(&done, 0, 0);
	for (int i = 0; i < 3; i++) {
		pthread_t thread;
		pthread_create(&thread, NULL, work, (void *)(intptr_t)i);
		pthread_detach(thread);
	}
#ifdef SEMAPHORE
	for (int i = 0; i < 3; i++)
		sem_wait(&done);
	(void)finished;
#else
	pthread_mutex_lock(&lock);
	while (finished < 3)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
#endif
	return results[0] + results[1] + results[2] == 6 ? 0 : 1;
}
