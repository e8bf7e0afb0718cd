/* norn-test
 * errors: yes
 * schedule: abc
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* Knowledge is passed on from thread to thread: each must acquire and release. */
#include "orders.h"

int data, got;
atomic_int one, two;

static void *first(void *unused)
{
	gate('a');
	data = 42;
	STORE(one, 1, RELEASE);
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	gate('b');
	if (LOAD(one, PICK(ACQUIRE, RELAXED)))
		STORE(two, 1, RELEASE);
	gate_leave();
	return unused;
}

static void *third(void *unused)
{
	gate('c');
	if (LOAD(two, ACQUIRE))
		got = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, third) || got != 42;
}
