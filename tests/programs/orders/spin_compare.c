/* norn-test
 * errors: yes
 * schedule: abab
 * finding: ^race sum observed
 * silent: -DRIGHT
 */
/* A spinlock that is taken by a compare-exchange that does not acquire. */
#include "orders.h"

atomic_int lock;
static int take(void)
{
	int free = 0;
	return atomic_compare_exchange_strong_explicit(&lock, &free, 1, PICK(ACQUIRE, RELAXED), RELAXED);
}
int sum;
static void add(void)
{
	while (!take())
		;
	sum++;
	STORE(lock, 0, RELEASE);
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
