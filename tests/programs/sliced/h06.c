/* norn-test
 * errors: yes
 * schedule: 2a3b
 * finding: ^race x\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: the sum is 1 only if the first read sees 1 and the second 0. */
#include "cast.h"

volatile int x;
int y;

static void *one(void *unused)
{
	int sum = 0;
	gate('a');
	sum += x;
	gate('b');
	sum += x;
	if (sum == 1)
		y = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	x = 1;
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	x = 0;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
