/* An argument of a function that calls itself. */
#include "two.h"

int x;
static int down(const int *p, int n, int wanted)
{
	if (n <= 0)
		return wanted ? *p : 0;
	return 1 + down(p, n - 1, wanted);
}

void one(void)
{
	result = down(&x, rounds, k);
}

void two(void)
{
	x = 1;
}
