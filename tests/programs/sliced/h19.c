/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race x\b
 * never-finding: ^race y\b
 */
/* A race on y is not possible: the first thread waits for x. */
#include "cast.h"

volatile int x;
int y;

static void *one(void *unused)
{
	gate('1');
	while (!x)
		;
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

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
