/* If-conversion: writes under a mask. */
#include "two.h"

int a[16], wanted[16];

void one(void)
{
	wanted[3] = k;
	for (int i = 0; i < 16; i++)
		if (wanted[i])
			a[i] = i;
}

void two(void)
{
	a[3] = 1;
}
