/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* mfence counts as a fence; assembly that only keeps the compiler from reordering does not. */
#include "orders.h"

int data, got;
atomic_int ready;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	__asm__ volatile(PICK("mfence", "")::: "memory");
	STORE(ready, 1, RELAXED);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	if (LOAD(ready, RELAXED)) {
		__asm__ volatile(PICK("mfence", "")::: "memory");
		got = data;
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
