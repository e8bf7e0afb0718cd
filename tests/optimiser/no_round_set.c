/* A loop that becomes memset, of no rounds. */
#include "two.h"

int a[64];

void one(void)
{
	for (int i = 0; i < k * 8; i++)
		a[i] = 0;
}

void two(void)
{
	a[0] = 1;
}
