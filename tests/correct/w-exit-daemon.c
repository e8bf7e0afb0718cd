/* norn-test
 * silent:
 */
/* main ends by exit() while a consumer waits for jobs that never come and a thread sleeps; atexit handlers look only at what is theirs. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static int jobs, done;
static sem_t never;
static void at_exit(void)
{
	pthread_mutex_lock(&lock);
	assert(done == 6 && jobs == 0);
	pthread_mutex_unlock(&lock);
	puts("at exit");
}
static void *consumer(void *arg)
{
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!jobs)
			pthread_cond_wait(&more, &lock);
		jobs--;
		done++;
		if (done == 6)
			pthread_cond_signal(&empty);
	}
	return arg;
}
static void *sleeper(void *arg)
{
	sem_wait(&never);
	return arg;
}
int main(void)
{
	pthread_t t;
	sem_init(&never, 0, 0);
	atexit(at_exit);
	for (int i = 0; i < 2; i++) {
		pthread_create(&t, NULL, consumer, NULL);
		pthread_detach(t);
	}
	pthread_create(&t, NULL, sleeper, NULL);
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		jobs++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	while (done < 6)
		pthread_cond_wait(&empty, &lock);
	pthread_mutex_unlock(&lock);
	exit(0);
}
