/* norn-test
 * cc: -g -O1 -pthread
 * stdout: image 1
 * stdout: image 2, masked 1, ignored 1, environment 1
 * stdout: image 3
 * exit: 3
 */
/* A thread that is not main replaces the program by itself while others run: signals that are blocked and ignored stay so, and each image has threads of its own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static atomic_int going;
static volatile long work_done;
static char *next[] = {"again", NULL, NULL};

static void *go_on(void *unused)
{
	going++;
	for (;;)
		work_done++;
	return unused;
}

static void *replace(void *unused)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	while (going < 2)
		usleep(10);
	execv("/proc/self/exe", next);
	return unused;
}

int main(int argc, char **argv)
{
	int image = argc == 1 ? 1 : atoi(argv[1]);
	sigset_t set;
	struct sigaction pipe;
	char number[4];
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	sigaction(SIGPIPE, NULL, &pipe);
	if (image == 2)
		printf("image 2, masked %d, ignored %d, environment %d\n", sigismember(&set, SIGUSR1), pipe.sa_handler == SIG_IGN,
		        getenv("KEPT") && strcmp(getenv("KEPT"), "1") == 0);
	else
		printf("image %d\n", image);
	fflush(stdout);
	if (image == 3)
		return 3;
	signal(SIGPIPE, SIG_IGN);
	setenv("KEPT", "1", 1);
	snprintf(number, sizeof number, "%d", image + 1);
	next[1] = number;
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i < 2 ? go_on : replace, NULL);
	pthread_join(threads[2], NULL);
	return 9;
}
