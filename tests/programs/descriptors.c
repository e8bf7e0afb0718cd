/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 3 is free; 3 again; a child has 4; up to 15; all closed, and 800 in all
 * dump-count: 800 write +count
 */
/* Numbers of open files are the program's: the lowest is free when it begins, and again when it has closed all; programs that it starts get none
 * that it has not opened; a low limit is all its own. What is recorded after all was closed is in the trace. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

static void add_in_two(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	int first = open("/dev/null", O_RDONLY);
	close(first);
	add_in_two();
	int again = open("/dev/null", O_RDONLY);
	close(again);
	fflush(stdout);
	FILE *child = popen("ls /proc/self/fd | wc -l", "r"); /* 0, 1, 2, and the one that ls reads */
	char text[16] = "";
	if (!child || !fgets(text, sizeof text, child) || pclose(child))
		return 1;
	struct rlimit few = {16, 16};
	setrlimit(RLIMIT_NOFILE, &few);
	int last = -1;
	for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;)
		last = fd;
	int out = dup2(1, 15);
	for (int fd = 0; fd < 15; fd++)
		close(fd);
	add_in_two();
	dprintf(out, "%d is free; %d again; a child has %d; up to %d; all closed, and %d in all\n", first, again, atoi(text), last,
	        count);
	return 0;
}
