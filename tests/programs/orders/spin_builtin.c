/* norn-test
 * errors: yes
 * schedule: abab
 * finding: ^race sum observed
 * silent: -DRIGHT
 */
/* A spinlock of builtins: __sync_lock_test_and_set acquires, __sync_lock_release releases; __atomic_store_n with relaxed order does not. */
#include "orders.h"

static int lock;
int sum;
static void add(void)
{
	while (__sync_lock_test_and_set(&lock, 1))
		;
	sum++;
	PICK(__sync_lock_release(&lock), __atomic_store_n(&lock, 0, __ATOMIC_RELAXED));
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
