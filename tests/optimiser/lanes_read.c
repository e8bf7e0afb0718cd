/* If-conversion: reads under a mask. */
#include "two.h"

int a[16], wanted[16];

void one(void)
{
	int sum = 0;
	wanted[3] = k;
	for (int i = 0; i < 16; i++)
		if (wanted[i])
			sum += a[i];
	result = sum;
}

void two(void)
{
	a[3] = 1;
}
