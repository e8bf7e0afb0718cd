/* norn-test
 * errors: yes
 * schedule: abab
 * finding: ^race sum observed
 * silent: -DRIGHT
 */
/* Peterson's lock for two: the store that gives it back must release. */
#include "orders.h"

atomic_int wants[2], turn;
static _Thread_local int me;
static int waits(void)
{
	atomic_store(&wants[me], 1);
	atomic_store(&turn, !me);
	while (atomic_load(&wants[!me]) && atomic_load(&turn) == !me)
		;
	return 0;
}
int sum;
static void add(void)
{
	while (waits())
		;
	sum++;
	STORE(wants[me], 0, PICK(memory_order_seq_cst, RELAXED));
}

static void *first(void *unused)
{
	gate('a');
	add();
	gate('a');
	add();
	gate_leave();
	return unused;
}

static void *second(void *unused)
{
	me = 1;
	gate('b');
	add();
	gate('b');
	add();
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, first, second, NULL) || sum != 4;
}
