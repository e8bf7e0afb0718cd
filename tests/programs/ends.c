/* norn-test
 * cc: -g -O1 -pthread
 * cc: -g -O0 -pthread
 * stdout: returned 1, exited 2, cancelled 1, detached
 * stdout: after main
 * dump-count: 6 main/[0-9]+ +end
 * dump-count: 4 main +join
 * dump-count: 1 main +detach +main/4
 * dump-count: 1 main +end
 */
/* Each way for a thread to end, main's pthread_exit while another goes on included: one END for each. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static sem_t ready, never, detached;
static pthread_t main_thread;

static void *returns(void *unused)
{
	(void)unused;
	return (void *)1;
}

static __attribute__((noinline)) void leave_from_deep(int depth)
{
	if (depth == 0)
		pthread_exit((void *)2);
	leave_from_deep(depth - 1);
	__asm__ volatile("");
}

static void *exits(void *unused)
{
	leave_from_deep(5);
	return unused;
}

static void *is_cancelled(void *unused)
{
	sem_post(&ready);
	sem_wait(&never);
	return unused;
}

static void *is_detached(void *unused)
{
	sem_wait(&detached);
	return unused;
}

static void *joined_in_time(void *unused)
{
	return unused;
}

static void *outlives_main(void *unused)
{
	pthread_join(main_thread, NULL);
	puts("after main");
	return unused;
}

int main(void)
{
	pthread_t thread;
	void *a, *b, *c, *d;
	struct timespec late = {.tv_sec = 1ll << 40};
	sem_init(&ready, 0, 0);
	sem_init(&never, 0, 0);
	sem_init(&detached, 0, 0);
	main_thread = pthread_self();

	pthread_create(&thread, NULL, returns, NULL);
	pthread_join(thread, &a);
	pthread_create(&thread, NULL, exits, NULL);
	while (pthread_tryjoin_np(thread, &b) == EBUSY)
		sched_yield();
	pthread_create(&thread, NULL, is_cancelled, NULL);
	sem_wait(&ready);
	pthread_cancel(thread);
	pthread_timedjoin_np(thread, &c, &late);
	pthread_create(&thread, NULL, is_detached, NULL);
	pthread_detach(thread);
	sem_post(&detached);
	pthread_create(&thread, NULL, joined_in_time, NULL);
	if (pthread_clockjoin_np(thread, &d, CLOCK_MONOTONIC, &late) != 0)
		exit(1);
	printf("returned %ld, exited %ld, cancelled %d, detached\n", (long)a, (long)b, c == PTHREAD_CANCELED);
	fflush(stdout);
	pthread_create(&thread, NULL, outlives_main, NULL);
	pthread_exit(NULL);
}
