/* norn-test
 * errors: yes
 * schedule: ab
 * prop: rule_order.prop
 * check: --causality sliced
 * finding: ^property .*predicted
 * finding: ^race shared predicted
 * finding-count: 2
 */
/* S10: a semaphore of two lets both in, in either order: the race and the violation are of the same two threads. */
#include <norn.h>
#include <pthread.h>
#include <semaphore.h>

#include "gate.h"

static sem_t slots;
int shared;

static void *one(void *unused)
{
	gate('a');
	sem_wait(&slots);
	shared = 1;
	norn_event("first", 0);
	sem_post(&slots);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	sem_wait(&slots);
	shared = 2;
	norn_event("second", 0);
	sem_post(&slots);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *(*const parts[])(void *) = {one, two};
	(void)argc;
	sem_init(&slots, 0, 2);
	gate_open(argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
