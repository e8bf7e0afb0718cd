/* norn-test
 * errors: yes
 * schedule: ab
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * finding: ^property .*predicted
 * finding-count: 1
 */
/* S14: a lock that the run creates and destroys is like one that was always there. */
#include <norn.h>
#include <pthread.h>

#include "gate.h"

static pthread_mutex_t lock;

static void *one(void *unused)
{
	gate('a');
	pthread_mutex_lock(&lock);
	norn_event("first", 0);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	norn_event("second", 0);
	pthread_mutex_unlock(&lock);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *(*const parts[])(void *) = {one, two};
	(void)argc;
	pthread_mutex_init(&lock, NULL);
	gate_open(argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	pthread_mutex_destroy(&lock);
	return 0;
}
