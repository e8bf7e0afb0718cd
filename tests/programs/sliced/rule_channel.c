/* norn-test
 * errors: yes
 * schedule: ab
 * prop: rule_order.prop
 * check: --causality sliced --only-props
 * no-finding: yes
 */
/* X4: a receive comes after what was sent. */
#include <norn.h>
#include <pthread.h>
#include <unistd.h>

#include "gate.h"

static int one_pipe[2], two_pipe[2];

static void *one(void *unused)
{
	gate('a');
	norn_event("first", 0);
	if (write(one_pipe[1], "x", 1) != 1)
		return NULL;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	char byte;
	if (read(one_pipe[0], &byte, 1) != 1)
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
