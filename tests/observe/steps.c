/* Threads that go through steps. silent: under a lock, in any order fine. loud: `first` and `second` are written without any order between them, the
 * second a moment later (with ../causality/sleep.c: after the first). endless: as silent, until a line comes. linger: loud, but main does not even join
 * until a line comes. */
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 200 };

int count, copy, first, second;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *step(void *unused)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		count = count + 1;
		copy = count;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void *write_first(void *unused)
{
	first = 1;
	return unused;
}

static void *write_second(void *unused)
{
	usleep(20000);
	second = 1;
	return unused;
}

static void race(int linger)
{
	pthread_t a, b;
	pthread_create(&a, NULL, write_first, NULL);
	pthread_create(&b, NULL, write_second, NULL);
	if (linger)
		getchar();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

static void work(void)
{
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, step, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "silent";
	if (strcmp(mode, "loud") == 0 || strcmp(mode, "linger") == 0)
		race(strcmp(mode, "linger") == 0);
	work();
	puts("here");
	fflush(stdout);
	while (strcmp(mode, "endless") == 0 && poll(&(struct pollfd){0, POLLIN, 0}, 1, 0) == 0)
		work();
	puts("done");
	return 0;
}
