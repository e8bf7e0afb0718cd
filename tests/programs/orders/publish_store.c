/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* Data is published by a store that does not release. */
#include "orders.h"

int data, got;
atomic_int ready;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	STORE(ready, 1, PICK(RELEASE, RELAXED));
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	if (LOAD(ready, ACQUIRE))
		got = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
