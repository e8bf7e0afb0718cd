/* norn-test
 * errors: yes
 * schedule: abac
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * finding: ^property .*predicted
 * finding-count: 1
 */
/* S2: another thread may have the lock, too, before the first one does anything. */
#include <norn.h>
#include <pthread.h>

#include "gate.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *unused)
{
	gate('a');
	norn_event("first", 0);
	pthread_mutex_lock(&lock);
	gate_leave();
	gate('a');
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	if (pthread_mutex_trylock(&lock))
		norn_event("second", 0);
	else
		pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('c');
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	void *(*const parts[])(void *) = {one, two, three};
	(void)argc;
	gate_open(argv[1]);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
