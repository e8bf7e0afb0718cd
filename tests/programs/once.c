/* norn-test
 * cc: -g -O1 -pthread
 * stdout: outer 1, inner 1, cancelled and run again: 2
 * dump-count: 4 once-begin .*; (use|use_broken|run_outer) 
 * dump-count: 3 once-end .*; (use|use_broken|run_outer) 
 * dump: main/[0-9]+ +once-pass
 */
/* Four threads at one once, whose routine uses another; one whose routine is cancelled the first time. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT, broken = PTHREAD_ONCE_INIT;
static int outer_runs, inner_runs, broken_runs;
static sem_t inside, never;

static void run_inner(void)
{
	inner_runs++;
}

static void run_outer(void)
{
	outer_runs++;
	pthread_once(&inner, run_inner);
}

static void *use(void *unused)
{
	pthread_once(&outer, run_outer);
	pthread_once(&inner, run_inner);
	return unused;
}

static void run_broken(void)
{
	if (broken_runs++ == 0) {
		sem_post(&inside);
		sem_wait(&never);
	}
}

static void *use_broken(void *unused)
{
	pthread_once(&broken, run_broken);
	return unused;
}

int main(void)
{
	pthread_t threads[4], cancelled;
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	sem_init(&inside, 0, 0);
	sem_init(&never, 0, 0);
	pthread_create(&cancelled, NULL, use_broken, NULL);
	sem_wait(&inside);
	pthread_cancel(cancelled);
	pthread_join(cancelled, NULL);
	use_broken(NULL);
	use_broken(NULL);
	printf("outer %d, inner %d, cancelled and run again: %d\n", outer_runs, inner_runs, broken_runs);
	return 0;
}
