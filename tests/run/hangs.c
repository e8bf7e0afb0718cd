/* Hangs for certain, as it is told to; all threads are there when it has said so. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t page = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier, met;
static sem_t sem;

static void begun(void)
{
	puts("begun");
	fflush(stdout);
}

static void take(pthread_mutex_t *one, pthread_mutex_t *other)
{
	pthread_mutex_lock(one);
	pthread_barrier_wait(&met);
	pthread_mutex_lock(other);
	pthread_mutex_unlock(other);
	pthread_mutex_unlock(one);
}

static void *left(void *unused)
{
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&met);
	pthread_mutex_lock(&second);
	return NULL;
}

static void *right(void *unused)
{
	pthread_mutex_lock(&second);
	pthread_barrier_wait(&met);
	pthread_mutex_lock(&first);
	return NULL;
}

static void *left_by_pointer(void *unused)
{
	take(&first, &second);
	return NULL;
}

static void *right_by_pointer(void *unused)
{
	take(&second, &first);
	return NULL;
}

static void *wait_for_notify(void *unused)
{
	pthread_mutex_lock(&first);
	for (;;)
		pthread_cond_wait(&cond, &first);
}

static void *keep(void *unused)
{
	pthread_mutex_lock(&first);
	return NULL;
}

static void *read_then_write(void *unused)
{
	pthread_rwlock_rdlock(&page);
	pthread_barrier_wait(&met);
	pthread_mutex_lock(&first);
	return NULL;
}

static void *lock_then_write(void *unused)
{
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&met);
	pthread_rwlock_wrlock(&page);
	return NULL;
}

static void routine(void)
{
	pthread_barrier_wait(&met);
	pthread_mutex_lock(&first);
}

static void *run_once(void *unused)
{
	pthread_once(&once, routine);
	return NULL;
}

static void *lock_then_once(void *unused)
{
	pthread_mutex_lock(&first);
	pthread_barrier_wait(&met);
	pthread_once(&once, routine);
	return NULL;
}

static void post(int sig)
{
	sem_post(&sem);
}

static void start_two(void *(*one)(void *), void *(*other)(void *), int wait)
{
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, one, NULL);
	pthread_create(&threads[1], NULL, other, NULL);
	begun();
	for (int i = 0; wait && i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread;
	char byte;
	pthread_barrier_init(&met, NULL, 2);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&sem, 0, 0);
	if (!strcmp(how, "locks"))
		start_two(left, right, 1);
	else if (!strcmp(how, "pointers"))
		start_two(left_by_pointer, right_by_pointer, 1);
	else if (!strcmp(how, "input")) {
		start_two(left, right, 0);
		return (int)read(0, &byte, 1);
	} else if (!strcmp(how, "readers"))
		start_two(read_then_write, lock_then_write, 1);
	else if (!strcmp(how, "once"))
		start_two(run_once, lock_then_once, 1);
	else if (!strcmp(how, "gone")) {
		pthread_create(&thread, NULL, keep, NULL);
		pthread_join(thread, NULL);
		begun();
		pthread_mutex_lock(&first);
	} else if (!strcmp(how, "twice")) {
		pthread_mutex_lock(&first);
		begun();
		pthread_mutex_lock(&first);
	} else if (!strcmp(how, "notify")) {
		pthread_create(&thread, NULL, wait_for_notify, NULL);
		begun();
		pthread_join(thread, NULL);
	} else if (!strcmp(how, "served")) {
		pthread_create(&thread, NULL, wait_for_notify, NULL);
		begun();
		return (int)read(0, &byte, 1);
	} else if (!strcmp(how, "ends"))
		return (int)read(0, &byte, 1);
	else if (!strcmp(how, "pause"))
		pause();
	begun();
	if (!strcmp(how, "barrier"))
		pthread_barrier_wait(&barrier);
	else if (!strcmp(how, "timed")) {
		struct timespec until;
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec += 1000;
		sem_timedwait(&sem, &until);
	} else if (!strcmp(how, "handled")) {
		signal(SIGUSR1, post);
		sem_wait(&sem);
	} else if (!strcmp(how, "post"))
		sem_wait(&sem);
	return 0;
}
