/* norn-test
 * silent:
 */
/* main leaves by pthread_exit; the other threads go on, and the last of them ends the process by exit. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int left = 3, sum;
static int *table;
static void *run(void *arg)
{
	int n = (int)(size_t)arg;
	pthread_mutex_lock(&lock);
	table[n] = n + 1;
	sum += table[n];
	int last = --left == 0;
	pthread_mutex_unlock(&lock);
	if (last) {
		for (int i = 0; i < 3; i++)
			assert(table[i] == i + 1);
		printf("%d\n", sum);
		free(table);
		exit(0);
	}
	return NULL;
}
int main(void)
{
	pthread_t t;
	table = calloc(3, sizeof *table);
	for (size_t i = 0; i < 3; i++) {
		pthread_create(&t, NULL, run, (void *)i);
		pthread_detach(t);
	}
	pthread_exit(NULL);
}
