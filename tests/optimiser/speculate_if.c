/* A read before the branch. */
#include "two.h"

int x;

void one(void)
{
	int v = 0;
	if (k)
		v = x;
	result = v;
}

void two(void)
{
	x = 1;
}
