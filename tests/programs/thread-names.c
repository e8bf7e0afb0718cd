/* norn-test
 * cc: -g -O1 -pthread
 * stdout: done
 * dump: main/1 +begin +created by main\b
 * dump: main/2/1 +begin +created by main/2
 * dump: main/2/2 +begin +created by main/2
 * dump: main/3/1 +write .*; write_leaf
 * dump: main +join +main/3
 * dump: main/2 +join +main/2/1
 * dump: main/3 +name +"third"
 * dump: fork-failed
 * dump-count: 9 main(/[0-9]+)+ +begin
 * never: main/4
 */
/* A thread's name is its path of creation, also after a creation that failed. */
#define _GNU_SOURCE
#include <errno.h>
#include <norn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int leaf[9];

static void *write_leaf(void *at)
{
	*(int *)at = 1;
	return NULL;
}

static void *spread(void *at)
{
	pthread_t threads[2];
	int *leaves = at;
	if (leaves == leaf + 4)
		norn_thread_name("third");
	for (int i = 0; i < 2; i++) {
		pthread_create(&threads[i], NULL, write_leaf, leaves + i);
		pthread_join(threads[i], NULL);
	}
	return NULL;
}

int main(void)
{
	pthread_t thread;
	for (int i = 0; i < 3; i++) {
		if (i == 2) {
			pthread_attr_t attr;
			pthread_attr_init(&attr);
			pthread_attr_setstacksize(&attr, 1ul << 46);
			if (pthread_create(&thread, &attr, spread, NULL) != EAGAIN)
				exit(1);
		}
		pthread_create(&thread, NULL, spread, leaf + 2 * i);
		pthread_join(thread, NULL);
	}
	puts("done");
	return 0;
}
