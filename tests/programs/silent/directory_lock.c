/* norn-test
 * silent:
 * silent: -DPOLL
 * unjudged:
 * repeat: 5
 */
/* X7.b: a directory that exists is a lock, or tells that something is ready. mkdir and stat are recorded when they begin, and look later: that somebody removed or made the
 * directory in between must not be lost. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char name[64];
static int count;

#ifdef POLL
static void *work(void *writes)
{
	struct stat st;
	if (writes) {
		count = 1;
		if (mkdir(name, 0700) != 0)
			abort();
		return NULL;
	}
	while (stat(name, &st) != 0)
		usleep(5);
	if (count != 1)
		abort();
	return NULL;
}
#else
static void *work(void *unused)
{
	(void)unused;
	for (int i = 0; i < 100; i++) {
		while (mkdir(name, 0700) != 0)
			usleep(5);
		count++;
		rmdir(name);
	}
	return NULL;
}
#endif

int main(void)
{
	pthread_t a, b;
	snprintf(name, sizeof name, "directory_lock.%d", (int)getpid());
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, &b);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	rmdir(name);
	return 0;
}
