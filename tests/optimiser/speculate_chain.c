/* A chain of choices. */
#include "two.h"

int x, y = 1, z = 2;

void one(void)
{
	result = k == 0 ? y : k == 2 ? z : x;
}

void two(void)
{
	x = 1;
}
