/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race x\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: who sees x = 3 dies before it writes. */
#include "cast.h"

int x = 3, y, z;
static int cell;
static int *const cells[] = {&cell, &cell, &cell, NULL};

static void *one(void *unused)
{
	gate('1');
	z = *cells[x & 3];
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
