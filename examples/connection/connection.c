/* A connection that a worker sends over and a supervisor closes when it has been idle for a while.
 *
 * The worker looks whether the connection is open, then sends; the supervisor may close it in between. The supervisor's patience makes that rare.
 * FIXED: looking and sending are one step under the connection's lock, and so is closing. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

#define KEEP __attribute__((noinline)) /* functions that the property names */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_open;
static int sent;

KEEP static void connection_open(void)
{
	is_open = true;
}

KEEP static void connection_send(int message)
{
	sent += message;
}

KEEP static void connection_close(void)
{
	is_open = false;
}

static void *worker(void *unused)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		bool usable = is_open;
#ifndef FIXED
		pthread_mutex_unlock(&lock);
#endif
		if (usable)
			connection_send(i);
#ifdef FIXED
		pthread_mutex_unlock(&lock);
#endif
	}
	return unused;
}

static void *supervisor(void *unused)
{
	usleep(20 * 1000);
	pthread_mutex_lock(&lock);
	connection_close();
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t threads[2];
	connection_open();
	if (pthread_create(&threads[0], NULL, worker, NULL) || pthread_create(&threads[1], NULL, supervisor, NULL))
		return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("sent %d\n", sent);
	return 0;
}
