/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* A relaxed read-modify-write of any thread belongs to the release sequence; a load and a store do not. */
#include "orders.h"

int data, got;
atomic_int state;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	STORE(state, 1, RELEASE);
	gate_leave();
	return unused;
}

static void *count(void *unused)
{
	gate('b');
	PICK(atomic_fetch_add_explicit(&state, 1, RELAXED), STORE(state, LOAD(state, RELAXED) + 1, RELAXED));
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
	return argc < 2 || play(argv, produce, count, consume) || got != 42;
}
