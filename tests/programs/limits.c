/* norn-test
 * cc: -g -O1 -pthread
 * stdout: file size 27, data 0, locked 0, all written
 * dump-count: 600 (write|rmw|update) +count
 */
/* Limits that a program sets itself: on the size of files, on data, on memory that stays. They are its own, and what Norn maps or writes does not end it. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int count;

static void *add(void *unused)
{
	for (int i = 0; i < 100; i++)
		__atomic_fetch_add(&count, 1, __ATOMIC_SEQ_CST);
	return unused;
}

static void add_in_two(void)
{
	pthread_t threads[2];
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, add, NULL))
			exit(2);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	int error = 0;
	struct rlimit none = {0, 0}, little = {64 << 20, 64 << 20};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	int fd = open("limited", O_CREAT | O_RDWR, 0600);
	if (write(fd, "x", 1) < 0)
		error = errno;
	unlink("limited");
	add_in_two();
	int data = setrlimit(RLIMIT_DATA, &little);
	add_in_two();
	setrlimit(RLIMIT_MEMLOCK, &none);
	struct rlimit now;
	getrlimit(RLIMIT_MEMLOCK, &now);
	add_in_two();
	printf("file size %d, data %d, locked %d, %s\n", error, data, (int)now.rlim_cur, count == 600 ? "all written" : "lost");
	return 0;
}
