/* Linked into programs whose behaviour is compared: a race before main, so that there is a schedule to replay. */
#include <pthread.h>

static int word;

static void *write_word(void *unused)
{
	word = 1;
	return unused;
}

__attribute__((constructor)) static void race(void)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, write_word, NULL) != 0)
		return;
	word = 2;
	pthread_join(thread, NULL);
}
