/* A write to one of two places. */
#include "two.h"

int x;

void one(void)
{
	int local = 0;
	*(k ? &x : &local) = 5;
	result = local;
}

void two(void)
{
	x = 1;
}
