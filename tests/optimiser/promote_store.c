/* Promotion: only stores in the loop. */
#include "two.h"

int x;

void one(void)
{
	for (int i = 0; i < rounds; i++)
		if (k)
			x = i;
}

void two(void)
{
	x = 1;
}
