/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 1000 keys and more
 */
/* A program that makes all keys for thread-specific data that there are: one of the 1,024 is the runtime's. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

static pthread_key_t keys[PTHREAD_KEYS_MAX + 1];
static int destroyed;

static void destroy(void *unused)
{
	(void)unused;
	destroyed++;
}

static void *work(void *count)
{
	for (int i = 0; i < *(int *)count; i++)
		pthread_setspecific(keys[i], &keys[i]);
	return NULL;
}

int main(void)
{
	int count = 0;
	pthread_t thread;
	while (count <= PTHREAD_KEYS_MAX && pthread_key_create(&keys[count], destroy) == 0)
		count++;
	pthread_create(&thread, NULL, work, &count);
	pthread_join(thread, NULL);
	if (destroyed != count || count < PTHREAD_KEYS_MAX - 1)
		return 1;
	puts("1000 keys and more");
	return 0;
}
