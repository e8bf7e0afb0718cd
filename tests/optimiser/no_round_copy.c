/* A loop that becomes memcpy, of no rounds. */
#include "two.h"

int a[64], b[64];

void one(void)
{
	for (int i = 0; i < k * 8; i++)
		a[i] = b[i];
}

void two(void)
{
	b[0] = 1;
}
