/* norn-test
 * cc: -g -O1 -pthread
 * stdout: locked or not: 4000, 40 mapped
 */
/* A program that keeps all its memory, present and future, from being swapped: what Norn maps for it is large, and must neither fill the machine nor fail it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static int count, mapped;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *unused)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	for (int i = 0; i < 10; i++) {
		volatile int *block = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (block != MAP_FAILED) {
			*block = i;
			pthread_mutex_lock(&lock);
			mapped += *block == i;
			pthread_mutex_unlock(&lock);
			munmap((void *)block, 4096);
		}
	}
	return unused;
}

int main(void)
{
	pthread_t threads[4];
	mlockall(MCL_CURRENT | MCL_FUTURE);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, add, NULL))
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	printf("locked or not: %d, %d mapped\n", count, mapped);
	return 0;
}
