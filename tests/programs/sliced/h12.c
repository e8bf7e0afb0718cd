/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race p\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: with p = 0 the thread writes x, which it then looks at itself. */
#include "cast.h"

int p, y;
volatile int x;

static void *one(void *unused)
{
	gate('1');
	if (p == 0)
		x = 1;
	if (x == 0)
		y = 2;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	y = 3;
	p = 1;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
