/* Promotion: a loop with its test at the end. */
#include "two.h"

int x;

void one(void)
{
	int i = 0;
	do {
		if (k)
			x ^= i;
	} while (++i < rounds);
}

void two(void)
{
	x = 1;
}
