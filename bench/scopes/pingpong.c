/* Ping and pong: two threads take turns by a variable that they wait for busily. usage: pingpong ROUNDS. -DMUTANT: one ping too many. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

static atomic_int whose;
static long rounds;

__attribute__((noinline)) void ping(long round)
{
	__asm__ volatile("" ::"r"(round));
}

__attribute__((noinline)) void pong(long round)
{
	__asm__ volatile("" ::"r"(round));
}

static void wait_for(int who)
{
	for (int i = 0; atomic_load(&whose) != who; i++)
		if (i > 100)
			sched_yield();
}

void *ping_main(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		wait_for(0);
		ping(i);
#ifdef MUTANT
		if (i == 3)
			ping(i);
#endif
		atomic_store(&whose, 1);
	}
	return arg;
}

void *pong_main(void *arg)
{
	for (long i = 0; i < rounds; i++) {
		wait_for(1);
		pong(i);
		atomic_store(&whose, 0);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	rounds = argc > 1 ? atol(argv[1]) : 100000;
	measure_begin();
	pthread_create(&a, NULL, ping_main, NULL);
	pthread_create(&b, NULL, pong_main, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	measure_end();
	puts("done");
	return 0;
}
