/* norn-test
 * errors: yes
 * schedule: ab
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * no-finding: yes
 */
/* S10: a wait needs a post. */
#include <norn.h>
#include <pthread.h>
#include <semaphore.h>

#include "gate.h"

static sem_t slots;

static void *one(void *unused)
{
	gate('a');
	norn_event("first", 0);
	sem_post(&slots);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	sem_wait(&slots);
	norn_event("second", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *(*const parts[])(void *) = {one, two};
	(void)argc;
	sem_init(&slots, 0, 0);
	gate_open(argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
