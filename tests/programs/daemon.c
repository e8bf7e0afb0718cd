/* norn-test
 * cc: -g -O1 -pthread
 * stdout: started
 * stdout: in the background: 200, its own session, no parent
 */
/* A program that goes on in the background, as daemons do: its first process ends, and the one that goes on has threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/types.h>
#include <unistd.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
	for (int i = 0; i < 100; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	pid_t first = getpid(), parent = getppid();
	puts("started");
	fflush(stdout);
	if (daemon(1, 1))
		return 1;
	while (getppid() == first)
		usleep(100);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("in the background: %d, %s, %s\n", count,
	        getsid(0) == getpid() || getsid(0) != getsid(parent) ? "its own session" : "the old session",
	        getppid() != first ? "no parent" : "the old parent");
	return 0;
}
