/* A choice of values, one of each variable. */
#include "two.h"

int x, y = 3;

void one(void)
{
	result = k ? x : y;
}

void two(void)
{
	x = 1;
}
