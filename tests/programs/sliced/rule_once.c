/* norn-test
 * errors: yes
 * schedule: ab
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * finding: ^property .*predicted
 * finding-count: 1
 */
/* S12: no thread waits for those that have passed. */
#include <norn.h>
#include <pthread.h>

#include "gate.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;

static void routine(void)
{
}

static void *one(void *unused)
{
	gate('a');
	pthread_once(&once, routine);
	norn_event("first", 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_once(&once, routine);
	norn_event("second", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *(*const parts[])(void *) = {one, two};
	(void)argc;
	gate_open(argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
