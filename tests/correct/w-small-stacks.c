/* norn-test
 * silent:
 * unjudged:
 */
/* Threads with the smallest stack that POSIX allows, one with a stack of its own from malloc that is used again, and handlers on alternate stacks. */
#define _GNU_SOURCE
#include <assert.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, handled;
static void handler(int s)
{
	(void)s;
	__atomic_fetch_add(&handled, 1, __ATOMIC_RELAXED);
}
static void add(int n)
{
	pthread_mutex_lock(&lock);
	sum += n;
	pthread_mutex_unlock(&lock);
}
static void *run(void *arg)
{
	for (int i = 0; i < 5; i++)
		add(1);
	return arg;
}
static void *with_alt(void *arg)
{
	size_t size = (size_t)sysconf(_SC_MINSIGSTKSZ) + 2048;
	char *alt = malloc(size);
	stack_t s = {.ss_sp = alt, .ss_size = size}, off = {.ss_flags = SS_DISABLE};
	sigaltstack(&s, NULL);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
	sigaltstack(&off, NULL);
	free(alt);
	add(1);
	return arg;
}
int main(void)
{
	pthread_attr_t a;
	pthread_t t[4];
	struct sigaction sa = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	sigaction(SIGUSR1, &sa, NULL);
	pthread_attr_init(&a);
	pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN);
	for (int i = 0; i < 3; i++)
		if (pthread_create(&t[i], &a, run, NULL))
			abort();
	pthread_create(&t[3], NULL, with_alt, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	void *mem = aligned_alloc(4096, 65536);
	for (int i = 0; i < 3; i++) {
		pthread_attr_setstack(&a, mem, 65536);
		if (pthread_create(&t[0], &a, run, NULL))
			abort();
		pthread_join(t[0], NULL);
		for (int k = 0; k < 65536; k++)
			((char *)mem)[k] = (char)k;
	}
	free(mem);
	pthread_attr_destroy(&a);
	assert(sum == 31 && handled == 3);
	printf("%d\n", sum);
	return 0;
}
