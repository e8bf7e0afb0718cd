/* Threads with the least stack there is, that of the system's or of their own making, violate properties of all kinds: what Norn does there must fit. */
#define _GNU_SOURCE
#include <limits.h>
#include <norn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct large {
	char bytes[3000];
};
volatile int x, y;
static struct large from, to;
static int kinds, told;
static sem_t go, back;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void recover(int kind, double five)
{
	__atomic_fetch_or(&kinds, kind, __ATOMIC_RELAXED); /* several threads do */
	told += five == 5;
}

static void tell(const char *property, const char *message, void *context)
{
	*(int *)context += *property && *message;
}

__attribute__((noinline)) void block(int outer)
{
	x++;
	memcpy(&to, &from, sizeof to);
	if (outer) {
		sem_post(&go);
		sem_wait(&back);
	}
	memset(&from, x, sizeof from);
	y++;
}

static void *work(void *argument)
{
	for (int i = 0; i < 4; i++) {
		if (!argument)
			sem_wait(&go);
		block(argument != NULL);
		if (!argument)
			sem_post(&back);
		pthread_mutex_lock(&lock);
		free(malloc(100));
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

/* A stack of the program's own, with a page below that must not be touched. */
static void own_stack(pthread_attr_t *attr)
{
	char *at = mmap(NULL, 4096 + PTHREAD_STACK_MIN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED || mprotect(at, 4096, PROT_NONE) != 0 ||
	        pthread_attr_setstack(attr, at + 4096, PTHREAD_STACK_MIN) != 0)
		exit(1);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	pthread_attr_t attr;
	int called_back = 0;
	norn_on_violation(NULL, tell, &called_back);
	sem_init(&go, 0, 0);
	sem_init(&back, 0, 0);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN);
	for (int i = 0; i < 2; i++) {
		if (argc > 1 && strcmp(argv[1], "own") == 0)
			own_stack(&attr);
		if (pthread_create(&threads[i], &attr, work, i ? &attr : NULL) != 0)
			return 1;
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("x %d y %d, recovered %x, called back %s\n", x, y, kinds, called_back && told ? "yes" : "no");
	return 0;
}
