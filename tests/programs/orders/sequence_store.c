/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* A later store of the same thread belongs to the release sequence (C17); that of another thread ends it. */
#include "orders.h"

int data, got;
atomic_int state;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	STORE(state, 1, RELEASE);
	PICK(STORE(state, 2, RELAXED), (void)0);
	gate_leave();
	return unused;
}

static void *pass_on(void *unused)
{
	gate('b');
	if (LOAD(state, RELAXED) == 1)
		STORE(state, 2, RELAXED);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('c');
	if (LOAD(state, ACQUIRE) == 2)
		got = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, pass_on, consume) || got != 42;
}
