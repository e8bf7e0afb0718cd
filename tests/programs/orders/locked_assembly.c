/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* An instruction with a lock prefix is a full barrier. */
#include "orders.h"

int data, got;
static int ready;

static int add(int *word, int value)
{
#ifdef RIGHT
	__asm__ volatile("lock xaddl %0, %1" : "+r"(value), "+m"(*word)::"memory");
	return value;
#else
	return __atomic_fetch_add(word, value, __ATOMIC_RELAXED);
#endif
}

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	add(&ready, 1);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	if (add(&ready, 0))
		got = data;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
