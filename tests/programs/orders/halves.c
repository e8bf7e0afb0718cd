/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* Two atomics in one word are two objects: to acquire the one is not to acquire the other. */
#include "orders.h"

int data, got;
static struct {
	_Alignas(8) atomic_int left;
	atomic_int right;
} flags;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	STORE(flags.left, 1, RELEASE);
	STORE(flags.right, 1, RELAXED);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	if (LOAD(flags.PICK(left, right), ACQUIRE))
		got = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
