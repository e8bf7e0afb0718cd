/* Promotion: out of two loops. */
#include "two.h"

int x;

void one(void)
{
	for (int i = 0; i < rounds; i++)
		for (int j = 0; j < rounds; j++)
			if (k)
				x += i * j;
}

void two(void)
{
	x = 1;
}
