/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * cc: -g -O0 -pthread gate.o
 * run: abc
 * prop: mvc_connection.prop
 * finding: property not_after .*(predicted|observed)
 * finding-count: 1
 */
/* A connection that one thread opens, and hands over by a semaphore, which orders the first use after it. Closing waits for no thread. */
#include <pthread.h>
#include <semaphore.h>

#include "../causality/gate.h"

int state;
static sem_t ready;

__attribute__((noinline)) static void transmit(int byte)
{
	__asm__ volatile("" ::"r"(byte)); /* or the optimiser would drop the call */
}

static void *owner(void *unused)
{
	gate('a');
	state = 1;
	sem_post(&ready);
	gate('c');
#ifdef WAITS
	sem_wait(&ready);
	sem_wait(&ready);
#endif
	state = 0;
	gate_leave();
	return unused;
}

static void *user(void *unused)
{
	sem_wait(&ready);
	gate('b');
	transmit(42);
#ifdef WAITS
	sem_post(&ready);
	sem_post(&ready);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	(void)argc;
	gate_open(argv[1]);
	sem_init(&ready, 0, 0);
	pthread_create(&threads[0], NULL, owner, NULL);
	pthread_create(&threads[1], NULL, user, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
