/* norn-test
 * silent:
 * unjudged:
 */
/* Timed waits that end either way: the monotonic clock, a deadline that has passed, pthread_cond_clockwait, sem_timedwait and clocklock; what is true afterwards does not hang on which. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond;
static sem_t sem;
static int ready, given_up, served, *box, value = 9;
static struct timespec in(long ms)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_nsec += ms * 1000000;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}
static void *waiter(void *arg)
{
	long ms = (long)(size_t)arg;
	struct timespec d = in(ms);
	int e = 0;
	pthread_mutex_lock(&lock);
	while (!ready && e != ETIMEDOUT)
		e = ms % 2 ? pthread_cond_timedwait(&cond, &lock, &d) : pthread_cond_clockwait(&cond, &lock, CLOCK_MONOTONIC, &d);
	if (ready) {
		assert(box && *box == 9);
		served++;
	} else {
		assert(!box && e == ETIMEDOUT);
		given_up++;
	}
	pthread_mutex_unlock(&lock);
	if (sem_clockwait(&sem, CLOCK_MONOTONIC, &d) == 0)
		sem_post(&sem);
	d = in(50000);
	if (pthread_mutex_clocklock(&lock, CLOCK_MONOTONIC, &d) == 0) {
		assert(served + given_up > 0);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}
static void *setter(void *arg)
{
	pthread_mutex_lock(&lock);
	box = &value;
	ready = 1;
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&lock);
	sem_post(&sem);
	return arg;
}
int main(void)
{
	pthread_t t[4];
	pthread_condattr_t a;
	pthread_condattr_init(&a);
	pthread_condattr_setclock(&a, CLOCK_MONOTONIC);
	pthread_cond_init(&cond, &a);
	sem_init(&sem, 0, 0);
	for (size_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, waiter, (void *)(i * 5));
	pthread_create(&t[3], NULL, setter, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	assert(served + given_up == 3);
	puts("3");
	return 0;
}
