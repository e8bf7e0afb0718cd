/* A pointer that is changed on one way. */
#include "two.h"

int x;

void one(void)
{
	int local = 7, *p = &local;
	if (k)
		p = &x;
	result = *p;
}

void two(void)
{
	x = 1;
}
