/* A recursion that becomes a loop. */
#include "two.h"

int x;
static int sum_to(int n, int wanted)
{
	if (n == 0)
		return 0;
	return (wanted ? x : 1) + sum_to(n - 1, wanted);
}

void one(void)
{
	result = sum_to(rounds, k);
}

void two(void)
{
	x = 1;
}
