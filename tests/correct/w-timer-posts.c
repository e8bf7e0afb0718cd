/* norn-test
 * silent:
 */
/* Consumers wait for a semaphore that a POSIX timer's thread posts, and for one that a signal handler posts. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static sem_t tick, alarm_sem;
static atomic_int ticks;
static int data;
static void on_tick(union sigval v)
{
	if (atomic_fetch_add(&ticks, 1) < 3)
		sem_post(v.sival_ptr);
}
static void on_signal(int s)
{
	int e = errno;
	(void)s;
	sem_post(&alarm_sem);
	errno = e;
}
static void wait_for(sem_t *s)
{
	while (sem_wait(s))
		if (errno != EINTR)
			abort();
}
static void *consumer(void *arg)
{
	for (int i = 0; i < 3; i++)
		wait_for(&tick);
	data = 1;
	pthread_kill(*(pthread_t *)arg, SIGUSR1);
	return NULL;
}
int main(void)
{
	timer_t timer;
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = on_tick, .sigev_value.sival_ptr = &tick};
	struct itimerspec when = {.it_interval = {0, 2000000}, .it_value = {0, 1000000}};
	struct sigaction sa = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	sigaction(SIGUSR1, &sa, NULL);
	sem_init(&tick, 0, 0);
	sem_init(&alarm_sem, 0, 0);
	pthread_t t, self = pthread_self();
	pthread_create(&t, NULL, consumer, &self);
	if (timer_create(CLOCK_MONOTONIC, &e, &timer) || timer_settime(timer, 0, &when, NULL))
		abort();
	wait_for(&alarm_sem);
	pthread_join(t, NULL);
	assert(data == 1);
	timer_delete(timer);
	puts("ticked");
	return 0;
}
