/* A table that is filled, and looked up: after a semaphore says that it is filled, and with -DWRONG once before. With -DORDERED the program orders that,
 * else only a gate, which Norn does not see. */
#include "../causality/gate.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t ready, looked;
int table[4];

__attribute__((noinline)) void fill(void)
{
	table[0] = 1;
}

__attribute__((noinline)) int lookup(int i)
{
	return table[i];
}

static void *user(void *arg)
{
	gate('a');
#ifdef WRONG
	lookup(1);
#endif
	gate_leave();
	sem_post(&looked);
	sem_wait(&ready);
	for (int i = 0; i < 4; i++)
		lookup(i);
	return arg;
}

static void *filler(void *arg)
{
#ifdef ORDERED
	sem_wait(&looked);
#endif
	gate('b');
	fill();
	gate_leave();
	sem_post(&ready);
	return arg;
}

int main(void)
{
	pthread_t a, b;
	gate_open("ab");
	sem_init(&ready, 0, 0);
	sem_init(&looked, 0, 0);
	pthread_create(&a, 0, user, 0);
	pthread_create(&b, 0, filler, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}
