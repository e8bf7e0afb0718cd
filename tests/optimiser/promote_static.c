/* Promotion: a variable of the file. */
#include "two.h"

static int x;

void one(void)
{
	for (int i = 0; i < rounds; i++)
		if (k)
			x += i;
}

void two(void)
{
	x = 1;
}
