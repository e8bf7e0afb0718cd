/* Every third element. */
#include "two.h"

unsigned char a[192];

void one(void)
{
	unsigned sum = 0;
	for (int i = 0; i < 63; i++)
		sum += a[3 * i];
	if (k)
		sum += a[31];
	result = (int)sum;
}

void two(void)
{
	for (int i = 0; i < 63; i++)
		a[3 * i + 1] = 1;
}
