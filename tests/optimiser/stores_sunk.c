/* A write on either way. */
#include "two.h"

int x, y;

void one(void)
{
	if (k)
		x = 1;
	else
		y = 1;
}

void two(void)
{
	x = 2;
}
