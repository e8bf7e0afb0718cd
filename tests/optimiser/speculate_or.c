/* The right side of ||. */
#include "two.h"

int x;

void one(void)
{
	if (!k || x > 2)
		result = 1;
}

void two(void)
{
	x = 1;
}
