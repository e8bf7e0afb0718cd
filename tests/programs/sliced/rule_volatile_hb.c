/* norn-test
 * errors: yes
 * schedule: 12
 * finding: ^race y\b
 * check: --causality mvc
 * finding: ^race v\b
 */
/* C3, as rule_volatile.c, by happens-before: volatile accesses are plain ones. They race, and order nothing else. */
#include "cast.h"

volatile int v;
int y, seen;

static void *one(void *unused)
{
	gate('1');
	y = 1;
	v = 1;
	gate_leave();
	return unused;
}

static void *two(void *unused)
{
	gate('2');
	seen = v;
	y = 2;
	gate_leave();
	return unused;
}

int main(int argc, char **argv)
{
	return argc < 2 || play(argv, one, two, NULL);
}
