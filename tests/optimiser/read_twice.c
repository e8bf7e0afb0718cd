/* A read on two ways, of which the first may not be gone. */
#include "two.h"

int x;

void one(void)
{
	int v = 0;
	if (k)
		v = x;
	for (int i = 0; i < rounds; i++)
		result += i;
	if (k)
		v += x;
	result += v;
}

void two(void)
{
	x = 1;
}
