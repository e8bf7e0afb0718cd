/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* Release and acquire of different objects do not meet; that of one and the same does, whoever looks at the value (S21). */
#include "orders.h"

int data, got;
atomic_int ready, announced;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	STORE(ready, 1, RELEASE);
	STORE(announced, 1, RELAXED);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	if (LOAD(announced, ACQUIRE)) {
		PICK((void)LOAD(ready, ACQUIRE), (void)0);
		got = data;
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
