/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race x\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: what the function returns depends on which return is taken. */
#include "cast.h"

int x = 1, y;

__attribute__((noinline)) static int busy(void)
{
	if (x)
		return 1;
	return 0;
}

static void *one(void *unused)
{
	gate('1');
	int v = busy();
	if (v == 0)
		y = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 2;
	x = 0;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
