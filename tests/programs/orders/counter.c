/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^race data observed
 * silent: -DRIGHT
 */
/* A relaxed counter is right for counting; that it has a value orders nothing. After the join all is known. */
#include "orders.h"

int data, got;
atomic_int done;

static void *work(void *unused)
{
	gate('a');
	data = 42;
	atomic_fetch_add_explicit(&done, 1, RELAXED);
	gate_leave();
	return unused;
}

static void *look(void *unused)
{
	gate('b');
#ifndef RIGHT
	if (LOAD(done, RELAXED) == 1)
		got = data;
#endif
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, work, look, NULL) || (got = data, LOAD(done, RELAXED) != 1 || got != 42);
}
