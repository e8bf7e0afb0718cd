/* A choice of addresses in a loop. */
#include "two.h"

int x;

void one(void)
{
	int local = 2, sum = 0;
	for (int i = 0; i < rounds; i++)
		sum += *(k ? &x : &local) * i;
	result = sum;
}

void two(void)
{
	x = 1;
}
