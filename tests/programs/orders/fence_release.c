/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* A release fence makes the relaxed store after it publish; without the fence it does not. */
#include "orders.h"

int data, got;
atomic_int ready;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	PICK(atomic_thread_fence(RELEASE), (void)0);
	STORE(ready, 1, RELAXED);
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
