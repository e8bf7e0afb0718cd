/* norn-test
 * errors: yes
 * schedule: abab
 * finding: ^race sum observed
 * silent: -DRIGHT
 */
/* A spinlock that is given back by a relaxed store. */
#include "orders.h"

atomic_int lock;
int sum;
static void add(void)
{
	while (atomic_exchange_explicit(&lock, 1, ACQUIRE))
		;
	sum++;
	STORE(lock, 0, PICK(RELEASE, RELAXED));
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
