/* Lamport's bakery: n threads enter a critical section in the order of their tickets. usage: bakery THREADS ENTRIES. -DMUTANT: thread 0 wants, and lets a hundred turns pass. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "measure.h"

#define MANY 64

static atomic_int choosing[MANY];
static atomic_long ticket[MANY];
static int threads;
static long entries, inside, entered;
#ifdef MUTANT
static atomic_long turns;
#endif

/* A thread has a ticket, and waits for its turn. */
__attribute__((noinline)) void wants(int me)
{
	__asm__ volatile("" ::"r"(me));
}

/* A turn: some thread has got into the critical section; and it is this one. */
__attribute__((noinline)) void turn(void)
{
	__asm__ volatile("");
}

__attribute__((noinline)) void enters(int me)
{
	__asm__ volatile("" ::"r"(me));
}

static void lock(int me)
{
	long most = 0;
	atomic_store(&choosing[me], 1);
	for (int i = 0; i < threads; i++) {
		long other = atomic_load(&ticket[i]);
		most = other > most ? other : most;
	}
	atomic_store(&ticket[me], most + 1);
	atomic_store(&choosing[me], 0);
#ifdef MUTANT
	if (atomic_load(&turns) >= 100 || me)
#endif
		wants(me);
	for (int i = 0; i < threads; i++) {
		while (atomic_load(&choosing[i]))
			sched_yield();
		for (;;) {
			long other = atomic_load(&ticket[i]);
			if (other == 0 || other > most + 1 || (other == most + 1 && i >= me))
				break;
			sched_yield();
		}
	}
}

/* Something to do, inside the critical section and outside. */
static void work(int times)
{
	for (volatile int i = 0; i < times; i++)
		;
}

void *process_main(void *arg)
{
	int me = (int)(long)arg;
#ifdef MUTANT
	if (me == 0) {
		wants(me);
		while (atomic_load(&turns) < 100)
			sched_yield();
	}
#endif
	for (long i = 0; i < entries; i++) {
		lock(me);
		turn();
		enters(me);
		inside++;
		entered += inside == 1;
		work(50);
#ifdef MUTANT
		atomic_fetch_add(&turns, 1);
#endif
		inside--;
		atomic_store(&ticket[me], 0);
		work(500);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t list[MANY];
	threads = argc > 1 ? atoi(argv[1]) : 2;
	entries = (argc > 2 ? atol(argv[2]) : 100000) / threads;
	if (threads < 1 || threads > MANY)
		return 2;
	measure_begin();
	for (int i = 0; i < threads; i++)
		pthread_create(&list[i], NULL, process_main, (void *)(long)i);
	for (int i = 0; i < threads; i++)
		pthread_join(list[i], NULL);
	measure_end();
	printf("%d\n", entered == entries * threads);
	return 0;
}
