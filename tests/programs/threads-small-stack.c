/* norn-test
 * cc: -g -O1 -pthread
 * stdout: sum 80000
 */
/* Much to record on a stack of the least size: writing the buffer out must fit. */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static volatile long sums[4];

static void *work(void *argument)
{
	volatile long *sum = argument;
	for (int i = 0; i < 20000; i++)
		++*sum;
	return NULL;
}

int main(void)
{
	pthread_t threads[4];
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], &attr, work, (void *)&sums[i]);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("sum %ld\n", sums[0] + sums[1] + sums[2] + sums[3]);
	return 0;
}
