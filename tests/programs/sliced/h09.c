/* norn-test
 * errors: yes
 * schedule: 21
 * finding: ^race x\b
 * never-finding: ^race a\b
 */
/* A race on a[0] is not possible: who sees x = 1 writes a[1]. */
#include "cast.h"

int x = 1;
int a[2];

static void *one(void *unused)
{
	gate('1');
	a[x & 1] = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	a[0] = 2;
	x = 0;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
