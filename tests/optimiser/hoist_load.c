/* A read that every round would make, if it were made. */
#include "two.h"

int x;

void one(void)
{
	int sum = 0;
	for (int i = 0; i < rounds; i++)
		if (k)
			sum += x;
	result = sum;
}

void two(void)
{
	x = 1;
}
