/* norn-test
 * cc: -g -O1 -pthread
 * exit: 3
 * stdout: in exit
 * stdout: last handler, counted 2
 * dump-count: 1 exit +status 3
 * dump: main/1 +enter +first_handler
 * dump: main/1 +enter +last_handler
 * never: main/1 +end
 */
/* exit, called by another thread than main: its handlers are recorded, and only then the process ends. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int counted;

static __attribute__((noinline)) void last_handler(void)
{
	counted++;
	printf("last handler, counted %d\n", counted);
}

static __attribute__((noinline)) void first_handler(void)
{
	counted++;
	puts("in exit");
}

static void *leave(void *unused)
{
	exit(3);
	return unused;
}

int main(void)
{
	pthread_t thread;
	atexit(last_handler);
	atexit(first_handler);
	pthread_create(&thread, NULL, leave, NULL);
	pthread_join(thread, NULL);
	return 0;
}
