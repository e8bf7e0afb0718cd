/* norn-test
 * errors: yes
 * schedule: ab
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * finding: ^property .*predicted
 * finding-count: 1
 */
/* X4: what goes through one pipe says nothing about another. */
#include <norn.h>
#include <pthread.h>
#include <unistd.h>

#include "gate.h"

static int one_pipe[2], two_pipe[2];

static void *one(void *unused)
{
	gate('a');
	if (write(one_pipe[1], "x", 1) != 1)
		return NULL;
	norn_event("first", 0);
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	if (write(two_pipe[1], "x", 1) != 1)
		return NULL;
	norn_event("second", 0);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	void *(*const parts[])(void *) = {one, two};
	(void)argc;
	if (pipe(one_pipe) != 0 || pipe(two_pipe) != 0)
		return 1;
	gate_open(argv[1]);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, parts[i], NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
