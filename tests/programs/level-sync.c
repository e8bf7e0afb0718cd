/* norn-test
 * cc: --level sync -O1 -pthread
 * stdout: 2
 * dump-count: 2 \bacquire\b
 * dump-count: 2 \brelease\b
 * dump: enter .*add
 * never: \b(read|write|rmw)\b
 */
/* The level sync: locks, threads and calls, but no accesses. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int number;

static void *add(void *unused)
{
	pthread_mutex_lock(&mutex);
	number++;
	pthread_mutex_unlock(&mutex);
	return unused;
}

int main(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, add, NULL))
		return 1;
	pthread_join(thread, NULL);
	add(NULL);
	printf("%d\n", number);
	return 0;
}
