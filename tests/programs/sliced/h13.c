/* norn-test
 * errors: yes
 * schedule: 312
 * finding: ^race p\b
 * finding: ^race f\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: x is what p was. */
#include "cast.h"

int p, f, x, y;

static void *one(void *unused)
{
	gate('1');
	x = p;
	f = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	if (f == 1 && x == 1)
		y = 2;
	gate_leave();
	return unused;
}

static void *three(void *unused)
{
	gate('3');
	y = 3;
	p = 1;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, three);
}
