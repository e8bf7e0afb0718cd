/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * run: ab
 * prop: mvc_once.prop
 * finding: property filled .*(predicted|observed)
 * finding-count: 1
 */
/* A table that one thread fills and the other looks into, with nothing in between: the second came later by chance. */
#include <pthread.h>

#include "../causality/gate.h"

int table[4];
#ifdef ONCE
static pthread_once_t once = PTHREAD_ONCE_INIT;
#endif

__attribute__((noinline)) static void fill_table(void)
{
	for (int i = 0; i < 4; i++)
		__atomic_store_n(&table[i], i, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static int look_up(int i)
{
	__asm__ volatile(""); /* or the optimiser would drop the call */
	return i;
}

static void *first(void *unused)
{
	gate('a');
#ifdef ONCE
	pthread_once(&once, fill_table);
#else
	fill_table();
#endif
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
#ifdef ONCE
	pthread_once(&once, fill_table);
#endif
	look_up(3);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	(void)argc;
	gate_open(argv[1]);
	pthread_create(&threads[0], NULL, first, NULL);
	pthread_create(&threads[1], NULL, second, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
