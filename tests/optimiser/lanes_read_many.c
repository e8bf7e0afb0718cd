/* If-conversion: reads under a mask, a number of rounds that is not known. */
#include "two.h"

double a[64];
int wanted[64];

void one(void)
{
	double sum = 0;
	wanted[3] = k;
	for (int i = 0; i < rounds; i++)
		if (wanted[i])
			sum += a[i];
	result = (int)sum;
}

void two(void)
{
	a[3] = 1;
}
