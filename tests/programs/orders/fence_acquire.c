/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* An acquire fence makes the relaxed load before it acquire; a fence before the load does not. */
#include "orders.h"

int data, got;
atomic_int ready;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	STORE(ready, 1, RELEASE);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	PICK((void)0, atomic_thread_fence(ACQUIRE));
	if (LOAD(ready, RELAXED)) {
		PICK(atomic_thread_fence(ACQUIRE), (void)0);
		got = data;
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
