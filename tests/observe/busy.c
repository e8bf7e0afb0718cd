/* busy THREADS ROUNDS [close] [fork] [wait] [stay] [leave]: threads that write a counter under a lock, and one each without. "close": first closes all descriptors but
 * the standard ones; "fork": forks a child that outlives nothing but does the same; "wait": does it twice and waits for a byte in between; "stay": stays;
 * "leave": main ends before the one thread that it has created. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

long total, own[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long rounds;

static void *work(void *argument)
{
	long *mine = argument;
	for (long i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		total = total + 1;
		pthread_mutex_unlock(&lock);
		*mine = *mine + 1;
	}
	return NULL;
}

static int run(int threads)
{
	pthread_t handles[64];
	for (int i = 0; i < threads; i++)
		pthread_create(&handles[i], NULL, work, &own[i]);
	for (int i = 0; i < threads; i++)
		pthread_join(handles[i], NULL);
	printf("%ld\n", total);
	fflush(stdout);
	return total == threads * rounds ? 7 : 1;
}

__attribute__((noinline)) void stay(int unused)
{
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 2;
	rounds = argc > 2 ? atol(argv[2]) : 100;
	for (int i = 3; i < argc; i++) {
		if (strcmp(argv[i], "close") == 0)
			for (int fd = 3; fd < 65536; fd++)
				close(fd);
		if (strcmp(argv[i], "fork") == 0) {
			pid_t child = fork();
			if (child == 0)
				_exit(run(threads));
			int status;
			waitpid(child, &status, 0);
			if (!WIFEXITED(status) || WEXITSTATUS(status) != 7)
				return 2;
		}
		if (strcmp(argv[i], "leave") == 0) {
			pthread_t last;
			pthread_create(&last, NULL, work, &own[0]);
			pthread_exit(NULL);
		}
		if (strcmp(argv[i], "stay") == 0)
			stay(42);
		if (strcmp(argv[i], "wait") == 0) {
			run(threads);
			getchar();
			total = 0;
		}
	}
	return run(threads);
}
