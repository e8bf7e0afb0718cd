/* norn-test
 * errors: yes
 * schedule: aba
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * no-finding: yes
 */
/* S2: the try fails only while the first thread has the lock, after its event. */
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
