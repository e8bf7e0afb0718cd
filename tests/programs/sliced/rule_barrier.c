/* norn-test
 * errors: yes
 * schedule: ab
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * no-finding: yes
 */
/* S9: no thread leaves before all have arrived. */
#include <norn.h>
#include <pthread.h>

#include "gate.h"

static pthread_barrier_t barrier;

static void *one(void *unused)
{
	gate('a');
	norn_event("first", 0);
	gate_leave();
	pthread_barrier_wait(&barrier);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	gate_leave();
	pthread_barrier_wait(&barrier);
	norn_event("second", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *(*const parts[])(void *) = {one, two};
	(void)argc;
	pthread_barrier_init(&barrier, NULL, 2);
	gate_open(argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
