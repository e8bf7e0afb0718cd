/* Promotion: one element of an array. */
#include "two.h"

int a[8];

void one(void)
{
	for (int i = 0; i < rounds; i++)
		if (k)
			a[3] += i;
}

void two(void)
{
	a[3] = 1;
}
