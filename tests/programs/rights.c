/* norn-test
 * cc: -g -O1 -pthread
 * stdout: 400, rights given up: yes
 * dump-count: 400 (write|rmw|update) +count
 */
/* A program that gives up its rights while it runs, as servers do, by user, group and capabilities; what it does then is recorded. Without rights there is nothing to give up. */
#define _GNU_SOURCE
#include <grp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
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
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	int good = 1;
	add_in_two();
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (geteuid() == 0)
		good = setgroups(0, NULL) == 0 && setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0 &&
		       setuid(0) != 0;
	add_in_two();
	printf("%d, rights given up: %s\n", count, good ? "yes" : "no");
	return 0;
}
