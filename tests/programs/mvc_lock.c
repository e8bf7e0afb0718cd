/* norn-test
 * build: clang-19 -O2 -c $SRC/../causality/gate.c -o gate.o
 * cc: -g -O1 -pthread gate.o
 * cc: -g -O0 -pthread gate.o
 * run: ab
 * prop: mvc_lock.prop
 * finding: property conserved .*(predicted|observed)
 * finding-count: 1
 */
/* A transfer under a lock that the one who counts does not take. */
#include <pthread.h>

#include "../causality/gate.h"

int saving = 60, checking = 40;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int count_money(int times)
{
	__asm__ volatile(""); /* or the optimiser would drop the call */
	return times;
}

static void *transfer(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	saving -= 10;
	checking += 10;
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *audit(void *unused)
{
	gate('b');
#ifdef LOCKS
	pthread_mutex_lock(&lock);
#endif
	count_money(1);
#ifdef LOCKS
	pthread_mutex_unlock(&lock);
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	(void)argc;
	gate_open(argv[1]);
	pthread_create(&threads[0], NULL, transfer, NULL);
	pthread_create(&threads[1], NULL, audit, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
