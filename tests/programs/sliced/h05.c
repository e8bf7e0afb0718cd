/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race x\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: the branch that wrote v, though not taken, decides. */
#include "cast.h"

int x = 1, y;

static void *one(void *unused)
{
	int v = 0;
	gate('1');
	if (x)
		v = 1;
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
