/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* atomic_signal_fence orders nothing between threads. */
#include "orders.h"

int data, got;
atomic_int ready;

static void *produce(void *unused)
{
	gate('a');
	data = 42;
	PICK(atomic_thread_fence, atomic_signal_fence)(memory_order_seq_cst);
	STORE(ready, 1, RELAXED);
	gate_leave();
	return unused;
}

static void *consume(void *unused)
{
	gate('b');
	if (LOAD(ready, RELAXED)) {
		atomic_thread_fence(memory_order_seq_cst);
		got = data;
	}
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, produce, consume, NULL) || got != 42;
}
