/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 6000 threads at once
 * dump-count: 6000 main/[0-9]+ +begin
 * dump-count: 6000 main/[0-9]+ +end
 * dump-count: 6000 main +join
 */
/* 6,000 threads that are all alive at the same time, on the smallest stacks that there are. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define THREADS 6000

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int alive, most, go;

static void *work(void *unused)
{
	pthread_mutex_lock(&mutex);
	if (++alive == THREADS)
		pthread_cond_broadcast(&changed);
	while (!go)
		pthread_cond_wait(&changed, &mutex);
	alive--;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	static pthread_t threads[THREADS];
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], &attr, work, NULL) != 0) {
			printf("only %d threads\n", i);
			exit(1);
		}
	pthread_mutex_lock(&mutex);
	while (alive < THREADS)
		pthread_cond_wait(&changed, &mutex);
	most = alive;
	go = 1;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%d threads at once\n", most);
	return 0;
}
