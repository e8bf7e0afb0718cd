/* norn-test
 * errors: yes
 * schedule: ab
 * finding: ^assertion total == n \* \(n \+ 1\) / 2 predicted at progression.c:\d+ check
 * silent: -DRIGHT
 */
/* The sum of an arithmetic progression, whose two parts grow one after the other; a function looks at its arguments. */
#include "twin.h"

static int num, total;

static void check(int total, int n)
{
	assert(total == n * (n + 1) / 2);
}

static void step(void)
{
	pthread_mutex_lock(&lock);
	num = num + 1;
	gap();
	total = total + num;
	pthread_mutex_unlock(&lock);
}

static void *one(void *unused)
{
	gate('a');
	for (int i = 0; i < 3; i++)
		step();
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('b');
	pthread_mutex_lock(&lock);
	int t = total, n = num;
	pthread_mutex_unlock(&lock);
	check(t, n);
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	if (argc < 2 || play(argv, one, two, NULL))
		return 2;
	return 0;
}
