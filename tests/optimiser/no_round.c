/* A loop of no rounds. */
#include "two.h"

int x;

void one(void)
{
	int sum = 0;
	for (int i = 0; i < k; i++)
		sum += x;
	result = sum;
}

void two(void)
{
	x = 1;
}
