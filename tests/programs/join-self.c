/* norn-test
 * stdout: 35 35 5
 * verify: yes
 */
/* Who joins itself is refused, and goes on. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static int shared;

static void *join_self(void *ret)
{
	shared++;
	*(int *)ret = pthread_join(pthread_self(), NULL);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	int mine = pthread_join(pthread_self(), NULL), its = 0;
	pthread_create(&thread, NULL, join_self, &its);
	pthread_join(thread, NULL);
	shared = 5;
	printf("%d %d %d\n", mine, its, shared);
	return 0;
}
