/* norn-test
 * errors: yes
 * schedule: ab
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * finding: ^property .*predicted
 * finding-count: 1
 */
/* S5: a signal without a waiter is lost, and needs none before it. */
#include <norn.h>
#include <pthread.h>

#include "gate.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t ready = PTHREAD_COND_INITIALIZER;

static void *one(void *unused)
{
	gate('a');
	pthread_cond_signal(&ready);
	norn_event("first", 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_cond_signal(&ready);
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
