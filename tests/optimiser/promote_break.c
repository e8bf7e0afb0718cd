/* Promotion: a loop that is left before it gets there. */
#include "two.h"

int x;

void one(void)
{
	for (int i = 0; i < rounds; i++) {
		if (!k)
			break;
		x += i;
	}
}

void two(void)
{
	x = 1;
}
