/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* __sync builtins are full barriers; a relaxed __atomic one is none. */
#include "orders.h"

int data, got;
static int ready;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	PICK(__sync_fetch_and_add(&ready, 1), __atomic_fetch_add(&ready, 1, __ATOMIC_RELAXED));
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	if (PICK(__sync_fetch_and_add(&ready, 0), __atomic_load_n(&ready, __ATOMIC_RELAXED)))
		got = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
