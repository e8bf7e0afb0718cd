/* Promotion: a floating-point sum. */
#include "two.h"

double x;

void one(void)
{
	for (int i = 0; i < rounds; i++)
		if (k)
			x += i * 0.5;
}

void two(void)
{
	x = 1;
}
