/* norn-test
 * cc: -g -O0 -pthread
 * cc: -g -O1 -pthread
 * cc: -g -O2 -pthread
 * prop: live_ends.prop
 * no-finding: yes
 */
/* Ordinary programs in which states repeat, but not for ever: a worker that has a number of things to do while others poll and tick, and main, which waits for it
 * and then stops the rest. What ends the loops is counted in registers, where nobody sees it. */
#include <pthread.h>
#include <sched.h>

volatile int done, busy, beat, stop, asked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *unused)
{
	for (int i = 0; i < 12; i++) {
		pthread_mutex_lock(&lock);
		busy = 1;
		pthread_mutex_unlock(&lock);
		sched_yield();
		pthread_mutex_lock(&lock);
		busy = 0;
		pthread_mutex_unlock(&lock);
	}
	pthread_mutex_lock(&lock);
	done = 1;
	pthread_mutex_unlock(&lock);
	return unused;
}

static int look(const volatile int *flag)
{
	pthread_mutex_lock(&lock);
	int value = *flag;
	pthread_mutex_unlock(&lock);
	return value;
}

static void *poller(void *unused)
{
	while (!look(&done))
		sched_yield();
	return unused;
}

static void *ticker(void *unused)
{
	for (int i = 0; !look(&stop); i++) {
		pthread_mutex_lock(&lock);
		if (i < 40) {
			beat = 1;
			beat = 0;
		}
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	return unused;
}

static void *client(void *unused)
{
	for (int i = 0; i < 6; i++) {
		pthread_mutex_lock(&lock);
		asked = 1;
		pthread_mutex_unlock(&lock);
		while (look(&asked))
			sched_yield();
	}
	return unused;
}

static void *server(void *unused)
{
	for (int i = 0; i < 6;) {
		pthread_mutex_lock(&lock);
		if (asked) {
			i++;
			asked = 0;
		}
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	return unused;
}

int main(void)
{
	void *(*const work[])(void *) = {worker, poller, client, server, ticker};
	pthread_t threads[5];
	for (int i = 0; i < 5; i++)
		pthread_create(&threads[i], 0, work[i], 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], 0);
	pthread_mutex_lock(&lock);
	stop = 1;
	pthread_mutex_unlock(&lock);
	pthread_join(threads[4], 0);
	return 0;
}
