/* norn-test
 * silent: -DCLEANUP
 * silent: -DCALLBACK
 */
/* A thread that is cancelled while it waits gives its lock back; and a callback through a pointer, under the lock. */
#include "crew.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, begun = PTHREAD_COND_INITIALIZER;
static int waiting, count;

#ifdef CLEANUP
static void unlock(void *mutex)
{
	count++;
	pthread_mutex_unlock(mutex);
}

static void *work(void *unused)
{
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	waiting = 1;
	pthread_cond_signal(&begun);
	for (;;)
		pthread_cond_wait(&never, &lock);
	pthread_cleanup_pop(1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	while (!waiting)
		pthread_cond_wait(&begun, &lock);
	pthread_mutex_unlock(&lock);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return count == 1 ? 0 : 1;
}
#else
static void increment(int *value)
{
	++*value;
}

static void decrement(int *value)
{
	--*value;
}

static void (*const actions[])(int *) = {increment, decrement};

static void *work(void *argument)
{
	for (int i = 0; i < 5; i++) {
		pthread_mutex_lock(&lock);
		actions[number_of(argument)](&count);
		pthread_mutex_unlock(&lock);
	}
	(void)&never, (void)&begun, (void)&waiting;
	return NULL;
}

int main(void)
{
	crew(2, work);
	return count == 0 ? 0 : 1;
}
#endif
