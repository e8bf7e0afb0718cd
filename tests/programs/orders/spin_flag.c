/* norn-test
 * errors: yes
 * schedule: abab
 * finding: ^race sum observed
 * silent: -DRIGHT
 */
/* A spinlock of atomic_flag. */
#include "orders.h"

atomic_flag lock = ATOMIC_FLAG_INIT;
int sum;
static void add(void)
{
	while (atomic_flag_test_and_set_explicit(&lock, PICK(ACQUIRE, RELAXED)))
		;
	sum++;
	atomic_flag_clear_explicit(&lock, RELEASE);
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
