/* A read after a way out of the loop. */
#include "two.h"

int x;

void one(void)
{
	int sum = 0;
	for (int i = 0; i < rounds; i++) {
		if (k == 0 && i >= 0)
			break;
		sum += x;
	}
	result = sum;
}

void two(void)
{
	x = 1;
}
