/* norn-test
 * silent:
 * repeat: 3
 */
/* The destructor of a key runs because another thread cancelled this one: what was written before the cancellation comes first. */
#include <pthread.h>
#include <unistd.h>

static pthread_key_t key;
static int written;

static void destroy(void *number)
{
	(*(int *)number)++;
}

static void *sleeper(void *unused)
{
	pthread_setspecific(key, &written);
	for (;;)
		sleep(1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_key_create(&key, destroy);
	pthread_create(&thread, NULL, sleeper, NULL);
	usleep(2000);
	written = 4;
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	return 0;
}
