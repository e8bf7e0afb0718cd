/* Promotion: two variables. */
#include "two.h"

int x;
long y;

void one(void)
{
	for (int i = 0; i < rounds; i++) {
		if (k)
			x += i;
		if (k > 2)
			y += x;
	}
}

void two(void)
{
	x = 1;
	y = 2;
}
