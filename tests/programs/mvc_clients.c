/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * run: abcdef
 * prop: mvc_clients.prop
 * check: --causality mvc
 * finding: property alternate .*(predicted|observed).* for c = 0x
 * finding-count: 1
 */
/* Two clients. What is done to the first is ordered by a lock that is taken in turns; what is done to the second is not ordered at all,
 * though it came in the right order this time. */
#include <pthread.h>
#include <stdlib.h>

#include "../causality/gate.h"

struct client {
	int suspended;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct client *clients[2];

__attribute__((noinline)) static void client_suspend(struct client *c)
{
	__asm__ volatile("" ::"r"(c)); /* or the optimiser would drop the call */
}

__attribute__((noinline)) static void client_resume(struct client *c)
{
	__asm__ volatile("" ::"r"(c)); /* or the optimiser would drop the call */
}

static void *suspender(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	client_suspend(clients[0]);
	pthread_mutex_unlock(&lock);
	gate('c');
	client_suspend(clients[1]);
	gate_leave();
	return unused;
}

static void *resumer(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	client_resume(clients[0]);
	pthread_mutex_unlock(&lock);
	gate('d');
	client_resume(clients[1]);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	(void)argc;
	for (int i = 0; i < 2; i++)
		clients[i] = malloc(sizeof *clients[i]);
	gate_open(argv[1]);
	pthread_create(&threads[0], NULL, suspender, NULL);
	pthread_create(&threads[1], NULL, resumer, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < 2; i++)
		free(clients[i]);
	return 0;
}
