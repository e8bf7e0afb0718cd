/* A loop that becomes two. */
#include "two.h"

int a[16], b[16];

void one(void)
{
	int sum = 0;
	for (int i = 0; i < 16; i++)
		if (k)
			sum += a[i];
		else
			sum += b[i];
	result = sum;
}

void two(void)
{
	a[5] = 1;
}
