/* A loop that becomes memset: not a byte more. */
#include "two.h"

char a[64];

void one(void)
{
	for (int i = 0; i < 32 + k; i++)
		a[i] = 0;
}

void two(void)
{
	a[32] = 1;
}
